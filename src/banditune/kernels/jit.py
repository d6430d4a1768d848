"""The one home of the jit decorators: for kernels that Python calls, and for those that are parts of others.

Numba optimises every function and turns it into machine code, and does so again within each of its callers, up to the
one that Python calls: the deeper the calls, the more often. A part is left as it is translated, and linked into its
callers, so that all of it is optimised and compiled once, there.
"""

# mypy: disable-error-code="no-untyped-call"

import functools
import gc
import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.event import Event, Listener, register
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import NativeLowering

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


register("numba:compile", CollectionPause())


class PartLibrary(JITCodeLibrary):
    """Code for others to link: its own and that of the parts it calls, neither optimised nor compiled."""

    def finalize(self) -> None:
        """Link what is called, and no more."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # what to run when it is loaded again; numba 0.60 has no such thing
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Translate a part, and let its callers know where to find it."""

    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        """Do as the pass for kernels does, without the machine code."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        state.reload_init.extend(getattr(state.library, "_reload_init", ()))
        result = state["cr"]
        # callers know a function by its Python object: this one has no machine code behind it, and nobody may call it
        handle = _dynfunc.make_function(
            result.fndesc.lookup_module(), result.fndesc.qualname, "a part of kernels", 0, result.env, ()
        )
        state.targetctx.insert_user_function(handle, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=handle)
        return True


class PartCompiler(CompilerBase):
    """Numba's compiler up to the translation of a function, without making machine code of it."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, with another last step."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(LowerPart if step is NativeLowering else step, why) for step, why in manager.passes]
        manager.finalize()
        return [manager]


# No fastmath: ties must be exact. No lock is held while a kernel runs, so threads work side by side. The wrappers for
# C, which nobody calls, are not made. Who holds an array is counted, as Python does.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "_nrt": True}
LEAN = OPTIONS | {"_nrt": False}  # not counted: a third of the code of kernels that take many arrays
PART: dict[str, Any] = {"pipeline_class": PartCompiler, "no_cpython_wrapper": True}


class QuickCache(FunctionCache):
    """Numba's machine code on disk, loaded without first making ready what only compiling needs, a quarter of a second.

    The compiler makes that ready itself where nothing is found on disk.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was compiled for arguments of these types; None if nothing was."""
        rtsys.initialize(target_context)  # the machine code counts who holds an array with it
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except (ImportError, AttributeError, EOFError, pickle.UnpicklingError):  # left by a version with other modules
            self.flush()
            return None


class Kernel:
    """A function that is compiled when Python calls it, or as a part of another kernel when that is compiled.

    Numba's own objects for the two are made when they are needed: there are some hundred kernels, and a command calls a
    few.
    """

    _making = threading.RLock()  # two threads that call a kernel first compile it once

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._options = function, options
        self._dispatcher: Any = None
        self._part: Any = None

    def __call__(self, *args: Any) -> Any:
        """Run the machine code."""
        return (self.dispatcher if self._dispatcher is None else self._dispatcher)(*args)

    def __repr__(self) -> str:
        return f"Kernel({self.py_func.__module__}.{self.py_func.__qualname__})"

    @property
    def dispatcher(self) -> Any:
        """What Python calls: Numba's dispatcher, which keeps machine code on disk if there is a folder for it."""
        with self._making:
            if self._dispatcher is None:
                made: Any = numba.njit(**self._options)(self.py_func)
                with suppress(RuntimeError):  # no folder: compile afresh in every process
                    made._cache = QuickCache(self.py_func)
                self._dispatcher = made
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What the compiler asks of it when another kernel calls it: it is given the part."""
        with self._making:
            if self._part is None:
                self._part = numba.njit(**self._options | PART)(self.py_func)
        return self._part._numba_type_

    @property
    def is_compiled(self) -> bool:
        """Whether it has been compiled: by this process, or by an earlier one that has kept it on disk."""
        index = getattr(getattr(self.dispatcher._cache, "_cache_file", None), "_index_path", None)
        return bool(self.dispatcher.overloads) or (index is not None and os.path.exists(index))


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when it is first called, or as a part of the kernels that call it."""
    return _make_kernel(function, OPTIONS)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` into its callers, all kernels: for small steps of inner loops, where calls cost too much.

    As with `lean`, it neither makes arrays nor returns any.
    """
    return _make_kernel(function, LEAN | {"forceinline": True})


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` as `jit` does, without counting who holds its arrays: it neither makes nor returns any.

    Within other such functions it may return what it was given, or a part of that; its callers hold that for longer.
    """
    return _make_kernel(function, LEAN)


def _make_kernel(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return Kernel(function, options)  # type: ignore[return-value]


def is_compiled(kernel: Any) -> bool:
    """Tell whether a kernel has been compiled, by this process or an earlier one; so is what is not to be compiled."""
    return not isinstance(kernel, Kernel) or kernel.is_compiled


@inline
def integer(value: int) -> int:
    """Return an integer that is not taken for a constant: for those, functions would be compiled a second time."""
    return int(np.int64(value))
