"""Many step functions over one range, and their mean."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.exact_sum import CurveSum, choose_scale, layout_for, merge_places
from banditune.curves.step_function import Interval, StepFunction
from banditune.errors import InputError
from banditune.kernels.numerics.accumulators import Layout, exponents, jumps_at_edges, round_each, total
from banditune.kernels.numerics.step_sums import (
    average_curves,
    estimate_sums,
    find_range_within_one_se,
    find_signed_maxima,
    mean_of_curves,
)
from banditune.validation import format_value

MOST_CANDIDATES = 256  # cells in which a sum that may be least is taken exactly, one by one


@dataclass(frozen=True, eq=False, repr=False)
class CurveSet:
    """Many step functions on [low, high] in a few arrays: a million curves without a million objects.

    Curve k owns the pieces starts[k]:starts[k + 1]; piece j starts at left[j] and has the value values[j].
    """

    low: float
    high: float
    left: NDArray[np.float64]
    values: NDArray[np.float64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, curves: Iterable[StepFunction]) -> "CurveSet":
        """Return the set of some step functions, which must have one range."""
        try:
            listed = list(curves)
        except TypeError:
            raise InputError(f"curves must be step functions in an iterable, got {format_value(curves)}") from None
        if not listed:
            raise InputError("at least one curve is needed, got none")
        for k, curve in enumerate(listed):
            if not isinstance(curve, StepFunction):
                raise InputError(f"curves[{k}] must be a bt.StepFunction, got {format_value(curve)}")
        low, high = listed[0].low, listed[0].high
        for k, curve in enumerate(listed):
            if (curve.low, curve.high) != (low, high):
                known = f"[{curve.low}, {curve.high}]"
                raise InputError(f"curves[{k}] must be known on [{low}, {high}] as the first is, got {known}")
        return cls.of_pieces(low, high, [(curve.edges[:-1], curve.values) for curve in listed])

    @classmethod
    def from_pieces(
        cls, low: float, high: float, left: NDArray[np.float64], values: NDArray[np.float64], ends: NDArray[np.int64]
    ) -> "CurveSet":
        """Return the set of curves that end before ends[k], without empty pieces and equal neighbours."""
        curve = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        right = np.append(left[1:], high)
        right[ends[ends > 0] - 1] = high
        kept = np.flatnonzero(left < right)
        same = (values[kept[1:]] == values[kept[:-1]]) & (curve[kept[1:]] == curve[kept[:-1]])
        kept = kept[np.append(np.ones(min(1, kept.size), bool), ~same)]
        starts = np.append(0, np.cumsum(np.bincount(curve[kept], minlength=ends.size)))
        return cls(low, high, left[kept], values[kept], starts)

    @classmethod
    def of_pieces(
        cls, low: float, high: float, curves: Sequence[tuple[NDArray[np.float64], NDArray[Any]]]
    ) -> "CurveSet":
        """Return the set of curves given as left edges and values, which may hold empty pieces and equal neighbours."""
        left = np.concatenate([each for each, _ in curves])
        values = np.concatenate([each for _, each in curves]).astype(np.float64)
        return cls.from_pieces(low, high, left, values, np.cumsum([each.size for each, _ in curves]))

    @classmethod
    def concatenate(cls, parts: Iterable["CurveSet"]) -> "CurveSet":
        """Return all curves of some sets over one range, in order."""
        listed = list(parts)
        offsets = np.cumsum([0, *(part.left.size for part in listed)])
        starts = [part.starts[:-1] + offset for part, offset in zip(listed, offsets, strict=False)]
        return cls(
            listed[0].low,
            listed[0].high,
            np.concatenate([part.left for part in listed]),
            np.concatenate([part.values for part in listed]),
            np.append(np.concatenate(starts), offsets[-1]),
        )

    @classmethod
    def adjoin(cls, parts: Sequence["CurveSet"]) -> "CurveSet":
        """Return the curves of some sets over adjoining ranges, each curve as one."""
        pieces = [(part, slice(*part.starts[k : k + 2])) for k in range(len(parts[0])) for part in parts]
        left = np.concatenate([part.left[here] for part, here in pieces])
        values = np.concatenate([part.values[here] for part, here in pieces])
        ends = np.cumsum([here.stop - here.start for _, here in pieces])[len(parts) - 1 :: len(parts)]
        return cls.from_pieces(parts[0].low, parts[-1].high, left, values, ends)

    @classmethod
    def average(cls, sets: Sequence["CurveSet"]) -> "CurveSet":
        """Return the mean of the first curves of some sets over one range, of the second ones, and so on."""
        every = cls.concatenate(sets)
        left, values, ends = average_curves(every.left, every.values, every.starts, len(sets), every.high)
        return cls(every.low, every.high, left, values, np.append(0, ends))

    def __repr__(self) -> str:
        return f"CurveSet(n_curves={len(self)}, low={self.low:g}, high={self.high:g}, pieces={self.left.size})"

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    def __getitem__(self, k: int) -> StepFunction:
        pieces = slice(self.starts[k], self.starts[k + 1])
        return StepFunction(np.append(self.left[pieces], self.high), self.values[pieces])

    def __iter__(self) -> Iterator[StepFunction]:
        return (self[k] for k in range(len(self)))

    @property
    def n_pieces(self) -> NDArray[np.int64]:
        """The number of pieces of each curve: (curves,)."""
        return np.diff(self.starts)

    @cached_property
    def _curve_of(self) -> NDArray[np.int64]:
        """Whose curve a piece belongs to: (pieces,)."""
        return np.repeat(np.arange(len(self)), self.n_pieces)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The pieces that do not begin a curve, by their left edges."""
        inner = np.ones(self.left.size, bool)
        inner[self.starts[:-1]] = False
        pieces = np.flatnonzero(inner)
        return pieces[np.argsort(self.left[pieces], kind="stable")]

    def take(self, chosen: NDArray[np.integer[Any]]) -> "CurveSet":
        """Return the curves with these numbers, in this order; a number may stand there more than once."""
        sizes = self.n_pieces[chosen]
        starts = np.append(0, np.cumsum(sizes))
        pieces = np.arange(starts[-1]) + np.repeat(self.starts[:-1][chosen] - starts[:-1], sizes)
        return CurveSet(self.low, self.high, self.left[pieces], self.values[pieces], starts)

    def clip(self, low: float, high: float) -> "CurveSet":
        """Return the same curves on a part of their range."""
        if (low, high) == (self.low, self.high):
            return self
        right = np.append(self.left[1:], self.high)
        right[self.starts[1:] - 1] = self.high
        inside = (right > low) & (self.left < high)
        starts = np.append(0, np.cumsum(np.add.reduceat(inside, self.starts[:-1], dtype=np.int64)))
        return CurveSet(low, high, np.maximum(self.left[inside], low), self.values[inside], starts)

    @cached_property
    def n_cells(self) -> int:
        """In how many parts of the range no curve changes."""
        return 1 + int(np.unique(self.left[self._order]).size)

    def at(self, x: float) -> NDArray[np.float64]:
        """Return the value of every curve at x: (curves,)."""
        if not self.low <= x <= self.high:
            raise InputError(f"the curves are known from {self.low!r} to {self.high!r}, got {x!r}")
        first, end = self.starts[:-1], self.starts[1:]
        while (end - first > 1).any():  # halve all curves at once
            middle = (first + end) // 2
            is_right = self.left[middle] <= x
            first, end = np.where(is_right, middle, first), np.where(is_right, end, middle)
        return self.values[first]

    @cached_property
    def _bits(self) -> NDArray[np.int64]:
        """The values as integers of the same bits, as exact sums take them: (pieces,)."""
        return np.ascontiguousarray(self.values).view(np.int64)

    @cached_property
    def _layout(self) -> Layout:
        """What the sum of the values is to be written in."""
        return layout_for(self._bits)

    def mean(self, members: NDArray[np.bool_] | None = None) -> StepFunction:
        """Return the mean of all curves, or of those marked in members (curves,)."""
        chosen = np.ones(len(self), bool) if members is None else members
        left, values = mean_of_curves(
            self.left, self._bits, self.starts, self._order, self._curve_of, chosen, self._layout
        )
        return StepFunction(np.append(left, self.high), values)

    @cached_property
    def _jumps(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], float]:
        """Where curves change, by how much but for rounding, which curve does, and the size of the largest value."""
        order = self._order
        largest = float(np.abs(self.values).max())
        return self.left[order], self.values[order] - self.values[order - 1], self._curve_of[order], largest

    def estimate_mean(self, members: NDArray[np.bool_]) -> StepFunction:
        """Return the mean of the curves marked in members (curves,), but for rounding, quickly."""
        places, jumps, curve_of, _ = self._jumps
        first = float(self.values[self.starts[:-1]][members].sum())
        edges, sums = estimate_sums(places, jumps, curve_of, members, self.low, first)
        return StepFunction(np.append(edges, self.high), sums / np.count_nonzero(members))

    def find_least(self, members: NDArray[np.bool_] | None = None) -> tuple[Interval, float]:
        """Return `argmin()` and `minimum()` of the mean of all curves, or of members (curves,), without making it.

        The sum is taken in floats with a bound on what rounding can do, and exactly where by that it may be least.
        """
        chosen = np.ones(len(self), bool) if members is None else members
        places, jumps, curve_of, largest = self._jumps
        first = float(self.values[self.starts[:-1]][chosen].sum())
        edges, sums = estimate_sums(places, jumps, curve_of, chosen, self.low, first)
        error = 2.0**-50 * largest * (places.size + len(self))
        cells = np.flatnonzero(sums <= sums.min() + 2.0 * error)
        if cells.size > MOST_CANDIDATES:
            mean = self.mean(members)
            return mean.argmin(), mean.minimum()
        (unit, digits), count = self._layout, np.count_nonzero(chosen)
        totals = [total(self.at(float(edges[cell]))[chosen].view(np.int64), unit, digits) for cell in cells]
        means = round_each(np.stack(totals), unit) / count
        least = cells[means == means.min()]
        pieces = np.split(least, np.flatnonzero(np.diff(least) > 1) + 1)
        edges = np.append(edges, self.high)
        ends = [(float(edges[piece[0]]), float(edges[piece[-1] + 1])) for piece in pieces]
        return Interval(*max(ends, key=lambda each: each[1] - each[0])), float(means.min())

    def find_signed_maxima(self, signs: NDArray[np.float64], middle: float) -> NDArray[np.float64]:
        """Return the largest sum of the curves less `middle`, each with its sign: (draws, curves) -> (draws,)."""
        return find_signed_maxima(self.left, self.values, self.starts, self._order, self._curve_of, signs, middle)

    def sum(self, level: int = 0, *, rises_only: bool = False) -> CurveSum:
        """Return the exact sum of all curves, with places merged at a level; or the sum of their rises alone."""
        left, (unit, digits) = merge_places(self.left, level, self.low), self._layout
        places, changes = jumps_at_edges(left, self._bits, self._order, unit, digits, rises_only)
        first = self._bits[self.starts[:-1]]
        base = total(first[:0] if rises_only else first, unit, digits)
        return CurveSum(self.low, self.high, len(self), level, places, base, changes, unit)

    def sum_at(self, x: float) -> CurveSum:
        """Return the exact sum of the values of all curves at x, as a constant."""
        unit, digits = self._layout
        return CurveSum.constant(self.low, self.high, total(self.at(x).view(np.int64), unit, digits), unit, len(self))

    def squares(self, best: float, scale: float) -> "CurveSet":
        """Return the squares of the differences of each curve to its value at `best`, in units of 1 / scale."""
        squares = (scale * self.values - scale * self.at(best)[self._curve_of]) ** 2
        return CurveSet(self.low, self.high, self.left, squares, self.starts)

    @property
    def largest(self) -> int:
        """An exponent: all values are smaller than 2**largest."""
        return exponents(self._bits)[1]

    def find_within_one_se(self, best: float, z: float = 1.0) -> Interval:
        """Return the interval from the first to the last point within one standard error, or z, of the point `best`.

        That is, where the mean of the paired differences from the best is at most z times its standard error: for n
        differences d, where (sum d)**2 <= sum d**2 * z**2 n / (n - 1 + z**2).
        """
        scale = choose_scale(self.largest)
        squares = self.squares(best, scale)
        first, last = find_range_within_one_se(
            self.left,
            self._bits,
            self._layout,
            squares._bits,
            squares._layout,
            self.starts,
            self._order,
            self.at(best).view(np.int64),
            scale,
            self.high,
            z**2 * len(self) / (len(self) - 1 + z**2),
        )
        return Interval(float(first), float(last))


def mean_curve(curves: Iterable[StepFunction]) -> StepFunction:
    """Return the mean of step functions over one range, summed exactly and rounded once.

    Parameters
    ----------
    curves : iterable of StepFunction
        Curves on the same [low, high].

    Returns
    -------
    StepFunction

    Examples
    --------
    >>> mean_curve([StepFunction([0, 1, 2], [0, 4]), StepFunction([0, 2], [1])]).values
    array([0.5, 2.5])
    """
    return CurveSet.of(curves).mean()
