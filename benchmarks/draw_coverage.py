"""Intervals over tasks whose order is drawn: do they cover what they say?

python -m benchmarks.draw_coverage [--repetitions R] [--tasks N] [--horizon T]

Draws archives of A/B tests known by totals from one population, computes the loss of every test at one alpha as the
mean over its draws, and counts how often the mean over tests lies within 1 and 1.96 standard errors of the population's
mean: 68% and 95% of the time if the standard error is right, whatever the number of draws.
"""

import argparse
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import banditune as bt
from banditune.tuning.search import Draws, Search

ALPHA = 0.05


def sample_tests(random: np.random.Generator, n_tests: int, horizon: int) -> list[bt.Task]:
    """Tests of two or three arms whose rates differ little, known by their totals."""
    tests: list[bt.Task] = []
    for _ in range(n_tests):
        n_arms = int(random.integers(2, 4))
        pulls = random.integers(horizon, 2 * horizon, n_arms)
        successes = random.binomial(pulls, random.beta(6.0, 14.0, n_arms))
        tests.append(bt.Task.from_counts(pulls.tolist(), successes.tolist()))
    return tests


def measure_losses(tests: list[bt.Task], horizon: int, draws: int, seed: int) -> NDArray[np.float64]:
    """The loss of each test at ALPHA, the mean over its draws: (tests,)."""
    search = Search.of(bt.UCB, [horizon], {"alpha": (0.0, 1.0)}, loss="regret", seed=seed, extend=True)
    return replace(search, draws=Draws(draws, ALPHA)).losses_at(tests, ALPHA)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--horizon", type=int, default=100)
    given = parser.parse_args()
    console = Console(width=120, highlight=False)
    random = np.random.default_rng(0)
    population = measure_losses(sample_tests(random, 20_000, given.horizon), given.horizon, 1, seed=1)
    truth, error = float(population.mean()), float(population.std() / np.sqrt(population.size))
    console.print(f"the population's mean regret at alpha = {ALPHA}: {truth:.4f} +- {error:.4f}")
    for draws in (1, 4, 20):
        within = np.zeros(2)
        for repetition in range(given.repetitions):
            tests = sample_tests(random, given.tasks, given.horizon)
            losses = measure_losses(tests, given.horizon, draws, seed=repetition)
            standard_error = losses.std(ddof=1) / np.sqrt(losses.size)
            within += np.abs(losses.mean() - truth) <= np.array([1.0, 1.96]) * standard_error
        one, two = within / given.repetitions
        console.print(f"{draws:>3} draws: within 1 standard error {one:.1%}, within 1.96 {two:.1%}")


if __name__ == "__main__":
    main()
