"""How parts of kernels are tested."""

from collections.abc import Iterator

import pytest

from banditune.kernels.jit import Kernel


@pytest.fixture(scope="module")
def uncompiled() -> Iterator[None]:
    """Run kernels as plain Python.

    Nobody calls a part of a kernel on its own. To compile it for a test would be to test other machine code than its
    callers have, which are tested compiled. Overflow and division by zero, silent there, are warnings here.
    """

    def run_plainly(self: Kernel, *args: object) -> object:
        return self.py_func(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", run_plainly)
        yield
