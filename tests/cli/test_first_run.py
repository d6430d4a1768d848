"""What adds curves up is compiled by another process while the first one sweeps."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.cli import first_run
from banditune.interruption import call_with_watch
from banditune.kernels.walk.walk import walk_batch, walk_tasks
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.losses import LOSSES


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
    command = first_run.COMPILE.replace("walk()", "walk")  # that one takes long
    subprocess.run([sys.executable, "-c", command], env=environment, check=True, timeout=250)
    known = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert {"step_sums.mean_of_curves", "step_sums.find_range_within_one_se", "step_sums.average_curves"} <= known


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="there is nothing to compile")
def test_walk_is_compiled_as_commands_call_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the same types of arguments: a long run finds it on disk."""
    monkeypatch.setattr(os, "nice", lambda more: more, raising=False)
    first_run.walk()
    types = list(walk_tasks.dispatcher.overloads)  # type: ignore[attr-defined]
    batch = batch_streams([bt.Task.from_counts([500, 500], [5, 3])], Terms(300, LOSSES["regret"], 0, True, {}))
    call_with_watch(walk_batch, batch, np.array([300]), 0.0, 2.0)
    assert list(walk_tasks.dispatcher.overloads) == types  # type: ignore[attr-defined]
