"""How many pulls does it take to know a task for every alpha? python -m benchmarks.collecting

Three ways to collect a task, in one run over the same tasks: every arm T times; as the paper does for its Theorem 6.2
(every arm T times, or UCB anew in each piece of the loss if there are fewer pieces than arms: it has to be told
them); and `bt.collect`. All pulls are made and counted. For each task the curves of what `bt.collect` returned, of
the regret with the true means and of the rewards, must be those of the full streams, to the last bit, and its pulls
no more than min(n, Q) T, Q the pieces of the regret.

Then: alpha is learned from tasks collected in that way, and measured on tasks that nobody has seen.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import banditune as bt
from banditune.curves.step_function import StepFunction
from banditune.evaluation.intervals import NORMAL
from banditune.problems import Problem, Uniform, bernoulli, gaussian
from banditune.problems.paper import SPREADS, bernoulli_pair, gaussian_pair, uniform_pair
from banditune.tasks.collected import CollectedTask

ALPHA = (0.0, 1.0)
PAIRS_TARGET, TEN_ARMS_TARGET = 0.75, 0.25  # of min(n, Q) T
CLICKS = replace(bernoulli(10, Uniform(0.01, 0.1)), name="10 arms, clicks of 1 to 10%")
QUIET = replace(gaussian(10, Uniform(0.0, 1.0), 0.1), name="10 Gaussian arms, sd 0.1")
LEARN, UNSEEN = 200, 2000  # tasks to learn alpha from, and to measure it on
Counts = NDArray[np.float64]


@dataclass
class World:
    """A task whose arms give their rewards one by one, and when all are given from the first on again."""

    task: bt.Task
    n_pulls: int = 0
    rewards: list[Iterator[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rewards = [cycle(row.tolist()) for row in self.task.rewards]

    def pull(self, arm: int) -> float:
        """The next reward of an arm."""
        self.n_pulls += 1
        return next(self.rewards[arm])


@dataclass(frozen=True)
class Pulls:
    """The pulls of each way to collect the tasks of a problem: (tasks,)."""

    every_arm: Counts
    paper: Counts
    ours: Counts
    bound: Counts  # min(n, Q) T, Q the pieces of the regret

    @property
    def ratios(self) -> Counts:
        """What part of min(n, Q) T `bt.collect` pulled."""
        return self.ours / self.bound


def by_every_arm(world: World, horizon: int) -> int:
    for arm in range(world.task.n_arms):
        for _ in range(horizon):
            world.pull(arm)
    return world.n_pulls


def by_the_paper(world: World, horizon: int, pieces: StepFunction) -> int:
    """Every arm T times, or where there are fewer pieces than arms, UCB from the start in each of them."""
    if world.task.n_arms <= pieces.n_pieces:
        return by_every_arm(world, horizon)
    for alpha in (np.sqrt(pieces.edges[1:]) / 2 + np.sqrt(pieces.edges[:-1]) / 2) ** 2:
        policy = bt.UCB(world.task.n_arms, alpha=float(alpha))
        for _ in range(horizon):
            arm = policy.select()
            policy.update(arm, world.pull(arm))
    return world.n_pulls


def by_us(world: World, horizon: int, *, means: bool = True) -> CollectedTask:
    known = world.task.means if means else None
    return bt.collect(bt.UCB, world.pull, n_arms=world.task.n_arms, horizon=horizon, alpha=ALPHA, means=known)


def compare_pulls(problem: Problem, n_tasks: int, horizon: int) -> Pulls:
    """All ways on the same tasks; what we collected is checked."""
    rows = []
    for task in track(problem.sample(n_tasks, horizon), problem.name, console=Console(stderr=True), transient=True):
        found = by_us(World(task), horizon)
        for loss in ("regret", "reward"):
            full = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=ALPHA, loss=loss)
            if bt.loss_curve(bt.UCB, found, horizon=horizon, alpha=ALPHA, loss=loss, extend=False) != full:
                raise SystemExit(f"{task.name}: the curve of what was collected is not that of the full streams")
        pieces = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=ALPHA)
        paper = by_the_paper(World(task), horizon, pieces)
        bound = min(task.n_arms, pieces.n_pieces) * horizon
        if found.total_pulls > bound:
            raise SystemExit(f"{task.name}: {found.total_pulls} pulls are more than min(n, Q) T = {bound}")
        rows.append((by_every_arm(World(task), horizon), paper, found.total_pulls, bound))
    return Pulls(*np.array(rows, float).T)


def with_interval(values: Counts, digits: int) -> str:
    """The mean and its 95% interval."""
    half = NORMAL * values.std(ddof=1) / np.sqrt(values.size)
    return f"{values.mean():,.{digits}f} ± {half:,.{digits}f}"


def table_of_pulls(title: str, cases: Sequence[tuple[Problem, int]], n_tasks: int, target: float | None) -> Table:
    shown = Table(title=title, title_justify="left")
    for name in ("tasks", "T", "every arm", "the paper", "bt.collect", "of min(n, Q) T", "of every arm"):
        shown.add_column(name, justify="left" if name == "tasks" else "right", no_wrap=True)
    worst = 0.0
    for problem, horizon in cases:
        pulls = compare_pulls(problem, n_tasks, horizon)
        worst = max(worst, float(pulls.ratios.mean()))
        shown.add_row(
            problem.name,
            f"{horizon:,}",
            f"{pulls.every_arm.mean():,.0f}",
            f"{pulls.paper.mean():,.0f}",
            with_interval(pulls.ours, 0),
            with_interval(pulls.ratios, 3),
            f"{(pulls.ours / pulls.every_arm).mean():.3f}",
        )
    if target is not None:
        shown.caption = f"at most {worst:.3f} of min(n, Q) T; wanted {target}: {'yes' if worst <= target else 'NO'}"
    return shown


def table_of_learning(problems: Sequence[Problem], horizon: int) -> Table:
    """The regret on unseen tasks of alpha learned from full streams, and from what was collected."""
    title = f"alpha learned from {LEARN} tasks, T = {horizon}; mean regret on {UNSEEN:,} others"
    shown = Table(title=title, title_justify="left")
    for name in ("tasks", "learned from", "pulls a task", "alpha", "regret", "more than the first"):
        shown.add_column(name, justify="left" if name in ("tasks", "learned from") else "right", no_wrap=True)
    for problem in problems:
        full, unseen = problem.sample(LEARN, horizon, seed=1), problem.sample(UNSEEN, horizon, seed=2)
        found = [by_us(World(task), horizon, means=False) for task in full]
        ways: dict[str, tuple[Sequence[bt.Task], str]] = {
            "full streams, true means": (full, "regret"),
            'collected, loss="reward"': (found, "reward"),
            'collected, loss="regret"': (found, "regret"),
        }
        first = None
        for way, (tasks, loss) in ways.items():
            tuned = bt.tune(bt.UCB, tasks, horizon=horizon, alpha=ALPHA, loss=loss)
            lost = np.array([bt.play(bt.UCB, each, horizon=horizon, alpha=tuned.alpha).regret[-1] for each in unseen])
            first = lost if first is None else first
            pulls = np.mean([task.n_rewards for task in tasks])
            more = "" if lost is first else with_interval(lost - first, 3)
            shown.add_row(problem.name, way, f"{pulls:,.0f}", f"{tuned.alpha:.4g}", with_interval(lost, 3), more)
        shown.add_section()
    return shown


def own_seconds(n_arms: int, horizon: int) -> str:
    """Our own time for a task, in seconds of the processor: other programs may run, and a pull takes next to none."""
    task = bernoulli(n_arms).bandit(0).task(horizon)
    seconds = []
    for _ in range(3):
        start = time.thread_time()
        found = by_us(World(task), horizon)
        seconds.append(time.thread_time() - start)
    return f"{n_arms} arms, T = {horizon:,}: {found.total_pulls:,} pulls, {min(seconds):.2f} s in all"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=500, help="tasks of each kind (default 500)")
    n_tasks = parser.parse_args().tasks
    console = Console()
    pairs = [(family(s), 100) for family in (bernoulli_pair, uniform_pair, gaussian_pair) for s in SPREADS]
    console.print(table_of_pulls("The paper's pairs, alpha in [0, 1]", pairs, n_tasks, PAIRS_TARGET))
    ten = [(bernoulli(10), 100), (CLICKS, 100), (gaussian(10), 100), (QUIET, 100)]
    console.print(table_of_pulls("10 arms, alpha in [0, 1]", ten, n_tasks, TEN_ARMS_TARGET))
    twenty = [(bernoulli(20), 100), (bernoulli(20), 1000), (gaussian(20), 1000)]
    console.print(table_of_pulls("20 arms, alpha in [0, 1]", twenty, max(n_tasks // 10, 2), None))
    console.print(table_of_learning([bernoulli_pair(0.2), bernoulli(10), CLICKS, QUIET], 100))
    console.print(own_seconds(2, 100), own_seconds(20, 1000), own_seconds(20, 10_000), sep="\n")


if __name__ == "__main__":
    main()
