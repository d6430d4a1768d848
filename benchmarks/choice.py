"""Which value to recommend where curves are noisy: rules to choose one, measured on held-out tasks.

python -m benchmarks.choice [--data DATA] [--save FOLDER] [--orders K] [--only NAME]

The losses of all tasks of some archives are computed once for a grid of values, the mean of several orders of each task
beside a single order. Then each rule chooses from random subsets of the tasks, and what it chose is measured on all
other tasks: the mean loss, by how much it differs from that of the least of the mean of as many orders, with the
standard error of this difference over the tasks, and how often it is worse than alpha = 1 and than an equal split of
the rounds, by more than two standard errors of the paired difference. "Recommended" is what a study recommends.
"Judged" is the choice with the verdict of a study: alpha = 1, unless cross-validation within the subset says to use
what was learned instead of it.

DATA is a folder with any of upworthy_arms.csv.gz (see `scripts.headline_parameters`), aslib/SAT12-INDU.npz and
hillstrom.csv.gz (see `benchmarks.contextual`), none of which is part of this repository.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.folds import N_FOLDS
from banditune.evaluation.recommended_value import find_best_neighbourhood, reach_of
from banditune.evaluation.verdict import judge
from banditune.policies.parameters import SCALES, Parameter
from banditune.rng import generator
from banditune.tuning.equal_split import EQUAL_SPLIT, split_losses
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Draws, Search
from benchmarks.contextual import mails
from benchmarks.headlines import read_archive

Array = NDArray[np.float64]
N_GRID, SIZES, N_SUBSETS, N_RESAMPLES = 400, (10, 30, 100), 200, 30
HIGH = 4.0
RECOMMENDED = "recommended"


@dataclass(frozen=True)
class Losses:
    """What each task loses for every value of a grid: with one order, and on average over several."""

    name: str
    theta: Array  # (grid,) in the scale of the index
    single: Array  # (tasks, grid)
    averaged: Array  # (tasks, grid)
    split: Array  # (tasks,) what an equal split of the rounds loses
    at_one: int  # the place of alpha = 1 on the grid


def gaussian_tasks() -> list[bt.Task]:
    """Noise as large as the gaps: the best alpha is near the default, and curves are flat."""
    means = generator(0, "gaussian").normal(0.0, 0.5, (300, 3))
    return [bt.Task.from_summary([300] * 3, row, [1.0] * 3, name=f"{k}") for k, row in enumerate(means)]


def archives(data: Path | None) -> Iterator[tuple[str, Search, Sequence[Any]]]:
    """The archives that are there: a name, what is asked, and the tasks."""

    def ucb(horizon: int, high: float = HIGH) -> Search:
        return Search.of(bt.UCB, [horizon], {"alpha": (0.0, high)}, loss="regret", seed=0, extend=True)

    yield "LCDB, T = 200", ucb(200), bt.datasets.lcdb()
    yield "Gaussian arms, T = 300", ucb(300, 8.0), gaussian_tasks()
    yield "headlines(), T = 5,000", ucb(5_000), bt.datasets.headlines()
    if data is not None and (path := data / "upworthy_arms.csv.gz").exists():
        yield "real headline tests, T = 2,000", ucb(2_000), read_archive(path)[:600]
    if data is not None and (path := data / "aslib" / "SAT12-INDU.npz").exists():
        with np.load(path, allow_pickle=False) as stored:
            solved = (stored["perf"] < 1_200.0).astype(float)
        batches = [solved[first : first + 8].T for first in range(0, len(solved) - 7, 8)]
        yield "SAT solvers, T = 200", ucb(200), [bt.Task(rows) for rows in batches]
    if data is not None and (path := data / "hillstrom.csv.gz").exists():
        parameters = {"alpha": (0.0, 2.0), "disjoint": True}
        replayed = Search.of(bt.LinUCB, [500], parameters, loss="reward", seed=0, extend=True)
        yield "e-mails, replay of 500 events", replayed, mails(path, 500)


def losses_of(name: str, search: Search, tasks: Sequence[Any], orders: int) -> Losses:
    """The losses of an archive on the grid."""
    there, back = SCALES[search.free_parameter.scale]
    theta = np.append(0.0, np.geomspace(1e-3, 1.0 - 1e-12, N_GRID)) * there(search.high)
    grid = np.array([back(x) for x in theta])
    once, several = (sweep_tasks([replace(search, draws=Draws(number))], tasks)[0].losses[0] for number in (1, orders))
    split = split_losses(search, tasks)
    assert split is not None
    place = int(np.searchsorted(grid, 1.0))
    return Losses(name, theta, on_grid(once, grid), on_grid(several, grid), split, place)


def on_grid(curves: CurveSet, grid: Array) -> Array:
    """The values of all curves at the points of a grid: (curves, grid)."""
    return np.array([curve(grid) for curve in curves])


Rule = Callable[[Array, Array, np.random.Generator], int]  # theta (grid,), losses (tasks, grid): a place on the grid


def least(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The least of the mean."""
    return int(losses.mean(axis=0).argmin())


def within_one_se(losses: Array) -> NDArray[np.bool_]:
    """Where the paired difference to the least is at most its standard error, as in `CurveSet`: (grid,)."""
    mean = losses.mean(axis=0)
    extra = losses - losses[:, [mean.argmin()]]
    near: NDArray[np.bool_] = extra.sum(axis=0) ** 2 <= np.square(extra).sum(axis=0)
    return near


def middle(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The middle of what is within one standard error, in the scale of the index."""
    near = np.flatnonzero(within_one_se(losses))
    return nearest(theta, 0.5 * (theta[near[0]] + theta[near[-1]]))


def log_middle(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The same in the logarithm."""
    near = np.flatnonzero(within_one_se(losses))
    return (int(near[0]) + int(near[-1])) // 2


def cautious(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The largest value within one standard error: the most exploration."""
    return int(np.flatnonzero(within_one_se(losses))[-1])


def choose_bagged(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The mean of what resampled tasks choose, in the scale of the index."""
    return nearest(theta, float(theta[resampled_least(losses, random)].mean()))


def bagged_median(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The median of what resampled tasks choose."""
    return int(np.median(resampled_least(losses, random)))


def resampled_least(losses: Array, random: np.random.Generator) -> NDArray[np.int64]:
    """The least of the means of tasks resampled with replacement: (resamples,)."""
    n = len(losses)
    weights = random.multinomial(n, np.full(n, 1.0 / n), N_RESAMPLES).astype(float)
    found: NDArray[np.int64] = (weights @ losses).argmin(axis=1)
    return found


def recommend_with(draws: int) -> Rule:
    """What a study recommends: the least of the mean, averaged over windows that narrow as tasks grow in number."""

    def choose(theta: Array, losses: Array, random: np.random.Generator) -> int:
        curve = StepFunction(np.append(theta, theta[-1] ** 2 / theta[-2]), losses.mean(axis=0))
        linear = bt.LinUCB.parameters["alpha"]  # as theta is
        assert isinstance(linear, Parameter)
        best = find_best_neighbourhood(curve, reach_of(linear, len(losses), draws))
        return nearest(theta, 0.5 * (best.low + best.high))

    return choose


def smooth(width: float) -> Rule:
    """The least of the mean, averaged over windows from theta / width to theta * width."""

    def choose(theta: Array, losses: Array, random: np.random.Generator) -> int:
        mean = losses.mean(axis=0)
        return smooth_least(mean, round(np.log(width) / np.log(theta[2] / theta[1])))

    return choose


def smooth_least(mean: Array, reach: int) -> int:
    """The least of the moving average over 2 reach + 1 places; values at the ends are averaged over what there is."""
    total = np.append(0.0, np.cumsum(mean))
    places = np.arange(mean.size)
    low, high = np.maximum(places - reach, 0), np.minimum(places + reach + 1, mean.size)
    return int(((total[high] - total[low]) / (high - low)).argmin())


def adaptive(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The least of the moving average over half of the width of what is within one standard error."""
    near = np.flatnonzero(within_one_se(losses))
    return smooth_least(losses.mean(axis=0), (int(near[-1]) - int(near[0])) // 4)


def choose_weighed(theta: Array, losses: Array, random: np.random.Generator) -> int:
    """The mean of all values, each with the weight exp(-z^2 / 2) of its paired difference to the least."""
    extra = losses - losses[:, [losses.mean(axis=0).argmin()]]
    error = np.sqrt(np.maximum(np.square(extra).sum(axis=0), 1e-300))
    weights = np.exp(-0.5 * np.square(extra.sum(axis=0) / error))
    return nearest(np.arange(theta.size), float(np.average(np.arange(theta.size), weights=weights)))


def nearest(theta: NDArray[Any], value: float) -> int:
    """The place on the grid that is nearest to a value."""
    return int(np.abs(theta - value).argmin())


RULES: dict[str, Rule] = {
    "least": least,
    RECOMMENDED: recommend_with(1),
    "bagged": choose_bagged,
    "bagged median": bagged_median,
    "smoothed x1.2": smooth(1.2),
    "smoothed x1.5": smooth(1.5),
    "smoothed x2": smooth(2.0),
    "smoothed by SE": adaptive,
    "weighed": choose_weighed,
    "middle of 1 SE": middle,
    "log middle of 1 SE": log_middle,
    "cautious in 1 SE": cautious,
}
JUDGED = ("least", RECOMMENDED)


def recommend(known: Losses, seen: NDArray[np.int64], chosen: int, rule: Rule, *, averaged: bool) -> int:
    """What the verdict recommends to somebody who uses alpha = 1: the choice, or to keep it."""
    losses = (known.averaged if averaged else known.single)[seen]
    random = generator(0, known.name, "folds")
    fold = random.permutation(len(losses)) % N_FOLDS
    learned = np.empty(len(losses))
    for k in range(N_FOLDS):
        learned[fold == k] = losses[fold == k, rule(known.theta, losses[fold != k], random)]
    held_out = HeldOutLosses(
        n_folds=N_FOLDS,
        fold=fold,
        values=np.empty(N_FOLDS),
        learned=learned,
        usual={1.0: losses[:, known.at_one]},
        parameter="alpha",
        others={EQUAL_SPLIT: known.split[seen]},
        current="alpha = 1",
    )
    return chosen if judge(held_out, "alpha", "reward").choice == "learned" else known.at_one


def measure(known: Losses, size: int, rule: Rule, *, averaged: bool, judged: bool) -> tuple[Array, Array]:
    """The mean held-out loss, and whether alpha = 1 and equal split are clearly better, (subsets, 3); and by tasks."""
    n, losses = len(known.single), known.averaged if averaged else known.single
    found = np.empty((N_SUBSETS, 3))
    total, count = np.zeros(n), np.zeros(n)
    for subset in range(N_SUBSETS):
        random = generator(0, known.name, size, subset)
        order = random.permutation(n)
        seen, others = order[:size], order[size:]
        chosen = rule(known.theta, losses[seen], random)
        if judged:
            chosen = recommend(known, seen, chosen, rule, averaged=averaged)
        held_out = known.averaged[others, chosen]
        worse = (is_worse(held_out, than[others]) for than in (known.averaged[:, known.at_one], known.split))
        found[subset] = held_out.mean(), *worse
        total[others] += held_out
        count[others] += 1
    return found, total / np.maximum(count, 1)


def is_worse(losses: Array, than: Array) -> bool:
    """Whether losses are larger by more than two standard errors of the paired difference."""
    extra = losses - than
    return bool(extra.mean() > 2.0 * extra.std(ddof=1) / np.sqrt(extra.size))


def show(known: Losses, orders: int, console: Console) -> None:
    """A table of one archive."""
    n, mean = len(known.single), known.averaged.mean(axis=0)
    sizes = [size for size in SIZES if size <= 0.7 * n]
    console.print(f"{known.name}: {n} tasks; best fixed {mean.min():.4g} at theta = {known.theta[mean.argmin()]:.3g},")
    console.print(f"alpha = 1 {mean[known.at_one]:.4g}, equal split {known.split.mean():.4g}")
    table = Table()
    for head in ("rule", *(head for size in sizes for head in (f"{size} tasks", "- least", "alpha 1", "split"))):
        table.add_column(head, justify="left" if head == "rule" else "right")
    by_least: dict[tuple[bool, int], Array] = {}  # what each task loses with the least, held out
    for averaged in (False, True):
        for judged in (False, True):
            rules = RULES | {RECOMMENDED: recommend_with(orders if averaged else 1)}
            for name in JUDGED if judged else RULES:
                cells = []
                for size in sizes:
                    found, by_task = measure(known, size, rules[name], averaged=averaged, judged=judged)
                    loss, one, split = found.mean(axis=0)
                    extra = by_task - by_least.setdefault((averaged, size), by_task)
                    error = extra.std(ddof=1) / np.sqrt(n)
                    cells += [f"{loss:.4g}", f"{extra.mean():+.2g} ± {error:.1g}", f"{one:.1%}", f"{split:.1%}"]
                table.add_row(f"{name}{', judged' * judged}{f', {orders} orders' * averaged}", *cells)
    console.print(table)


def load(path: Path, name: str) -> Losses:
    """The losses that were saved."""
    with np.load(path) as stored:
        arrays = {part.name: stored[part.name] for part in fields(Losses) if part.name not in ("name", "at_one")}
        return Losses(name=name, at_one=int(stored["at_one"]), **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with further archives")
    parser.add_argument("--orders", type=int, default=20, help="of each task, averaged (default: 20)")
    parser.add_argument("--only", default="", help="archives whose names hold this")
    parser.add_argument("--save", type=Path, help="keep the losses here, and take those that are there")
    given = parser.parse_args()
    console = Console(width=170, highlight=False)
    for name, search, tasks in archives(given.data):
        if given.only not in name:
            continue
        path = None if given.save is None else given.save / f"{name}, {given.orders} orders.npz"
        known = load(path, name) if path is not None and path.exists() else losses_of(name, search, tasks, given.orders)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(path, **{part.name: getattr(known, part.name) for part in fields(Losses)})
        show(known, given.orders, console)


if __name__ == "__main__":
    main()
