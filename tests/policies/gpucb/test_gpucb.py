"""What is GP-UCB's own; the contract of all policies is in test_conformance.py."""

import json
import math

import numpy as np
import pytest

import banditune as bt
from banditune.policies.gpucb import pieces
from banditune.policies.gpucb.beta import Multiple, widths
from banditune.policies.gpucb.covariance import covariances
from banditune.tuning.results.details import MOST_DOUBTS, Doubt, list_doubts
from tests.naive.gpucb import schedule
from tests.policies.gpucb.cases import naive_gpucb_arms


def test_noise_down_to_1e_10_on_a_grid_of_ties_is_proved_and_right() -> None:
    axis = np.linspace(-2.0, 2.0, 5)
    points = np.array([(x, y) for x in axis for y in axis])
    rewards = np.repeat((np.sin(points[:, 0]) + np.cos(points[:, 1]))[:, None], 10, axis=1)
    task = bt.Task(rewards, points=points)
    curve = bt.loss_curve(bt.GPUCB, task, horizon=10, noise=(1e-10, 1.0))
    assert curve.proof.unproved <= curve.proof.tolerance
    fixed = {"kernel": "rbf", "length_scale": 1.0, "beta": None, "bonus": "std"}
    gaps = task.means.max() - task.means
    for noise in (1e-10, 3e-8, 1e-5, 0.01, 0.7):
        assert curve(noise) == pytest.approx(gaps[naive_gpucb_arms(task, 10, noise=noise, **fixed)].sum(), abs=1e-12)


def test_games_much_longer_than_the_number_of_points() -> None:
    points = np.array([[0.0], [0.4], [1.0]])
    rewards = np.random.default_rng(0).normal(size=(3, 300)) + np.array([[0.0], [0.5], [0.2]])
    task = bt.Task(rewards, points=points)
    policy, pulls, arms = bt.GPUCB(points, noise=1.0, length_scale=0.3), [0, 0, 0], []
    for _ in range(300):
        arms.append(policy.select())
        policy.update(arms[-1], rewards[arms[-1], pulls[arms[-1]]])
        pulls[arms[-1]] += 1
    assert arms == bt.play(bt.GPUCB, task, horizon=300, noise=1.0, length_scale=0.3).arms.tolist()
    assert policy.means[policy.counts.argmax()] == pytest.approx(0.5, abs=0.3)
    assert (policy.spreads < 0.3).all()


def test_rewards_are_seen_in_the_units_that_were_stated() -> None:
    rng = np.random.default_rng(1)
    points, rewards = rng.random((6, 2)), rng.random((6, 12))
    plain = bt.play(bt.GPUCB, bt.Task((rewards - 0.5) / 0.2, points=points), horizon=12, length_scale=0.3)
    scaled = bt.play(bt.GPUCB, bt.Task(rewards, points=points), horizon=12, length_scale=0.3, center=0.5, scale=0.2)
    assert plain.arms.tolist() == scaled.arms.tolist()
    assert scaled.regret[-1] == pytest.approx(0.2 * plain.regret[-1])


def test_center_and_scale_are_learned_from_past_tasks_and_kept() -> None:
    rng = np.random.default_rng(2)
    points = rng.random((5, 1))
    tasks = [bt.Task(3.0 + 2.0 * rng.normal(size=(5, 6)), points=points) for _ in range(4)]
    tuned = bt.tune(bt.GPUCB, tasks, horizon=6, noise=(0.01, 10.0), center="learned", scale="learned")
    means = np.array([task.means for task in tasks])
    assert tuned.center == pytest.approx(means.mean())
    assert tuned.scale == pytest.approx(np.sqrt(np.mean((means - means.mean()) ** 2)))
    assert tuned.policy(points=points).center == tuned.center  # type: ignore[attr-defined]
    with pytest.raises(bt.ParameterError, match="learned from past tasks"):
        bt.GPUCB(points, center="learned")


def test_kernels_by_name_are_the_textbook_s() -> None:
    points = np.random.default_rng(3).random((7, 3))
    r = np.linalg.norm(points[:, None] - points[None], axis=2) / 0.4
    expected = {
        "rbf": np.exp(-(r**2) / 2),
        "matern12": np.exp(-r),
        "matern32": (1 + math.sqrt(3) * r) * np.exp(-math.sqrt(3) * r),
        "matern52": (1 + math.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-math.sqrt(5) * r),
    }
    for name, matrix in expected.items():
        assert np.allclose(covariances(name, points, 0.4), matrix, rtol=1e-13, atol=0.0)


def test_equal_distances_on_a_lattice_are_equal_to_the_last_bit() -> None:
    axis = np.linspace(0.1, 0.7, 7)
    points = np.array([(x, y, z) for x in axis for y in axis for z in axis[:3]])
    made = covariances("rbf", points, 0.3)
    index = {tuple(np.round(p * 10).astype(int)): k for k, p in enumerate(points)}
    one, other = made[index[1, 2, 1], index[4, 3, 3]], made[index[3, 5, 3], index[4, 2, 1]]
    assert one == made[index[2, 1, 1], index[3, 4, 3]] == other


def test_any_function_may_be_the_kernel_and_is_saved_by_its_values() -> None:
    points = np.random.default_rng(4).random((6, 2))

    def kernel(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.exp(-((one[:, None] - other[None]) ** 2).sum(axis=2) / 2)

    policy, named = bt.GPUCB(points, kernel=kernel, length_scale=0.5), bt.GPUCB(points, length_scale=0.5)
    for reward in (0.3, 0.1, 0.5, 0.2):
        assert policy.select() == named.select()
        policy.update(policy.select(), reward)
        named.update(named.select(), reward)
        policy = bt.policy_from_json(policy.to_json())  # type: ignore[assignment]
    tuned = bt.tune(bt.GPUCB, [bt.Task(points, points=points)], horizon=5, noise=(0.01, 1.0), kernel=kernel)
    with pytest.raises(bt.ParameterError, match="cannot be saved"):
        tuned.save("nowhere.json")


def test_scikit_learn_s_kernels_are_taken() -> None:
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    points = np.random.default_rng(5).random((8, 2))
    task = bt.Task(np.random.default_rng(6).random((8, 10)), points=points)
    theirs = bt.play(bt.GPUCB, task, horizon=10, kernel=kernels.Matern(length_scale=0.4, nu=1.5))
    ours = bt.play(bt.GPUCB, task, horizon=10, kernel="matern32", length_scale=0.4)
    assert theirs.arms.tolist() == ours.arms.tolist()


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x, y: -np.eye(len(x)), "positive definite .* eigenvalue -1"),
        (lambda x, y: np.arange(len(x) * len(y)).reshape(len(x), len(y)), "symmetric"),
        (lambda x, y: np.full((len(x), len(y)), np.nan), "finite"),
        (lambda x, y: np.eye(2), r"shape \(4, 4\)"),
        (lambda x, y: x @ 3, "cannot be computed"),
        ("gaussian", "must be one of rbf, matern12"),
        (3, "must be one of rbf"),
    ],
)
def test_what_is_no_kernel_is_rejected_clearly(kernel: object, message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.GPUCB(np.random.default_rng(7).random((4, 2)), kernel=kernel)
    task = bt.Task(np.ones((4, 2)), points=np.random.default_rng(7).random((4, 2)))
    with pytest.raises(bt.InputError, match=message):
        bt.loss_curve(bt.GPUCB, task, horizon=2, noise=(0.01, 1.0), kernel=kernel)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"noise": 0.0}, "noise must be .* at least 1e-10"),
        ({"noise": -1.0}, "noise"),
        ({"length_scale": 0.0}, "length_scale"),
        ({"beta": -1.0}, "beta"),
        ({"beta": {"times": 2.0}}, "of_schedule"),
        ({"delta": 1.0}, "delta must be above 0 and below 1"),
        ({"scale": 0.0}, "scale must be above 0"),
        ({"scale": "std"}, 'a number or "learned"'),
        ({"bonus": "sd"}, "bonus must be one of std, variance"),
    ],
)
def test_bad_value_is_rejected(given: dict[str, object], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        bt.GPUCB([[0.0], [1.0]], **given)  # type: ignore[arg-type]


def test_tasks_without_points_are_rejected_by_number() -> None:
    tasks = [bt.Task([[1.0]], points=[[0.0]]), bt.Task([[1.0]])]
    with pytest.raises(bt.TaskError, match=r"tasks\[1\] needs the arms' points"):
        bt.tune(bt.GPUCB, tasks, horizon=2, noise=(0.01, 1.0))


def test_state_of_an_earlier_version_has_fewer_settings() -> None:
    policy = bt.GPUCB([[0.0], [1.0]])
    policy.update(0, 0.5)
    state = json.loads(policy.to_json())
    for later in ("mean_function", "covariance"):
        del state[later]
    assert bt.policy_from_json(json.dumps(state)).to_json() == policy.to_json()


@pytest.mark.parametrize("change", [{"counts": [1]}, {"sums": [[1.0, 0.0]] * 2}, {"points": []}, {"kernel": {}}])
def test_broken_state_is_rejected(change: dict[str, object]) -> None:
    state = json.loads(bt.GPUCB([[0.0], [1.0]]).to_json())
    with pytest.raises(bt.FileError, match="a saved GPUCB policy cannot be used"):
        bt.policy_from_json(json.dumps(state | change))


def test_beta_is_a_number_the_schedule_or_a_multiple_of_it() -> None:
    rounds = np.array([1, 2, 3])
    expected = [math.sqrt(schedule(50, t)) for t in (1, 2, 3)]
    assert widths(None, 50, 0.1, rounds) == pytest.approx(expected)
    assert widths(Multiple(0.25), 50, 0.1, rounds) == pytest.approx([0.5 * each for each in expected])
    assert widths(4.0, 50, 0.1, rounds).tolist() == [2.0, 2.0, 2.0]
    late = 10**10  # whose square is no 64-bit integer
    assert widths(None, 50, 0.1, np.array([late])) == pytest.approx([math.sqrt(schedule(50, late))])


def smooth_tasks(n_tasks: int, n_points: int = 12, rounds: int = 10) -> list[bt.Task]:
    """Functions alike in smoothness, seen with noise."""
    rng = np.random.default_rng(8)
    points = rng.random((n_points, 2))
    chol = np.linalg.cholesky(covariances("rbf", points, 0.4) + 1e-9 * np.eye(n_points))
    return [
        bt.Task(values[:, None] + 0.3 * rng.normal(size=(n_points, rounds)), means=values, points=points)
        for values in (chol @ rng.normal(size=n_points) for _ in range(n_tasks))
    ]


def test_noise_and_beta_are_searched_in_turn_and_never_worse_than_alone() -> None:
    tasks = smooth_tasks(6)
    fixed = {"horizon": 10, "length_scale": 0.4}
    alone = bt.tune(bt.GPUCB, tasks, noise=(1e-3, 10.0), beta={"of_schedule": 1.0}, **fixed)  # type: ignore[arg-type]
    both = bt.tune(bt.GPUCB, tasks, noise=(1e-3, 10.0), beta=(0.0, 2.0), **fixed)  # type: ignore[arg-type]
    assert both.loss <= alone.loss
    losses = [step.loss for step in both.steps]
    assert losses == sorted(losses, reverse=True)
    assert both.parameter == "noise"
    assert both.loss == both.curve(both.noise)
    played = [bt.play(bt.GPUCB, task, horizon=10, **both.params).regret[-1] for task in tasks]
    assert np.mean(played) == pytest.approx(both.loss, rel=1e-12)
    at_noise = bt.tune(bt.GPUCB, tasks, horizon=10, noise=both.noise, length_scale=0.4, beta=(0.0, 2.0))
    assert at_noise.loss == pytest.approx(both.loss, rel=1e-12)  # neither helps alone any more


def test_length_scales_are_compared_each_with_its_own_exact_curve(tmp_path: object) -> None:
    tasks = smooth_tasks(4)
    tuned = bt.tune(bt.GPUCB, tasks, horizon=8, noise=(0.01, 1.0), length_scale=[0.1, 0.4, 1.0])
    alone = [bt.tune(bt.GPUCB, tasks, horizon=8, noise=(0.01, 1.0), length_scale=each) for each in (0.1, 0.4, 1.0)]
    assert [each.loss for each in tuned.compared] == [each.loss for each in alone]
    assert tuned.loss == min(each.loss for each in alone)
    both = bt.tune(bt.GPUCB, tasks, horizon=8, noise=(0.01, 1.0), beta=(0.0, 1.0), length_scale=[0.1, 0.4])
    assert len(both.compared) == 2
    assert both.loss <= tuned.compared[0].loss


def test_result_is_saved_with_its_proof_and_makes_the_same_policy(tmp_path) -> None:  # type: ignore[no-untyped-def]
    tasks = smooth_tasks(3)
    tuned = bt.tune(bt.GPUCB, tasks, horizon=6, noise=(0.01, 1.0), beta=(0.0, 2.0), length_scale=0.4)
    tuned.save(tmp_path / "tuned.json")
    again = bt.load(tmp_path / "tuned.json")
    assert again.params == tuned.params
    assert isinstance(again.beta, Multiple)
    assert again.proof == tuned.proof
    assert tuned.proof is not None
    assert tuned.proof.holds
    assert [each.loss for each in again.steps] == [each.loss for each in tuned.steps]
    policy = again.policy(points=tasks[0].points)
    assert policy.select() == bt.GPUCB(tasks[0].points, **tuned.params).select()
    with pytest.raises(bt.ParameterError, match="needs points, got n_arms"):
        again.policy(n_arms=3)


def test_the_answer_does_not_depend_on_the_executor() -> None:
    from concurrent.futures import ThreadPoolExecutor

    tasks = smooth_tasks(5)
    one, two = ThreadPoolExecutor(1), ThreadPoolExecutor(2)
    found = [
        bt.tune(bt.GPUCB, tasks, horizon=8, noise=(1e-3, 1.0), length_scale=0.4, executor=each)
        for each in (one, two, None)
    ]
    assert len({each.noise for each in found}) == 1
    assert all((each.curve.edges == found[0].curve.edges).all() for each in found)


def test_gap_of_exactly_a_tie_is_one_for_the_curve_as_for_the_run() -> None:
    """At beta = 0 the two untried points tie; from the smallest beta on, one of them leads by just a tie or more."""
    points = [[0.6369616873214543], [0.2697867137638703]]
    task = bt.Task([[0.0, 0.2], [0.0, 0.6]], points=points)
    how = {"horizon": 2, "noise": 1.0, "length_scale": 0.1}
    curve = bt.loss_curve(bt.GPUCB, task, beta=(0.0, 2.0), **how)
    for beta in (0.0, 1e-300, 1e-40, 1e-33, 1e-32, 1e-31, 1e-30, 1e-25, 1e-20, 1e-10, 0.3, 1.0):
        assert curve(beta) == bt.play(bt.GPUCB, task, beta=beta, **how).regret[-1], beta


def test_what_is_in_doubt_is_listed_with_how_far_the_loss_may_be_off(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    tasks = smooth_tasks(2)
    choose = pieces.choose

    def choose_with_doubts(*given):  # type: ignore[no-untyped-def]
        *_, evidence, _asked, _known, _counted, low, high = given
        found = choose(*given)
        if evidence.known.counts.sum() == 3 and low <= 0.1 < high:  # the fourth round of six
            return found._replace(doubts=np.array([[0.1, 0.1000001]]))
        return found

    monkeypatch.setattr(pieces, "choose", choose_with_doubts)
    tuned = bt.tune(bt.GPUCB, tasks, horizon=6, noise=(0.01, 1.0), length_scale=0.4)
    most = [float(task.means.max() - task.means.min()) for task in tasks]
    (doubt,) = tuned.proof.doubts
    assert (doubt.low, doubt.high) == (0.1, 0.1000001)
    assert doubt.loss == pytest.approx(3 * np.mean(most), rel=1e-12)
    assert tuned.proof.largest_error == doubt.loss
    assert tuned.proof.unproved == pytest.approx(2 * 1e-6, rel=1e-5)
    assert not tuned.proof.holds
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json").proof == tuned.proof
    curve = bt.loss_curve(bt.GPUCB, tasks[0], horizon=6, noise=(0.01, 1.0), length_scale=0.4)
    assert curve.proof.doubts == (Doubt(0.1, 0.1000001, pytest.approx(3 * most[0], rel=1e-12)),)


def test_of_very_many_doubts_neighbours_are_listed_as_one() -> None:
    edges = np.arange(1.0, 2.0 * MOST_DOUBTS + 4.0)
    off = bt.StepFunction(edges, np.arange(edges.size - 1) % 2 * edges[:-1])
    listed = list_doubts(off)
    assert len(listed) == MOST_DOUBTS
    assert listed[-1].loss == off.values.max()
    for low, high, value in zip(edges[:-1], edges[1:], off.values, strict=True):
        if value > 0.0:
            assert any(each.low <= low and high <= each.high and value <= each.loss for each in listed)
