"""The one home of the jit decorators."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

# No fastmath: ties must be exact. No lock is held while a kernel runs, so threads work side by side. The machine code
# is kept on disk; the wrappers for C, which nobody calls, are not made: that would take a third of the compilation.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INLINED = OPTIONS | {"forceinline": True}


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when it is first called."""
    return _compile(function, OPTIONS)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` into its callers, all kernels: for small steps of inner loops, where calls cost too much."""
    return _compile(function, INLINED)


def _compile(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    compiled: Callable[P, R]
    try:
        compiled = numba.njit(**options)(function)
    except RuntimeError:  # there is no folder to keep machine code in: compile afresh in every process
        compiled = numba.njit(**options | {"cache": False})(function)
    return compiled


@inline
def integer(value: int) -> int:
    """An integer that is not taken for a constant: for those, functions would be compiled a second time."""
    return int(np.int64(value))
