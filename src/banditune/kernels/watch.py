"""What a long kernel looks at while it works, and what it tells: whether to stop, and how much is done.

A kernel that may run for long takes a watch first. It looks at it every some thousand steps of work; told to stop, it
returns at once, and what it returns is worthless: whoever told it to will not look.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

STOP, DONE, WHOLE = 0, 1, 2  # 1.0: stop; how much is done, and of how much, in units of the kernel's own
SIZE = 3

Watch = NDArray[np.float64]  # (SIZE,)


def new_watch() -> Watch:
    """Return a watch that nobody has told to stop."""
    return np.zeros(SIZE)


def is_stopped(watch: Watch) -> bool:
    """Tell whether the kernel is to return."""
    return bool(watch[STOP] != 0.0)


@intrinsic
def read_anew(_context: Any, array: Any, _place: Any) -> tuple[Any, Callable[..., Any]]:
    """Read an element from memory now: a compiler may think that a loop which does not write it need not."""

    def instruction(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        within = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(builder.gep(within.data, [arguments[1]]), ordering="monotonic", align=8)

    return types.float64(array, types.intp), instruction


@overload(is_stopped, jit_options={"forceinline": True})
def compile_is_stopped(watch: Watch) -> Callable[[Watch], bool]:
    """Return what the compiler takes in place of `is_stopped`; it wants the same names and notes here as within."""

    def read_stop(watch: Watch) -> bool:
        return read_anew(watch, STOP) != 0.0  # type: ignore[call-arg]

    return read_stop
