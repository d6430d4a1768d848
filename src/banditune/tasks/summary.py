"""Tasks known by totals or moments of each arm: the order of the rewards is not data, and is drawn for every run."""

import numbers
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.errors import TaskError
from banditune.kernels.lines.reward_draws import draw_counts, draw_normals
from banditune.tasks.arrays import arm_label, check_arms, check_numbers, shift_limits, where_in
from banditune.tasks.draws import Rows
from banditune.tasks.task import ZERO_ONE, Task
from banditune.tasks.units import UNNAMED, Units
from banditune.validation import format_value

MOST_PULLS = 10**9  # of an arm
TAILS = 4.0  # standard deviations on each side of a mean: what normal rewards are taken to spread over


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often each arm was pulled, and with success: (n_arms,) each."""

    pulls: NDArray[np.int64]
    successes: NDArray[np.int64]
    costs: NDArray[np.float64] | None = None  # of a pull, which rewards and means are net of

    draw: ClassVar[Callable[..., None]] = staticmethod(draw_counts)
    units: ClassVar[Units] = Units("successes", "pulls")

    @property
    def numbers(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """What `draw` takes."""
        return self.pulls, self.successes

    @property
    def means(self) -> NDArray[np.float64]:
        """The rates, net of costs."""
        return self.rates if self.costs is None else self.rates - self.costs

    @property
    def rates(self) -> NDArray[np.float64]:
        """The share of successes."""
        return self.successes / self.pulls

    @property
    def variances(self) -> NDArray[np.float64]:
        """The variance of each arm's rewards."""
        return self.rates * (1.0 - self.rates)

    @property
    def ranges(self) -> NDArray[np.float64]:
        """The least and the largest reward of each arm: (n_arms, 2)."""
        ranges = np.column_stack([self.successes == self.pulls, self.successes > 0]).astype(np.float64)
        return ranges if self.costs is None else ranges - self.costs[:, None]

    def subtract(self, costs: NDArray[np.float64]) -> "Counts":
        """Return the same with rewards net of costs (n_arms,), besides those that they are net of."""
        return Counts(self.pulls, self.successes, costs if self.costs is None else self.costs + costs)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """How often each arm was pulled, with the mean and the standard deviation of its rewards: (n_arms,) each."""

    pulls: NDArray[np.int64]
    means: NDArray[np.float64]
    sds: NDArray[np.float64]

    draw: ClassVar[Callable[..., None]] = staticmethod(draw_normals)
    units: ClassVar[Units] = UNNAMED
    costs: ClassVar[None] = None  # rewards are drawn net

    @property
    def numbers(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """What `draw` takes."""
        return self.means, self.sds

    @property
    def variances(self) -> NDArray[np.float64]:
        """The variance of each arm's rewards."""
        return np.square(self.sds)

    @property
    def ranges(self) -> NDArray[np.float64]:
        """Between which nearly all rewards of each arm lie: (n_arms, 2)."""
        return np.column_stack([self.means - TAILS * self.sds, self.means + TAILS * self.sds])

    def subtract(self, costs: NDArray[np.float64]) -> "Moments":
        """Return the same with rewards net of costs (n_arms,)."""
        return Moments(self.pulls, self.means - costs, self.sds)


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class SummaryTask(Task):
    """A task of which totals or moments are recorded; made by `bt.Task.from_counts` and `bt.Task.from_summary`."""

    summary: Counts | Moments

    @classmethod
    def of(cls, summary: Counts | Moments, **further: Any) -> "SummaryTask":
        """Return the task that has this summary, and whatever else is said of it by field, all checked before."""
        return cls.of_arrays(np.empty(0), np.append(0, np.cumsum(summary.pulls)), summary=summary, **further)

    @property
    def units(self) -> Units:
        """What totals are counted in."""
        return self.summary.units

    @property
    def rewards(self) -> tuple[NDArray[np.float64], ...]:
        """Not known."""
        raise TaskError(
            f"{where_in(self.name)}only totals are recorded, and the order of rewards is drawn for every run: "
            "task.extend(horizon) draws one"
        )

    @property
    def means(self) -> NDArray[np.float64]:
        """The recorded means: (n_arms,)."""
        return self.summary.means

    @property
    def variances(self) -> NDArray[np.float64]:
        """The variance of each arm's rewards: (n_arms,)."""
        return self.summary.variances

    @property
    def reward_range(self) -> Interval:
        """The least and the largest reward; of normal ones, within four standard deviations."""
        ranges = self.summary.ranges
        return Interval(float(ranges[:, 0].min()), float(ranges[:, 1].max()))

    @property
    def spread(self) -> float:
        """The largest spread of the rewards of an arm, or of the arms' means."""
        return float(max(np.ptp(self.summary.ranges, axis=1).max(), np.ptp(self.means)))

    @property
    def content(self) -> bytes:
        """The summary."""
        return b"".join([self.summary.pulls.tobytes(), *(each.tobytes() for each in self.summary.numbers)])

    def needs_draws(self, horizon: int) -> bool:
        """Tell that the order is always drawn."""
        return True

    @classmethod
    def fill_streams(cls, tasks: Sequence[Any], rows: Rows, streams: NDArray[np.float64]) -> None:
        """Write the streams of some tasks."""
        for kind in {type(task.summary) for task in tasks}:
            mine = [k for k, task in enumerate(tasks) if type(task.summary) is kind]
            columns = zip(*(tasks[k].summary.numbers for k in mine), strict=True)
            kind.draw(*(np.concatenate(column) for column in columns), *rows.take(mine), streams)
        for k, task in enumerate(tasks):
            if task.summary.costs is not None:
                streams[rows.rows[rows.starts[k] : rows.starts[k + 1]]] -= task.summary.costs[:, None]

    def subtract(self, costs: NDArray[np.float64]) -> "SummaryTask":
        """Return the task with rewards and means less costs (n_arms,)."""
        limits = None if self.limits is None else shift_limits(self.limits, costs)
        known = {"given_arms": self.given_arms, "name": self.name, "draw": self.draw}
        return SummaryTask.of(self.summary.subtract(costs), limits=limits, **known)

    def __repr__(self) -> str:
        return f"Task(name={self.name!r}, n_arms={self.n_arms}, pulls={self.rounds})"


def summarize_counts(
    pulls: Sequence[int], successes: Sequence[int], arms: Sequence[Hashable] | None, name: str | None
) -> SummaryTask:
    """Make a task of totals, checked."""
    where = where_in(name)
    n_pulls, names = _check_pulls(pulls, successes, "successes", arms, where)
    for arm, (n, k) in enumerate(zip(n_pulls.tolist(), successes, strict=True)):
        if not _is_count(k) or not 0 <= k <= n:
            raise TaskError(
                f"{where}{arm_label(names, arm)}: successes must be a whole number from 0 to pulls ({n}), "
                f"got {format_value(k)}"
            )
    counts = Counts(n_pulls, np.array([int(k) for k in successes], np.int64))
    return SummaryTask.of(counts, given_arms=names, name=name, limits=ZERO_ONE)


def summarize_moments(
    pulls: Sequence[int], means: ArrayLike, sds: ArrayLike, arms: Sequence[Hashable] | None, name: str | None
) -> SummaryTask:
    """Make a task of moments, checked."""
    where = where_in(name)
    centres = check_numbers(means, f"{where}means")
    spreads = check_numbers(sds, f"{where}sds")
    n_pulls, names = _check_pulls(pulls, centres, "means", arms, where)
    if centres.shape != (n_pulls.size,) or spreads.shape != centres.shape:
        raise TaskError(
            f"{where}means and sds must have one number for each of {n_pulls.size} arms, got shapes {centres.shape} "
            f"and {spreads.shape}"
        )
    if (spreads < 0.0).any():
        arm = int(np.flatnonzero(spreads < 0.0)[0])
        raise TaskError(f"{where}{arm_label(names, arm)}: sds must be at least 0, got {spreads[arm]}")
    return SummaryTask.of(Moments(n_pulls, centres, spreads), given_arms=names, name=name)


def _check_pulls(
    pulls: Sequence[int], others: Any, what: str, arms: Sequence[Hashable] | None, where: str
) -> tuple[NDArray[np.int64], tuple[Hashable, ...] | None]:
    """Check the pulls of each arm, and its name."""
    try:
        pairs = list(zip(pulls, others, strict=True))
    except (TypeError, ValueError):
        got = f"got {format_value(pulls)} and {format_value(others)}"
        raise TaskError(f"{where}pulls and {what} must be equally long lists, {got}") from None
    if not pairs:
        raise TaskError(f"{where}pulls must hold at least one arm, got none")
    names = None if arms is None else check_arms(arms, len(pairs), where)
    for arm, (n, _) in enumerate(pairs):
        if not _is_count(n) or not 1 <= n <= MOST_PULLS:
            wanted = f"pulls must be a whole number from 1 to {MOST_PULLS}"
            raise TaskError(f"{where}{arm_label(names, arm)}: {wanted}, got {format_value(n)}")
    return np.array([int(n) for n, _ in pairs], np.int64), names


def _is_count(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)
