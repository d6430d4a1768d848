"""What is said to agree is said by the criterion: yes, no and undecided all happen."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.evaluation.intervals import student
from banditune.experiments import alpha_mixture, corrals, gp_noise, sample_complexity, table_qd
from banditune.experiments.corrals import runs
from banditune.experiments.corrals.runs import (
    further_units,
    learn_alphas,
    list_training_units,
    run_alphas,
    short_units,
)
from banditune.experiments.distributions import TEST_TASKS, distribution
from banditune.experiments.machinery.claims import Agreement, PlusMinus, estimate_mean
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.experiments.machinery.shapes import best_alpha, compare_held_out, set_of, sweep_unit
from banditune.experiments.table_qd import FAMILIES, PAPER, SPREADS
from tests.experiments.tiny import tiny


def done(units: Any, seed: int = 0) -> dict[str, Arrays]:
    """The results of some units."""
    return {unit.name: unit.work(seed=seed, **unit.arguments) for unit in units}


def counts_like(means: dict[str, tuple[float, ...]]) -> dict[str, Arrays]:
    """Results of Table 1 with these numbers of pieces, and four times as many histories."""
    settings = replace(tiny("table-qd"), n_tasks=100, a_unit=100)
    results = {}
    for family in FAMILIES:
        for k, spread in enumerate(SPREADS):
            (unit,) = table_qd.family_units(settings, family, spread)
            pieces = np.rint(means[family][k] + np.tile([-4, 4], 50)).astype(int)
            results[unit.name] = {"starts": np.cumsum([0, *pieces]), "histories": 4 * pieces}
    return results


def test_table_qd_agrees_where_the_intervals_meet_and_only_there() -> None:
    settings = replace(tiny("table-qd"), n_tasks=100, a_unit=100)
    stated = {family: tuple(each.mean for each in row) for family, row in PAPER.items()}
    found = table_qd.analyse(settings, counts_like(stated))
    assert [claim.agrees for claim in found.claims[:12]] == [Agreement.YES] * 12
    halved = {family: tuple(mean / 2 for mean in row) for family, row in stated.items()}
    found = table_qd.analyse(settings, counts_like(halved))
    assert [claim.agrees for claim in found.claims[:12]] == [Agreement.NO] * 12
    assert found.claims[12].agrees is Agreement.YES  # between the pieces and the histories
    assert found.pieces["B"][0].mean == pytest.approx(14, abs=0.2)


def test_table_qd_counts_what_curves_count() -> None:
    settings = replace(tiny("table-qd"), n_tasks=5, a_unit=5)
    found = table_qd.analyse(settings, done(table_qd.units(settings)))
    tasks = bt.problems.named("G(0.3)").sample(5, settings.horizon)
    pieces = [bt.loss_curve(bt.UCB, task, horizon=settings.horizon, alpha=(0.0, 1.0)).n_pieces for task in tasks]
    assert found.pieces["G"][2].mean == pytest.approx(np.mean(pieces))


def curve(values: list[float], edges: list[float]) -> Arrays:
    """One step function, as a unit gives it."""
    return {"left": np.array(edges[:-1]), "values": np.array(values), "starts": np.array([0, len(values)])}


@pytest.mark.parametrize(
    ("values", "agrees"),
    [([3.0, 1.0, 2.0], Agreement.YES), ([1.0, 2.0, 3.0], Agreement.UNDECIDED), ([1.0, 2.0, 1.0], Agreement.UNDECIDED)],
)
def test_alpha_mixture_wants_the_least_value_inside(values: list[float], agrees: Agreement) -> None:
    settings = replace(alpha_mixture.QUICK, means=(0.5,), n_tasks=4, a_unit=1)
    results = {}
    for k, unit in enumerate(alpha_mixture.units(settings)):
        results[unit.name] = curve([value + 0.001 * k for value in values], [0.0, 0.5, 2.0, 4.0])
    (claim,) = alpha_mixture.analyse(settings, results).claims
    assert claim.agrees is agrees


def test_games_at_the_true_horizon_agree_with_the_exact_curves() -> None:
    alphas = [0.001, 0.1, 2.0]
    for tasks in ("small-gap", "corral-gaussian", "cifar10"):
        (regret,) = run_alphas(seed=3, tasks=tasks, second="sd", number=2, rounds=120, alphas=alphas).values()
        curves = set_of(sweep_unit(seed=3, tasks=tasks, second="sd", first=2, count=1, horizon=120, most=100.0), 100.0)
        assert regret == pytest.approx([curves.at(alpha)[0] for alpha in alphas])


def test_what_is_learned_on_the_grid_is_what_plain_games_say() -> None:
    settings = tiny("corral")
    arena = settings.arenas[0]
    results = done(list_training_units(settings))
    way = learn_alphas(settings, arena, results)[0]
    tasks = distribution(arena.tasks, arena.second).sample(settings.n_training, settings.short)
    losses = {
        alpha: np.mean([bt.play(bt.UCB, task, horizon=settings.short, alpha=alpha).regret[-1] for task in tasks])
        for alpha in settings.grid
    }
    assert losses[way.alpha] == pytest.approx(min(losses.values()))
    (unit,) = short_units(settings, arena)
    exact = best_alpha(set_of(results[unit.name], settings.most))
    assert learn_alphas(settings, arena, results)[1].alpha == exact


def test_nothing_is_learned_from_test_tasks() -> None:
    settings = tiny("corral")
    results = done(list_training_units(settings))
    tests = runs.test_units(settings, results)
    assert all(unit.arguments["number"] >= TEST_TASKS for unit in tests)
    played = {(unit.arguments["tasks"], unit.arguments["second"], unit.arguments["number"]) for unit in tests}
    for unit in further_units(settings, results):
        numbers = range(unit.arguments["first"], unit.arguments["first"] + unit.arguments["count"])
        assert not played & {(unit.arguments["tasks"], unit.arguments["second"], number) for number in numbers}


@pytest.mark.parametrize(
    ("theirs", "agrees"), [(50.0, Agreement.YES), (5.0, Agreement.NO), (10.0, Agreement.UNDECIDED)]
)
def test_corrals_are_behind_only_where_the_interval_says_so(theirs: float, agrees: Agreement) -> None:
    settings = replace(tiny("corral"), arenas=tiny("corral").arenas[:1])
    results = done(list_training_units(settings))
    tests = runs.test_units(settings, results)
    results |= done(further_units(settings, results))
    for k, unit in enumerate(tests):
        recorded = len(unit.arguments["recorded"])
        noise = [-0.5, 0.0, 0.5][k]
        results[unit.name] = {
            "ucb": np.full((len(unit.arguments["alphas"]), recorded), 10.0),
            "corrals": np.full((4, recorded), theirs + noise),
        }
    (claim,) = [claim for claim in corrals.analyse(settings, results).claims if claim.paper == "ours ahead"]
    assert claim.agrees is agrees


def test_what_is_rare_on_the_test_tasks_counts_by_the_further_ones() -> None:
    settings = replace(tiny("corral"), arenas=tiny("corral").arenas[:1])
    results = done(list_training_units(settings))
    tests, further = runs.test_units(settings, results), further_units(settings, results)
    for unit in tests:
        recorded = len(unit.arguments["recorded"])
        ucb = np.full((len(unit.arguments["alphas"]), recorded), 10.0)
        results[unit.name] = {"ucb": ucb, "corrals": np.full((4, recorded), 50.0)}

    def find_verdict(rare: float) -> tuple[Agreement, float]:
        for k, unit in enumerate(further):
            shape = (unit.arguments["count"], len(unit.arguments["alphas"]), len(unit.arguments["recorded"]))
            regret = np.full(shape, 10.0)
            regret[0] = rare if k == 0 else 10.0
            results[unit.name] = {"regret": regret}
        found = corrals.analyse(settings, results)
        (claim,) = [claim for claim in found.claims if claim.paper == "ours ahead"]
        return claim.agrees, float(found.panels[0].learned[0].mean[-1])

    assert find_verdict(10.0) == (Agreement.YES, 10.0)
    verdict, drawn = find_verdict(1e6)  # one task in twelve fails
    assert verdict is Agreement.UNDECIDED
    assert drawn == pytest.approx(10.0 + (1e6 - 10.0) / 12)  # and the figure shows it


def test_what_is_compared_was_chosen_on_other_tasks() -> None:
    rng = np.random.default_rng(0)
    n, values = 40, rng.integers(0, 2, (40, 8)).astype(float)  # coins: no value is better than another
    curves = CurveSet.of(bt.StepFunction(np.arange(9) / 8, row) for row in values + 1e-9 * np.arange(8))

    def best(members: np.ndarray) -> float:
        return best_alpha(curves, members)

    found = compare_held_out(curves, best, lambda _: 0.99)
    extra = []
    for k in range(n):
        others = [j for j in range(n) if j % 2 != k % 2]
        chosen = int(values[others].mean(axis=0).argmin())
        extra.append(values[k, 7] - values[k, chosen])
    assert found.mean == pytest.approx(np.mean(extra), abs=1e-6)
    chosen_on_all = estimate_mean(curves.at(0.99) - curves.at(best_alpha(curves)))
    assert chosen_on_all.mean > found.mean


def test_test_games_are_those_of_play() -> None:
    alphas = [0.1, 1.0]
    arguments = {"tasks": "large-gap", "second": "variance", "number": TEST_TASKS}
    found = runs.run_test(seed=0, **arguments, rounds=80, recorded=[20, 80], grid=[0.1, 1.0], alphas=alphas)
    task = distribution("large-gap").bandit(TEST_TASKS, 0).task(80)
    for row, alpha in zip(found["ucb"], alphas, strict=True):
        regret = bt.play(bt.UCB, task, horizon=80, alpha=alpha).regret
        assert row == pytest.approx([regret[19], regret[79]])
    assert found["corrals"].shape == (4, 2)


def test_gp_noise_counts_and_earns_what_curves_do() -> None:
    settings = tiny("gp-noise")
    found = gp_noise.analyse(settings, done(gp_noise.units(settings))).found[0]
    tasks = bt.problems.on_grid("waves", noise=0.1).sample(settings.n_tasks, settings.horizon)
    curves = [
        bt.loss_curve(bt.GPUCB, task, horizon=settings.horizon, noise=(1e-4, 10.0), loss="reward") for task in tasks
    ]
    assert found.pieces.mean == np.mean([each.n_pieces for each in curves])
    assert found.reward == pytest.approx(-bt.mean_curve(curves).minimum())
    assert found.gained.mean >= 0.0


def test_more_training_tasks_use_the_same_first_ones() -> None:
    settings = tiny("sample-complexity")
    unit: Unit = sample_complexity.list_learning_units(settings, settings.kinds[0])[0]
    found = unit.work(seed=0, **unit.arguments)
    start, size = TEST_TASKS, settings.sizes[1]
    arguments = {"tasks": "bernoulli", "second": "variance", "first": start, "count": size, "horizon": 100}
    curves = set_of(sweep_unit(seed=0, **arguments, most=1.0), 1.0)
    assert found["alphas"][0, 1] == best_alpha(curves)


def test_student_is_close_to_the_tables() -> None:
    for degrees, known in ((4, 2.776), (5, 2.571), (9, 2.262), (19, 2.093), (99, 1.984)):
        assert student(degrees) == pytest.approx(known, rel=0.003)


def test_an_interval_of_one_value_is_unknown() -> None:
    assert estimate_mean([2.0]) == PlusMinus(2.0, 0.0)
