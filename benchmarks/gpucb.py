"""GP-UCB: is the curve of its noise right, and how long does it take? python -m benchmarks.gpucb

Against the oracle that solves the equations afresh in each round in 50 digits (tests/naive/gpucb.py), at random noises
over twelve decades and at the edges of pieces, on points at random, on grids and coinciding; then the time of a search
on the paper's functions and on the bundled tasks, beside that of one run. Random tasks have numbers: where one differs,
its number is printed, and --first N --pairs 1 plays it again. With --record FILE what is checked is kept, line by line,
and the same command goes on from there. With --late, rewards become known in batches or late, and points may be owed
rounds. Values that a curve says to be in doubt are not tried: so wide is what is left unproved.
"""

import argparse
import json
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import banditune as bt
from banditune.interruption import n_cores
from banditune.policies.gpucb.beta import Multiple, widths
from banditune.policies.gpucb.covariance import covariances
from banditune.rng import generator
from banditune.tuning.results.details import ProvedCurve
from benchmarks.timing import shown_seconds, time_call
from tests.naive.gpucb import naive_points

NOISES = 4  # values tried on each task
EDGES = 3  # at most so many are tried, with the float before each
LOW, HIGH = 1e-10, 100.0
BLOCK = 80  # tasks that are handed out at once
KERNELS = ("rbf", "matern12", "matern32", "matern52")
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sin x + cos y": lambda x, y: np.sin(x) + np.cos(y),
    "(x - 1)(x + .5) + (y - 1.5)(y + 1)": lambda x, y: (x - 1) * (x + 0.5) + (y - 1.5) * (y + 1),
    "x + y^2": lambda x, y: x + y**2,
}


def drawn_points(rng: np.random.Generator, kind: str) -> NDArray[np.float64]:
    """Points in the unit square or cube: at random, on a grid, or some of them at the same place."""
    if kind == "grid":
        side = int(rng.integers(2, 5))
        axis = np.linspace(0.0, 1.0, side)
        return np.array([(x, y) for x in axis for y in axis])
    points = rng.random((int(rng.integers(2, 17)), int(rng.integers(1, 4))))
    return points[rng.integers(len(points), size=len(points))] if kind == "coinciding" else points


class Checked(NamedTuple):
    """What was found on the task with that number."""

    number: int
    tried: int  # noises
    differ: list[float]  # noises where the curve is not what the book says
    unproved: float


def drawn_updates(number: int, n_points: int) -> bt.Updates:
    """Rewards in batches, of which one in three go to one point each, or late; in one task of four, points are owed."""
    rng = generator(0, "gpucb", "updates", number)
    owed: dict[str, Any] = {"burn_in": 1, "floor": 0.5 / n_points} if rng.integers(4) == 0 else {}
    size = int(rng.integers(1, 7))
    if rng.integers(2):
        return bt.Delay(size, **owed)
    return bt.Batches(size, whole=bool(rng.integers(3) == 0), **owed)


def check_task(number: int, is_late: bool = False) -> Checked:
    """Set the curve of the task with that number against the book."""
    rng = generator(0, "gpucb", number)
    points = drawn_points(rng, ("random", "grid", "coinciding")[number % 3])
    rounds = int(rng.integers(1, 11))
    values = np.sin(3.0 * points.sum(axis=1)) if rng.integers(2) else rng.normal(size=len(points))
    rewards = values[:, None] + float(rng.choice([0.0, 0.1, 1.0])) * rng.normal(size=(len(points), rounds))
    fixed: dict[str, Any] = {
        "kernel": str(rng.choice(KERNELS)),
        "length_scale": float(rng.choice([0.1, 0.3, 1.0])),
        "bonus": str(rng.choice(["std", "variance"])),
    }
    fixed["updates"] = updates = drawn_updates(number, len(points)) if is_late else None
    times = float(rng.choice([0.05, 0.2, 1.0]))
    task = bt.Task(rewards, means=values, points=points)
    noise: Any = (LOW, HIGH)
    curve = bt.loss_curve(bt.GPUCB, task, horizon=rounds, noise=noise, beta={"of_schedule": times}, **fixed)
    assert isinstance(curve, ProvedCurve)
    made = covariances(fixed["kernel"], points, fixed["length_scale"])
    size = updates.size if isinstance(updates, bt.Batches) else 1
    shown = -(np.arange(1, rounds + 1) // -size) * size  # the last round of each batch
    factors = widths(Multiple(times), len(points), 0.1, shown)
    with mp.workdps(50):  # at an edge the last digit of the bonus counts: the very floats that a run takes
        betas = [mp.mpf(factor) ** 2 for factor in factors.tolist()]
    values_tried = np.exp(rng.uniform(np.log(LOW), np.log(HIGH), NOISES)).tolist()
    for edge in rng.choice(curve.edges[1:-1], min(EDGES, curve.n_pieces - 1), replace=False).tolist():
        values_tried += [edge, float(np.nextafter(edge, 0.0))]
    doubts = curve.proof.doubts
    values_tried = [value for value in values_tried if not any(each.low <= value <= each.high for each in doubts)]
    differ = []
    for value in values_tried:
        asked = {"squared": fixed["bonus"] == "variance", "updates": updates}
        chosen = naive_points(made, rewards.tolist(), value, betas, **asked)
        expected = float((values.max() - values)[chosen].sum())
        differ += [value] if abs(curve(value) - expected) > 1e-9 else []
    return Checked(number, len(values_tried), differ, curve.proof.unproved)


def check(pairs: int, first: int, record: Path | None, is_late: bool = False) -> None:
    """Count mismatches on so many pairs, from the task with the first number on, on all cores."""
    started, found = time.perf_counter(), _read_record(record)
    numbers = iter([number for number in range(first, first + pairs) if number not in found])
    tried = sum(each.tried for each in found.values())
    with ProcessPoolExecutor(n_cores()) as executor, Progress() as progress:
        bar = progress.add_task("Playing by the book", total=pairs, completed=tried)
        while tried < pairs:
            block = [next(numbers) for _ in range(1 if pairs == 1 else BLOCK)]
            for each in executor.map(partial(check_task, is_late=is_late), block, chunksize=max(1, BLOCK // 8)):
                found[each.number], tried = each, tried + each.tried
                progress.update(bar, completed=tried)
                if record is not None:
                    with record.open("a") as file:
                        print(json.dumps(each), file=file)
    differ = [(each.number, value) for each in found.values() for value in each.differ]
    widest = max(each.unproved for each in found.values())
    for number, value in differ:
        print(f"task {number}: differs at noise = {value!r}")
    print(
        f"{tried:,} pairs of a random task and a noise from {LOW:g} to {HIGH:g}, or at an edge of a piece: "
        f"{len(differ)} mismatches"
    )
    print(
        f"2 to 16 points, 1 to 10 rounds, {', '.join(KERNELS)}; the most that a task left unproved has a relative "
        f"width of {widest:.2g}; {time.perf_counter() - started:.0f} s\n"
    )


def _read_record(record: Path | None) -> dict[int, Checked]:
    """Read what was found before, by the tasks' numbers."""
    if record is None or not record.exists():
        return {}
    known = [Checked(*json.loads(line)) for line in record.read_text().splitlines()]
    return {each.number: each for each in known}


def grid_task(name: str, rounds: int, noise: float) -> bt.Task:
    """One of the paper's functions on a grid of 24 x 24 points, seen with noise."""
    axis = np.linspace(-2.0, 2.0, 24)
    points = np.array([(x, y) for x in axis for y in axis])
    values = FUNCTIONS[name](points[:, 0], points[:, 1])
    seen = values[:, None] + noise * generator(0, "grid", name).normal(size=(len(points), rounds))
    return bt.Task(seen, means=values, points=points, name=name)


def measure() -> None:
    """The time of searches, beside that of a run; kernels are compiled before."""
    bt.loss_curve(bt.GPUCB, bt.datasets.hpobench()[0], horizon=2, noise=(0.1, 1.0))
    bt.play(bt.GPUCB, bt.datasets.hpobench()[0], horizon=2)
    table = Table(title="A search over four decades of noise, 0.0001 to 1", title_justify="left")
    for head in ("task", "points", "rounds", "pieces", "intervals proved", "unproved", "search", "one run"):
        table.add_column(head, justify="left" if head == "task" else "right")
    cases = [(grid_task(name, 20, 0.1), 20, {"length_scale": each}) for name in FUNCTIONS for each in (1.0, 0.3)]
    units = {"length_scale": 0.2, "center": 0.5, "scale": 0.2}
    cases += [(task, rounds, units) for rounds in (20, 40) for task in bt.datasets.hpobench()[:3]]
    noise: Any = (1e-4, 1.0)
    for task, rounds, fixed in cases:
        settings: dict[str, Any] = {"horizon": rounds, "beta": {"of_schedule": 0.2}, **fixed}
        searching, curve = time_call(partial(bt.loss_curve, bt.GPUCB, task, noise=noise, **settings))
        playing, _ = time_call(partial(bt.play, bt.GPUCB, task, noise=0.01, **settings))
        assert isinstance(curve, ProvedCurve)
        table.add_row(
            f"{task.name}, length scale {fixed['length_scale']}",
            str(task.n_arms),
            str(rounds),
            str(curve.n_pieces),
            f"{curve.proof.intervals:,}",
            f"{curve.proof.unproved:.1g}",
            shown_seconds(searching),
            shown_seconds(playing),
        )
    Console(width=150).print(table)


def measure_tables(rounds: int) -> None:
    """What is proved and how long it takes on all bundled data sets: the noise over its range, then beta in turn."""
    tasks, beta = bt.datasets.hpobench(), (0.0, 1.0)
    table = Table(title=f"All bundled data sets, {rounds} rounds, noise from 0.0001 to 100", title_justify="left")
    heads = ("searched", "length scale", "intervals proved", "unproved", "loss off by", "wall", "CPU", "mean regret")
    for head in heads:
        table.add_column(head, justify="left" if head == "searched" else "right")
    for given, length_scales in (({}, (0.1, 0.2, 0.5, 1.0)), ({"beta": beta}, (0.1, 0.5, 1.0))):
        for each in length_scales:
            units: dict[str, Any] = {"length_scale": each, "center": "learned", "scale": "learned", **given}
            call = partial(bt.tune, bt.GPUCB, tasks, horizon=rounds, noise=(1e-4, 100.0), **units)
            before = _used_seconds()
            wall, tuned = time_call(call)
            proof = tuned.proof
            cells = f"{proof.intervals:,}", f"{proof.unproved:.2g}", f"{proof.largest_error:.2g}", shown_seconds(wall)
            searched = "noise and beta in turn" if given else "noise"
            table.add_row(searched, str(each), *cells, shown_seconds(_used_seconds() - before), f"{tuned.loss:.3f}")
    Console(width=150).print(table)


def _used_seconds() -> float:
    """Return the processor time of this process and of those that it started."""
    return sum(resource.getrusage(of).ru_utime for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    """Check, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000, help="how many (task, noise) to try (default: 10,000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first task (default: 0)")
    parser.add_argument("--record", type=Path, help="file of what was checked, to go on from")
    parser.add_argument("--late", action="store_true", help="check with rewards in batches or late")
    parser.add_argument("--only-check", action="store_true", help="do not measure how long searches take")
    parser.add_argument("--rounds", type=int, default=40, help="on the bundled data sets (default: 40)")
    options = parser.parse_args()
    if options.pairs > 0:
        check(options.pairs, options.first, options.record, options.late)
    if not options.only_check:
        measure()
        measure_tables(options.rounds)


if __name__ == "__main__":
    main()
