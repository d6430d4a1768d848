"""Logs replayed: the curve, what matched, how far to trust it."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.errors import ReplayWarning
from banditune.kernels.linear import sweep
from banditune.kernels.linear.sampling import NO_SAMPLES
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.watch import new_watch
from banditune.policies.batches import Terms
from banditune.policies.linucb.batches import batch_rounds
from banditune.policies.losses import LOSSES
from tests.naive.linucb import naive_replay


@st.composite
def logged_tasks(draw: st.DrawFn) -> bt.LoggedTask:
    """Small logs of two to four arms, with contexts of each arm's own or shared, some of them zero or equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    events, n_arms, dim = draw(st.integers(2, 40)), draw(st.integers(2, 4)), draw(st.integers(1, 5))
    contexts = rng.normal(size=(events, n_arms, dim) if draw(st.booleans()) else (events, dim))
    kind = draw(st.sampled_from(["plain", "zero", "equal", "ones"]))
    if kind == "zero":
        contexts[rng.random(events) < 0.3] = 0.0
    elif kind == "equal":
        contexts[:] = contexts[:1]
    elif kind == "ones":
        contexts = np.sign(contexts)
    arms = rng.integers(n_arms, size=events)
    arms[:2] = (0, n_arms - 1)
    return bt.LoggedTask(contexts, arms, rng.integers(2, size=events))


some_updates = st.sampled_from(  # rounds are events that match
    [None, None, bt.Batches(3), bt.Batches(4, whole=True, floor=0.1), bt.Delay(3), bt.Updates(burn_in=2)]
)
settings = st.fixed_dictionaries(
    {"ridge": st.sampled_from([0.01, 1.0]), "disjoint": st.booleans(), "updates": some_updates}
)


def as_played(task: bt.LoggedTask, fixed: dict[str, object]) -> dict[str, object]:
    """The settings, with a regression for each arm where contexts are shared."""
    return fixed | {"disjoint": bool(fixed["disjoint"]) or task.contexts.ndim == 2}


def all_contexts(task: bt.LoggedTask) -> np.ndarray:
    contexts = task.contexts if task.contexts.ndim == 3 else task.contexts[:, None, :]
    return np.broadcast_to(contexts, (len(task), task.n_arms, task.dim))


@given(logged_tasks(), settings)
def test_curve_is_minus_the_mean_reward_of_what_matches_to_the_last_bit(
    task: bt.LoggedTask, fixed: dict[str, object]
) -> None:
    fixed = as_played(task, fixed)
    curve = bt.loss_curve(bt.LinUCB, task, horizon=len(task), loss="reward", alpha=(0.0, 2.0), **fixed)
    assert isinstance(curve.matched, bt.StepFunction)
    beside = [float(np.nextafter(edge, side)) for edge in curve.edges for side in (-np.inf, np.inf)]
    edges = {*curve.edges.tolist(), *curve.matched.edges.tolist()}
    for alpha in {*beside, *((curve.edges[1:] + curve.edges[:-1]) / 2)} - edges:
        if 1e-290 <= alpha <= 2.0:
            played = bt.play(bt.LinUCB, task, horizon=len(task), alpha=alpha, **fixed)
            assert curve.matched(alpha) == played.rewards.size == played.arms.size
            assert np.isnan(played.regret).all()
            worst = -task.rewards.min()
            expected = np.cumsum(-played.rewards)[-1] / played.rewards.size if played.rewards.size else worst
            assert curve(alpha) == expected


@given(logged_tasks(), settings, st.floats(0.001, 2.0))
def test_replay_agrees_with_the_oracle(task: bt.LoggedTask, fixed: dict[str, object], alpha: float) -> None:
    fixed = as_played(task, fixed)
    matched, closest = naive_replay(
        all_contexts(task),
        task.arms,
        task.rewards,
        alpha,
        **fixed,  # type: ignore[arg-type]
    )
    if closest > 1e-9:  # else two indices may tie but for rounding
        played = bt.play(bt.LinUCB, task, horizon=len(task), alpha=alpha, **fixed)
        assert played.arms.tolist() == task.arms[matched].tolist()
        assert played.rewards.tolist() == task.rewards[matched].tolist()


@given(logged_tasks(), st.integers(2, 4), some_updates)
def test_curve_is_the_same_when_states_do_not_fit_into_memory(
    task: bt.LoggedTask, most_states: int, updates: bt.Updates | None
) -> None:
    feedback = IMMEDIATE if updates is None else updates.to_feedback(is_randomised=False)
    (rounds,) = batch_rounds([task], Terms(len(task), LOSSES["reward"], 0, True, {"scaling": "none"}))
    horizons = np.array([1, max(1, len(task) // 2), len(task)])
    many, few = (
        sweep.sweep_rounds(new_watch(), rounds, task.n_arms, 1.0, horizons, 0.0, 2.0, most, NO_SAMPLES, feedback)[0]
        for most in (1_000, most_states)
    )
    for k in range(3):
        of_many, of_few = (
            [(left, loss, n) for left, loss, n, at in zip(*pieces, strict=True) if at == k] for pieces in (many, few)
        )
        assert of_many[0] == of_few[0]
        assert set(of_many) <= set(of_few)  # those played again from the first round may be noted in two pieces


def drawn_log(events: int, seed: int = 0, *, n_arms: int = 3, name: str | None = None) -> bt.LoggedTask:
    """A log of uniform choices, whose arms differ by context."""
    rng = np.random.default_rng(seed)
    contexts = np.column_stack((np.ones(events), rng.normal(size=(events, 2))))
    arms = rng.integers(n_arms, size=events)
    rate = 1 / (1 + np.exp(-(contexts @ rng.normal(size=(3, n_arms)))[np.arange(events), arms]))
    return bt.LoggedTask(contexts, arms, rng.random(events) < rate, name=name)


def test_tuning_on_a_log_tells_what_matched_and_how_sure_it_is(tmp_path: object) -> None:
    log = drawn_log(3_000)
    tuned = bt.tune(bt.LinUCB, [log], horizon=3_000, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    curve = bt.loss_curve(bt.LinUCB, log, horizon=3_000, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    assert tuned.curve == curve
    assert tuned.replay is not None
    assert tuned.replay.matched == curve.matched
    assert tuned.replay.events == 3_000
    assert tuned.replay.warnings == ()
    played = bt.play(bt.LinUCB, log, horizon=3_000, alpha=tuned.alpha, disjoint=True)
    assert tuned.loss == pytest.approx(-played.rewards.mean())
    error = played.rewards.std() / np.sqrt(played.rewards.size)
    assert tuned.replay.interval.low == pytest.approx(tuned.loss - 1.96 * error, abs=0.3 * error)
    assert tuned.replay.interval.high == pytest.approx(tuned.loss + 1.96 * error, abs=0.3 * error)
    tuned.save(f"{tmp_path}/tuned.json")
    again = bt.load(f"{tmp_path}/tuned.json")
    assert again.replay is not None
    assert again.replay.matched == tuned.replay.matched
    assert again.summary() == tuned.summary()


def test_interval_of_many_logs_is_that_of_logs() -> None:
    logs = [drawn_log(300, seed) for seed in range(30)]
    tuned = bt.tune(bt.LinUCB, logs, horizon=300, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    losses = [-bt.play(bt.LinUCB, log, horizon=300, alpha=tuned.alpha, disjoint=True).rewards.mean() for log in logs]
    assert tuned.loss == pytest.approx(np.mean(losses))
    error = np.std(losses) / np.sqrt(30)
    assert tuned.replay is not None
    assert tuned.replay.interval.width == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_what_is_not_to_be_trusted_is_told() -> None:
    with pytest.warns(ReplayWarning, match="only .* events matched at alpha = .*: too few for a reliable estimate"):
        bt.tune(bt.LinUCB, [drawn_log(60)], horizon=60, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    log = drawn_log(3_000)
    kept = (log.arms == 0) | (np.arange(3_000) % 3 == 0)  # arm 0 was chosen three times as often as the others
    skewed = bt.LoggedTask(log.contexts[kept], log.arms[kept], log.rewards[kept], name="[x]")
    with pytest.warns(ReplayWarning, match=r"do not look uniformly random, as replay assumes: in the log '\[x\]'"):
        bt.tune(bt.LinUCB, [skewed], horizon=3_000, loss="reward", alpha=(0.0, 2.0), disjoint=True)


def test_events_that_thinning_takes_away_are_told() -> None:
    log = drawn_log(3_000)
    likely = np.full(3_000, 0.4)
    likely[7] = 0.001
    rare = bt.LoggedTask(log.contexts, log.arms, log.rewards, propensities=likely)
    with pytest.warns(ReplayWarning) as told:
        bt.tune(bt.LinUCB, [rare], horizon=3_000, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    assert any("of 3,000 events, about 8 remain" in str(each.message) for each in told)
    assert any("the smallest of them is 0.001" in str(each.message) for each in told)


def test_where_nothing_matches_the_worst_reward_stands_for_the_mean() -> None:
    log = bt.LoggedTask([[1.0], [1.0]], arms=[1, 2], rewards=[0.5, 0.25])  # the first choice is always arm 0
    curve = bt.loss_curve(bt.LinUCB, log, horizon=2, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    assert curve.values.tolist() == [-0.25]
    assert curve.matched.values.tolist() == [0.0]
    with pytest.warns(ReplayWarning) as told:
        bt.tune(bt.LinUCB, [log], horizon=2, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    assert any("no event of 1 log matched" in str(each.message) for each in told)


def test_thinning_makes_choices_uniform_and_the_estimate_unbiased() -> None:
    rng = np.random.default_rng(0)
    events = 60_000
    contexts = rng.integers(2, size=(events, 1)) * 1.0
    likely = np.where(contexts[:, 0] == 1.0, 0.9, 0.4)  # of arm 0, which is chosen more where it is worse
    arms = (rng.random(events) > likely).astype(np.int64)
    rewards = rng.random(events) < np.where(arms == 0, 0.7 - 0.4 * contexts[:, 0], 0.5)
    log = bt.LoggedTask(contexts, arms, rewards, propensities=np.where(arms == 0, likely, 1.0 - likely))
    thinned = log.thin(seed=3)
    assert thinned.propensities is None
    assert len(thinned) < len(log)
    for context in (0.0, 1.0):
        here = thinned.contexts[:, 0] == context
        assert thinned.arms[here].mean() == pytest.approx(0.5, abs=0.03)
        assert thinned.rewards[here & (thinned.arms == 0)].mean() == pytest.approx(0.7 - 0.4 * context, abs=0.03)
    assert log.thin(seed=3).rewards.tolist() == thinned.rewards.tolist()
    tuned = bt.tune(bt.LinUCB, [log], horizon=events, loss="reward", alpha=(0.0, 0.01), disjoint=True, seed=3)
    assert tuned.replay is not None
    assert tuned.replay.events == len(thinned)


def test_what_thinning_leaves_may_be_of_one_arm() -> None:
    log = bt.LoggedTask(np.ones((3, 1)), [0, 1, 0], [1, 0, 1], propensities=[1.0, 1e-9, 1.0])
    assert log.thin().arms.tolist() == [1]
    curve = bt.loss_curve(bt.LinUCB, log, horizon=3, loss="reward", alpha=(0.0, 1.0), disjoint=True)
    assert curve.matched.values.tolist() == [0.0]


def test_interval_counts_logs_that_nothing_matched_in() -> None:
    rng = np.random.default_rng(0)
    good = bt.LoggedTask(np.ones((300, 1)), np.tile([0, 1], 150), 1.0 + rng.random(300))
    bad = bt.LoggedTask(np.ones((3, 1)), [1, 1, 2], [-5.0, -5.0, -5.0])
    with pytest.warns(ReplayWarning):
        tuned = bt.tune(bt.LinUCB, [good, bad], horizon=300, loss="reward", alpha=(0.0, 1.0), disjoint=True)
    assert tuned.replay is not None
    assert tuned.loss in tuned.replay.interval


def test_loss_at_a_horizon_does_not_depend_on_others() -> None:
    log = bt.LoggedTask([[1.0]] * 4, arms=[1, 1, 0, 1], rewards=[5.0, 4.0, -9.0, 3.0])
    free = {"loss": "reward", "alpha": (0.0, 1.0), "disjoint": True}
    first, _ = bt.loss_curve(bt.LinUCB, log, horizon=[2, 4], **free)
    assert first.values.tolist() == bt.loss_curve(bt.LinUCB, log, horizon=2, **free).values.tolist() == [9.0]


def test_uneven_choices_are_told_wherever_they_are() -> None:
    rng = np.random.default_rng(0)
    logs = [drawn_log(200, seed) for seed in range(25)]
    for _ in range(40):
        arms = rng.choice(3, p=[0.45, 0.3, 0.25], size=60)
        logs.append(bt.LoggedTask(rng.random((60, 3)), arms, rng.integers(2, size=60)))
    with pytest.warns(ReplayWarning, match="do not look uniformly random"):
        bt.tune(bt.LinUCB, logs, horizon=200, loss="reward", alpha=(0.0, 2.0), disjoint=True)


def test_equal_propensities_thin_nothing() -> None:
    log = drawn_log(50)
    known = bt.LoggedTask(log.contexts, log.arms, log.rewards, propensities=np.full(50, 1 / 3))
    assert known.thin() is known


def test_logs_are_replayed_as_far_as_they_go_and_horizons_share_a_sweep() -> None:
    log = drawn_log(100)
    free = {"alpha": (0.0, 2.0), "loss": "reward", "disjoint": True}
    half, whole, more = bt.loss_curve(bt.LinUCB, log, horizon=[50, 100, 300], **free)
    assert whole == more
    first = bt.LoggedTask(log.contexts[:50], log.arms[:50], log.rewards[:50])
    assert half == bt.loss_curve(bt.LinUCB, first, horizon=50, **free)
    with pytest.raises(bt.TaskError, match="the horizon needs 300 rounds, got 100"):
        bt.loss_curve(bt.LinUCB, log, horizon=300, extend=False, **free)


def test_values_of_ridge_and_ways_of_scaling_are_compared() -> None:
    log = drawn_log(600)
    compared = {"ridge": [0.1, 1.0, 10.0], "scaling": ["none", "features"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReplayWarning)
        tuned = bt.tune(bt.LinUCB, [log], horizon=600, loss="reward", alpha=(0.0, 2.0), disjoint=True, **compared)
        alone = bt.tune(
            bt.LinUCB,
            [log],
            horizon=600,
            loss="reward",
            alpha=(0.0, 2.0),
            disjoint=True,
            ridge=tuned.params["ridge"],
            scaling=tuned.params["scaling"],
        )
    assert len(tuned.compared) == 6
    assert tuned.loss == min(each.loss for each in tuned.compared) == alone.loss
    assert tuned.curve == alone.curve


def test_features_are_divided_by_what_they_were_in_past_tasks() -> None:
    log = drawn_log(400)
    wild = bt.LoggedTask(log.contexts * [1.0, 1e3, 0.0], log.arms, log.rewards)
    options = {"horizon": 400, "loss": "reward", "disjoint": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReplayWarning)
        tuned = bt.tune(bt.LinUCB, [wild], alpha=(0.0, 2.0), scaling="features", **options)
    divisors = np.array(tuned.params["scaling"]["divide_by"])
    assert divisors[0] == 1.0
    assert divisors[1] == pytest.approx(1e3 * np.sqrt(np.square(log.contexts[:, 1]).mean()))
    assert divisors[2] == 1.0  # a feature that is always 0 stays what it is
    scaled = bt.LoggedTask(wild.contexts / divisors, wild.arms, wild.rewards)
    assert tuned.curve == bt.loss_curve(bt.LinUCB, scaled, alpha=(0.0, 2.0), **options)
    policy = bt.policy_from_json(tuned.policy(n_arms=3, dim=3).to_json())
    plain = bt.LinUCB(3, 3, alpha=tuned.alpha, disjoint=True)
    for x, arm, reward in zip(wild.contexts, wild.arms, wild.rewards, strict=True):
        assert policy.select(x) == plain.select(x / divisors)
        policy.update(arm, reward, x)
        plain.update(arm, reward, x / divisors)


def test_contexts_can_be_divided_by_their_lengths() -> None:
    rng = np.random.default_rng(0)
    contexts, rewards = rng.normal(size=(30, 3, 2)), rng.normal(size=(30, 3))
    contexts[3] = 0.0
    lengths = np.linalg.norm(contexts, axis=2, keepdims=True)
    ready = bt.ContextualTask(contexts / np.where(lengths > 0, lengths, 1.0), rewards)
    task = bt.ContextualTask(contexts, rewards)
    free = {"horizon": 30, "alpha": (0.0, 1.0)}
    curve = bt.loss_curve(bt.LinUCB, task, scaling="contexts", **free)
    assert curve.n_pieces == bt.loss_curve(bt.LinUCB, ready, **free).n_pieces
    assert curve.edges == pytest.approx(bt.loss_curve(bt.LinUCB, ready, **free).edges)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bt.LoggedTask([[np.nan], [1.0]], [0, 1], [1, 0]), "contexts must be finite, got nan at position 0"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, 2], [1, 0], arm_names=["a", "b"]), "arms must be from 0 to 1"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, -1], [1, 0]), "arms must be from 0"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, 1], [1, 0], propensities=[0.5, 0.0]), "above 0 and at most 1"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, 1], [1, 0], propensities=[0.5, 1.5]), "above 0 and at most 1"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, 1], [1, 0, 1]), "arms must be the whole numbers of 3"),
        (lambda: bt.LoggedTask([[1.0]], [0, 1], [1, 0]), r"contexts must have shape \(2, d\)"),
        (lambda: bt.LoggedTask([[1.0], [1.0]], [0, 0], [1, 0], name="m"), "task 'm', arms must contain at least two"),
        (lambda: bt.LoggedTask([[], []], [0, 1], [1, 0]), "at least one feature"),
        (lambda: replayed(loss="regret"), 'a log allows only loss="reward"'),
        (lambda: replayed(disjoint=False), "use disjoint=True"),
        (lambda: replayed(ridge=[]), "ridge must be a value or several"),
        (
            lambda: bt.LoggedTask([[1e-80], [1.0]], [0, 1], [1, 0]),
            "contexts must be 0 or from 1e-70",
        ),
        (lambda: replayed(tasks=[bt.Task([[1.0]])], scaling="features"), "needs tasks with contexts"),
        (lambda: replayed(scaling="all"), "scaling must be 'none', 'contexts', 'features', or"),
        (lambda: replayed(scaling={"divide_by": [1.0]}), "scaling divides 1 features, but the contexts have 3"),
        (lambda: replayed(scaling={"divide_by": [1.0, 0.0, 1.0]}), "a number above 0 for each feature"),
        (lambda: replayed(tasks=iter([drawn_log(9)]), scaling="features"), "give them in a list, not a generator"),
        (lambda: replayed(tasks=[drawn_log(9), wide()], scaling="features"), "needs tasks with the same features"),
        (
            lambda: replayed(tasks=[drawn_log(9), full()]),
            r"tasks\[1\] must be a bt.LoggedTask like the tasks before it",
        ),
        (lambda: bt.LinUCB(2, 3, scaling="features"), "is learned from past tasks"),
    ],
)
def test_what_cannot_be_used_is_rejected(call: object, words: str) -> None:
    with pytest.raises(bt.InputError, match=words):
        call()  # type: ignore[operator]


def replayed(tasks: object = None, **options: object) -> object:
    given = {"horizon": 9, "loss": "reward", "alpha": (0.0, 1.0), "disjoint": True} | options
    return bt.tune(bt.LinUCB, tasks or [drawn_log(9)], **given)


def wide() -> bt.LoggedTask:
    return bt.LoggedTask(np.ones((2, 5)), [0, 1], [1, 0])


def full() -> bt.ContextualTask:
    return bt.ContextualTask(np.ones((2, 3)), np.ones((2, 2)))
