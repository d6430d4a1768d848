"""Step functions: the narrow waist. Everything above reads them; a new policy needs only a way to make its own."""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.display import html_table, take_axes
from banditune.curves.palette import CURVE
from banditune.errors import InputError
from banditune.validation import finite_number, format_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval, from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The ends, low <= high.

    Examples
    --------
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
        """high - low."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclass(frozen=True, eq=False, slots=True)
class StepFunction:
    """A piecewise constant function on [edges[0], edges[-1]], right-continuous.

    This is what the loss of a task is as a function of the exploration parameter (Definition 1 of the paper counts its
    pieces). Call it with a number or an array; add curves of one range, multiply by a number.

    Parameters
    ----------
    edges : array_like, shape (k + 1,)
        The ends of the pieces, increasing.
    values : array_like, shape (k,)
        The value of each piece; equal neighbours are merged.

    Examples
    --------
    >>> curve = StepFunction([0.0, 1.0, 4.0], [3.0, 2.0])
    >>> curve(0.5), curve(1.0), curve(4.0)
    (3.0, 2.0, 2.0)
    >>> curve.argmin()
    Interval(low=1.0, high=4.0)
    >>> curve
    StepFunction(low=0.0, high=4.0, n_pieces=2, minimum=2.0)
    """

    edges: NDArray[np.float64]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        edges, values = (_floats(name, part) for name, part in (("edges", self.edges), ("values", self.values)))
        if edges.ndim != 1 or values.shape != (edges.size - 1,) or values.size == 0:
            raise InputError(f"k values need k + 1 edges, got shapes {values.shape} and {edges.shape}")
        if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
            raise InputError(f"edges must be finite and increase, got {format_value(edges)}")
        if not np.isfinite(values).all():
            raise InputError(f"values must be finite, got {format_value(values)}")
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
        """The number of pieces."""
        return int(self.values.size)

    def minimum(self) -> float:
        """Return the least value."""
        return float(self.values.min())

    def argmin(self) -> Interval:
        """Return the piece with the least value as an `Interval`: the widest such piece, the leftmost of equal ones."""
        pieces = np.flatnonzero(self.values == self.values.min())
        widest = pieces[np.argmax(self.edges[pieces + 1] - self.edges[pieces])]
        return Interval(float(self.edges[widest]), float(self.edges[widest + 1]))

    @overload
    def __call__(self, x: float) -> float: ...
    @overload
    def __call__(self, x: ArrayLike) -> NDArray[np.float64]: ...
    def __call__(self, x: ArrayLike) -> float | NDArray[np.float64]:
        """Return the value at x, a number or an array; outside [low, high] is an error."""
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
        if (self.low, self.high) != (other.low, other.high):
            raise InputError(f"both must be known on [{self.low}, {self.high}], got [{other.low}, {other.high}]")
        edges = np.union1d(self.edges, other.edges)
        return StepFunction(edges, self(edges[:-1]) + other(edges[:-1]))

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

    def _repr_html_(self) -> str:
        low, high = self.argmin()
        rows = [
            ("range", f"{self.low:g} to {self.high:g}"),
            ("pieces", f"{self.n_pieces:,}"),
            ("minimum", f"{self.minimum():.4g}, from {low:.4g} to {high:.4g}"),
        ]
        return html_table("StepFunction", rows)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the function.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default. Needs Matplotlib (the extra `plot`).

        Returns
        -------
        matplotlib.axes.Axes
        """
        axes = take_axes(ax)
        axes.stairs(self.values, self.edges, baseline=None, color=CURVE, linewidth=1.5)
        return axes


def _floats(name: str, numbers: ArrayLike) -> NDArray[np.float64]:
    """Return a copy as floats; text is rejected, not converted."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind in "biuf":
            return array.astype(np.float64)
    except ValueError:
        pass  # ragged
    raise InputError(f"{name} must be numbers, got {format_value(numbers)}")


def curve_from_json(saved: Mapping[str, str]) -> StepFunction:
    """Return the curve from text: the bytes of little-endian 64-bit floats, as results had it in their JSON once."""
    return StepFunction(*(_from_base64(saved[name]) for name in ("edges", "values")))


def _from_base64(text: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(np.float64)
