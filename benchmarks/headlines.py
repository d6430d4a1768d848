"""An archive of headline tests: does what was learned help in later tests, and does the answer depend on the seed?

python -m benchmarks.headlines [--archive FILE] [--horizon T] [--draws K] [--tests N] [--seeds S] [--schedule NAME]

Learns alpha from the first two thirds of an archive, by week, and measures it on the later tests beside the best fixed
alpha there, alpha = 1 and an equal split. The best fixed alpha is picked in one set of orders of the later tests and
measured in another, and the other way round: the least of a noisy curve looks better than it is. With a schedule, alpha
is learned for that schedule, and still measured beside the best fixed alpha of the usual one; `learned` is whichever of
the usual one and `remaining` loses less on the tests learned from. Then learns from the
same 300 tests with each of several random seeds, and measures on all others (on the same ones if there are none).
Several orders of each test are drawn and averaged. Without an archive (see `scripts.headline_parameters`), the tests
are those of `bt.datasets.headlines`.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import banditune as bt
from banditune.evaluation.intervals import estimate_ratio
from banditune.evaluation.recommended_value import recommend
from banditune.rng import generator
from banditune.tuning.draw_count import settle_draws
from banditune.tuning.equal_split import split_losses
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Search
from scripts.headline_parameters import read_tests

N_SEEDED = 300
HIGH = 4.0
USUAL, LEARNED = "log", "learned"


def read_archive(path: Path) -> list[bt.Task]:
    """The tests of an archive as tasks, the earliest week first."""
    by_week = sorted(read_tests(path).items(), key=lambda test: test[1][0])
    return [bt.Task.from_counts(*(part.tolist() for part in totals), name=name) for name, (_, totals) in by_week]


def thin(tests: list[bt.Task], n: int | None) -> list[bt.Task]:
    """So many tests, evenly spaced."""
    return tests if n is None or n >= len(tests) else [tests[k] for k in np.linspace(0, len(tests) - 1, n).astype(int)]


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Options that say which tests are measured on, to which others are added."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", type=Path, help="a table of real tests: task, arm, impressions, clicks, test_week")
    parser.add_argument("--tests", type=int, help="so many tests, evenly spaced, for a quick look")
    return parser


def load_tests(given: argparse.Namespace) -> list[bt.Task]:
    """The tests that are asked for; without an archive, the bundled ones."""
    return thin(bt.datasets.headlines() if given.archive is None else read_archive(given.archive), given.tests)


class Curves:
    """The losses of tests for every alpha, each the mean of several orders."""

    def __init__(
        self, tests: Sequence[bt.Task], horizon: int, draws: int | None, seed: int, schedule: str = USUAL
    ) -> None:
        parameters = {"alpha": (0.0, HIGH), "schedule": schedule}
        search = Search.of(bt.UCB, [horizon], parameters, loss="regret", seed=seed, extend=True)
        (self.search,), _ = settle_draws([search], tests, draws)
        (swept,) = sweep_tasks([self.search], tests)
        self.all = swept.losses[0]
        split = split_losses(self.search, tests)
        assert split is not None
        self.split: NDArray[np.float64] = split

    @property
    def n_draws(self) -> int:
        """How many orders of each test were drawn."""
        return self.search.draws.number

    def find_least(self) -> float:
        """The middle of the piece of the mean that is least."""
        return self.search.free_parameter.inside(*self.all.mean().argmin())

    def learn(self) -> float:
        """What a study recommends."""
        return recommend(self.search.free_parameter, self.all.mean(), len(self.all), draws=self.n_draws)

    def at(self, alpha: float) -> NDArray[np.float64]:
        """What each test loses: (tests,)."""
        return self.all.at(alpha)


def later_tests(tests: list[bt.Task], horizon: int, draws: int | None, schedule: str, console: Console) -> None:
    """Learn from the first two thirds, measure on the rest."""
    started = time.process_time()
    first = 2 * len(tests) // 3
    before, after = (np.mean([task.means.mean() for task in some]) for some in (tests[:first], tests[first:]))
    console.print(f"mean rate of the first {first:,} tests {before:.2%}, of the later ones {after:.2%}")
    schedules = (USUAL, "remaining") if schedule == LEARNED else (schedule,)
    each = {name: Curves(tests[:first], horizon, draws, 0, name) for name in schedules}
    schedule = min(each, key=lambda name: float(each[name].at(each[name].learn()).mean()))
    learned = each[schedule]
    later = [Curves(tests[first:], horizon, learned.n_draws, seed) for seed in (1, 2)]
    runs = (
        [Curves(tests[first:], horizon, learned.n_draws, seed, schedule) for seed in (1, 2)]
        if schedule != USUAL
        else later
    )
    alpha, least = learned.learn(), learned.find_least()
    console.print(
        f"learned from {first:,} tests, T = {horizon:,}, {learned.n_draws} orders: alpha = {alpha:.4g} ({schedule})"
    )
    losses, with_least = average_losses(runs, alpha), average_losses(runs, least)
    console.print(f"(least there: {least:.4g}, which loses {with_least.mean():.3f} on the later ones)")
    console.print(
        f"on the {len(tests) - first:,} later ones, {2 * learned.n_draws} orders, it loses {losses.mean():.3f}:"
    )
    best = [curves.find_least() for curves in later]
    others = 0.5 * (later[0].at(best[1]) + later[1].at(best[0]))
    same = 0.5 * (later[0].at(best[0]) + later[1].at(best[1]))
    for name, other in (
        (f"the best fixed alpha there, {best[0]:.4g} or {best[1]:.4g}, measured on other orders", others),
        ("the same, measured on the orders in which it was picked", same),
        ("alpha = 1", average_losses(later, 1.0)),
        ("equal split", later[0].split),
    ):
        ratio = estimate_ratio(losses, other)
        console.print(f"  {ratio.mean:.3f} ({ratio.low:.3f} to {ratio.high:.3f}) times {name} ({other.mean():.3f})")
    console.print(f"  {time.process_time() - started:.0f} s of the processor\n")


def average_losses(several: Sequence[Curves], alpha: float) -> NDArray[np.float64]:
    """What each test loses on average over several sets of orders: (tests,)."""
    losses: NDArray[np.float64] = np.mean([curves.at(alpha) for curves in several], axis=0)
    return losses


def seeds(tests: list[bt.Task], horizon: int, draws: int | None, n_seeds: int, console: Console) -> None:
    """Learn from the same tests with each seed, measure on others."""
    started = time.process_time()
    order = generator(0, "seeded tests").permutation(len(tests))
    chosen = [tests[k] for k in order[:N_SEEDED]]
    others = [tests[k] for k in order[N_SEEDED : 2 * N_SEEDED]] or chosen
    later = Curves(others, horizon, draws, seed=10**6)
    each = [Curves(chosen, horizon, draws, seed) for seed in range(n_seeds)]
    where = "other" if others is not chosen else "the same"
    orders = " or ".join(str(number) for number in sorted({curves.n_draws for curves in each}))
    console.print(f"{len(chosen)} tests, T = {horizon:,}, {orders} orders, {n_seeds} seeds")
    for name, alphas in (
        ("recommended", [curves.learn() for curves in each]),
        ("least", [curves.find_least() for curves in each]),
    ):
        losses = [float(later.at(alpha).mean()) for alpha in alphas]
        factor = f"a factor of {max(alphas) / min(alphas):.2f}"
        console.print(f"  {name}: alpha {min(alphas):.4g} to {max(alphas):.4g}, {factor}")
        apart = f"{max(losses) / min(losses) - 1.0:.1%} apart"
        console.print(f"    regret on {len(others)} {where} tests {min(losses):.3f} to {max(losses):.3f}, {apart}")
    console.print(f"  {time.process_time() - started:.0f} s of the processor")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--horizon", type=int, default=5_000)
    parser.add_argument("--draws", type=int, help="orders of each test (default: as many as `bt.tune` draws)")
    parser.add_argument(
        "--schedule", choices=("log", "constant", "remaining", LEARNED), default=USUAL, help="of exploration"
    )
    parser.add_argument("--seeds", type=int, default=10, help="0: only the later tests")
    given = parser.parse_args()
    console = Console(width=120, highlight=False)
    tests = load_tests(given)
    later_tests(tests, given.horizon, given.draws, given.schedule, console)
    if given.seeds:
        seeds(tests, given.horizon, given.draws, given.seeds, console)


if __name__ == "__main__":
    main()
