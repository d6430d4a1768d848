"""The one home of the jit decorators."""

import gc
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba.core.event import Event, Listener, register

from banditune.kernels.parts import PartCompiler

P = ParamSpec("P")
R = TypeVar("R")


class CollectionPause(Listener):
    """Keeps the garbage collector from running while a kernel is compiled, where it takes a seventh of the time."""

    def __init__(self) -> None:
        self._depth = 0  # of kernels within kernels; the compiler's lock is held
        self._was_enabled = False

    def on_start(self, event: Event) -> None:
        """Pause, if nobody has yet."""
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Event) -> None:
        """Go on after the last."""
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            gc.enable()


register("numba:compile", CollectionPause())  # type: ignore[no-untyped-call]

# No fastmath: ties must be exact. No lock is held while a kernel runs, so threads work side by side. The wrappers for
# C, which nobody calls, are not made. Who holds an array is counted, as Python does.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": True}
LEAN = OPTIONS | {"_nrt": False}  # not counted: a third of the code of kernels that take many arrays
PART: dict[str, Any] = {"pipeline_class": PartCompiler, "no_cpython_wrapper": True}


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when it is first called, or as a part of the kernels that call it."""
    return _compile(function, OPTIONS)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` into its callers, all kernels: for small steps of inner loops, where calls cost too much.

    As with `lean`, it neither makes arrays nor returns any.
    """
    return _compile(function, LEAN | {"forceinline": True})


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` as `jit` does, without counting who holds its arrays: it neither makes nor returns any.

    Within other such functions it may return what it was given, or a part of that; its callers hold that for longer.
    """
    return _compile(function, LEAN)


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


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel has been compiled: by this process, or by an earlier one that has kept it on disk."""
    if isinstance(kernel, FunctionType):  # there is nothing to compile
        return True
    index = getattr(getattr(kernel._cache, "_cache_file", None), "_index_path", None)
    return bool(kernel.overloads) or (index is not None and os.path.exists(index))


@inline
def integer(value: int) -> int:
    """An integer that is not taken for a constant: for those, functions would be compiled a second time."""
    return int(np.int64(value))
