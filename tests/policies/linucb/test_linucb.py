"""What is LinUCB's own; the contract of all policies is in test_conformance.py."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.kernels.linear.layout import clear_state, is_sure, pad_contexts, shape_of, state_size
from banditune.kernels.linear.regression import learn
from banditune.kernels.numerics.simd import place_in, rows_before
from tests.naive.linucb import ExactLinUCB, worst_shortfall


def linear_tasks(n_tasks: int, rounds: int = 60) -> list[bt.ContextualTask]:
    rng = np.random.default_rng(0)
    tasks = []
    for _ in range(n_tasks):
        contexts = rng.normal(size=(rounds, 4, 3))
        means = contexts @ rng.normal(size=3)
        tasks.append(bt.ContextualTask(contexts, means + rng.normal(size=means.shape), means=means))
    return tasks


def test_inverse_stays_the_inverse_over_ten_thousand_updates() -> None:
    rng = np.random.default_rng(0)
    shape = shape_of(1, 1, 1, 20)
    for spread in (1.0, 0.1):  # of contexts all around, and rather parallel ones
        state, scratch = np.empty(state_size(shape)), np.empty(shape.size)
        clear_state(state, 0, shape, 1.0)
        direction = rng.normal(size=20)
        contexts = pad_contexts(direction + spread * rng.normal(size=(10_000, 1, 20)), shape)
        for t in range(10_000):
            learn(state, 0, 0, contexts, t, 1.0, shape, scratch)
            if t % 1_024 == 1_022 or t == 9_999:  # just before what is known is computed afresh, and at the end
                places = [[place_in(i, j) for j in range(20)] for i in range(20)]
                inverse, moments = state[places], state[rows_before(20) + 40 :][places]
                assert np.abs(inverse @ moments - np.eye(20)).max() < 1e-8
        assert not is_sure(state, 0, shape)


def test_root_stays_the_root_over_a_thousand_updates() -> None:
    rng = np.random.default_rng(0)
    shape = shape_of(1, 1, 1, 6)
    for spread in (1.0, 1e-3):  # of contexts all around, and nearly parallel ones
        state, scratch = np.empty(state_size(shape)), np.empty(shape.size)
        clear_state(state, 0, shape, 1.0)
        contexts = pad_contexts(1e6 * (rng.normal(size=6) + spread * rng.normal(size=(1_000, 1, 6))), shape)
        for t in range(1_000):
            learn(state, 0, 0, contexts, t, 1.0, shape, scratch)
        assert is_sure(state, 0, shape)
        places = [[place_in(i, j) for j in range(6)] for i in range(6)]
        factor, moments = np.tril(state[places]), state[rows_before(8) + 16 :][places]
        assert np.abs(factor @ factor.T - moments).max() < 1e-11 * moments.max()


def test_large_features_are_learned_from_as_small_ones_are() -> None:
    rng = np.random.default_rng(5)
    rewards = (rng.random((60, 3)) < [0.2, 0.4, 0.6]).astype(float)
    times = 1.7e9 + np.cumsum(rng.exponential(60.0, 60))  # seconds since 1970
    contexts = np.column_stack((np.ones(60), times, rng.random(60)))
    game = bt.play(bt.LinUCB, bt.ContextualTask(contexts, rewards), horizon=60, alpha=0.1, disjoint=True)
    every = np.repeat(contexts[:, None], 3, axis=1)
    assert worst_shortfall(every, rewards, game.arms.tolist(), 0.1, ridge=1.0, disjoint=True) <= CLOSE


CLOSE = 1e-9  # how far, relative to its size, a chosen index may be below another
SMALLER_AT_1E8 = np.array(  # contexts on which the lower index was chosen once
    [
        [
            [-319154172.7972328, -2395311.065588321, 65569214.3063345],
            [-103511884.53730617, 71692410.48781596, -37113017.1057673],
        ],
        [
            [-38079348.15401512, 129238212.55038306, -16726471.798049875],
            [50850357.62889837, 96978453.34429066, -135153544.56583494],
        ],
        [
            [-17561001.451088544, -176522220.5401903, -16331502.795874253],
            [63654590.800308466, 55504447.368160605, -59257799.679752186],
        ],
    ]
)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 10.0])
def test_higher_index_is_chosen_where_squared_features_are_1e17_times_the_ridge(alpha: float) -> None:
    rewards = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    task, fixed = bt.ContextualTask(SMALLER_AT_1E8, rewards), {"ridge": 0.3, "disjoint": True}
    assert bt.play(bt.LinUCB, task, horizon=3, alpha=alpha, **fixed).arms.tolist() == [0, 1, 0]
    oracle = ExactLinUCB(2, alpha, ridge=0.3, disjoint=True)
    for t, arm in enumerate((0, 1, 0)):
        assert oracle.shortfalls(SMALLER_AT_1E8[t])[arm] == 0.0
        oracle.learn(arm, SMALLER_AT_1E8[t, arm], rewards[t, arm])


@st.composite
def large_tasks(draw: st.DrawFn) -> bt.ContextualTask:
    """Tasks with features of any size: all alike, each its own, only later ones, around one large number, or equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rounds, n_arms, dim = draw(st.integers(2, 7)), draw(st.integers(2, 3)), draw(st.integers(1, 4))
    contexts, size = rng.normal(size=(rounds, n_arms, dim)), draw(st.sampled_from([0, *range(4, 13), 16, 20, 30, 69]))
    kind = draw(st.sampled_from(["all", "each", "later", "around", "equal"]))
    if kind == "each":
        contexts *= 10.0 ** rng.uniform(0, size, size=dim)
    elif kind == "later":
        contexts[rounds // 2 :] *= 10.0**size
    elif kind == "around":
        contexts[..., 0] = 10.0**size * (1.0 + 1e-6 * contexts[..., 0])
    else:
        contexts *= 10.0**size
    if kind == "equal":
        contexts = contexts[rng.integers(2, size=rounds)]
        contexts[rng.random(rounds) < 0.5] = contexts[0, :1]
    rewards = rng.normal(size=(rounds, n_arms))
    return bt.ContextualTask(contexts, rewards.round() if draw(st.booleans()) else rewards)


some_updates = st.sampled_from(
    [None, None, bt.Batches(2), bt.Batches(3, whole=True), bt.Delay(1), bt.Delay(3, burn_in=1)]
)
wide_settings = st.fixed_dictionaries(
    {"ridge": st.sampled_from([1e-6, 0.3, 1.0, 1e6]), "disjoint": st.booleans(), "updates": some_updates}
)


@given(large_tasks(), wide_settings, st.sampled_from([0.0, 1e-8, 1e-4, 0.1, 1.0, 10.0]))
def test_choice_is_right_or_rejected_however_large_features_are(
    task: bt.ContextualTask, fixed: dict[str, object], alpha: float
) -> None:
    try:
        arms = bt.play(bt.LinUCB, task, horizon=len(task), alpha=alpha, **fixed).arms.tolist()
    except bt.TaskError:
        assert np.abs(task.contexts).max() > 1e4
        return
    assert worst_shortfall(task.contexts, task.rewards, arms, alpha, **fixed) <= CLOSE  # type: ignore[arg-type]


@given(large_tasks(), wide_settings)
def test_curve_and_policy_agree_with_the_game_however_large_features_are(
    task: bt.ContextualTask, fixed: dict[str, object]
) -> None:
    horizon = len(task)
    try:
        curve = bt.loss_curve(bt.LinUCB, task, horizon=horizon, alpha=(0.0, 2.0), **fixed)
    except bt.TaskError:
        return
    for alpha in ((curve.edges[1:] + curve.edges[:-1]) / 2).tolist():
        if alpha >= 1e-290:  # below, products vanish
            game = bt.play(bt.LinUCB, task, horizon=horizon, alpha=alpha, **fixed)
            assert curve(alpha) == game.regret[-1]
            policy: Any = bt.LinUCB(task.n_arms, task.dim, alpha=alpha, **fixed)  # type: ignore[arg-type]
            arms, updates = game.arms.tolist(), policy.updates or bt.Updates()
            for t, arm in enumerate(arms):
                assert policy.select(task.contexts[t]) == arm
                policy.expect(arm, task.contexts[t])
                for late in range(updates.count_known(t), updates.count_known(t + 1)):
                    policy.update(arms[late], task.rewards[late, arms[late]], task.contexts[late])
                policy = bt.policy_from_json(policy.to_json())


@given(large_tasks(), wide_settings, st.integers(0, 2**32))
def test_log_with_features_of_any_size_is_replayed_as_it_is_swept(
    task: bt.ContextualTask, fixed: dict[str, object], seed: int
) -> None:
    rounds, n_arms = task.rewards.shape
    arms = np.random.default_rng(seed).integers(n_arms, size=rounds)
    arms[:2] = (0, n_arms - 1)
    received = task.rewards[np.arange(rounds), arms]
    log = bt.LoggedTask(task.contexts, arms, received)
    try:
        curve = bt.loss_curve(bt.LinUCB, log, horizon=rounds, loss="reward", alpha=(0.0, 2.0), **fixed)
    except bt.TaskError:
        return
    for alpha in ((curve.edges[1:] + curve.edges[:-1]) / 2).tolist():
        if alpha >= 1e-290:
            game = bt.play(bt.LinUCB, log, horizon=rounds, alpha=alpha, **fixed)
            assert game.rewards.size == curve.matched(alpha)
            assert -curve(alpha) == (game.rewards.mean() if game.rewards.size else received.min())


def test_what_cannot_be_decided_is_rejected_and_scaling_helps() -> None:
    rng = np.random.default_rng(0)
    contexts, rewards = 1e40 * rng.normal(size=(9, 2, 3)), rng.normal(size=(9, 2))
    task, policy = bt.ContextualTask(contexts, rewards), bt.LinUCB(2, 3)
    words = r'features as large as 1\.3e\+40 leave too few digits beside ridge = 1; scale the features \(scaling="cont'
    with pytest.raises(bt.TaskError, match=f"in round 2, .*{words}"):
        bt.play(bt.LinUCB, task, horizon=9)
    with pytest.raises(bt.TaskError, match=f"in round 2, .*{words}"):
        bt.loss_curve(bt.LinUCB, task, horizon=9, alpha=(0.0, 2.0))
    policy.update(policy.select(contexts[0]), 1.0, contexts[0])
    with pytest.raises(bt.ParameterError, match=f"the choice between arm . and arm . is undecidable, .*{words}"):
        bt.policy_from_json(policy.to_json()).select(contexts[1])
    assert bt.play(bt.LinUCB, task, horizon=9, scaling="contexts").arms.size == 9
    assert bt.loss_curve(bt.LinUCB, task, horizon=9, alpha=(0.0, 2.0), scaling="features").n_pieces > 0


def test_one_arm_needs_no_decision() -> None:
    policy = bt.LinUCB(1, 2)
    for _ in range(3):
        policy.update(policy.select([[1e70, -1e70]]), 1.0, [[1e70, -1e70]])


def test_state_stays_finite_where_nothing_can_be_inverted() -> None:
    policy = bt.LinUCB(1, 2, ridge=1e-9)
    for _ in range(1_500):
        policy.update(0, 1.0, [[1e4, 1e4]])
    assert bt.policy_from_json(policy.to_json()).select([[1.0, 2.0]]) == 0


@pytest.mark.parametrize("dim", [1, 200])
def test_few_and_many_features_work(dim: int) -> None:
    rng = np.random.default_rng(0)
    task = bt.ContextualTask(rng.normal(size=(30, 3, dim)), rng.normal(size=(30, 3)))
    curve = bt.loss_curve(bt.LinUCB, task, horizon=30, alpha=(0.0, 1.0))
    assert curve(0.3) == bt.play(bt.LinUCB, task, horizon=30, alpha=0.3).regret[-1]


def test_extended_tasks_begin_with_what_was_observed() -> None:
    (task,) = linear_tasks(1, rounds=5)
    longer = task.extend(9, seed=1)
    assert longer.rewards[:5].tolist() == task.rewards.tolist()
    assert {tuple(row) for row in longer.rewards.tolist()} <= {tuple(row) for row in task.rewards.tolist()}
    assert longer.extend(5).contexts.tolist() == task.contexts.tolist()
    with pytest.raises(bt.TaskError, match="the horizon needs 9 rounds, got 5"):
        bt.loss_curve(bt.LinUCB, task, horizon=9, alpha=(0.0, 1.0), extend=False)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bt.ContextualTask([[1.0]], [1.0]), r"rewards must have shape \(T, n_arms\)"),
        (lambda: bt.ContextualTask([[1.0]], [[1.0], [2.0]]), r"contexts must have shape \(2, 1, d\) or \(2, d\)"),
        (lambda: bt.ContextualTask([[np.nan]], [[1.0]]), "contexts must be finite, got nan at position 0"),
        (lambda: bt.ContextualTask([[1.0]], [[1.0]], means=[[1.0, 2.0]]), "means must have the shape"),
        (lambda: bt.ContextualTask(np.empty((1, 0)), [[1.0]]), "at least one feature"),
        (lambda: bt.LinUCB(2, 0), "dim must be a whole number"),
        (lambda: bt.LinUCB(2, 1, ridge=0.0), "ridge must be a finite number of at least"),
        (lambda: bt.LinUCB(2, 1, disjoint=1), "disjoint must be True or False"),
        (lambda: bt.LinUCB(2, 3).select([1.0, 2.0, 3.0]), r"contexts must have shape \(2, 3\), got \(3,\)"),
        (lambda: bt.LinUCB(2, 1).update(2, 1.0, [[1.0], [2.0]]), "arm must be a whole number from 0 to 1"),
        (lambda: bt.LinUCB(2, 1).update(0, np.inf, [[1.0], [2.0]]), "reward must be a finite number"),
        (
            lambda: bt.tune(bt.LinUCB, [bt.Task([[1.0]])], horizon=1, alpha=(0, 1)),
            r"tasks\[0\] must be a bt.Con",
        ),
        (
            lambda: bt.tune(bt.LinTS, [bt.LoggedTask([[1.0], [2.0]], [0, 1], [1.0, 0.0])], loss="reward"),
            r"\[0\] must be a bt.Con",
        ),
        (lambda: bt.tune(bt.UCB, linear_tasks(1), horizon=1, alpha=(0, 1)), r"tasks\[0\] must be a bt.Task"),
        (
            lambda: bt.LinUCB(1, 1, scaling={"divide_by": [1e-200]}).select([[1.0]]),
            r"at most 1e\+70 in size when they are divided by \[1e-200\]",
        ),
        (
            lambda: bt.play(bt.LinUCB, bt.ContextualTask([[1.0]], [[1.0, 2.0]]), horizon=1),
            "need a regression each: use disjoint=True",
        ),
    ],
)
def test_what_cannot_be_used_is_rejected(call: object, words: str) -> None:
    with pytest.raises(bt.InputError, match=words):
        call()  # type: ignore[operator]
