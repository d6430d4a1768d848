"""How much points have to do with each other: kernels, and the matrices they make."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditune.errors import ParameterError
from banditune.kernels.numerics.arrays import Floats
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import check_numbers
from banditune.validation import format_names, format_value

MOST_POINTS = 20_000
MOST_CHECKED = 2_500  # points of a kernel that is not known here
LARGEST_KERNEL = 1e50
LATTICE = 256  # an axis with no more different values than this has distances that recur
BLOCK = 2**22  # numbers that are held at once


def _matern12(distance: Floats) -> Floats:
    return np.exp(-distance)


def _matern32(distance: Floats) -> Floats:
    scaled = math.sqrt(3.0) * distance
    return (1.0 + scaled) * np.exp(-scaled)


def _matern52(distance: Floats) -> Floats:
    scaled = math.sqrt(5.0) * distance
    return (1.0 + scaled + scaled**2 / 3.0) * np.exp(-scaled)


def _rbf(distance: Floats) -> Floats:
    return np.exp(-0.5 * distance**2)


KERNELS: dict[str, Callable[[Floats], Floats]] = {
    "rbf": _rbf,
    "matern12": _matern12,
    "matern32": _matern32,
    "matern52": _matern52,
    "matern": _matern52,
}


class Kernel(Setting):
    """A kernel by name, or a function k(X, Y) of points (n, d) and (m, d) that gives (n, m), as scikit-learn's are."""

    def value(self, given: object) -> Any:
        """Return the name or the function."""
        if callable(given) or (isinstance(given, str) and given in KERNELS):
            return given
        raise ParameterError(
            f"{self.name} must be one of {format_names(KERNELS)}, or a function k(X, Y) of two arrays of points such "
            f"as scikit-learn's kernels; got {format_value(given)}"
        )

    def describe(self, value: Any) -> str:
        """Return its name, or what a function shows itself as."""
        return f"{self.name} = {format_value(value)}" if callable(value) else super().describe(value)

    def plain(self, value: Any) -> Any:
        """Return the name; what has none cannot be written down."""
        if callable(value):
            raise ParameterError(
                f"a kernel given as a function cannot be saved; those with a name can: {format_names(KERNELS)}"
            )
        return value


def check_points(points: ArrayLike, what: str = "points") -> Floats:
    """Points as an array (n, d)."""
    array = check_numbers(points, what)
    if array.ndim != 2 or array.size == 0:
        raise ParameterError(f"{what} must have shape (n, d), one row per point; got shape {array.shape}")
    if array.shape[0] > MOST_POINTS:
        raise ParameterError(f"{what} must be at most {MOST_POINTS:,}, got {array.shape[0]:,}")
    return array


def covariances(kernel: Any, points: Floats, length_scale: float) -> Floats:
    """Return the kernel of every two points, their coordinates divided by the length scale: (n, n)."""
    with np.errstate(over="ignore"):
        scaled = points / length_scale
    if not np.isfinite(scaled).all():
        raise ParameterError(
            f"length_scale {length_scale!r} is too small for points as large as {np.abs(points).max():g}"
        )
    if isinstance(kernel, str):
        return KERNELS[kernel](_distances(scaled))
    return _check_covariance(kernel, scaled)


def measure_similarity(points: Floats, others: Floats, length_scale: float) -> Floats:
    """Return how much points (n, d) are like others (m, d), from 0 to 1: (n, m)."""
    with np.errstate(over="ignore", under="ignore"):
        squares = (((points[:, None, :] - others[None, :, :]) / length_scale) ** 2).sum(axis=2)
        alike: Floats = np.exp(-0.5 * squares)
    return alike


def _distances(points: Floats) -> Floats:
    """Return how far points are from each other; distances that are equal in arithmetic are equal here."""
    n, dim = points.shape
    found = np.empty((n, n))
    differences = [_differences(points[:, axis]) for axis in range(dim)]
    rows = max(1, BLOCK // (n * dim))
    for start in range(0, n, rows):
        block = slice(start, start + rows)
        squares = np.stack([difference(block) for difference in differences], axis=-1)
        with np.errstate(over="ignore", under="ignore"):
            squares *= squares
            squares.sort(axis=-1)  # added up in one order, whichever axis they belong to
            found[block] = np.sqrt(squares.sum(axis=-1))
    return found


def _differences(axis: Floats) -> Callable[[slice], Floats]:
    """Return the differences of coordinates along one axis, for some points to all.

    On a lattice the same difference comes out with other last digits here and there; those become one.
    """
    values, which = np.unique(axis, return_inverse=True)
    if values.size > LATTICE:
        return lambda block: np.abs(axis[block, None] - axis[None, :])
    table = np.abs(values[:, None] - values[None, :])
    apart, places = np.unique(table, return_inverse=True)
    new = np.append(True, np.diff(apart) > 1e-12 * apart[-1])
    first = apart[new][np.cumsum(new) - 1]
    table = first[places].reshape(table.shape)
    return lambda block: table[which[block, None], which[None, :]]


def _check_covariance(kernel: Any, points: Floats) -> Floats:
    """Return what a user's kernel makes of the points: finite, symmetric, and a covariance."""
    n = points.shape[0]
    try:
        made = np.asarray(kernel(points, points), dtype=np.float64)
    except Exception as error:
        raise ParameterError(f"the kernel cannot be computed: {type(error).__name__}: {error}") from error
    if made.shape != (n, n):
        raise ParameterError(f"the kernel must give shape ({n}, {n}) for these points, got {made.shape}")
    size = float(np.abs(made).max())
    if not size <= LARGEST_KERNEL:
        raise ParameterError(f"the kernel must be finite and at most {LARGEST_KERNEL:g} in size, got {size}")
    uneven = float(np.abs(made - made.T).max())
    if uneven > 1e-8 * size:
        raise ParameterError(f"the kernel must be symmetric; k(x, y) and k(y, x) differ by {uneven:.3g}")
    made = 0.5 * (made + made.T)
    some = np.unique(np.linspace(0, n - 1, min(n, MOST_CHECKED)).astype(np.int64))
    least = float(np.linalg.eigvalsh(made[np.ix_(some, some)])[0])
    if least < -1e-13 * n * size:
        raise ParameterError(
            f"the kernel must be positive definite (a covariance); its matrix has the eigenvalue {least:.3g}"
        )
    return np.ascontiguousarray(made)
