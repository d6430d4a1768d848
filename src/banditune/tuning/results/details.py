"""Small results: what only some searches find out besides a curve and its best value, and where the tasks came from."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from banditune.curves.step_function import Interval, StepFunction
from banditune.policies.sweep_results import Swept
from banditune.tasks.costs import Costs

TOLERANCE = 1e-9
MOST_DOUBTS = 100  # intervals that are listed


class Compared(NamedTuple):
    """The best that was found with one combination of fixed parameters."""

    params: dict[str, Any]
    loss: float


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of the tasks besides their curves."""

    origin: Mapping[str, object] | None = None  # how the log was read that they came from: columns, files, rows
    reward_limits: Interval | None = None  # between which their rewards are known to lie, if they are
    left_out: tuple[str, ...] = ()  # tasks or files that could not be worked on, and why
    costs: Costs | None = None  # of arms, which rewards are net of


class Detail:
    """A small result of some searches; a kind of them has its name in results and files in `key`."""

    __slots__ = ()
    key: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def is_saved_as(cls, saved: Mapping[str, Any]) -> bool:
        """Tell whether it is what is saved under its name, which it may have in common with another kind."""
        return True

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Make it from what `to_json` returned."""
        return cls(**saved)


class PriorDetail(Detail):
    """How priors were learned: `candidates`, not all of them measured on held-out tasks (null in JSON), and `arms`."""

    __slots__ = ()
    key = "priors"
    make_candidate: ClassVar[Callable[..., Any]]  # of what was saved
    make_arm: ClassVar[Callable[..., Any]]
    measured: ClassVar[tuple[str, ...]] = ("held_out", "error")

    candidates: Sequence[Any]
    chosen: str
    arms: Sequence[Any]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(chosen={self.chosen!r} of {len(self.candidates)}, n_arms={len(self.arms)})"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; what was not measured is null."""
        known = super().to_json()
        for each in known["candidates"]:
            each |= {name: None for name in self.measured if math.isnan(each[name])}
        return known

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Make it from what `to_json` returned."""
        candidates = (
            each | {name: math.nan if each[name] is None else float(each[name]) for name in cls.measured}
            for each in saved["candidates"]
        )
        read = {
            "candidates": tuple(cls.make_candidate(**each) for each in candidates),
            "arms": tuple(cls.make_arm(**each) for each in saved["arms"]),
        }
        return cls(**{**saved, **read})


class Doubt(NamedTuple):
    """An interval of the parameter on which some choice is not proved."""

    low: float
    high: float
    loss: float  # by how much the mean loss there may be off, at most


@dataclass(frozen=True, slots=True)
class Proof(Detail):
    """How far the pieces of curves are proved, of all tasks together, where choices cannot be read off lines.

    Attributes
    ----------
    intervals : int
        How many were proved to have one choice, over all rounds and tasks.
    unproved : float
        How wide the others are, each relative to its place, added up over the tasks.
    doubts : tuple of Doubt
        Where these are, `low` to `high`, and by how much the mean loss may be off there, `loss`. Elsewhere the curve is
        proved. Many that lie close to each other are listed as one.
    tolerance : float
        What `unproved` should stay below.
    """

    key = "proof"

    intervals: int
    unproved: float
    doubts: tuple[Doubt, ...] = ()
    tolerance: float = TOLERANCE

    @property
    def holds(self) -> bool:
        """Whether what is unproved is below the tolerance."""
        return self.unproved <= self.tolerance

    @property
    def largest_error(self) -> float:
        """By how much the mean loss may be off anywhere."""
        return max((each.loss for each in self.doubts), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold."""
        return {**asdict(self), "doubts": [each._asdict() for each in self.doubts]}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Make it from what `to_json` returned."""
        return cls(**{**saved, "doubts": tuple(Doubt(**each) for each in saved.get("doubts", ()))})


@dataclass(frozen=True, slots=True)
class Merged(Detail):
    """What merging the breakpoints of a mean curve may have changed, where there were too many to hold."""

    key = "merged"

    resolution: float  # breakpoints this close, relative to their size, may have been merged
    breakpoints: int  # that are left
    error: float  # the curve is off by this at most, anywhere
    excess: float  # no value of the parameter loses less than the learned one by more than this


class Round(NamedTuple):
    """So many tasks, and the range that was swept on them."""

    n_tasks: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Racing(Detail):
    """How the range was narrowed while tasks were swept: see `tuning.racing`.

    Attributes
    ----------
    rounds : tuple of Round
        The number of tasks of each round and the range (low, high) that was swept on them. The first round is the
        pilot; the range of the last one was swept on all tasks.
    pilot : StepFunction
        The mean loss of the pilot's tasks over the whole range.
    complexity : float
        The mean number of pieces of the pilot's tasks, over the whole range.
    """

    key = "racing"

    rounds: tuple[Round, ...]
    pilot: StepFunction
    complexity: float

    @property
    def searched(self) -> Interval:
        """The whole range."""
        return Interval(*self.rounds[0][1:])

    @property
    def kept(self) -> Interval:
        """The range that was swept on all tasks."""
        return Interval(*self.rounds[-1][1:])

    def is_cut_at(self, found: Interval) -> bool:
        """Tell whether an interval ends where the range was cut, so that it might go on beyond."""
        kept, searched = self.kept, self.searched
        return found.low == kept.low > searched.low or found.high == kept.high < searched.high

    def __str__(self) -> str:
        n_tasks = sum(each.n_tasks for each in self.rounds)
        kept = f"{self.kept.low:.4g} to {self.kept.high:.4g} on all {n_tasks:,}"
        return f"the whole range was swept on {self.rounds[0].n_tasks:,} tasks, {kept}"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, without the pilot's curve."""
        return {"rounds": [each._asdict() for each in self.rounds], "complexity": self.complexity}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Make it from what `to_json` returned, and the pilot's curve as `curve`."""
        rounds = tuple(Round(int(each["n_tasks"]), each["low"], each["high"]) for each in saved["rounds"])
        return cls(rounds, saved["curve"], float(saved["complexity"]))


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ProvedCurve(StepFunction):
    """The loss of a policy on a task, with how far it is proved: `proof`."""

    proof: Proof


def read_proof(swept: Swept) -> Proof | None:
    """Return what a sweep proved of its tasks; None if no proof was needed."""
    if swept.proved is None or swept.doubts is None:
        return None
    return Proof(int(swept.proved.sum()), float(swept.measure_doubts().sum()), list_doubts(swept.doubts[-1].mean()))


def list_doubts(off: StepFunction) -> tuple[Doubt, ...]:
    """List the intervals on which a curve may be off, where `off` is above 0; of too many, neighbours are one.

    >>> list_doubts(StepFunction([0.0, 0.5, 0.6, 1.0], [0.0, 2.0, 0.0]))
    (Doubt(low=0.5, high=0.6, loss=2.0),)
    """
    off_there = np.flatnonzero(off.values > 0.0)
    if off_there.size == 0:
        return ()
    low, high, loss = off.edges[off_there], off.edges[off_there + 1], off.values[off_there]
    apart = (low[1:] - high[:-1]) / low[1:]
    parts = np.sort(np.argsort(-apart, kind="stable")[: MOST_DOUBTS - 1]) + 1  # the widest gaps stay
    groups = np.split(np.arange(low.size), parts)
    return tuple(Doubt(float(low[k[0]]), float(high[k[-1]]), float(loss[k].max())) for k in groups)
