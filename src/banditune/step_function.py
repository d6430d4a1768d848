"""Step functions, one and many: the narrow waist. A new policy needs only a way to make its own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.checks import finite_number, shown
from banditune.errors import InputError
from banditune.kernels.step_sums import mean_of_curves, plausible_range, tidy, values_at


@dataclass(frozen=True, slots=True)
class Interval:
    """The values from `low` to `high`.

    >>> low, high = Interval(0.5, 2.0)
    >>> 1.0 in Interval(low, high)
    True
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not finite_number("low", self.low) <= finite_number("high", self.high):
            raise InputError(f"an interval needs low <= high, got {self.low} and {self.high}")

    @property
    def width(self) -> float:
        """How far it reaches."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False, slots=True)
class StepFunction:
    """A piecewise constant function on [edges[0], edges[-1]].

    edges (k + 1,) increase; values (k,) hold the value of each piece, and neighbours differ. At an edge the function
    has the value of the piece to the right of it.

    >>> curve = StepFunction([0.0, 1.0, 4.0], [3.0, 2.0])
    >>> curve(0.5), curve(1.0), curve(4.0)
    (3.0, 2.0, 2.0)
    >>> curve.argmin()
    Interval(low=1.0, high=4.0)
    """

    edges: NDArray[np.float64]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        edges, values = (_floats(name, part) for name, part in (("edges", self.edges), ("values", self.values)))
        if edges.ndim != 1 or values.shape != (edges.size - 1,) or values.size == 0:
            raise InputError(f"k values need k + 1 edges, got shapes {values.shape} and {edges.shape}")
        if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
            raise InputError(f"edges must be finite and increase, got {shown(edges)}")
        if not np.isfinite(values).all():
            raise InputError(f"values must be finite, got {shown(values)}")
        if (values[1:] == values[:-1]).any():
            different = np.append(True, values[1:] != values[:-1])
            edges, values = edges[np.append(different, True)], values[different]
        for name, part in (("edges", edges), ("values", values)):
            part.flags.writeable = False
            object.__setattr__(self, name, part)

    @property
    def low(self) -> float:
        """The left end."""
        return float(self.edges[0])

    @property
    def high(self) -> float:
        """The right end."""
        return float(self.edges[-1])

    @property
    def n_pieces(self) -> int:
        """On how many pieces the function is constant."""
        return int(self.values.size)

    def minimum(self) -> float:
        """The least value."""
        return float(self.values.min())

    def argmin(self) -> Interval:
        """Where the least value is taken: the widest of such pieces, of equally wide ones the leftmost."""
        pieces = np.flatnonzero(self.values == self.values.min())
        widest = pieces[np.argmax(self.edges[pieces + 1] - self.edges[pieces])]
        return Interval(float(self.edges[widest]), float(self.edges[widest + 1]))

    @overload
    def __call__(self, x: float) -> float: ...
    @overload
    def __call__(self, x: ArrayLike) -> NDArray[np.float64]: ...
    def __call__(self, x: ArrayLike) -> float | NDArray[np.float64]:
        """The value at x, a number or an array."""
        points = _floats("the points", x)
        inside = (points >= self.low) & (points <= self.high)
        if not inside.all():
            outside = points[~inside].reshape(-1)[0]
            raise InputError(f"the curve is known from {self.low!r} to {self.high!r}, got {float(outside)!r}")
        piece = np.minimum(np.searchsorted(self.edges, points, side="right") - 1, self.n_pieces - 1)
        found = self.values[piece]
        return float(found) if points.ndim == 0 else found

    def __add__(self, other: "StepFunction") -> "StepFunction":
        if not isinstance(other, StepFunction):
            return NotImplemented
        return mean_curve([self, other]) * 2.0  # halving and doubling lose nothing

    def __mul__(self, factor: float) -> "StepFunction":
        if isinstance(factor, StepFunction):
            return NotImplemented
        return StepFunction(self.edges, self.values * finite_number("the factor", factor))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StepFunction):
            return NotImplemented
        return np.array_equal(self.edges, other.edges) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values are arrays

    def __repr__(self) -> str:
        return (
            f"StepFunction(low={self.low!r}, high={self.high!r}, n_pieces={self.n_pieces}, minimum={self.minimum()!r})"
        )


def _floats(name: str, numbers: ArrayLike) -> NDArray[np.float64]:
    """A copy as floats; text is refused, not converted."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind in "biuf":
            return array.astype(np.float64)
    except ValueError:
        pass  # ragged
    raise InputError(f"{name} must be numbers, got {shown(numbers)}")


def adjoined(parts: Sequence[StepFunction]) -> StepFunction:
    """Functions on adjoining ranges as one.

    >>> adjoined([StepFunction([0, 1, 2], [5, 3]), StepFunction([2, 4], [3])]).edges
    array([0., 1., 4.])
    """
    edges = [part.edges[:-1] for part in parts]
    return StepFunction(
        np.append(np.concatenate(edges), parts[-1].high), np.concatenate([part.values for part in parts])
    )


def mean_curve(curves: Iterable[StepFunction]) -> StepFunction:
    """The mean of step functions over one range; sums are carried in about 32 digits, whatever their order.

    >>> mean_curve([StepFunction([0, 1, 2], [0, 4]), StepFunction([0, 2], [1])]).values
    array([0.5, 2.5])
    """
    return CurveSet.of(curves).mean()


@dataclass(frozen=True, eq=False)
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
        """The set of some step functions, which must have one range."""
        try:
            listed = list(curves)
        except TypeError:
            raise InputError(
                f"curves must be step functions in a list or another iterable, got {shown(curves)}"
            ) from None
        if not listed:
            raise InputError("at least one curve is needed, got none")
        low, high = (listed[0].low, listed[0].high) if isinstance(listed[0], StepFunction) else (None, None)
        for k, curve in enumerate(listed):
            if not isinstance(curve, StepFunction):
                raise InputError(f"curves[{k}] must be a bt.StepFunction, got {shown(curve)}")
            if (curve.low, curve.high) != (low, high):
                raise InputError(
                    f"curves[{k}] must be known on [{low}, {high}] as the first, got [{curve.low}, {curve.high}]"
                )
        starts = np.cumsum([0, *(curve.n_pieces for curve in listed)])
        left = np.concatenate([curve.edges[:-1] for curve in listed])
        return cls(low, high, left, np.concatenate([curve.values for curve in listed]), starts)

    @classmethod
    def tidied(
        cls, low: float, high: float, left: NDArray[np.float64], values: NDArray[np.float64], ends: NDArray[np.int64]
    ) -> "CurveSet":
        """The set of curves that end before ends[k], without empty pieces and equal neighbours."""
        left, values, ends = tidy(left, values, ends, high)
        return cls(low, high, left, values, np.append(0, ends))

    @classmethod
    def joined(cls, parts: Iterable["CurveSet"]) -> "CurveSet":
        """All curves of some sets over one range, in order."""
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

    def every(self, stride: int, first: int) -> "CurveSet":
        """The curves first, first + stride, first + 2 stride, ..."""
        chosen = np.zeros(len(self), bool)
        chosen[first::stride] = True
        pieces = chosen[self._curve_of]
        return CurveSet(
            self.low, self.high, self.left[pieces], self.values[pieces], np.append(0, np.cumsum(self.n_pieces[chosen]))
        )

    def at(self, x: float) -> NDArray[np.float64]:
        """The value of every curve at x: (curves,)."""
        if not self.low <= x <= self.high:
            raise InputError(f"the curves are known from {self.low!r} to {self.high!r}, got {x!r}")
        return values_at(self.left, self.values, self.starts, float(x))

    def mean(self, members: NDArray[np.bool_] | None = None) -> StepFunction:
        """The mean of all curves, or of those marked in members (curves,)."""
        chosen = np.ones(len(self), bool) if members is None else members
        left, values = mean_of_curves(self.left, self.values, self.starts, self._order, self._curve_of, chosen)
        return StepFunction(np.append(left, self.high), values)

    def plausible(self, best: float) -> Interval:
        """From the first to the last point that these curves do not tell apart from the point `best`.

        A point is told apart where the mean of its paired differences to the best is larger than the standard error of
        that mean. Outside the interval, every point is.
        """
        first, last = plausible_range(
            self.left, self.values, self.starts, self._order, self._curve_of, self.at(best), self.high
        )
        return Interval(float(first), float(last))
