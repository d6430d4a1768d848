"""When does the paper's recursion stop? python -m benchmarks.stopping

Algorithm 3 ends where some arm has no rewards left; it is handed T of each arm, so that it goes on after round T. How
many histories it visits so, and how many runs of T rounds there are, on tasks of Table 1 (T = 100, alpha from 0 to 1).
"""

import argparse

import numpy as np

import banditune as bt
from banditune.evaluation.intervals import estimate
from banditune.experiments.table_qd import FULL
from tests.naive.histories import count_histories

KINDS = {"B(0.1)": "Bernoulli, s = 0.1", "U(0.1)": "uniform, s = 0.1", "G(0.1)": "Gaussian, s = 0.1"}


def count_both(name: str, n_tasks: int) -> tuple[list[int], list[int]]:
    """Return the histories of each task: of T rounds, and until an arm has run out."""
    tasks = [[row.tolist() for row in task.rewards] for task in bt.problems.named(name).sample(n_tasks, FULL.horizon)]
    within = [count_histories(rows, FULL.most) for rows in tasks]
    beyond = [count_histories(rows, FULL.most, ends_when_one_runs_out=True) for rows in tasks]
    return within, beyond


def describe(counts: list[int]) -> str:
    """The mean with its 95% interval."""
    found = estimate(np.array(counts, np.float64))
    return f"{found.mean:.1f} ± {(found.high - found.low) / 2:.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=2_000, help="of each kind")
    n_tasks = parser.parse_args().tasks
    print(f"| {n_tasks:,} tasks | histories of {FULL.horizon} rounds | as printed |\n|---|---|---|")
    for name, words in KINDS.items():
        within, beyond = count_both(name, n_tasks)
        print(f"| {words} | {describe(within)} | {describe(beyond)} |", flush=True)


if __name__ == "__main__":
    main()
