"""Numbers too small for full precision taken for 0, as some libraries ask the processor to: PyTorch, fast-math code."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

FLUSHED = 0x8040  # both results and operands, in the control register of SSE


@contextmanager
def flushed_to_zero() -> Iterator[None]:
    """Flush within; skip the test where that cannot be asked for."""
    library, state = ctypes.CDLL(None), (ctypes.c_uint32 * 8)()  # as the C library of Linux keeps it: SSE comes last
    if not hasattr(library, "fesetenv") or library.fegetenv(state) != 0:
        pytest.skip("no control of the processor's arithmetic")
    before, state[7] = state[7], state[7] | FLUSHED
    library.fesetenv(state)
    try:
        if np.nextafter(0.0, 1.0) != 0.0:
            pytest.skip("this processor does not flush")
        yield
    finally:
        state[7] = before
        library.fesetenv(state)
