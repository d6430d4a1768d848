"""The rounding error of a product: one instruction in compiled code, seventeen in plain Python."""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, overload

SPLITTER = 134217729.0  # 2**27 + 1 cuts a float into two halves of 26 bits


def product_error(a: float, b: float, product: float) -> float:
    """a * b - product without error, where `product` is a * b rounded (between 1e-290 and 1e300 in size)."""
    cut = SPLITTER * a
    a_high = cut - (cut - a)
    a_low = a - a_high
    cut = SPLITTER * b
    b_high = cut - (cut - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@intrinsic
def multiply_add(_context: Any, _a: Any, _b: Any, _c: Any) -> tuple[Any, Callable[..., Any]]:
    """a * b + c, rounded once."""

    def instruction(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), instruction


@overload(product_error, jit_options={"forceinline": True})
def compiled_product_error(a: float, b: float, product: float) -> Callable[[float, float, float], float]:
    """What the compiler takes in place of `product_error`; it wants the same names and notes here as within."""

    def fused(a: float, b: float, product: float) -> float:
        return multiply_add(a, b, -product)  # type: ignore[call-arg]

    return fused
