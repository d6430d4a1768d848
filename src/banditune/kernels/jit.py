"""The one home of the jit decorators."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np

from banditune.kernels.parts import PartCompiler

P = ParamSpec("P")
R = TypeVar("R")

# No fastmath: ties must be exact. No lock is held while a kernel runs, so threads work side by side. The wrappers for
# C, which nobody calls, are not made.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
PART: dict[str, Any] = {"pipeline_class": PartCompiler, "no_cpython_wrapper": True}


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when it is first called, or as a part of the kernels that call it."""
    return _compile(function, OPTIONS)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` into its callers, all kernels: for small steps of inner loops, where calls cost too much."""
    return _compile(function, OPTIONS | {"forceinline": True})


def _compile(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    kernel: Any
    try:  # what Python calls is kept on disk as machine code
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # there is no folder to keep it in: compile afresh in every process
        kernel = numba.njit(cache=False, **options)(function)
    if isinstance(kernel, FunctionType):  # nothing is to be compiled: NUMBA_DISABLE_JIT is set
        return function
    part: Any = numba.njit(**options | PART)(function)
    # these two are what the compiler asks for the sake of another kernel: it is given the part
    kernel.get_call_template, kernel.get_overload = part.get_call_template, part.get_overload
    return kernel  # type: ignore[no-any-return]


@inline
def integer(value: int) -> int:
    """An integer that is not taken for a constant: for those, functions would be compiled a second time."""
    return int(np.int64(value))
