"""The exact curves of sampled tasks, and simulations on one problem, in units."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.evaluation.intervals import NORMAL
from banditune.experiments.distributions import distribution
from banditune.experiments.machinery.experiment import Arrays, Results, Unit
from banditune.interruption import Threads
from banditune.policies.comparison_entries import Entry
from banditune.policies.ucb.ucb import UCB
from banditune.problems.problem import Bandit, Problem
from banditune.simulation.simulate import Simulation, simulate
from banditune.tuning.search import Search


def simulate_alone(
    entries: Sequence[Entry], bandit: Bandit, rounds: int, recorded: Sequence[int], seed: int
) -> Simulation:
    """Return the runs of some entries on one problem, in this worker alone."""
    with Threads(1) as alone:
        return simulate(entries, [bandit], horizon=rounds, rounds=recorded, seed=seed, executor=alone)


LOW = 0.0  # where every range of alpha begins


def sweep_unit(*, tasks: str, second: str = "variance", **asked: Any) -> Arrays:
    """Return the curves of some tasks of a distribution, as `curves_of` takes them."""
    return curves_of(distribution(tasks, second), **asked)


def curves_of(
    problem: Problem, *, seed: int, first: int, count: int, horizon: int, most: float, histories: bool = False
) -> Arrays:
    """Return curves of tasks of a problem as arrays, and how many histories each has, if they are counted."""
    search = Search.of(UCB, [horizon], {"alpha": (LOW, most)}, loss="regret", seed=seed, extend=False)
    search = replace(search, histories=histories)
    found = search.curves([problem.bandit(number, seed).task(horizon) for number in range(first, first + count)])
    curves = found.losses[0]
    arrays = {"left": curves.left, "values": curves.values, "starts": curves.starts}
    return arrays if found.histories is None else {**arrays, "histories": found.histories}


def join_curves(results: Results, units: Sequence[Unit]) -> CurveSet:
    """Return the curves of some units, end to end."""
    most = float(units[0].arguments["most"])
    return CurveSet.concatenate([set_of(results[unit.name], most) for unit in units])


def set_of(arrays: Arrays, most: float) -> CurveSet:
    """Return the curves that `curves_of` gave as arrays."""
    return CurveSet(LOW, most, arrays["left"], arrays["values"], arrays["starts"])


def mean_with_interval(
    curves: CurveSet, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of the curves at some points, and the half width of its 95% interval: (points,) each."""
    at = np.array([curves.at(float(x)) for x in points])
    return at.mean(axis=1), NORMAL * at.std(axis=1, ddof=1) / np.sqrt(len(curves))
