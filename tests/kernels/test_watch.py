"""A kernel that is told to stop returns, compiled as well as in plain Python."""

import threading
import time

import numpy as np
import pytest

from banditune.kernels.jit import jit
from banditune.kernels.watch import DONE, STOP, WHOLE, Watch, is_stopped, new_watch

SECONDS = 60.0  # long enough on any machine: what works ends at once


@jit
def wait_in_vain(watch: Watch) -> int:
    """Loop without writing anything, so that a compiler may think the watch never changes."""
    looked = 0
    while not is_stopped(watch):
        looked += 1
    return looked


@pytest.mark.parametrize("kernel", [wait_in_vain, wait_in_vain.py_func], ids=["compiled", "plain"])  # type: ignore[attr-defined]
def test_a_loop_sees_a_flag_that_another_thread_sets(kernel: object) -> None:
    assert callable(kernel)
    stopped = new_watch()
    stopped[STOP] = 1.0
    kernel(stopped)  # compiles it
    watch = new_watch()
    thread = threading.Thread(target=kernel, args=(watch,), daemon=True)
    thread.start()
    time.sleep(0.05)
    assert thread.is_alive()
    watch[STOP] = 1.0
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_nothing_is_done_before_a_kernel_begins() -> None:
    np.testing.assert_array_equal(new_watch()[[STOP, DONE, WHOLE]], 0.0)
