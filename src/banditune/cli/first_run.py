"""The first answer of a fresh installation: two cores compile what it needs."""

import subprocess
import sys

import numpy as np

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.kernels.jit import is_compiled
from banditune.kernels.numerics.step_sums import find_range_within_one_se
from banditune.tuning.executor import n_cores

COMPILE = f"from {__name__} import add_up; add_up()"

_others: list["subprocess.Popen[bytes]"] = []  # held until this process ends: they end by themselves


def compile_aside() -> None:
    """Let another process compile the kernels that add curves up, where nobody has, while this one sweeps them.

    It leaves them on disk. Whoever comes first to a kernel that the other has not finished compiles it, too.
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
