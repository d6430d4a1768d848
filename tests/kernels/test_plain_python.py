"""Kernels are Python: without the compiler they must say the same."""

import os
import subprocess
import sys
from pathlib import Path


def test_kernels_pass_their_tests_uncompiled() -> None:
    here = Path(__file__).parent
    tests = (
        "test_sweep.py",
        "test_envelope.py",
        "test_expansion.py",
        "test_double_double.py",
        "test_counter_random.py",
        "test_simulator_run.py",
        "test_gp.py",
        "test_lazy_sweep.py",
        "test_step_sums.py",
        "test_exact.py",
        "test_extension.py",
        "test_sure_ridge.py",
    )
    names = [str(here / name) for name in tests]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning", *names]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, cwd=here.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
