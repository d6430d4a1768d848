"""Bytes that went wrong in files of ours: an error that says so, or the right answer; never another one."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import banditune as bt
from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import answer_of, banditune, check_done_or_rejected, run
from benchmarks.hostile.mutations import mutate
from benchmarks.hostile.questions import make_question

TRIED = "corrupted files read"
ASKED: dict[str, Any] = {"horizon": 30, "alpha": (0.0, 2.0)}


def cases(folder: Path) -> Iterator[Case]:
    world = World(folder)
    kinds: dict[str, Callable[[Draw], None]] = {
        "checkpoint": world.corrupt_checkpoint,
        "journal": world.corrupt_journal,
        "tuned.json": world.corrupt_tuned,
        "policy": world.corrupt_policy,
        "log": world.corrupt_log,
    }
    for number in itertools.count():
        for kind, attempt in kinds.items():
            yield Case(kind, attempt)
        if number % 50 == 10:
            yield Case("commands", partial(corrupt_commands, world))


class World:
    """One file of each kind as it should be, and what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = make_question("few", folder).log
        self.tasks = list(bt.read_log(self.log))
        self.kept, self.broken = folder / "kept", folder / "broken"
        self.answer = bt.tune(bt.UCB, self.tasks, resume=self.kept, **ASKED)
        self.answer.save(folder / "tuned.json")
        self.asked: list[int] = []  # the arms that the world was asked for, in order
        self.collected = [rewards.tolist() for rewards in self.collect(folder / "journal.jsonl").rewards]
        policy = self.answer.policy(n_arms=3)
        for reward in (0.25, 0.5, 0.75, 0.125):
            policy.update(policy.select(), reward)
        self.policy = policy.to_json()

    def collect(self, journal: Path) -> Any:
        """Collect from a world whose n-th reward of an arm is always the same; it goes on where a journal ends."""
        known = max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0  # a line for each, after one
        told = self.asked[:known]
        given = [told.count(arm) for arm in range(3)]

        def pull(arm: int) -> float:
            given[arm] += 1
            told.append(arm)
            self.asked = max(self.asked, told, key=len)
            return ((given[arm] * 7 + arm * 3) % 10) / 10

        return bt.collect(bt.UCB, pull, n_arms=3, horizon=20, alpha=(0.0, 1.0), save=journal)

    def corrupt_checkpoint(self, draw: Draw) -> None:
        """Resumed, the run rejects the folder or gives the same answer."""
        shutil.rmtree(self.broken, ignore_errors=True)
        shutil.copytree(self.kept, self.broken)
        files = sorted(path for path in self.broken.rglob("*") if path.is_file() and path.stat().st_size)
        path = files[draw.integers(len(files))]
        how = spoil(path, draw)
        found = rejected_or(lambda: bt.tune(bt.UCB, self.tasks, resume=self.broken, **ASKED), f"{how} of {path.name}")
        if found is not None and (found.curve != self.answer.curve or found.params != self.answer.params):
            raise GaveWayError(f"another answer of bt.tune(resume=...) after {how} of {path.name}")

    def corrupt_journal(self, draw: Draw) -> None:
        """A journal that was cut short goes on; what else happened to it must be noticed."""
        journal = self.folder / "broken.jsonl"
        shutil.copy(self.folder / "journal.jsonl", journal)
        before = journal.read_bytes()
        how = spoil(journal, draw)
        spoiled = journal.read_bytes()
        found = rejected_or(lambda: self.collect(journal), f"{how} of a journal")
        if found is not None and [rewards.tolist() for rewards in found.rewards] != self.collected:
            place = next((k for k, (a, b) in enumerate(zip(before, spoiled, strict=False)) if a != b), len(spoiled))
            now = spoiled[max(0, place - 20) : place + 20]
            raise GaveWayError(f"other rewards of bt.collect(save=...) after {how} of its journal, at {place}: {now!r}")

    def corrupt_tuned(self, draw: Draw) -> None:
        """No checksum is promised: it is read or rejected."""
        path = self.folder / "broken.json"
        shutil.copy(self.folder / "tuned.json", path)
        how = spoil(path, draw)
        rejected_or(lambda: bt.load(path), f"{how} of tuned.json: {path.read_bytes()[:60]!r}")

    def corrupt_policy(self, draw: Draw) -> None:
        """A deployed policy is read or rejected."""
        how, text = mutate(self.policy.encode(), draw)
        broken = text.decode("utf-8", errors="replace")
        rejected_or(lambda: bt.policy_from_json(broken), f"bt.policy_from_json({broken!r}), {how}")

    def corrupt_log(self, draw: Draw) -> None:
        """A log is read, with an account of its rows, or rejected."""
        path = self.folder / "broken.csv"
        shutil.copy(self.log, path)
        how = spoil(path, draw)
        rejected_or(lambda: bt.read_log(path), f"{how} of a log")


def spoil(path: Path, draw: Draw) -> str:
    """Change a file in one way, and say which."""
    how, content = mutate(path.read_bytes(), draw)
    path.write_bytes(content)
    return how


def rejected_or(call: Callable[[], Any], what: str) -> Any:
    """What the call returns; None if it ended with an error of ours."""
    try:
        return call()
    except bt.BanditTuneError:
        return None
    except Exception as error:
        raise GaveWayError(f"{type(error).__name__}: {error} after {what}") from error


def corrupt_commands(world: World, draw: Draw) -> None:
    """The same on the command line: exit 0 or 2, no traceback, and of a checkpoint the same answer."""
    temporary, kept = world.folder / "tmp", world.folder / "kept-by-command"
    question = make_question("few", world.folder)
    shutil.rmtree(kept, ignore_errors=True)
    answer = answer_of(question.ask("--resume", kept))
    files = sorted(path for path in kept.rglob("*") if path.is_file() and path.stat().st_size)
    spoil(files[draw.integers(len(files))], draw)
    ended = question.ask("--resume", kept)
    check_done_or_rejected(ended)
    if ended.status == 0 and answer_of(ended) != answer:
        raise GaveWayError(f"another answer: {ended.command}")
    path = world.folder / "command.json"
    shutil.copy(world.folder / "tuned.json", path)
    spoil(path, draw)
    check_done_or_rejected(run([*banditune(), "convert", path, "--to", "mabwiser"], temporary))
    check_done_or_rejected(run([*banditune(), "tune", world.log, "--horizon", "9", "--like", path], temporary))
