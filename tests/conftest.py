"""Settings of all tests.

Speed is never tested. The examples are the same in every run; HYPOTHESIS_PROFILE=hunt draws many new ones.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.differing_executors, HealthCheck.too_slow],
}
settings.register_profile("same", derandomize=True, **COMMON)
settings.register_profile("hunt", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # one of several processes
        from tests.compilation import share_compilation

        share_compilation()
