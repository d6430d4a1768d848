"""How often the curve and the oracle disagree: python -m benchmarks.oracle --pairs 100000.

The oracle plays UCB from the paper's definition in exact fractions and 50 digits (tests/naive/ucb.py). Every pair is a
random task and a random alpha inside a piece of its curve; the loss must be the same to 1e-12.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from rich.progress import track

import banditune as bt
from banditune.interruption import n_cores
from banditune.rng import generator
from tests.naive.ucb import naive_arms, naive_regret
from tests.strategies import drawn_task

KINDS = ("bernoulli", "tenths", "uniform", "gaussian")
ALPHAS = 5  # values tried on each task


def mismatches(number: int) -> tuple[int, int]:
    """Pairs tried and pairs that differ on the task with that number."""
    rng = generator(0, "oracle", number)
    n_arms, horizon = int(rng.integers(1, 9)), int(rng.integers(1, 61))
    task = drawn_task(rng, n_arms, horizon, KINDS[number % len(KINDS)])
    curve = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, 4.0))
    rows = [row.tolist() for row in task.rewards]
    alphas = 4.0 * rng.random(ALPHAS) ** rng.choice([1.0, 3.0, 6.0])
    inside = [float(alpha) for alpha in alphas if alpha not in curve.edges]
    expected = [naive_regret(rows, naive_arms(rows, horizon, alpha)) for alpha in inside]
    differ = sum(
        abs(curve(alpha) - loss) > 1e-12 * max(1.0, loss) for alpha, loss in zip(inside, expected, strict=True)
    )
    return len(inside), differ


def main() -> None:
    """Try as many pairs as asked, on all cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, help="how many (task, alpha) to try (default: 100,000)")
    n_tasks = -(-parser.parse_args().pairs // ALPHAS)
    started = time.perf_counter()
    with ProcessPoolExecutor(n_cores()) as executor:
        results = executor.map(mismatches, range(n_tasks), chunksize=50)
        tried, differ = np.sum(list(track(results, "Playing by the book", total=n_tasks)), axis=0)
    print(f"{tried:,} pairs of a random task and an alpha inside a piece: {differ} mismatches")
    print(f"1 to 8 arms, 1 to 60 rounds, {', '.join(KINDS)} rewards; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
