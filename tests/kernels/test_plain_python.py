"""Kernels are Python: without the compiler they must say the same."""

import os
import subprocess
import sys
from pathlib import Path

ABOUT_THE_COMPILER = {"test_jit.py", "test_plain_python.py", "test_simd.py", "test_watch.py"}
UNCOMPILED = 'usefixtures("uncompiled")'  # what is never compiled is tested so already


def test_kernels_pass_their_tests_uncompiled() -> None:
    here = Path(__file__).parent
    found = [path for path in sorted(here.rglob("test_*.py")) if path.name not in ABOUT_THE_COMPILER]
    tests = [str(path) for path in found if UNCOMPILED not in path.read_text(encoding="utf-8")]
    assert len(found) > len(tests) > 10
    options = ["-n0", "-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_PROFILE": "few"}
    done = subprocess.run(command, env=environment, cwd=here.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
