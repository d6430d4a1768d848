"""Settings of all tests.

Speed is never tested. The examples are the same in every run; HYPOTHESIS_PROFILE=hunt draws many new ones.
"""

import os

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.differing_executors]}
settings.register_profile("same", derandomize=True, **COMMON)
settings.register_profile("hunt", max_examples=20_000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
