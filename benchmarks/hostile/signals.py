"""Ctrl-C and its kin at random moments: a prompt and quiet end, nothing left behind, and a run that can go on."""

import itertools
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import Ended, answer_of, check_nothing_left, last_line, run
from benchmarks.hostile.questions import Answers, make_question

TRIED = "runs interrupted at random moments"
PROMPT = 2.0  # seconds
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
START = 1.0  # seconds after which our code is in charge; before, a traceback would be the interpreter's


def cases(folder: Path) -> Iterator[Case]:
    answers, slowest = Answers(folder), [0.0]
    for number in itertools.count():
        name, sent = ["long", "longest", "long", "many"][number % 4], SIGNALS[number % 3]
        yield Case(f"{sent.name} of {name}", partial(interrupt, name, sent, answers, slowest, folder))


def interrupt(name: str, number: int, answers: Answers, slowest: list[float], folder: Path, draw: Draw) -> str:
    """Send the signal, look at the end, and resume where the whole run is short enough."""
    if name == "longest":
        question, answer, seconds = make_question(name, folder), None, 9.0
    else:
        question, answer, seconds = answers[name]
    kept, temporary = folder / "kept", folder / "own"
    for used in (kept, temporary):
        shutil.rmtree(used, ignore_errors=True)
    moment = round(float(draw.uniform(START, seconds)), 2)
    ended = run(question.command("--resume", kept), temporary, at=(moment, number), patience=30.0)
    if ended.seconds_after_signal:  # else it had ended by itself
        slowest[0] = max(slowest[0], ended.seconds_after_signal)
        check_nothing_left(temporary)
        check_interrupted(ended, number, moment)
    if answer is not None and answer_of(resumed := question.ask("--resume", kept)) != answer:
        raise GaveWayError(f"another answer after signal {number} at {moment} s: {resumed.command}")
    return f"the slowest ended after {slowest[0]:.1f} s"


def check_interrupted(ended: Ended, number: int, moment: float) -> None:
    sent = f"signal {signal.Signals(number).name} after {moment} s of {ended.command}"
    if ended.hung:
        raise GaveWayError(f"did not end within 30 s: {sent}")
    if ended.seconds_after_signal > PROMPT:
        raise GaveWayError(f"took {ended.seconds_after_signal:.1f} s to end: {sent}")
    if ended.status == 0:
        return  # the answer was there already
    if "Traceback" in ended.stderr:
        raise GaveWayError(f"traceback {last_line(ended)!r}: {sent}")
    if ended.status not in (128 + number, -number):  # which a shell does not tell apart
        raise GaveWayError(f"exit {ended.status} instead of {128 + number}: {sent}")
