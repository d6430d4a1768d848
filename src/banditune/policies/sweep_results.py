"""What runs and sweeps of a policy give: a definite run for one value of a parameter, curves for a whole range."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.errors import TaskError
from banditune.kernels.numerics.arrays import Floats, Integers

Known = TypeVar("Known")


class Run(NamedTuple):
    """What happened in the rounds of a run that counted: all but those that the replay of a log passes over."""

    arms: Integers  # (rounds,) the arms pulled
    rewards: Floats  # (rounds,) the rewards received
    losses: Floats  # (rounds,) the loss up to and including each round
    loss: float  # of the whole run
    recommended: int | None = None  # the arm to use from then on; None where none is best


class Swept(NamedTuple):
    """What a sweep found: a set of curves for each horizon, one curve a task."""

    losses: list[CurveSet]
    histories: Integers | None = None  # (tasks,) the runs the range was cut into; None where not counted
    matched: list[CurveSet] | None = None  # of logs: how many of the events counted
    events: Integers | None = None  # (tasks,) of logs: how many were replayed
    proved: Integers | None = None  # (tasks,) where choices need proof: of how many intervals there is one
    doubts: list[CurveSet] | None = None  # and how far off the loss may be, for each horizon: 0 where all is proved
    pieces: Floats | None = None  # (tasks,) of the curve of one draw, where curves are means of several
    variances: Floats | None = None  # (tasks,) of the loss over a task's draws at the value asked for; nan: unknown

    @classmethod
    def of(cls, curves: Sequence[Sequence[StepFunction]]) -> "Swept":
        """Return what was found of some tasks, from the curves of each, one for each horizon."""
        losses = [CurveSet.of(each) for each in zip(*curves, strict=True)]
        return cls(losses, losses[-1].n_pieces)

    @classmethod
    def from_pieces(
        cls, low: float, high: float, left: Floats, values: Floats, ends: Integers, histories: Integers | None = None
    ) -> "Swept":
        """Return what was found as pieces of curves that stand end to end, each up to ends (tasks, horizons)."""
        curves, n_horizons = CurveSet.from_pieces(low, high, left, values, ends.reshape(-1)), ends.shape[1]
        if n_horizons == 1:
            return cls([curves], histories)
        return cls([curves.take(np.arange(k, len(curves), n_horizons)) for k in range(n_horizons)], histories)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return all that is known as arrays, by names that begin with the prefix."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, known in self._asdict().items():
            if name not in CURVES:
                arrays |= {} if known is None else {f"{prefix}{name}": known}
                continue
            for k, curves in enumerate(known or ()):
                here = f"{prefix}{name}.{k}."
                arrays[f"{here}range"] = np.array([curves.low, curves.high])
                arrays |= {f"{here}left": curves.left, f"{here}values": curves.values, f"{here}starts": curves.starts}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> "Swept":
        """Return what `to_arrays` was called on."""
        known: dict[str, Any] = {name: arrays.get(f"{prefix}{name}") for name in cls._fields}
        known |= {name: list(_list_curves(arrays, f"{prefix}{name}.")) or None for name in CURVES}
        return cls(**known)

    def count_pieces(self) -> Floats:
        """Count the pieces of each task's curve; the mean of its draws where there are several. (tasks,)"""
        return self.losses[-1].n_pieces.astype(np.float64) if self.pieces is None else self.pieces

    def measure_doubts(self) -> Floats:
        """Return how wide what is in doubt is of each task, each interval relative to its place, added up: (tasks,)."""
        if self.doubts is None:
            return np.zeros(len(self.losses[-1]))
        doubts = self.doubts[-1]
        right = np.append(doubts.left[1:], doubts.high)
        right[doubts.starts[1:] - 1] = doubts.high
        width = np.where(doubts.values > 0.0, (right - doubts.left) / right, 0.0)
        return np.add.reduceat(width, doubts.starts[:-1])

    @classmethod
    def concatenate(cls, parts: Sequence["Swept"]) -> "Swept":
        """Return what was found of all tasks, from what was found of some and others."""
        if len({part.matched is None for part in parts}) > 1:
            raise TaskError("tasks must be all logs, or all with full information; got some of each")
        histories = all_or_none([part.histories for part in parts])
        return cls(
            [CurveSet.concatenate(each) for each in zip(*(part.losses for part in parts), strict=True)],
            None if histories is None else np.concatenate(histories),
            [CurveSet.concatenate(each) for each in zip(*(part.matched or () for part in parts), strict=True)] or None,
            _end_to_end([part.events for part in parts]),
            _end_to_end([part.proved for part in parts]),
            [CurveSet.concatenate(each) for each in zip(*(part.doubts or () for part in parts), strict=True)] or None,
            None if all(part.pieces is None for part in parts) else np.concatenate([p.count_pieces() for p in parts]),
            _end_to_end([part.variances for part in parts]),
        )

    def clip(self, low: float, high: float) -> "Swept":
        """Return what was found in a part of the range; the runs it was cut into are not known."""
        matched = None if self.matched is None else [curves.clip(low, high) for curves in self.matched]
        doubts = None if self.doubts is None else [curves.clip(low, high) for curves in self.doubts]
        losses = [curves.clip(low, high) for curves in self.losses]
        return self._replace(losses=losses, matched=matched, doubts=doubts, histories=None)

    def take(self, chosen: Integers) -> "Swept":
        """Return what was found of the tasks with these numbers, in this order."""
        taken = {name: found[chosen] for name, found in self._asdict().items() if isinstance(found, np.ndarray)}
        matched = None if self.matched is None else [curves.take(chosen) for curves in self.matched]
        doubts = None if self.doubts is None else [curves.take(chosen) for curves in self.doubts]
        losses = [curves.take(chosen) for curves in self.losses]
        return self._replace(losses=losses, matched=matched, doubts=doubts, **taken)

    @classmethod
    def stack(cls, parts: Sequence["Swept"]) -> "Swept":
        """Return what was found for all horizons, from what was found for each; counts are those of the last."""
        losses = [curves for part in parts for curves in part.losses]
        matched = [curves for part in parts for curves in part.matched or ()]
        doubts = [curves for part in parts for curves in part.doubts or ()]
        return parts[-1]._replace(losses=losses, matched=matched or None, doubts=doubts or None)

    @classmethod
    def adjoin(cls, parts: Sequence["Swept"]) -> "Swept":
        """Return what was found in the whole range, from what was found in adjoining parts of it."""
        if len(parts) == 1:
            return parts[0]
        histories = all_or_none([part.histories for part in parts])
        return cls(
            [CurveSet.adjoin(each) for each in zip(*(part.losses for part in parts), strict=True)],
            None if histories is None else np.sum(histories, axis=0) - (len(parts) - 1),
            [CurveSet.adjoin(each) for each in zip(*(part.matched or () for part in parts), strict=True)] or None,
            parts[0].events,
            _together([part.proved for part in parts]),
            [CurveSet.adjoin(each) for each in zip(*(part.doubts or () for part in parts), strict=True)] or None,
            _join_pieces(parts),
            _merge_known([part.variances for part in parts]),
        )

    @classmethod
    def average(cls, draws: Sequence["Swept"], drawn: Integers, at: float) -> "Swept":
        """Combine what was found of tasks in first draws, and in further ones of those with the numbers `drawn`.

        A task's curve is the mean of its draws'; `at` is the value of the parameter at which their variance is noted.
        """
        first = draws[0]
        n_tasks = len(first.losses[-1])
        place = np.arange(n_tasks)
        place[drawn] = n_tasks + np.arange(drawn.size)  # behind the first draws
        sets = [[losses.take(drawn), *others] for losses, *others in zip(*(each.losses for each in draws), strict=True)]
        pieces = first.losses[-1].n_pieces.astype(np.float64)
        pieces[drawn] = np.mean([each.n_pieces for each in sets[-1]], axis=0)
        variances = np.zeros(n_tasks)
        if sets[-1][0].low <= at <= sets[-1][0].high:
            variances[drawn] = np.var([each.at(at) for each in sets[-1]], axis=0, ddof=1)
        else:
            variances[drawn] = np.nan
        averages = (
            CurveSet.concatenate([losses, CurveSet.average(each)]).take(place)
            for losses, each in zip(first.losses, sets, strict=True)
        )
        return first._replace(losses=list(averages), pieces=pieces, variances=variances)


CURVES = ("losses", "matched", "doubts")  # what is known as curves for each horizon


def _list_curves(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Iterator[CurveSet]:
    """Yield the sets of curves among arrays, one for each horizon."""
    k = 0
    while f"{prefix}{k}.range" in arrays:
        low, high = arrays[f"{prefix}{k}.range"].tolist()
        yield CurveSet(low, high, *(arrays[f"{prefix}{k}.{part}"] for part in ("left", "values", "starts")))
        k += 1


def all_or_none(parts: Sequence[Known | None]) -> list[Known] | None:
    """Return the parts, if all are known."""
    known = [part for part in parts if part is not None]
    return known if len(known) == len(parts) else None


def _join_pieces(parts: Sequence["Swept"]) -> Floats | None:
    """Return the pieces of each task's curve of one draw in the whole range, where parts of it adjoin."""
    each = all_or_none([part.pieces for part in parts])
    return None if each is None else np.sum(each, axis=0) - (len(parts) - 1)


def _merge_known(parts: Sequence[Floats | None]) -> Floats | None:
    """Return the one of the parts of the range in which something is known, for each task."""
    each = all_or_none(parts)
    return None if each is None else np.fmax.reduce(each)  # NaN where it is known in none


def _together(parts: Sequence[NDArray[Any] | None]) -> Any:
    """Return the sum of arrays, where there are any."""
    there = [part for part in parts if part is not None]
    return np.sum(there, axis=0) if there else None


def _end_to_end(parts: Sequence[NDArray[Any] | None]) -> Any:
    """Return arrays as one, where there are any."""
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there else None


class LazySweep(Protocol):
    """All runs of a range, round by round: a reward is needed only when one of them has asked for it."""

    def advance(self) -> Integers:
        """Play the next round in all runs; return the most pulls of each arm in any of them: (n_arms,)."""

    def check_reward(self, reward: object, what: str) -> float:
        """Return a reward that the policy can learn from; another is rejected, by the name of `what`."""

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm; all that a round asked for has to be known before the next."""
