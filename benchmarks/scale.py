"""How large a problem may be: the longest run, and a million tasks from a generator."""

import argparse
import resource
import statistics
import sys
from functools import partial

from rich.console import Console

import banditune as bt
from banditune.interruption import n_cores
from benchmarks.drawn_tasks import ANY_RATES, CLICK_RATES, bernoulli_tasks
from benchmarks.timing import time_call

LONG_HORIZON, LONG_SECONDS = 100_000, 10.0
MANY_HORIZON, MANY_SECONDS, MANY_GIGABYTES = 100, 60.0, 4.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_000_000, metavar="N", help="how many tasks to tune on")
    parser.add_argument("--seeds", type=int, default=5, metavar="K", help="how many long runs of each kind")
    parser.add_argument("--rates", type=float, nargs=2, metavar=("LOW", "HIGH"), help="long runs at these rates only")
    options = parser.parse_args()
    console = Console(width=100, highlight=False)
    load_kernels()
    if options.rates:
        console.print(long_games(options.seeds, tuple(options.rates)))
        return
    for rates in (ANY_RATES, CLICK_RATES):
        console.print(long_games(options.seeds, rates))
    console.print(many_tasks(options.tasks))


def load_kernels() -> None:
    """Compile, or load what was compiled before, so that it is not timed."""
    bt.tune(bt.UCB, bernoulli_tasks(2, 10, 2), horizon=10, alpha=(0.0, 1.0))


def long_games(n_seeds: int, rates: tuple[float, float]) -> str:
    """Seconds for the whole curve of one long task, over several tasks whose arms pay at rates from a range."""
    seconds, pieces = [], []
    for seed in range(n_seeds):
        (task,) = bernoulli_tasks(2, LONG_HORIZON, 1, seed=seed, rates=rates)
        taken, curve = time_call(partial(bt.loss_curve, bt.UCB, task, horizon=LONG_HORIZON, alpha=(0.0, 1.0)))
        seconds.append(taken)
        pieces.append(curve.n_pieces)
    return (
        f"2 Bernoulli arms, rates {rates[0]:g} to {rates[1]:g}, T = {LONG_HORIZON:,}, every alpha in [0, 1], "
        f"{n_seeds} tasks: median {statistics.median(seconds):.2f} s, at most {max(seconds):.2f} s, "
        f"{min(pieces):,} to {max(pieces):,} pieces ({verdict(max(seconds) <= LONG_SECONDS)}: {LONG_SECONDS:g} s each)"
    )


def many_tasks(n_tasks: int) -> str:
    """Seconds and memory for tuning on tasks that are drawn while they are used."""
    tasks = bernoulli_tasks(2, MANY_HORIZON, n_tasks)
    before = processor_seconds()
    seconds, tuned = time_call(partial(bt.tune, bt.UCB, tasks, horizon=MANY_HORIZON, alpha=(0.0, 1.0)))
    work = processor_seconds() - before
    reached = seconds <= MANY_SECONDS and peak_gigabytes() <= MANY_GIGABYTES
    return (
        f"{tuned.n_tasks:,} tasks of 2 Bernoulli arms, T = {MANY_HORIZON}, drawn, tuned over every alpha in [0, 1]: "
        f"{seconds:.1f} s for {work:.1f} s of work on {n_cores()} cores, {peak_gigabytes():.2f} GB at most "
        f"({verdict(reached)}: {MANY_SECONDS:g} s and {MANY_GIGABYTES:g} GB for a million); alpha = {tuned.alpha:.4f}, "
        f"{tuned.curve.n_pieces:,} pieces"
    )


def processor_seconds() -> float:
    """The work of all threads so far: what the seconds would be on one core that nobody else uses."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_gigabytes() -> float:
    """The most memory this process has held so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def verdict(reached: bool) -> str:
    """Whether a target was met, in words."""
    return "within the target" if reached else "beyond the target"


if __name__ == "__main__":
    main()
