"""The exact sweep beside what people use instead: a grid, Optuna, SMAC, irace.

python -m benchmarks.tuners [--tests N] [--seeds K] [--trials N ...] [--only NAME] [--archive FILE] [--by NAME]

UCB's alpha and the scale of Gaussian Thompson sampling are tuned on two archives: by the exact sweep with all that it
chooses itself (range, draws), and by the others on a compiled simulator that plays the same drawn rewards and coins,
over the range that the sweep chose. Two thirds of the tasks are learned from, the rest is held out; every task is held
out once for each random seed. Seconds are of the first split, of one core, with drawing of rewards and without
compiling. The difference is that of the held-out regret to the first row, paired by task, with its 95% interval.
A trial plays all tasks; irace, which races values over tasks, has as many runs of single tasks. With an archive, the
headline tests are some of it, evenly spaced, instead of the bundled ones.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.evaluation.folds import assign_folds
from banditune.evaluation.intervals import estimate
from banditune.evaluation.recommended_value import learn_value, recommend
from banditune.interruption import Threads
from banditune.policies.base import Policy
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Draws, Search
from benchmarks.headlines import read_archive, thin
from benchmarks.timing import shown_seconds, time_call
from benchmarks.tuner_methods import GRID, Simulator, Tuner, list_missing, list_tuners

N_FOLDS = 3
OURS, LEAST = "exact sweep, recommended", "exact sweep, least"
WHOLE, SOME = "the whole curve, intervals, certificates", "the points it tried"
AGREE = 1e-9  # of the loss: by how much the simulator may differ, which adds up in plain floats
WARM_TASKS, WARM_TRIALS = 6, 12  # beyond those that optimisers try at random


@dataclass(frozen=True)
class Row:
    """What a tuner found in each split and what that loses, and how long it took in the first."""

    wall: float
    processor: float
    values: NDArray[np.float64]  # (splits,)
    training: float  # the mean loss of what was learned from
    held_out: NDArray[np.float64]  # (tasks,) the loss where the task is held out, on average over the seeds
    certainty: str

    @classmethod
    def of(cls, seconds: tuple[float, float], values: Sequence[float], certainty: str, played: "Played") -> "Row":
        """Play what was found."""
        losses = [played.losses(value) for value in values]
        training = [each[seen].mean() for each, seen in zip(losses, played.splits, strict=True)]
        held_out = np.array([np.where(seen, np.nan, each) for each, seen in zip(losses, played.splits, strict=True)])
        return cls(*seconds, np.array(values), float(np.mean(training)), np.nanmean(held_out, axis=0), certainty)


@dataclass(frozen=True)
class Played:
    """Runs on all tasks, and which of them are learned from in each split."""

    simulator: Simulator
    splits: Sequence[NDArray[np.bool_]]

    def losses(self, value: float) -> NDArray[np.float64]:
        """What each task loses on average over its draws: (tasks,)."""
        means: NDArray[np.float64] = self.simulator.play(value).reshape(self.splits[0].size, -1).mean(axis=1)
        return means


@dataclass(frozen=True)
class Archive:
    """Tasks that a policy is tuned on."""

    name: str
    tasks: Sequence[bt.Task]
    horizon: int


def splits_of(n_tasks: int, seeds: int) -> list[NDArray[np.bool_]]:
    """Which tasks are learned from, in each split: (tasks,)."""
    folds = [assign_folds(n_tasks, N_FOLDS, seed) for seed in range(seeds)]
    return [fold != k for fold in folds for k in range(N_FOLDS)]


def take(tasks: Sequence[bt.Task], members: NDArray[np.bool_]) -> list[bt.Task]:
    """Some of the tasks."""
    return [task for task, is_member in zip(tasks, members, strict=True) if is_member]


def time_both(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Wall clock and processor time of a call, and what it returned."""
    wall, (processor, result) = time_call(lambda: time_call(call, count_processor_seconds))
    return wall, processor, result


def count_processor_seconds() -> float:
    """What this process has used so far, and those that it started and that have ended."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system


def tune_exactly(policy: type[Policy[Any]], tasks: Sequence[bt.Task], horizon: int) -> tuple[bt.Tuned, float]:
    """Our answer on one core, nothing being chosen but the policy; and what a study recommends."""
    with Threads(1) as one:
        tuned = bt.tune(policy, tasks, horizon=horizon, executor=one)
    (parameter,) = tuned.params
    known: Any = policy.parameters[parameter]
    return tuned, recommend(known, tuned.curve, len(tasks), draws=tuned.draws)


def search_of(policy: type[Policy[Any]], tuned: bt.Tuned) -> Search:
    """What the others search: the same range, rounds and draws."""
    (parameter,) = tuned.params
    ranges = {parameter: (tuned.curve.low, tuned.curve.high)}
    search = Search.of(policy, [tuned.horizon], ranges, loss="regret", seed=0, extend=True)
    return replace(search, draws=Draws(tuned.draws))


def choose_tuners(trials: Sequence[int], by: str) -> dict[str, Tuner]:
    """The tuners that are installed and whose names hold a text."""
    return {name: tune for name, tune in list_tuners(trials).items() if by.lower() in name.lower()}


def warm_up(policy: type[Policy[Any]], archive: Archive, tuners: dict[str, Tuner]) -> None:
    """Compile and import everything before the clocks run."""
    few = archive.tasks[:WARM_TASKS]
    tuned, _ = tune_exactly(policy, few, archive.horizon)
    search = replace(search_of(policy, tuned), draws=Draws(2))
    sweep_tasks([search], few)
    for tune in tuners.values():
        tune(search, few, 0)


def measure(
    policy: type[Policy[Any]], archive: Archive, seeds: int, trials: Sequence[int], by: str = ""
) -> tuple[dict[str, Row], bt.Tuned]:
    """What each tuner finds whose name holds `by`, and our answer in the first split."""
    warm_up(policy, archive, choose_tuners([min(WARM_TRIALS, min(trials))], by))
    tasks, splits, tuners = archive.tasks, splits_of(len(archive.tasks), seeds), choose_tuners(trials, by)
    first = take(tasks, splits[0])
    wall, processor, (tuned, recommended) = time_both(lambda: tune_exactly(policy, first, archive.horizon))
    search = search_of(policy, tuned)
    (swept,) = sweep_tasks([search], tasks)
    (curves,) = swept.losses
    played = Played(Simulator.of(search, tasks), splits)
    check_simulator(search, played.simulator, curves)
    rows = {}
    for name, draws in ((OURS, tuned.draws), (LEAST, None)):
        values = [learn_value(search.free_parameter, curves, seen, draws) for seen in splits]
        rows[name] = Row.of((wall, processor), values, WHOLE, played)
    if (rows[OURS].values[0], rows[LEAST].values[0]) != (recommended, tuned.params[search.parameter]):
        raise SystemExit("the curves of all tasks do not give the answer of the first split")
    for name, tune in tuners.items():
        calls = (partial(tune, search, take(tasks, seen), k) for k, seen in enumerate(splits))
        found = [time_both(call) for call in calls]
        rows[name] = Row.of(found[0][:2], [value for _, _, value in found], SOME, played)
    return rows, tuned


def check_simulator(search: Search, simulator: Simulator, curves: CurveSet) -> None:
    """End where the simulator does not play what the sweep has swept."""
    for value in np.geomspace(search.high / 1e5, search.high, 20, endpoint=False).tolist():
        played, exact = simulator.lose(value), float(curves.at(value).mean())
        if abs(played - exact) > AGREE * abs(exact):
            raise SystemExit(f"{search.parameter} = {value!r}: the simulator loses {played!r}, the sweep {exact!r}")


def show(rows: dict[str, Row]) -> Table:
    """A table with a row for each tuner."""
    table = Table()
    heads = "wall", "processor", "times", "value: median (least, largest)", "training", "held-out", "difference [95%]"
    for head in ("tuner", *heads, "also says"):
        table.add_column(head, justify="right" if head in heads else "left")
    for name, row in rows.items():
        extra = estimate(row.held_out - rows[OURS].held_out)
        table.add_row(
            name,
            shown_seconds(row.wall),
            shown_seconds(row.processor),
            show_ratio(row.processor / rows[OURS].processor),
            f"{np.median(row.values):.3g} ({row.values.min():.2g}, {row.values.max():.2g})",
            f"{row.training:.4g}",
            f"{row.held_out.mean():.4g}",
            "" if name == OURS else f"{extra.mean:+.3f} [{extra.low:+.3f}, {extra.high:+.3f}]",
            row.certainty,
        )
    return table


def show_ratio(ratio: float) -> str:
    """Two digits, or all before the point.

    >>> show_ratio(0.123), show_ratio(123.4)
    ('0.12', '123')
    """
    return f"{ratio:.2g}" if ratio < 100.0 else f"{ratio:,.0f}"


def headline_tests(archive: Path | None, n_tests: int, horizon: int) -> Archive:
    """Some headline tests: of an archive, or the bundled ones."""
    if archive is None:
        return Archive("headlines()", bt.datasets.headlines()[:n_tests], horizon)
    return Archive("the headline archive", thin(read_archive(archive), n_tests), horizon)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=60, help="headline tests (default: 60)")
    parser.add_argument("--tasks", type=int, default=160, help="model-selection tasks (default: all 160)")
    parser.add_argument("--horizons", type=int, nargs=2, default=[200, 2_000], help="rounds of a task and of a test")
    parser.add_argument("--seeds", type=int, default=2, help=f"each {N_FOLDS} splits (default: 2)")
    parser.add_argument("--trials", type=int, nargs="+", default=[50, 200], help="of optimisers (default: 50 200)")
    parser.add_argument("--only", default="", help="archives and policies whose title holds this")
    parser.add_argument("--by", default="", metavar="NAME", help="tuners whose name holds this, beside the sweep")
    parser.add_argument("--archive", type=Path, help="a table of real tests: task, arm, impressions, clicks, test_week")
    given = parser.parse_args()
    console = Console(width=190, highlight=False)
    for sentence in list_missing():
        console.print(sentence)
    archives = [
        Archive("LCDB", bt.datasets.lcdb()[: given.tasks], given.horizons[0]),
        headline_tests(given.archive, given.tests, given.horizons[1]),
    ]
    policies: list[type[Policy[Any]]] = [bt.UCB, bt.GaussianThompson]
    for archive in archives:
        for policy in policies:
            title = f"{policy.label} on {archive.name}, {len(archive.tasks)} tasks, T = {archive.horizon:,}"
            if given.only.lower() not in title.lower():
                continue
            rows, tuned = measure(policy, archive, given.seeds, given.trials, given.by)
            console.print(f"{title}; draws of each: {tuned.draws}; range {tuned.curve.low:g} to {tuned.curve.high:g}")
            console.print(show(rows))
            one, piece = tuned.within_one_se, tuned.interval
            console.print(f"first split: least in [{piece.low:.4g}, {piece.high:.4g}], within one standard error in")
            console.print(f"[{one.low:.4g}, {one.high:.4g}]; pieces of a task: {tuned.complexity:,.0f}, beside {GRID}")
            console.print(f"{tuned.certificate(delta=0.05)}\n")


if __name__ == "__main__":
    main()
