"""The oldest allowed versions of all dependencies: an environment of their own, and a part of the tests."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError, LeftOut
from benchmarks.hostile.command import run

TRIED = "environment with the oldest dependencies"
ROOT = Path(__file__).parents[2]
PATIENCE = 900.0


def cases(folder: Path) -> Iterator[Case]:
    yield Case("oldest", partial(test_oldest, folder))


def test_oldest(folder: Path, draw: Draw) -> str:
    """Run `.ci/oldest`, which makes the environment from the bounds in pyproject.toml."""
    ended = run([ROOT / ".ci" / "oldest"], folder / "tmp", cwd=ROOT, patience=PATIENCE)
    lines = [line for line in ended.stdout.splitlines() if line.strip()] or ["nothing was said"]
    if ended.status == 0 and lines[-1].startswith("left out"):
        raise LeftOut(lines[-1])
    if ended.status != 0:
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        raise GaveWayError(f"{'; '.join([*failed[:3], lines[-1]])} {ended.stderr[-300:]}")
    return lines[-1].strip("= ")
