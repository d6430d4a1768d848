"""The first answer of a fresh installation: two cores compile what it needs, and then what later ones gain by."""

import os
import subprocess
import sys

import numpy as np

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.interruption import n_cores
from banditune.kernels.jit import is_compiled
from banditune.kernels.lines.batch import without_priors
from banditune.kernels.numerics.step_sums import find_range_within_one_se
from banditune.kernels.walk.walk import walk_batch
from banditune.kernels.watch import new_watch

COMPILE = f"from {__name__} import add_up, walk; add_up(); walk()"
PATIENT = 19  # how far the process that compiles for later stands back behind others

_others: list["subprocess.Popen[bytes]"] = []  # held until this process ends: they end by themselves


def compile_aside() -> None:
    """Let another process compile the kernels that add curves up, where nobody has, while this one sweeps them.

    It leaves them on disk. Whoever comes first to a kernel that the other has not finished compiles it, too. Then it
    compiles the walk, which long runs gain by, and so may go on for some 20 seconds when the answer is there.
    """
    if n_cores() > 1 and not is_compiled(find_range_within_one_se):
        nowhere = subprocess.DEVNULL
        command = [sys.executable, "-c", COMPILE]
        _others.append(subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere))


def add_up() -> None:
    """Do with two small curves what a study does with those of tasks, the kernels that take longest first."""
    stepping = StepFunction(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0]))
    curves = CurveSet.of([stepping, StepFunction(np.array([0.0, 2.0]), np.array([0.5]))])
    curves.mean()
    curves.find_within_one_se(1.5)
    curves.find_least()
    CurveSet.average([curves, curves])


def walk() -> None:
    """Walk a small task, behind whatever else the machine does."""
    if hasattr(os, "nice"):
        os.nice(PATIENT)
    batch = without_priors(np.zeros((2, 2)), np.zeros(2), np.array([0, 2]), 0.0)
    walk_batch(new_watch(), batch, np.array([2]), 0.0, 1.0)
