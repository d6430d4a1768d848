"""The compiled sweep beside the same sweep in C: the same bits, and how many times as long."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.watch import new_watch
from benchmarks.drawn_tasks import bernoulli_batch, gaussian_batch
from benchmarks.methods import HIGH, LOW
from benchmarks.timing import best_of, shown_seconds

FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
SOURCE = Path(__file__).with_name("sweep.c")
REPETITIONS, BUDGET = 9, 16.0
TARGET = 1.5
ROOM = 2**22  # steps of all curves of a batch

FLOATS = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
INTEGERS = np.ctypeslib.ndpointer(np.int64, flags="C_CONTIGUOUS")

SHAPES: dict[str, Callable[[], Batch]] = {
    "2 Bernoulli arms, T = 100, 10,000 tasks": partial(bernoulli_batch, 2, 100, 10_000),
    "2 Gaussian arms, T = 100, 10,000 tasks": partial(gaussian_batch, 2, 100, 10_000),
    "2 Bernoulli arms, T = 1,000, 500 tasks": partial(bernoulli_batch, 2, 1000, 500),
    "2 Bernoulli arms, T = 10,000, 20 tasks": partial(bernoulli_batch, 2, 10_000, 20),
    "2 Bernoulli arms, T = 100,000, 1 task": partial(bernoulli_batch, 2, 100_000, 1),
    "20 Bernoulli arms, T = 400, 30 tasks": partial(bernoulli_batch, 20, 400, 30),
    "50 Bernoulli arms, T = 1,000, 3 tasks": partial(bernoulli_batch, 50, 1000, 3),
}


@dataclass(frozen=True, slots=True)
class Curves:
    """The steps of all curves end to end, in theta = sqrt(alpha), and where each curve ends."""

    left: NDArray[np.float64]
    value: NDArray[np.float64]
    ends: NDArray[np.int64]

    def same_bits(self, other: "Curves") -> bool:
        """Whether two results are the same to the last bit."""
        mine, theirs = (self.left, self.value, self.ends), (other.left, other.value, other.ends)
        return all(a.tobytes() == b.tobytes() for a, b in zip(mine, theirs, strict=True))


def main() -> None:
    console = Console(width=100, highlight=False)
    compiler = shutil.which("cc")
    if compiler is None:
        console.print("there is no C compiler `cc` here: nothing to compare with")
        return
    with tempfile.TemporaryDirectory() as folder:
        sweep_in_c = build_sweep(compiler, Path(folder))
        table = Table(title=f"cc {' '.join(FLAGS[:3])}, one core, best of turns", title_justify="left")
        table.add_column("alpha in [0, 1]")
        for name in ("Numba", "C", "Numba / C", "same bits"):
            table.add_column(name, justify="right")
        ratios, same = [], []
        for shape, draw in SHAPES.items():
            seconds, curves = compare_speed(draw(), sweep_in_c)
            ratios.append(seconds["Numba"] / seconds["C"])
            same.append(curves["Numba"].same_bits(curves["C"]))
            times = (shown_seconds(seconds[name]) for name in ("Numba", "C"))
            table.add_row(shape, *times, f"{ratios[-1]:.2f}", "yes" if same[-1] else "NO")
    console.print(table)
    reached = "every ratio is" if max(ratios) <= TARGET else "not every ratio is"
    console.print(f"{reached} at most {TARGET}: the largest is {max(ratios):.2f}")
    if not all(same):
        raise SystemExit("the two sweeps differ")


def compare_speed(batch: Batch, sweep_in_c: Callable[[Batch], Curves]) -> tuple[dict[str, float], dict[str, Curves]]:
    """The least seconds of both sweeps on a batch, and their curves."""
    sweep_in_numba(batch._replace(streams=batch.streams[:, :1].copy()))  # loads the compiled code
    calls = {"Numba": partial(sweep_in_numba, batch), "C": partial(sweep_in_c, batch)}
    return best_of(calls, REPETITIONS, BUDGET)


def sweep_in_numba(batch: Batch) -> Curves:
    """Our sweep."""
    left, value, ends, _ = sweep_batch(new_watch(), batch, np.array([batch.streams.shape[1]]), LOW**0.5, HIGH**0.5)
    return Curves(left, value, ends.reshape(-1))


def build_sweep(compiler: str, folder: Path, high: float = HIGH, source: Path = SOURCE) -> Callable[[Batch], Curves]:
    """The sweep in C of alpha from LOW to high, built in that folder; or a source that is called as it is."""
    library = folder / f"{source.stem}.so"
    subprocess.run([compiler, *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
    function = ctypes.CDLL(str(library)).sweep_batch
    whole, real = ctypes.c_int64, ctypes.c_double
    function.argtypes = [FLOATS, FLOATS, INTEGERS, whole, whole, real, real, real, FLOATS, FLOATS, INTEGERS, whole]
    function.restype = whole
    left, value = np.empty(ROOM), np.empty(ROOM)

    def sweep(batch: Batch) -> Curves:
        n_tasks, horizon = batch.starts.size - 1, batch.streams.shape[1]
        ends = np.empty(n_tasks, np.int64)
        task = (batch.streams, batch.gaps, batch.starts, n_tasks, horizon, batch.earned)
        used = function(*task, LOW**0.5, high**0.5, left, value, ends, ROOM)
        if used < 0:
            raise SystemExit(f"the curves have more than {ROOM} steps")
        return Curves(left[:used].copy(), value[:used].copy(), ends)

    return sweep


if __name__ == "__main__":
    main()
