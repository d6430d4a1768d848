"""What is no plain file where one is expected: FIFOs, devices, links and folders; a prompt error that names it."""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw
from benchmarks.hostile.command import banditune, check_nothing_left, check_rejected, run
from benchmarks.hostile.questions import make_question

TRIED = "special files given by name, by folder and by pattern"
PATIENCE = 20.0  # seconds, most of them to start

SPECIALS: dict[str, Callable[[Path], None]] = {
    "fifo": lambda path: os.mkfifo(path),
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "null": lambda path: path.symlink_to("/dev/null"),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "folder": lambda path: path.mkdir(),
}


READ = """
import sys
import banditune as bt
for path in sys.argv[1:]:
    try:
        bt.read_log(path)
        sys.exit(f"{path} was read")
    except bt.BanditTuneError as error:
        if path.rpartition("/")[2] not in str(error):
            sys.exit(f"{path} is not named: {error}")
sys.exit(2)
"""


def cases(folder: Path) -> list[Case]:
    found = [Case("folders in a ring", partial(read_ring, folder))]
    for special, make in SPECIALS.items():
        found += [
            Case(f"{special} by name", partial(read_by_name, folder, make)),
            Case(f"{special} in a folder", partial(read_with_others, folder, make, "{}")),
            Case(f"{special} by pattern", partial(read_with_others, folder, make, "{}/*.csv")),
            Case(f"{special} as tuned.json", partial(read_as_tuned, folder, make, "convert")),
            Case(f"{special} as --like", partial(read_as_tuned, folder, make, "tune")),
        ]
        if special not in ("folder", "dangling"):  # a folder is right, and a dangling link may be followed or rejected
            found += [
                Case(f"{special} as {option}", partial(use_as_folder, folder, make, option))
                for option in ("--resume", "--out")
            ]
    return found


def read_by_name(folder: Path, make: Callable[[Path], None], draw: Draw) -> None:
    """Once as a command, and as each kind of file in Python."""
    path = place(folder, "special.csv", make)
    reject(folder, [*banditune(), "tune", path, "--horizon", "9"], path.name)
    suffixes = ("parquet", "jsonl", "csv.gz", "txt")
    paths = [place(folder, f"special.{suffix}", make) for suffix in suffixes]
    reject(folder, [sys.executable, "-c", READ, *paths], None)


def read_with_others(folder: Path, make: Callable[[Path], None], how: str, draw: Draw) -> None:
    """Beside a good log; nothing may be left out without a word."""
    path = place(folder, "special.csv", make)
    (path.parent / "good.csv").write_text("task,arm,reward\nt,a,1\nt,b,0\n")
    reject(folder, [*banditune(), "tune", how.format(path.parent), "--horizon", "9"], path.name)


def read_as_tuned(folder: Path, make: Callable[[Path], None], command: str, draw: Draw) -> None:
    path = place(folder, "special.json", make)
    log = make_question("few", folder).log
    words: list[str | Path] = ["convert", path, "--to", "river"]
    if command == "tune":
        words = ["tune", log, "--horizon", "9", "--like", path]
    reject(folder, [*banditune(), *words], path.name)


def use_as_folder(folder: Path, make: Callable[[Path], None], option: str, draw: Draw) -> None:
    path = place(folder, "special", make)
    log = make_question("few", folder).log
    reject(folder, [*banditune(), "tune", log, "--horizon", "9", option, path], path.name)


def read_ring(folder: Path, draw: Draw) -> None:
    """A folder that holds a link to itself beside a good log: read once, or rejected."""
    path = place(folder, "ring", lambda path: path.symlink_to("."))
    (path.parent / "good.csv").write_text("task,arm,reward\nt,a,1\nt,b,0\nu,a,1\nu,b,0\n")
    ended = run([*banditune(), "tune", path.parent, "--horizon", "9"], folder / "tmp", patience=PATIENCE)
    if ended.status != 0:
        check_rejected(ended, "ring")


def place(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """A special file in a new folder of its own."""
    number = sum(path.name.startswith("place") for path in folder.iterdir())
    (parent := folder / f"place{number}").mkdir()
    make(parent / name)
    return parent / name


def reject(folder: Path, words: Sequence[str | Path], name: str | None) -> None:
    temporary = Path(tempfile.mkdtemp(dir=folder))
    ended = run(words, temporary, patience=PATIENCE)
    check_rejected(ended, name)
    check_nothing_left(temporary)
