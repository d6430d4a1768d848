"""Kill -9 at random moments: the run that goes on with the same folder or file gives the bits of an undisturbed one."""

import itertools
import json
import shutil
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import answer_of, check_nothing_left, last_line, run
from benchmarks.hostile.questions import Answers, Question

TRIED = "runs killed at random moments and resumed"

COLLECT = """
import json, sys
import banditune as bt
streams = [[((7 * k * k + 3 * k + 5 * arm) % 11) / 10 for k in range(400)] for arm in range(4)]
asked, given = open(sys.argv[2], "a", buffering=1), [0] * 4
for line in open(sys.argv[2]):
    given[int(line)] += 1
def pull(arm):
    reward = streams[arm][given[arm]]
    given[arm] += 1
    print(arm, file=asked)
    return reward
task = bt.collect(bt.UCB, pull, n_arms=4, horizon=300, alpha=(0.0, 1.0), save=sys.argv[1])
print(json.dumps([rewards.tolist() for rewards in task.rewards]))
"""


def cases(folder: Path) -> Iterator[Case]:
    answers = Answers(folder)
    collected = partial(kill_collecting, folder)
    kinds = ["many", "many", "collect", "priors", "gpucb", "collect", "linucb"]
    for number in itertools.count():
        name = kinds[number % len(kinds)]
        yield Case(name, collected if name == "collect" else partial(kill_tuning, name, answers, folder))
        if number == 0:
            yield Case("leftovers", partial(kill_while_reading, folder))


def kill_tuning(name: str, answers: Answers, folder: Path, draw: Draw) -> None:
    """Kill a run up to three times, then let it end."""
    question, answer, seconds = answers[name]
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    moments = []
    for _ in range(draw.integers(1, 4)):
        moments.append(round(float(draw.uniform(0.3, seconds)), 2))
        run(question.command("--resume", kept), folder / "killed", at=(moments[-1], signal.SIGKILL))
    resumed = question.ask("--resume", kept)
    if answer_of(resumed) != answer:
        raise GaveWayError(f"another answer after kill -9 at {moments} s: {resumed.command}")


def kill_collecting(folder: Path, draw: Draw) -> None:
    """Kill a collection; at most the reward that was about to be written is asked for again."""
    whole = run_collecting(folder, "whole", None)
    moments = draw.uniform(0.5, max(1.0, whole[1]), 2).round(2).tolist()
    for moment in moments:
        run_collecting(folder, "killed", moment)
    killed = run_collecting(folder, "killed", None)
    extra = len(killed[2]) - len(whole[2])
    for name in ("whole", "killed"):
        (folder / f"{name}.jsonl").unlink()
        (folder / f"{name}.asked").unlink()
    if extra > len(moments):
        raise GaveWayError(f"{extra} pulls were asked for twice after kill -9 of bt.collect(save=...) at {moments} s")
    if extra == 0 and killed[0] != whole[0]:
        raise GaveWayError(f"other rewards after kill -9 of bt.collect(save=...) at {moments} s")


def run_collecting(folder: Path, name: str, moment: float | None) -> tuple[list[list[float]], float, str]:
    journal, asked = folder / f"{name}.jsonl", folder / f"{name}.asked"
    asked.touch()
    at = None if moment is None else (moment, signal.SIGKILL)
    ended = run([sys.executable, "-c", COLLECT, journal, asked], folder / "tmp", at=at)
    if moment is None and ended.status != 0:
        raise GaveWayError(f"bt.collect(save={str(journal)!r}) cannot go on after kill -9: {last_line(ended)}")
    return json.loads(ended.stdout or "[]"), ended.seconds, asked.read_text()


def kill_while_reading(folder: Path, draw: Draw) -> None:
    """What a killed run left in the folder of temporary files is swept by a later one."""
    question = Question("wide", folder, ("--horizon", "10", "--alpha", "0", "1"))
    with question.log.open("w") as file:
        file.write("task,arm,reward\n")
        file.writelines(f"t{row % 5_000},a{row % 3},{row % 7}\n" for row in range(600_000))
    temporary, left = folder / "swept", 0
    for moment in (1.5, 2.0, 2.5, 3.0, 3.5):
        run(question.command(), temporary, at=(moment, signal.SIGKILL))
        left = max(left, len(list(temporary.iterdir())))
    small, _, _ = Answers(folder)["few"]
    run(small.command(), temporary)
    try:
        check_nothing_left(temporary)
    except GaveWayError as problem:
        raise GaveWayError(f"{problem}, by runs that were killed, of which {left} left something") from None
