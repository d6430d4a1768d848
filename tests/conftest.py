"""Settings of all tests.

Speed is never tested. The examples are the same in every run; HYPOTHESIS_PROFILE=hunt draws many new ones,
few draws fewer of the usual ones.
"""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.stale_kernels import remove_stale_kernels

COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.differing_executors, HealthCheck.too_slow],
}
settings.register_profile("same", max_examples=20, derandomize=True, **COMMON)
settings.register_profile("few", max_examples=5, derandomize=True, **COMMON)
settings.register_profile("hunt", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

SOURCE = Path(__file__).parents[1] / "src"
FIRST = (  # the other process begins in the middle, with the policies, and compiles most kernels that all others need
    "tests/kernels/test_plain_python.py",  # needs none of them
    "tests/logs/",  # needs few
    "tests/distributed/",  # waits for processes of its own: at the end, nobody else would have anything to do meanwhile
)
LAST = "tests/benchmarks/"  # needs kernels that the other process is just about to compile


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process for each core that may be used: each of them collects all tests and loads the kernels it needs."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave alone what only stands beside tests: examples of docstrings, for which all else is imported, are in src."""
    beside = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if beside and Path(__file__).parent in collection_path.parents else None


def pytest_sessionstart(session: pytest.Session) -> None:
    gc.disable()  # until all tests are collected: what is made meanwhile stays


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)  # seldom: what the compiler leaves is much, and is looked through each time
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests such that none of two processes waits long for the other."""

    def place(item: pytest.Item) -> int:
        if item.nodeid.startswith(LAST):
            return len(FIRST) + 1
        return next((k for k, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))

    items.sort(key=place)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # one of several processes
        from tests.compilation import share_compilation

        share_compilation()
    else:  # processes that tests start run the tested source, not a copy that is installed and compiled on its own
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), *([before] if before else [])])
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a hundred processes would all compile the same source
        remove_stale_kernels(SOURCE, SOURCE, Path(__file__).parent)
