"""Kernels compiled once for all processes of the tests: who comes second waits, and loads what the first has compiled.

Numba keeps machine code on disk, but processes that start together, as pytest-xdist's do, would all compile the same.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

try:
    import fcntl
except ImportError:  # no such locks here: each process compiles for itself
    fcntl = None  # type: ignore[assignment]


def share_compilation() -> None:
    """Let one process at a time compile a function: the next one finds it on disk."""
    if fcntl is None:
        return
    compile_now = Dispatcher.compile
    # named now, as a test may have temporary folders elsewhere for a while
    folder = Path(os.environ.get("NUMBA_CACHE_DIR", tempfile.gettempdir())) / f"banditune-locks-{os.getuid()}"

    def compile_once(self: Any, signature: Any) -> Any:
        if isinstance(self._cache, NullCache):  # a part of others, which is not kept on disk
            return compile_now(self, signature)
        # numba's own lock first: a thread that has it may be waiting for ours
        with global_compiler_lock, _locked(folder, f"{self.py_func.__module__}.{self.py_func.__qualname__}"):
            return compile_now(self, signature)

    Dispatcher.compile = compile_once


@contextmanager
def _locked(folder: Path, name: str) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / hashlib.sha256(name.encode()).hexdigest()[:16], "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
        yield
