"""The decorator works where nothing can be written."""

from collections.abc import Callable

import numba
import pytest

from banditune.kernels.jit import jit


def test_kernels_compile_without_a_folder_for_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def njit_without_a_folder(**options: object) -> Callable[..., object]:
        if options["cache"]:
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    monkeypatch.setattr(numba, "njit", njit_without_a_folder)

    @jit
    def double(x: float) -> float:
        return 2.0 * x

    assert double(3.0) == 6.0
