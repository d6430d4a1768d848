"""Racing: less is swept, and what is found on the range that remains is what sweeping everything finds there."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.checkpoints.folder import Checkpoint
from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval, StepFunction
from banditune.policies.sweep_results import Swept
from banditune.rng import generator
from banditune.tasks.scan import TaskScan
from banditune.tuning import racing
from banditune.tuning.parallel_sweep import OWN, Resources, sweep_tasks
from banditune.tuning.racing import PILOT_TASKS, Racing, Z, find_hindrance, race_tasks
from banditune.tuning.search import Search

HORIZON = 60
SEARCH = Search.of(bt.UCB, [HORIZON], {"alpha": (0.0, 4.0)}, loss="regret", seed=3, extend=True)


def archive(n_tasks: int, seed: int) -> list[bt.Task]:
    """Simulated A/B tests, some of them shorter than the horizon and some alike."""
    rng = np.random.default_rng(seed)
    tasks = []
    for _ in range(n_tasks):
        n_arms = int(rng.integers(2, 5))
        rates = 0.2 * np.exp(rng.normal(0.0, 0.5) + rng.normal(0.0, 0.4, n_arms))
        length = int(rng.choice([3, HORIZON]))
        tasks.append(bt.Task((rng.random((n_arms, length)) < rates[:, None]).astype(float)))
    return tasks


def race(tasks: list[bt.Task], **further: object) -> tuple[Search, Swept, Racing]:
    return race_tasks(SEARCH, tasks, TaskScan(), Resources(**further))


def same(one: CurveSet, other: CurveSet) -> bool:
    arrays = zip((one.left, one.values, one.starts), (other.left, other.values, other.starts), strict=True)
    return (one.low, one.high) == (other.low, other.high) and all(np.array_equal(*each) for each in arrays)


@pytest.mark.parametrize("seed", range(4))
def test_the_minimiser_and_all_bits_where_it_can_be_are_those_of_sweeping_everything(seed: int) -> None:
    tasks = archive(1500, seed)
    (swept,) = sweep_tasks([SEARCH], tasks)
    (whole,), here = swept.losses, race(tasks)
    (kept,), search, racing = here[1].losses, here[0], here[2]
    assert same(kept, whole.clip(search.low, search.high))
    assert kept.mean().argmin() == whole.mean().argmin()
    best = SEARCH.free_parameter.inside(*whole.mean().argmin())
    assert kept.find_within_one_se(best) == whole.find_within_one_se(best)
    assert [each.n_tasks for each in racing.rounds] == [128, 54, 76, 107, 152, 215, 304, 430, 34]
    assert racing.searched == Interval(0.0, 4.0)
    assert racing.kept == Interval(search.low, search.high)
    assert racing.kept.high - racing.kept.low < 2.0
    assert not racing.is_cut_at(kept.find_within_one_se(best))
    assert racing.is_cut_at(racing.kept)


def test_the_pilot_is_a_random_sample_swept_over_the_whole_range() -> None:
    tasks = archive(600, 9)
    racing = race(tasks)[2]
    (swept,) = sweep_tasks([SEARCH], tasks)
    means = [
        swept.losses[0].take(np.sort(order[:PILOT_TASKS])).mean()
        for order in (generator(SEARCH.seed, "racing").permutation(600), np.arange(600))
    ]
    assert racing.pilot == means[0]
    assert racing.pilot != means[1]
    assert racing.complexity > 1.0


def test_any_number_of_workers_and_resuming_give_the_same_bits(tmp_path: Path) -> None:
    tasks = archive(700, 5)
    once = race(tasks)
    for n_workers in (1, 3):
        with ThreadPoolExecutor(n_workers) as executor:
            search, swept, racing = race(tasks, executor=executor)
        assert search == once[0]
        assert racing.rounds == once[2].rounds
        assert same(swept.losses[0], once[1].losses[0])

    class KilledError(Exception):
        pass

    def kill(n_done: float) -> None:
        if n_done > PILOT_TASKS:  # in the second round
            raise KilledError

    asked = {"tasks": 700}
    with pytest.raises(KilledError), Checkpoint(tmp_path, asked) as checkpoint:
        race(tasks, checkpoint=checkpoint, progress=kill)
    swept_tasks: list[float] = []
    with Checkpoint(tmp_path, asked) as checkpoint:
        search, swept, _ = race(tasks, checkpoint=checkpoint, progress=swept_tasks.append)
    assert search == once[0]
    assert same(swept.losses[0], once[1].losses[0])
    assert swept_tasks[-1] == 700
    assert len(list(tmp_path.glob("sweep-*"))) == len(once[2].rounds)


@pytest.mark.parametrize("costs", [None, {"a": 0.01}], ids=str)
def test_a_log_is_raced_as_the_list_of_its_tasks(costs: dict[str, float] | None) -> None:
    rates = np.random.default_rng(4).uniform(0.02, 0.2, (PILOT_TASKS + 60, 2))
    rows = [
        f"t{k},{arm},50,{round(50 * rate)}"
        for k, pair in enumerate(rates)
        for arm, rate in zip("ab", pair, strict=True)
    ]
    log = bt.read_log(io.StringIO("\n".join(["task,arm,pulls,successes", *rows])))
    how = {"horizon": 40, "alpha": (0.0, 1.0), "draws": 2, "racing": True, "costs": costs}
    of_log, of_list = (bt.tune(bt.UCB, tasks, **how) for tasks in (log, list(log)))  # type: ignore[arg-type]
    assert of_log.racing is not None
    assert of_list.racing is not None
    assert of_log.racing.rounds == of_list.racing.rounds
    assert of_log.racing.pilot == of_list.racing.pilot
    assert of_log.curve == of_list.curve


def test_what_cannot_be_raced_is_said() -> None:
    tasks = archive(3, 1)
    assert find_hindrance([SEARCH], tasks) is None
    assert "give them in a list" in str(find_hindrance([SEARCH], iter(tasks)))
    assert "2 searches" in str(find_hindrance([SEARCH, SEARCH], tasks))
    log = bt.LoggedTask(np.zeros((2, 1)), [0, 1], [0.0, 1.0])
    assert "logs of contexts" in str(find_hindrance([SEARCH], [log]))


def test_clipped_curves_have_the_values_of_the_whole_ones() -> None:
    curves = CurveSet.of(
        [StepFunction([0, 1, 2, 4], [3, 1, 2]), StepFunction([0, 4], [5]), StepFunction([0, 3, 4], [1, 0])]
    )
    clipped = curves.clip(1.0, 3.0)
    assert list(clipped) == [StepFunction([1, 2, 3], [1, 2]), StepFunction([1, 3], [5]), StepFunction([1, 3], [1])]
    assert same(curves.clip(0.0, 4.0), curves)


def test_a_value_is_given_up_where_it_is_worse_by_so_many_standard_errors() -> None:
    rng = np.random.default_rng(2)
    shifts = rng.normal(0.3, 1.0, 50)
    curves = CurveSet.of([StepFunction([0, 1, 2], [0.0, shift]) for shift in shifts])
    z = shifts.mean() / (shifts.std(ddof=1) / np.sqrt(50))
    assert 0.0 < z < Z
    assert curves.find_within_one_se(0.5, z * 1.0001) == Interval(0.0, 2.0)
    assert curves.find_within_one_se(0.5, z * 0.9999) == Interval(0.0, 1.0)


@pytest.fixture(scope="module")
def raced() -> tuple[list[bt.Task], bt.Study]:
    tasks = archive(1500, 0)
    return tasks, bt.study(bt.UCB, tasks, horizon=HORIZON, alpha=(0.0, 4.0), seed=3, draws=4, racing=True)


def test_tuning_says_that_it_raced_and_finds_the_same(raced: tuple[list[bt.Task], bt.Study], tmp_path: Path) -> None:
    tasks, study = raced
    whole = bt.study(bt.UCB, tasks, horizon=HORIZON, alpha=(0.0, 4.0), seed=3, draws=4, racing=False)
    tuned = study.tuned
    assert whole.tuned.racing is None
    assert tuned.params == whole.tuned.params
    assert (tuned.interval, tuned.within_one_se, tuned.loss) == tuple(
        getattr(whole.tuned, name) for name in ("interval", "within_one_se", "loss")
    )
    assert tuned.searched == Interval(0.0, 4.0)
    assert (tuned.curve.low, tuned.curve.high) == tuple(tuned.racing.kept)
    assert tuned.curve == CurveSet.of([whole.tuned.curve]).clip(*tuned.racing.kept)[0]
    assert tuned.complexity == tuned.racing.complexity != study.curves.n_pieces.mean()
    assert (tuned.recommended, whole.tuned.recommended != tuned.recommended) == (tuned.params, True)
    for k in range(10):  # narrowed on all tasks, the range holds what the others alone would have chosen from all of it
        others = study.held_out.fold != k
        value = tuned.search.free_parameter.inside(*whole.curves.find_least(others)[0])
        assert study.held_out.values[k] == value
        assert (study.held_out.learned[~others] == whole.curves.at(value)[~others]).all()
    for value in (1.0, 2.0):  # beyond what was swept on all
        assert value not in tuned.racing.kept
        assert study.held_out.usual[value].tolist() == whole.held_out.usual[value].tolist()
    tuned.save(tmp_path / "tuned.json")
    loaded = bt.load(tmp_path / "tuned.json")
    assert loaded.racing.rounds == tuned.racing.rounds
    assert loaded.racing.pilot == tuned.racing.pilot
    assert loaded.summary() == tuned.summary()


def test_certificates_are_rejected_where_tasks_were_raced(raced: tuple[list[bt.Task], bt.Study]) -> None:
    study = raced[1]
    with pytest.raises(bt.InputError, match="racing=False"):
        study.tuned.certificate(bound=60.0)
    with pytest.raises(bt.InputError, match="racing=False"):
        study.tuned.plan()
    assert study.tuned.certificate(bound=60.0, tasks=archive(50, 77)).loss_bound > 0.0


def test_the_report_says_what_was_raced(raced: tuple[list[bt.Task], bt.Study], tmp_path: Path) -> None:
    raced[1].report(tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "Tasks were raced: the whole range was swept on 128 tasks" in page
    assert "Outside the range of the chart: alpha = 1 has" in page


def test_racing_is_on_from_many_tasks_in_a_list_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "MANY_TASKS", 400)
    tasks, how = archive(400, 4), {"horizon": HORIZON, "alpha": (0.0, 4.0), "draws": 1}
    assert bt.tune(bt.UCB, tasks, **how).racing is not None
    assert bt.tune(bt.UCB, tasks[1:], **how).racing is None
    assert bt.tune(bt.UCB, iter(tasks), **how).racing is None
    assert bt.tune(bt.UCB, tasks, racing=False, **how).racing is None
    with pytest.raises(bt.ParameterError, match="racing takes tasks in random order"):
        bt.tune(bt.UCB, iter(tasks), racing=True, **how)
    with pytest.raises(bt.ParameterError, match="several are searched together"):
        bt.tune(bt.UCB, tasks, racing=True, prior_means=(0.0, 1.0), **how)


def test_tasks_that_are_alike_are_raced_with_draws_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "PILOT_TASKS", 2)
    fixed = Search.of(bt.GaussianThompson, [30], {"scale": (0.0, 2.0)}, loss="regret", seed=3, extend=True)
    twins = [bt.Task([[0.0, 1.0] * 15, [1.0, 0.0] * 15], means=[0.4, 0.6])] * 4
    _, swept, _ = race_tasks(fixed, twins, TaskScan(), OWN)
    curves = list(swept.losses[0])
    assert all(one != other for k, one in enumerate(curves) for other in curves[:k])
