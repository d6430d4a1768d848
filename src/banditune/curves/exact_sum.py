"""The exact sum of step functions: the same bits in whatever order, and in however many parts, it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import StepFunction
from banditune.kernels.numerics.accumulators import (
    DIGIT,
    Layout,
    Stored,
    add_at_places,
    exponents,
    round_each,
    total_changes,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
MOST_NUMBERS = 40  # bits: sums of up to 2**40 numbers fit
COARSEST = 62  # level: all floats of one sign fall into two cells


@dataclass(frozen=True, eq=False)
class CurveSum:
    """The sum of `count` step functions on [low, high]: what it is at low, and by how much it changes at which places.

    Numbers are rows of digits as in `kernels.numerics.accumulators`. With level > 0, places are merged: they are moved
    to the left, to the next float whose last `level` bits are zero, which bounds their number. Then the sum is still
    exact just left of every place, and wherever no place was within a relative 2**(level - 52) to the left.
    """

    low: float
    high: float
    count: int
    level: int
    places: Floats  # (n,) increasing, from low on, below high
    base: Stored  # (digits,)
    changes: Stored  # (n, digits)
    unit: int

    @classmethod
    def constant(cls, low: float, high: float, base: Stored, unit: int, count: int) -> "CurveSum":
        """Return a sum of constants."""
        return cls(low, high, count, 0, np.empty(0), base, np.empty((0, base.size), np.uint32), unit)

    @classmethod
    def merge(cls, parts: Sequence["CurveSum"], limit: int | None = None) -> "CurveSum":
        """Return the sum of some sums, with at most `limit` places: as few are merged as that allows."""
        level = max(part.level for part in parts)
        layout = cover_layouts([part.layout for part in parts])
        settled = [part.at_level(level).lay_out(layout) for part in parts]
        places = np.concatenate([part.places for part in settled])
        changes = np.concatenate([part.changes for part in settled])
        bases = np.stack([part.base for part in settled])
        _, base = add_at_places(np.zeros(len(settled)), bases, np.arange(len(settled)))
        places, changes = add_at_places(places, changes, np.argsort(places, kind="stable"))
        count = sum(part.count for part in parts)
        whole = replace(settled[0], count=count, places=places, base=base[0], changes=changes)
        return whole if limit is None else whole.within(limit)

    @property
    def layout(self) -> Layout:
        """How its numbers are written."""
        return Layout(self.unit, int(self.base.size))

    def __sub__(self, other: "CurveSum") -> "CurveSum":
        """Take some of its curves from a sum, or others, for their difference; counted as this sum is."""
        return replace(CurveSum.merge([self, other._negate()]), count=self.count)

    def totals(self) -> Floats:
        """Return the sum left of the first place, and from each place on: (n + 1,)."""
        return total_changes(self.base, self.changes, self.unit)

    def jumps(self) -> Floats:
        """Return by how much the sum changes at each place: (n,)."""
        return round_each(self.changes, self.unit)

    def edges(self) -> Floats:
        """Return where the pieces begin that `totals` are of: low, and the places."""
        return np.append(self.low, self.places)

    def mean(self) -> StepFunction:
        """Return the mean of the curves."""
        edges, values = self.edges(), self.totals() / self.count
        if self.places.size and self.places[0] == self.low:  # merged with the beginning
            edges, values = edges[1:], values[1:]
        return StepFunction(np.append(edges, self.high), values)

    def within(self, limit: int) -> "CurveSum":
        """Return the same sum with at most so many places, on the finest level on which that holds."""
        if self.places.size <= limit:
            return self
        keys = _order_bits(self.places)
        low, high = self.level, COARSEST
        while high - low > 1:
            middle = (low + high) // 2
            fits = np.count_nonzero(np.diff(keys >> middle)) + 1 <= limit
            low, high = (low, middle) if fits else (middle, high)
        return self.at_level(high)

    def at_level(self, level: int) -> "CurveSum":
        """Return the same sum with its places merged further."""
        if level <= self.level:
            return self
        places = merge_places(self.places, level, self.low)
        places, changes = add_at_places(places, self.changes, np.arange(places.size))
        return replace(self, level=level, places=places, changes=changes)

    def lay_out(self, layout: Layout) -> "CurveSum":
        """Return the same numbers with more digits."""
        if layout == self.layout:
            return self
        return replace(
            self,
            base=_lay_out(self.base[None], self.unit, layout)[0],
            unit=layout.unit,
            changes=_lay_out(self.changes, self.unit, layout),
        )

    def _negate(self) -> "CurveSum":
        return replace(self, base=_negate(self.base[None])[0], changes=_negate(self.changes))


def merge_places(places: Floats, level: int, low: float) -> Floats:
    """Return each place moved left to the next float whose last `level` bits are zero, but not below low."""
    if level == 0:
        return places
    keys = _order_bits(places) >> level << level
    return np.maximum(_order_bits(keys.view(np.float64)).view(np.float64), low)


def next_place(place: float, level: int) -> float:
    """Return the first float to the right of a place whose last `level` bits are zero: where its cell ends."""
    return float(next_places(np.array([place]), level)[0])


def next_places(places: Floats, level: int) -> Floats:
    """Return the same of several places: (n,)."""
    keys = ((_order_bits(places) >> level) + 1) << level
    return _order_bits(keys.view(np.float64)).view(np.float64)


def layout_for(bits: Integers) -> Layout:
    """Return what the sum of floats, given as their bits, is to be written in."""
    least, most = map(int, exponents(bits))
    unit = least // DIGIT * DIGIT
    return Layout(unit, max(3, -(-(most + 1 + MOST_NUMBERS - unit) // DIGIT)))


def cover_layouts(layouts: Sequence[Layout]) -> Layout:
    """Return the least layout that can hold what any of these can."""
    unit = min(layout.unit for layout in layouts)
    return Layout(unit, max((layout.unit - unit) // DIGIT + layout.digits for layout in layouts))


def _order_bits(floats: Floats) -> Integers:
    """Integers in the order of floats, and by their bits the way back."""
    bits: Integers = floats.view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _lay_out(numbers: Stored, unit: int, layout: Layout) -> Stored:
    """Return numbers (n, digits) in a layout that can hold them."""
    spread = np.zeros((numbers.shape[0], layout.digits), np.uint32)
    shift = (unit - layout.unit) // DIGIT
    top = shift + numbers.shape[1]
    spread[:, shift:top] = numbers
    spread[numbers[:, -1] >= 2 ** (DIGIT - 1), top:] = 2**DIGIT - 1  # the sign
    return spread


def _negate(numbers: Stored) -> Stored:
    """Return minus numbers (n, digits)."""
    turned = ~numbers
    carry = np.ones(numbers.shape[0], bool)
    for k in range(numbers.shape[1]):
        turned[carry, k] += np.uint32(1)
        carry &= turned[:, k] == 0
    return turned


def choose_scale(largest: int) -> float:
    """Return the factor, 1 or a power of two, that makes the squares of numbers below 2**largest representable."""
    return 1.0 if -400 <= largest <= 400 else 2.0 ** -min(largest, 1000)
