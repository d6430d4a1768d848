"""How often certificates are wrong, and how much they allow for: python -m benchmarks.coverage

A population is known if its tasks are drawn, with replacement, from a pool whose curves are all known: what a new task
is expected to lose is then the mean of the pool, exactly. Learn from N tasks, certify, look whether the certificate was
right; again and again. `--repetitions 1000` does less.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval, StepFunction
from banditune.evaluation.certificate import certify
from banditune.evaluation.certificate_bounds import Learned
from banditune.evaluation.holdout import bound_improvement, certify_held_out, hold_out
from banditune.policies.settings import find_parameter
from banditune.problems.arms import Bernoulli, Uniform
from banditune.problems.problem import Problem
from banditune.rng import generator
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Search

POOL = 5_000
ROUNDS = 50
ALPHA = find_parameter(bt.UCB, "alpha")


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Tasks to draw from, each as likely as the others, and the limits of what they can lose."""

    name: str
    curves: CurveSet
    limits: Interval
    expected: StepFunction  # what a new task is expected to lose


def populations() -> list[Population]:
    """The pools: tasks as the paper has them, real ones, and some that are made to mislead."""
    pairs = Problem(
        "one arm Bernoulli(0.5), one of any rate", lambda random: [Bernoulli(0.5), Bernoulli(random.random())]
    )
    wide = Problem(
        "two arms, uniform within 0 and 1", lambda random: [Uniform(*_span(random)), Uniform(*_span(random))]
    )
    return [
        _play(pairs.name, pairs.sample(POOL, ROUNDS)),
        _play(wide.name, [_bound(task) for task in wide.sample(POOL, ROUNDS)]),
        _play("learners on data sets (bundled)", bt.datasets.lcdb()),
        *made_up_populations(POOL),
    ]


def made_up_populations(n_tasks: int) -> list[Population]:
    """The pools that are made to mislead, of so many tasks."""
    makers = {
        "half of the tasks lose all right of somewhere, half left of there": _thresholds,
        "coins are thrown for 40 pieces of each task: nothing to learn": _coins,
        "a loss that is rare and as large as can be": _rare,
    }
    return [_made_up(name, make, n_tasks) for name, make in makers.items()]


def _span(random: np.random.Generator) -> tuple[float, float]:
    low, high = np.sort(random.random(2))
    return float(low), float(high)


def _bound(task: bt.Task) -> bt.Task:
    return bt.Task(task.rewards, means=task.means, limits=(0.0, 1.0))


def _play(name: str, tasks: list[bt.Task]) -> Population:
    search = Search.of(bt.UCB, [ROUNDS], {"alpha": (0.0, 1.0)}, loss="regret", seed=0, extend=True)
    (swept,) = sweep_tasks([search], tasks)
    return Population(name, swept.losses[0], Interval(0.0, float(ROUNDS)), swept.losses[0].mean())


def _made_up(name: str, make: Callable[[np.random.Generator], StepFunction], n_tasks: int) -> Population:
    curves = CurveSet.of(make(generator(0, "pool", name, k)) for k in range(n_tasks))
    return Population(name, curves, Interval(0.0, 1.0), curves.mean())


def _thresholds(random: np.random.Generator) -> StepFunction:
    """Every value is as good as any other, but on few tasks some look perfect."""
    edge = 0.5 + 0.4 * (random.random() - 0.5)
    values = [0.0, 1.0] if random.random() < 0.5 else [1.0, 0.0]
    return _steps([edge], values)


def _coins(random: np.random.Generator) -> StepFunction:
    """Some value always looks good, and is no better than the others."""
    edges = np.unique(np.round(random.random(39), 12))
    return _steps(edges, random.integers(0, 2, edges.size + 1))


def _rare(random: np.random.Generator) -> StepFunction:
    if random.random() > 0.03:
        return _steps([], [0.0])
    edges = np.sort(random.random(2))
    return _steps(edges, [1.0, 0.0, 1.0])


def _steps(inner: ArrayLike, values: ArrayLike) -> StepFunction:
    return StepFunction(np.concatenate([[0.0], np.asarray(inner), [1.0]]), np.asarray(values, np.float64))


METHODS = ("compression", "rademacher", "massart", "paper", "holdout", "best")


def failures(
    population: Population, n_tasks: int, delta: float, repetitions: int, methods: tuple[str, ...] = METHODS
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]:
    """Whether each method was wrong, how far above the truth its bound was, and whether the paired interval was wrong.

    Shapes (repetitions, methods), the same, and (repetitions,). Slack is that of the loss bound, as a share of the
    largest loss.
    """
    wrong = np.empty((repetitions, len(methods)), bool)
    slack = np.empty((repetitions, len(methods)))
    wrong_pair = np.empty(repetitions, bool)
    least, limits = population.expected.minimum(), population.limits
    for number in range(repetitions):
        random = generator(0, "coverage", population.name, n_tasks, number)
        curves = population.curves.take(random.integers(0, len(population.curves), n_tasks))
        mean = curves.mean()
        piece = mean.argmin()
        learned = Learned(curves, piece, ALPHA.inside(*piece), limits, number)
        held = hold_out(curves, ALPHA, number)
        for k, method in enumerate(methods):
            if method == "holdout":
                found = certify_held_out(held, limits, delta, everyone=(mean.minimum(), n_tasks))
            else:
                found = certify(learned, delta, method)
            truth = population.expected(found.value)
            wrong[number, k] = truth > found.loss_bound or truth - least > found.excess_bound
            slack[number, k] = (found.loss_bound - truth) / limits.width
        over = 0.9
        pair = bound_improvement(held, over, curves.at(over)[held.numbers], limits, delta)
        mine, other = population.expected(held.value), population.expected(over)
        right = pair.saved.low <= other - mine <= pair.saved.high
        wrong_pair[number] = not right or (
            pair.share is not None and other > 0.0 and not pair.share.low <= 1.0 - mine / other <= pair.share.high
        )
    return wrong, slack, wrong_pair


def time_certificates(n_tasks: int = 10_000) -> None:
    """How long all certificates of so many tasks take."""
    tuned = bt.tune(bt.UCB, bt.problems.bernoulli(2).sample(n_tasks, 100), horizon=100, alpha=(0.0, 1.0))
    tuned.certificate(method="rademacher")  # compiles
    started = time.perf_counter()
    for method in METHODS:
        tuned.certificate(method=method)
    tuned.improvement(1.0)
    print(f"All certificates of {n_tasks:,} tasks: {time.perf_counter() - started:.1f} s\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10_000)
    parser.add_argument("--delta", type=float, default=0.1)
    asked = parser.parse_args()
    time_certificates()
    started = time.perf_counter()
    at_most = f"at most {asked.delta:g}"
    print(f"{asked.repetitions:,} repetitions, delta = {asked.delta:g}: share of wrong certificates ({at_most}),")
    print("and the mean of bound less truth, as a share of the largest loss")
    for population in populations():
        print(f"\n{population.name}")
        print(
            f"  {'N':>4} " + "".join(f"{method:>19}" for method in METHODS) + f"{'paired':>10}   massart / compression"
        )
        for n_tasks in (50, 200):
            wrong, slack, wrong_pair = failures(population, n_tasks, asked.delta, asked.repetitions)
            cells = "".join(f"{f'{w:.4f} ({s:.3f})':>19}" for w, s in zip(wrong.mean(0), slack.mean(0), strict=True))
            ratio = slack[:, METHODS.index("massart")].mean() / slack[:, METHODS.index("compression")].mean()
            print(f"  {n_tasks:>4} {cells}{wrong_pair.mean():>10.4f}   {ratio:.2f}", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
