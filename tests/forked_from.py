"""What is imported by the process that others are forked off."""

import pytest  # noqa: F401  # the main module of the tests, which each of them imports

import tests.checkpoints.test_resuming
import tests.deployment.worker  # noqa: F401
from tests.forked import load_kernels

load_kernels()
