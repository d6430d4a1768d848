"""What adds curves up is compiled by another process while the first one sweeps."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from banditune.cli import first_run


def test_another_process_compiles_only_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    compiled, cores = False, 2
    monkeypatch.setattr(first_run, "is_compiled", lambda kernel: compiled)
    monkeypatch.setattr(first_run, "n_cores", lambda: cores)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: begun.append(command))
    first_run.compile_aside()
    assert begun == [[sys.executable, "-c", first_run.COMPILE]]
    compiled = True
    first_run.compile_aside()
    compiled, cores = False, 1
    first_run.compile_aside()
    assert len(begun) == 1


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="there is nothing to compile")
def test_kernels_are_left_where_the_first_process_finds_them(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", first_run.COMPILE], env=environment, check=True, timeout=250)
    known = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert {"step_sums.mean_of_curves", "step_sums.find_range_within_one_se", "step_sums.average_curves"} <= known
