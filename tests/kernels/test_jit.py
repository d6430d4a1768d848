"""The decorator works where nothing can be written, and compiles what Python calls alone."""

import gc
import pickle
from pathlib import Path

import numba
import pytest
from numba.core.event import Event, Listener, install_listener

from banditune.kernels.jit import jit


@pytest.fixture
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no folder for machine code, neither of this process nor of earlier ones."""

    def reject_function(function: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr("banditune.kernels.jit.QuickCache", reject_function)


@pytest.mark.usefixtures("no_folder")
def test_kernels_compile_without_a_folder_for_machine_code() -> None:
    @jit
    def double(x: float) -> float:
        return 2.0 * x

    assert double(3.0) == 6.0


def test_what_a_kernel_calls_is_compiled_as_a_part_of_it() -> None:
    @jit
    def double(x: float) -> float:
        return 2.0 * x

    @jit
    def add_one(x: float) -> float:
        return double(x) + 1.0

    @jit
    def twice(x: float) -> float:
        return add_one(add_one(x)) + double(x)

    assert twice(3.0) == 21.0
    compiled = [len(kernel.dispatcher.overloads) for kernel in (double, add_one, twice)]  # type: ignore[attr-defined]
    assert compiled == [0, 0, 1]
    assert add_one(3.0) == 7.0
    assert double(3.0) == 6.0


@pytest.mark.usefixtures("no_folder")
def test_garbage_is_not_collected_while_a_kernel_is_compiled() -> None:
    class Look(Listener):
        def __init__(self) -> None:
            self.seen: list[bool] = []

        def on_start(self, event: Event) -> None:
            self.seen.append(gc.isenabled())

        def on_end(self, event: Event) -> None:
            pass

    @jit
    def double(x: float) -> float:
        return 2.0 * x

    look = Look()
    with install_listener("numba:compile", look):
        assert double(3.0) == 6.0
    assert look.seen == [False]
    assert gc.isenabled()


def test_what_another_version_has_left_on_disk_is_compiled_anew() -> None:
    """Numba's index of machine code names the types of arguments, of which some may be gone."""

    def double(x: float) -> float:
        return 2.0 * x

    first = jit(double)
    assert first(3.0) == 6.0
    index = Path(first.dispatcher._cache._cache_file._index_path)  # type: ignore[attr-defined]
    index.write_bytes(pickle.dumps(numba.__version__) + b"cbanditune.no_such_module\nPieces\n.")
    again = jit(double)
    assert again(3.0) == 6.0
    assert jit(double)(4.0) == 8.0
    assert len(again.dispatcher.overloads) == 1  # type: ignore[attr-defined]
