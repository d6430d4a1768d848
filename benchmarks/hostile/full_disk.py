"""Disks that are full: an error of ours, and what was there before is whole."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError, LeftOut
from benchmarks.hostile.command import Ended, answer_of, check_civil, check_rejected, last_line, limit_files, run
from benchmarks.hostile.questions import Question, make_question
from benchmarks.hostile.snapshots import name_harm, take_snapshot

TRIED = "writes to full disks"

COLLECT = """
import json, sys
import banditune as bt
asked = []
def pull(arm):
    asked.append(arm)
    return (arm + 1) / 8
try:
    task = bt.collect(bt.UCB, pull, n_arms=3, horizon=60, alpha=(0.0, 1.0), save=sys.argv[1])
except bt.FileError as error:
    sys.exit(f"{len(asked)} pulls; {error}")
print(json.dumps([rewards.tolist() for rewards in task.rewards]))
"""


def cases(folder: Path) -> list[Case]:
    found = [Case("stdout", partial(print_to_full, folder)), Case("closed pipe", partial(print_to_closed, folder))]
    for size in (0, 100, 2_000, 20_000):
        found.append(Case("--out", partial(write_results, folder / f"out{size}", size)))
        found.append(Case("--resume", partial(keep_work, folder / f"kept{size}", size)))
    found += [Case("journal", partial(collect, folder / f"journal{size}", size)) for size in (0, 50, 700, 1_500)]
    found += [Case("tmpfs", partial(fill_tmpfs, folder / f"tmpfs{disk}", disk)) for disk in ("64k", "300k")]
    return found


def print_to_full(folder: Path, draw: Draw) -> None:
    question = make_question("few", folder)
    with open("/dev/full", "wb") as full:
        ended = question.ask(stdout=full)
    check_civil(ended)
    if ended.status == 0:
        raise GaveWayError(f"exit 0 though nothing could be printed: {ended.command} > /dev/full")


def print_to_closed(folder: Path, draw: Draw) -> None:
    """A reader that has gone, as `| head` goes: no traceback."""
    question = make_question("few", folder)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        ended = question.ask(stdout=closed)
    if ended.status >= 0:
        check_civil(ended)


def write_results(folder: Path, size: int, draw: Draw) -> None:
    """Results of an earlier run stay as they were, and nothing half-written lies beside them."""
    folder.mkdir()
    question, out = make_question("few", folder), folder / "out"
    answer_of(question.ask("--out", out))
    other = Question("few", folder, ("--horizon", "31", "--alpha", "0", "1"))
    check_full(lambda: other.ask("--out", out, prepare=limit_files(size)), out)


def keep_work(folder: Path, size: int, draw: Draw) -> None:
    """Once there is room again, the run goes on and gives the right answer."""
    folder.mkdir()
    question = make_question("few", folder)
    answer, kept = answer_of(question.ask()), folder / "kept"
    ended = question.ask("--resume", kept, prepare=limit_files(size))
    if ended.status != 0:
        check_rejected(ended, "kept")
    if answer_of(resumed := question.ask("--resume", kept)) != answer:
        raise GaveWayError(f"another answer after the disk was full: {resumed.command}")


def collect(folder: Path, size: int, draw: Draw) -> None:
    """No reward is lost or told twice when the journal cannot grow."""
    folder.mkdir()
    program, journal = [sys.executable, "-c", COLLECT], folder / "journal.jsonl"
    whole = run([*program, folder / "whole.jsonl"], folder / "tmp")
    ended = run([*program, journal], folder / "tmp", prepare=limit_files(size))
    check_civil(ended)
    if ended.status == 0:
        raise GaveWayError(f"no error though the journal could not be longer than {size} bytes")
    again = run([*program, journal], folder / "tmp")
    if again.status != 0 or json.loads(again.stdout) != json.loads(whole.stdout):
        raise GaveWayError(f"a journal that could hold {size} bytes cannot be gone on with: {last_line(again)}")


def fill_tmpfs(folder: Path, size: str, draw: Draw) -> None:
    folder.mkdir()
    question, disk = make_question("few", folder), folder / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise LeftOut("mounting a small disk needs root")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], capture_output=True)
    if mounted.returncode != 0:
        raise LeftOut("a small disk cannot be mounted here")
    try:
        check_full(lambda: question.ask("--out", disk / "out"), disk)
        check_full(lambda: question.ask("--resume", disk / "kept"), disk)
    finally:
        subprocess.run(["umount", disk], check=False)


def check_full(ask: Callable[[], Ended], folder: Path) -> None:
    """Ask for more than fits: exit 2 (or 0, where it did fit), old files whole or replaced whole, no scraps."""
    before = take_snapshot(folder)
    ended = ask()
    after = take_snapshot(folder)
    gone = [harm for harm in name_harm(before, after) if harm.endswith("gone")]
    scraps = [name for name in after if name.endswith(".part") and name not in before]
    if gone or scraps:
        raise GaveWayError(f"{'; '.join(gone + scraps)} after {ended.command}")
    if ended.status != 0:
        check_rejected(ended)
    for path in folder.rglob("*.json"):
        try:
            json.loads(path.read_text())
        except ValueError:
            raise GaveWayError(f"{path.name} is half-written after {ended.command}") from None
