"""The comparison: nobody plays on what it learned from, all get the same rewards, and the figures add up."""

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import banditune as bt
from banditune import baselines, problems
from banditune.cli.compare_output import write_comparison
from banditune.evaluation.cross_validation import cross_validate
from banditune.policies.comparison_entries import list_entries, reward_bounds
from banditune.policies.updates import UPDATES
from banditune.simulation.compare import compare
from banditune.simulation.comparison_result import mean_ranks
from banditune.simulation.simulate import simulate
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.priors.line_search import PriorSearch
from banditune.tuning.search import Search
from tests.baselines.registered import BASELINES

TASKS = problems.beta(3).sample(24, 20, seed=1)
LEARNED, WITH_PRIORS = "UCB, alpha learned", "UCB, alpha and priors learned"
FEW = [baselines.entry(baselines.UCB1), baselines.entry(bt.BetaThompson)]


def test_learned_alpha_loses_what_the_folds_say() -> None:
    compared = compare(TASKS, [(bt.UCB, {"alpha": (0.0, 4.0)})], horizon=60, baselines=FEW, folds=4)
    search = Search.of(bt.UCB, [60], {"alpha": (0.0, 4.0)}, loss="regret", seed=0, extend=True)
    (swept,) = sweep_tasks([search], TASKS)
    held_out = cross_validate([search], swept.losses, {}, n_folds=4)
    assert held_out is not None
    assert (compared.losses[LEARNED] == held_out.learned).all()
    assert [each["alpha"] for each in compared.learned[LEARNED]] == held_out.values.tolist()
    assert (compared.fold == held_out.fold).all()


@pytest.mark.parametrize(("policy", "alone"), [(bt.EpsilonGreedy, {"decay": 1.0}), (bt.UCB, {"schedule": "constant"})])
def test_one_setting_in_a_list_is_that_setting(policy: Any, alone: dict[str, Any]) -> None:
    listed = {name: [value] for name, value in alone.items()}
    (one, same) = (compare(TASKS, [(policy, given)], horizon=20, baselines=FEW, folds=3) for given in (alone, listed))
    assert same.learned == one.learned
    assert (same.losses[same.reference] == one.losses[one.reference]).all()


def test_settings_that_are_fitted_to_tasks_are_fitted_without_each_fold() -> None:
    compared = compare(TASKS, [(bt.BetaThompson, {"prior": "learned"})], horizon=20, baselines=FEW, folds=3)
    for fold, params in enumerate(compared.learned[compared.reference]):
        past = [task for task, own in zip(TASKS, compared.fold, strict=True) if own != fold]
        assert params["prior"] == bt.tune(bt.BetaThompson, past, horizon=20, prior="learned").params["prior"]


def test_interruption_of_a_search_for_priors_ends_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PriorSearch, "along", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compare(TASKS, [(bt.UCB, {"prior_means": (0.0, 1.0)})], horizon=10, baselines=FEW, folds=3)


def test_fixed_policy_loses_what_its_games_lose() -> None:
    entries = [baselines.entry(bt.UCB, alpha=0.5)]
    compared = compare(TASKS, horizon=60, baselines=entries, repetitions=3, seed=7)
    for k, task in enumerate(TASKS):
        lost = [bt.play(bt.UCB, task, horizon=60, alpha=0.5, seed=7 + r).regret[-1] for r in range(3)]
        assert compared.losses["UCB, alpha=0.5"][k] == pytest.approx(np.mean(lost), rel=1e-12)


def test_every_baseline_is_in_the_field() -> None:
    names = {entry.name for entry in list_entries(TASKS)}
    assert {baseline.label for baseline in BASELINES} <= names
    assert {"UCB, alpha=1", "UCB, alpha=2"} <= names


def test_standings_add_up() -> None:
    compared = compare(TASKS, [bt.UCB], horizon=60)
    names = [standing.name for standing in compared.standings]
    assert names.count(LEARNED) == 1
    assert set(names) == {LEARNED, "equal split", *(entry.name for entry in list_entries(TASKS))}
    assert [standing.regret for standing in compared.standings] == sorted(s.regret for s in compared.standings)
    assert np.mean([standing.rank for standing in compared.standings]) == pytest.approx((len(names) + 1) / 2)
    assert compared.of(LEARNED).extra == 0.0
    for standing in compared.standings:
        extra = compared.losses[standing.name] - compared.losses[LEARNED]
        assert standing.extra == pytest.approx(extra.mean())
        assert standing.interval.low <= standing.extra <= standing.interval.high
        assert standing.worse + standing.better <= compared.n_tasks == 24
        assert compared.curves[standing.name][-1] == pytest.approx(standing.regret)
        assert standing.knowledge
        assert (standing.seconds > 0.0) == (standing.name != "equal split")


def test_equal_split_is_compared_with_and_totals_have_a_unit() -> None:
    tasks = [bt.Task.from_counts([40, 50, 60], [4, k, 9]) for k in range(10)]
    compared = compare(tasks, [bt.UCB], horizon=30, folds=2)
    split = compared.of("equal split")
    assert split.regret == pytest.approx(np.mean([30 * (task.means.max() - task.means.mean()) for task in tasks]))
    assert split.regret == pytest.approx(compared.curves["equal split"][-1])
    assert compared.measure == "mean regret in successes over 30 pulls"
    assert bt.study(bt.UCB, tasks, horizon=30, draws=1).units == compared.units
    given = compare(tasks, [bt.UCB], horizon=30, folds=2, baselines=[baselines.entry(baselines.UCB1)])
    assert "equal split" not in given.losses


def test_learned_alpha_wins_where_theory_is_too_cautious() -> None:
    tasks = problems.gaussian(4, means=problems.Uniform(0.0, 1.0), sd=0.05).sample(40, 100, seed=3)
    compared = compare(tasks, [bt.UCB], horizon=100, baselines=[baselines.entry(bt.UCB, alpha=1.0)])
    assert compared.standings[0].name == LEARNED
    assert compared.of("UCB, alpha=1").interval.low > 0.0


def test_priors_are_learned_where_arms_recur() -> None:
    rng = np.random.default_rng(0)
    tasks = [
        bt.Task(np.clip(rng.normal([[0.2], [0.5], [0.8]], 0.05, (3, 12)), 0.0, 1.0), arms=["a", "b", "c"])
        for _ in range(10)
    ]
    given = {"alpha": (0.0, 1.0)}
    compared = compare(
        tasks, [(bt.UCB, given), (bt.UCB, {**given, "prior_means": (0.0, 1.0)})], horizon=12, baselines=[], folds=2
    )
    assert [standing.name for standing in compared.standings] == [WITH_PRIORS, LEARNED]
    assert compared.of(WITH_PRIORS).interval.high < 0.0


def test_same_bits_whatever_the_executor() -> None:
    here = compare(TASKS, horizon=30, baselines=FEW)
    with ThreadPoolExecutor(1) as executor:
        there = compare(TASKS, horizon=30, baselines=FEW, executor=executor)
    for name, losses in here.losses.items():
        assert (losses == there.losses[name]).all()
    assert [s.interval for s in here.standings] == [s.interval for s in there.standings]


def test_progress_tells_what_is_done() -> None:
    told: list[tuple[str, int, int]] = []
    compare(TASKS, [bt.UCB], horizon=10, baselines=FEW, progress=lambda *words: told.append(words))
    ends = {what: (done, total) for what, done, total in told}
    assert ends == {
        "UCB: sweeping past tasks": (24, 24),
        "UCB: running alpha = 1": (0, 24),
        "UCB: running alpha = 2": (0, 24),
        "UCB: cross-validating": (10, 10),
        "simulating UCB, alpha learned": (24, 24),
        "simulating the baselines": (48, 48),
    }


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.sampled_from([0.0, 1.0, 2.0])))
def test_mean_ranks_are_those_by_the_book(losses: np.ndarray) -> None:
    for place, mean in enumerate(mean_ranks(losses).tolist()):
        ranks = []
        for column in losses.T.tolist():
            places = [k + 1 for k, value in enumerate(sorted(column)) if value == column[place]]
            ranks.append(Fraction(sum(places), len(places)))
        assert mean == pytest.approx(float(sum(ranks) / len(ranks)))


def test_field_is_told_the_scale_of_the_rewards() -> None:
    """Rewards eight times as large, and shifted: whoever is told their scale does the same."""
    larger = [bt.Task([8.0 * row - 2.0 for row in task.rewards], means=8.0 * task.means - 2.0) for task in TASKS]
    low, high = reward_bounds(TASKS)
    assert reward_bounds(larger) == pytest.approx((8.0 * low - 2.0, 8.0 * high - 2.0))
    one, other = compare(TASKS, [bt.UCB], horizon=20), compare(larger, [bt.UCB], horizon=20)
    for name in ("CORRAL, own feedback", "UCB-Tuned", "KL-UCB", "MOSS", "Thompson (Gaussian)", "CDT"):
        assert other.losses[name].mean() == pytest.approx(8.0 * one.losses[name].mean(), rel=0.05), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tasks": TASKS[:1]}, "tasks must be at least two"),
        ({"tasks": [*TASKS, 3]}, r"tasks\[24\] must be a bt.Task, got 3"),
        ({"tasks": 3}, "tasks must be bt.Task objects in a list"),
        ({"horizon": 0}, "horizon must be a whole number"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"repetitions": 0}, "repetitions must be a whole number of at least 1"),
        ({"policies": [(bt.UCB, {"alpha": (2.0, 1.0)})]}, "low < high"),
        ({"policies": []}, "at least one policy"),
        ({"policies": bt.UCB}, r"policies must be a list such as \[bt.UCB, bt.MOSS\], got <class"),
        ({"policies": 5}, "policies must be a list"),
        ({"policies": [(bt.UCB,)]}, "a policy with its parameters must be a pair"),
        ({"policies": [(bt.UCB, 5)]}, "a policy with its parameters must be a pair"),
        ({"baselines": 5}, "baselines must be a list"),
        ({"policies": [bt.GPUCB]}, "GPUCB needs points"),
    ],
)  # fmt: skip
def test_mistakes_are_told(change: dict[str, object], message: str) -> None:
    asked: dict[str, object] = {"tasks": TASKS, "horizon": 10, "baselines": FEW}
    with pytest.raises(bt.InputError, match=message):
        compare(**(asked | change))  # type: ignore[arg-type]


def test_comparisons_count_what_comes_after_the_runs() -> None:
    tasks = bt.problems.bernoulli(3).sample(12, 60, seed=5)
    asked: dict[str, Any] = {"horizon": 60, "folds": 3, "seed": 2, "loss": "rollout", "rollout": 500}
    compared = bt.compare(tasks, [bt.UCB], **asked)
    ours = compared.losses["UCB, alpha learned"]
    for k, task in enumerate(tasks):
        alpha = compared.learned["UCB, alpha learned"][compared.fold[k]]["alpha"]
        played = bt.play(bt.UCB, task, horizon=60, alpha=alpha, seed=2, loss="rollout", rollout=500)
        assert ours[k] == pytest.approx(played.loss)
    found = bt.study(bt.UCB, tasks, **asked)
    assert found.held_out is not None
    assert compared.losses["equal split"] == pytest.approx(found.held_out.others["equal split"])
    assert compared.measure == "mean regret of test and roll-out over 60 rounds and 500 rounds of roll-out"
    simple = bt.compare(tasks, [bt.UCB], horizon=60, folds=3, seed=2, loss="simple", recommend="pulls", baselines=[])
    for name, losses in simple.losses.items():
        assert all(0.0 <= loss <= np.ptp(task.means) for loss, task in zip(losses, tasks, strict=True)), name
    with pytest.raises(bt.ParameterError, match='loss must be "regret", "simple" or "rollout"'):
        bt.compare(tasks, [bt.UCB], horizon=60, loss="reward")


def test_late_rewards_are_late_for_all() -> None:
    updates = bt.Batches(5)
    compared = compare(TASKS, [bt.UCB, bt.GaussianThompson], horizon=20, folds=4, updates=updates)
    search = Search.of(bt.UCB, [20], {"alpha": (0.0, 4.0), "updates": updates}, loss="regret", seed=0, extend=True)
    (swept,) = sweep_tasks([search], TASKS)
    held_out = cross_validate([search], swept.losses, {}, n_folds=4)
    assert held_out is not None
    assert (compared.losses[LEARNED] == held_out.learned).all()
    names = [row["name"] for row in compared.table]
    assert "UCB, alpha=1" in names
    assert "UCB1" not in names  # which learns after every reward


def test_runs_with_select_and_update_learn_late_as_the_kernels_do() -> None:
    for updates in (bt.Batches(7), bt.Delay(5), bt.Batches(6, whole=True)):
        played = simulate([baselines.entry(bt.MOSS, scale=0.5, updates=updates)], TASKS[:3], horizon=30)
        for task, regret in zip(TASKS[:3], played.regret[0, :, 0, -1], strict=True):
            assert regret == bt.play(bt.MOSS, task, horizon=30, scale=0.5, updates=updates).regret[-1]


def test_policy_that_draws_has_a_seed_of_its_own_on_every_task() -> None:
    alike = [bt.Task([[0.0, 1.0] * 20, [1.0, 0.0] * 20], means=[0.4, 0.6])] * 6
    compared = compare(alike, [(bt.GaussianThompson, {"scale": (0.5, 2.0)})], horizon=40, baselines=[], folds=2)
    assert len(set(compared.losses["GaussianThompson, scale learned"].tolist())) > 2


@pytest.mark.parametrize("policy", [bt.KLUCB, bt.UCBV, bt.GaussianThompson])
def test_comparison_with_late_rewards_beyond_one_is_written(policy: type[bt.KLUCB], tmp_path: Path) -> None:
    tasks = [bt.Task([[0.0, 7.0, 9.0], [3.0, 10.0, 0.5]]), bt.Task([[1.0, 2.0, 10.0], [4.0, 0.0, 5.0]])]
    compared = compare(tasks, [policy], horizon=9, baselines=[], updates=bt.Batches(3))
    write_comparison(tmp_path, compared, [], 1.0)
    (learned,) = json.loads((tmp_path / "compared.json").read_text())["learned"].values()
    assert [each["updates"] for each in learned] == [UPDATES.plain(bt.Batches(3))] * 2
    searched = next(iter(compared.searched.values())).parameter
    assert f", {searched} from " in (tmp_path / "compared.html").read_text()
