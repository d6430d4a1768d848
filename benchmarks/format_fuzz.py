"""Broken files of every log format by the thousand: each must give a clear error, or account for all of its rows.

python -m benchmarks.format_fuzz [--logs N] [--seed N] [--format NAME]

Rows are written in a format, and some bytes are changed, cut out or put in. What is read must add up: rows used and
rejected are all that were read, and tasks hold the rows used. Of formats with a line for each row, every line that is
still whole must have been read; of SQLite files, what SQLite itself reads.
"""

import argparse
import shutil
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

import banditune as bt
from tests.logs.format_cases import CASES, QUERY, Case, Row

Draw = np.random.Generator

PLATFORMS = ("growthbook", "statsig", "optimizely")
EXAMPLES = Path(__file__).parents[1] / "tests" / "logs" / "examples"
MARKS = [bytes([mark]) for mark in b"\n\0\r\t \"'{}[]:|,%-;\xff0"]
WORDS = [
    b"nan",
    b"1e999",
    b"null",
    b"true",
    b"shared",
    b"@DATA",
    b"9" * 30,
    b"\\ud800",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"x" * 70_000,
]
LINES = ("log.jsonl", "log.json", "log.vw", "algorithm_runs.arff")  # files in which no line is about another row
SIZES = (0, 0, 1, 3, 40, 400)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=5_000, metavar="N", help="how many files to break")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed")
    parser.add_argument("--format", default="", metavar="NAME", help="only this one")
    given = parser.parse_args()
    console, outcomes = Console(width=100, highlight=False), Counter[str]()
    cases = [case for case in CASES if given.format in ("", case.format)]
    platforms = [name for name in PLATFORMS if given.format in ("", name)]
    for number in track(range(given.logs), "Reading broken files", console=console):
        draw, which = np.random.default_rng((given.seed, number)), number % (len(cases) + len(platforms))
        with tempfile.TemporaryDirectory() as folder:
            if which < len(cases):
                name, how = cases[which].format, fuzz_case(cases[which], Path(folder), draw)
            else:
                name = platforms[which - len(cases)]
                how = fuzz_platform(name, Path(folder), draw)
        outcomes[f"{name}: {how}"] += 1
    for outcome, count in sorted(outcomes.items()):
        console.print(f"{count:7,} {outcome}")
    console.print(f"{given.logs:,} broken files: no traceback, no row lost in silence")


def fuzz_case(case: Case, folder: Path, draw: Draw) -> str:
    """Break a file of a format, read it, and check that its rows are accounted for; say how it ended."""
    rows: list[Row] = [
        (f"2026-03-0{draw.integers(1, 4)}", str(draw.integers(1, 4)), float(f"{draw.normal():.6g}"))
        for _ in range(draw.integers(1, 30))
    ]
    path = case.save(rows, folder)
    whole = path.read_bytes()
    broken = path.with_name(str(draw.choice([case.file, case.file, *case.beside])))
    broken.write_bytes(break_bytes(broken.read_bytes(), draw))
    try:
        log = bt.read_log(path, format=case.format, **case.options)
    except bt.InputError as error:
        str(error).encode()
        return "rejected with an error"
    check_account(log, path)
    if case.file in LINES:
        left = Counter(path.read_bytes().split(b"\n")) & Counter(whole.split(b"\n")[case.first_lines : -1])
        if log.account.rows_read < left.total():
            raise AssertionError(f"{left.total()} lines are whole, {log.account} of\n{path.read_bytes()[:3000]!r}")
    if case.file == "log.db":
        with sqlite3.connect(path) as connection:
            n_rows = len(connection.execute(QUERY).fetchall())
        if log.account.rows_read != n_rows:
            raise AssertionError(f"SQLite reads {n_rows} rows, {log.account}: {shutil.copy(path, '.')}")
    return "read with rows rejected" if log.account.rows_rejected else "read whole"


def fuzz_platform(name: str, folder: Path, draw: Draw) -> str:
    """The same with the exported results of a platform, which are totals."""
    path = folder / f"{name}.csv"
    path.write_bytes(break_bytes((EXAMPLES / path.name).read_bytes(), draw))
    try:
        log = bt.read_log(path, format=name)
    except bt.InputError as error:
        str(error).encode()
        return "rejected with an error"
    check_account(log, path)
    return "read with rows rejected" if log.account.rows_rejected else "read whole"


def check_account(log: bt.Log, path: Path) -> None:
    """Check that what was read adds up."""
    account = log.account
    n_rejected = sum(count for _, count in account.rejected)
    n_used = sum(task.rounds for task in log) if log.form == "rewards" else account.rows_used
    if account.rows_read != account.rows_used + n_rejected or account.rows_used != n_used or not len(log):
        raise AssertionError(f"{account}, {n_used} rows in tasks\n{path.read_bytes()[:3000]!r}")
    for task in log:
        assert all(np.isfinite(task.means)), task
    "\n".join(account.lines()).encode()


def break_bytes(content: bytes, draw: Draw) -> bytes:
    """Change, cut out or put in some bytes at up to four places; or cut the rest off."""
    held = bytearray(content)
    for _ in range(draw.integers(1, 5)):
        at, size = int(draw.integers(len(held) + 1)), int(draw.choice(SIZES))
        odd = [*MARKS, *WORDS, bytes(draw.integers(0, 256, draw.integers(7), dtype=np.uint8)), b""]
        held[at : at + size] = odd[draw.integers(len(odd))]
    if draw.random() < 0.1:
        del held[draw.integers(len(held) + 1) :]
    return bytes(held)


if __name__ == "__main__":
    main()
