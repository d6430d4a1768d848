"""Numbers carried as an unevaluated sum high + low of two floats, about 32 digits; or of more, without any error.

The latter are the expansions of Shewchuk (1997), a few floats that do not overlap: the terms[:used] of a sum are in the
order of their size, the largest last, and none of them is zero; so the sign of the last is that of the sum, and a sum
of no terms is zero.
"""

import math
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, overload

from banditune.kernels.jit import inline
from banditune.kernels.numerics.arrays import Floats

SPLITTER = 134217729.0  # 2**27 + 1 cuts a float into two halves of 26 bits


def product_error(a: float, b: float, product: float) -> float:
    """Return a * b - product without error, where `product` is a * b rounded (between 1e-290 and 1e300 in size)."""
    cut = SPLITTER * a
    a_high = cut - (cut - a)
    a_low = a - a_high
    cut = SPLITTER * b
    b_high = cut - (cut - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@intrinsic
def multiply_add(_context: Any, _a: Any, _b: Any, _c: Any) -> tuple[Any, Callable[..., Any]]:
    """Return a * b + c, rounded once."""

    def instruction(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), instruction


@overload(product_error, jit_options={"forceinline": True})
def compile_product_error(a: float, b: float, product: float) -> Callable[[float, float, float], float]:
    """Return what the compiler takes in place of `product_error`; it wants the same names and notes here as within."""

    def fma(a: float, b: float, product: float) -> float:
        return multiply_add(a, b, -product)  # type: ignore[call-arg]

    return fma


@inline
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b without error."""
    total = a + b
    share = total - a
    return total, (a - (total - share)) + (b - share)


@inline
def quick_two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b without error, for abs(a) >= abs(b)."""
    total = a + b
    return total, b - (total - a)


@inline
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return a * b without error (for products between 1e-290 and 1e300 in size)."""
    product = a * b
    return product, product_error(a, b, product)


@inline
def add(a_high: float, a_low: float, b_high: float, b_low: float) -> tuple[float, float]:
    """Return a + b; exactly zero when b is -a."""
    high, low = two_sum(a_high, b_high)
    tail, rest = two_sum(a_low, b_low)
    high, low = quick_two_sum(high, low + tail)
    return quick_two_sum(high, low + rest)


@inline
def add_float(a_high: float, a_low: float, b: float) -> tuple[float, float]:
    """Return a + b for a plain float b: the bits of `add`, in half the steps."""
    high, low = two_sum(a_high, b)
    return quick_two_sum(high, low + a_low)


@inline
def scale(a_high: float, a_low: float, factor: float) -> tuple[float, float]:
    """Return a * factor."""
    high, low = two_product(a_high, factor)
    return quick_two_sum(high, low + a_low * factor)


@inline
def multiply(a_high: float, a_low: float, b_high: float, b_low: float) -> tuple[float, float]:
    """Return a * b."""
    high, low = two_product(a_high, b_high)
    return quick_two_sum(high, low + (a_high * b_low + a_low * b_high))


@inline
def subtract_product(
    a_high: float, a_low: float, b_high: float, b_low: float, c_high: float, c_low: float
) -> tuple[float, float]:
    """Return a - b * c."""
    high, low = multiply(b_high, b_low, c_high, c_low)
    return add(a_high, a_low, -high, -low)


@inline
def divide(a_high: float, a_low: float, b_high: float, b_low: float) -> tuple[float, float]:
    """Return a / b."""
    first = a_high / b_high
    rest, rest_low = subtract_product(a_high, a_low, b_high, b_low, first, 0.0)
    second = rest / b_high
    rest, _ = subtract_product(rest, rest_low, b_high, b_low, second, 0.0)
    high, low = quick_two_sum(first, second)
    return quick_two_sum(high, low + rest / b_high)


@inline
def root_of(a_high: float, a_low: float) -> tuple[float, float]:
    """Return the square root of a number; 0 where it is not above 0."""
    if a_high <= 0.0:
        return 0.0, 0.0
    first = math.sqrt(a_high)
    rest, _ = subtract_product(a_high, a_low, first, 0.0, first, 0.0)
    return quick_two_sum(first, rest / (2.0 * first))


@inline
def add_term(terms: Floats, used: int, value: float) -> int:
    """Add a float to the sum terms[:used]; return how many terms it has then, one more at most."""
    kept = 0
    for k in range(used):
        value, rest = two_sum(value, terms[k])
        if rest != 0.0:
            terms[kept] = rest
            kept += 1
    if value != 0.0:
        terms[kept] = value
        kept += 1
    return kept


@inline
def round_sum(terms: Floats, used: int) -> tuple[float, float]:
    """Return the sum terms[:used] as high and low part: zero only if it is, and of its sign."""
    high, low = 0.0, 0.0
    for k in range(used):
        high, rest = quick_two_sum(terms[k], high)
        low = rest
    return high, low
