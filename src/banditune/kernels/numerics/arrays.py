"""Arrays with more room or read-only, and whether their numbers have a size that can be computed with."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from banditune.kernels.jit import integer, jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Number = TypeVar("Number", np.float64, np.int64)


def read_only(array: NDArray[Number]) -> NDArray[Number]:
    """Return a view that is not written to.

    Kernels are compiled once for arrays that can be written to, and once more for those that cannot: what may be either
    is given as one of them.
    """
    view = array.view()
    view.flags.writeable = False
    return view


@jit
def enlarge(array: NDArray[Number], size: int) -> NDArray[Number]:
    """Return a copy of a 1-D array with room for `size` elements."""
    larger = np.empty(size, array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger


@jit
def enlarge_rows(array: NDArray[Number], rows: int) -> NDArray[Number]:
    """Return a copy of a 2-D array with room for that many rows."""
    larger = np.empty((rows, array.shape[1]), array.dtype)
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            larger[row, column] = array[row, column]
    return larger


@jit
def first_beyond(numbers: Floats, smallest: float, largest: float) -> int:
    """Find the first number that is neither 0 nor from `smallest` to `largest` in size; -1 if none is."""
    for position in range(numbers.size):
        size = abs(numbers[position])
        if not (smallest <= size <= largest or size == 0.0):
            return position
    return -1


@jit
def spread(numbers: Floats, start: int, end: int) -> float:
    """Return the largest difference within numbers[start:end]; 0 if that is empty."""
    # a loop: the methods max and min take a second to compile
    least = most = numbers[start] if start < end else 0.0
    for k in range(start, end):
        least = numbers[k] if numbers[k] < least else least
        most = numbers[k] if numbers[k] > most else most
    return float(most - least)


@jit
def widest_spread(flat: Floats, starts: Integers, means: Floats) -> float:
    """Return the largest difference within a segment flat[starts[k]:starts[k + 1]], or between two of the means."""
    widest = spread(means, integer(0), means.size)
    for k in range(starts.size - 1):
        widest = max(widest, spread(flat, starts[k], starts[k + 1]))
    return widest


def borrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array as one that does not count who holds it: counting costs more than a short function does.

    Whoever lends it has to hold it for longer.
    """
    return array


@intrinsic
def lend(_context: Any, array: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the same array without an owner."""

    def instruction(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        owned = context.make_array(signature.args[0])(context, builder, arguments[0])
        lent = context.make_array(signature.return_type)(context, builder)
        for name in ("data", "shape", "strides", "nitems", "itemsize"):
            setattr(lent, name, getattr(owned, name))
        lent.meminfo = context.get_constant_null(types.MemInfoPointer(types.voidptr))  # type: ignore[no-untyped-call]
        lent.parent = context.get_constant_null(types.pyobject)
        return lent._getvalue()

    return array(array), instruction


@overload(borrow, jit_options={"forceinline": True})
def compile_borrow(array: NDArray[Any]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return what the compiler takes in place of `borrow`; it wants the same names and notes here as within."""

    def hand_over(array: NDArray[Any]) -> NDArray[Any]:
        return lend(array)  # type: ignore[call-arg]

    return hand_over
