"""Small inputs that ask for much: each must end within a stated time and memory, done or rejected."""

import signal
import sys
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import Ended, banditune, check_done_or_rejected, limit_work, run
from benchmarks.hostile.questions import make_question

TRIED = "inputs that ask for much"
GUARD = 12_000, 60  # megabytes of addresses and seconds of the processor, for the sake of this machine
SECONDS, MEGABYTES = 40.0, 1_500.0  # what each may take, of the processor and of memory
PATIENCE = 150.0  # seconds by the clock

PROGRAMS = {  # name: a program, all of whose errors must be ours
    "8,000 arms, T = 2": "tune([bt.Task([[0.5, k / 8000] for k in range(8_000)])], 2)",
    "8,000 arms, T = 8,010": "tune([bt.Task([[k / 8000] for k in range(8_000)])], 8_010)",
    "100,000 arms": "tune([bt.Task([[k / 1e5] for k in range(100_000)])], 100)",
    "totals of 10**9": "tune([bt.Task.from_counts([10**9, 10**9], [3 * 10**8, 5 * 10**8])], 100)",
    "totals of 10**18": "tune([bt.Task.from_counts([10**18, 5], [10**17, 5])], 100)",
    "10**5 tasks": "tune((bt.Task([[0.0], [1.0]]) for _ in range(100_000)), 2)",
    "nested, load": "bt.load(nested)",
    "nested, policy": "bt.policy_from_json(open(nested).read())",
    "nested, log": "bt.read_log(nested)",
    "nested, journal": "bt.collect(bt.UCB, lambda arm: 0.5, n_arms=2, horizon=9, alpha=(0.0, 1.0), save=nested)",
    "huge number, policy": "bt.policy_from_json('{\"alpha\": ' + '9' * 10**6 + '}')",
    "10**9 rounds": "bt.play(bt.UCB, bt.Task([[1.0]]), horizon=10**9 + 1, alpha=1.0)",
    "10**12 arms": "bt.UCB(10**12)",
}
SHELL = """
import signal
import sys
import banditune as bt
nested = sys.argv[1]
def tune(tasks, horizon):
    return bt.tune(bt.UCB, tasks, horizon=horizon, alpha=(0.0, 1.0))
try:
    {}
except bt.BanditTuneError as error:
    print("rejected:", str(error)[:300])
    sys.exit(2)
"""


def cases(folder: Path) -> list[Case]:
    question = make_question("few", folder)
    question.ask()  # compiles what is not compiled yet
    nested, objects, few = folder / "nested.json", folder / "objects.json", question.log
    nested.write_text("[" * 200_000 + "]" * 200_000)
    objects.write_text('{"a":' * 200_000 + "1" + "}" * 200_000)
    found = [
        Case(name, partial(run_program, folder, program, path))
        for name, program in PROGRAMS.items()
        for path in ((nested, objects) if "nested" in name else (nested,))
    ]
    for path in (nested, objects):
        found += [
            Case("nested, convert", partial(run_command, folder, ["convert", path, "--to", "river"])),
            Case("nested, --like", partial(run_command, folder, ["tune", few, "--horizon", "9", "--like", path])),
            Case("nested, --resume", partial(resume_nested, folder, path)),
        ]
    totals = "task,arm,pulls,successes\nt,a,1000000000,3\nt,b,1000000000,999999999\n"
    tasks = "".join(f"t{task},{arm},{task % 2}\n" for task in range(100_000) for arm in "ab")
    arms = "".join(f"t,{arm},{arm % 7}\n" for arm in range(100_000))
    found += [
        Case("log of totals", partial(tune_log, folder, totals)),
        Case("log of 10**5 tasks", partial(tune_log, folder, "task,arm,reward\n" + tasks)),
        Case("log of 10**5 arms", partial(tune_log, folder, "task,arm,reward\n" + arms)),
    ]
    return found


def run_program(folder: Path, program: str, nested: Path, draw: Draw) -> None:
    copy = folder / "copy.jsonl" if "collect" in program or "read_log" in program else folder / "copy.json"
    copy.write_bytes(nested.read_bytes())
    words = [sys.executable, "-c", SHELL.format(program), str(copy)]
    check_spent(run(words, folder / "tmp", prepare=limit_work(*GUARD), patience=PATIENCE), program)


def run_command(folder: Path, arguments: list[str | Path], draw: Draw) -> None:
    ended = run([*banditune(), *arguments], folder / "tmp", prepare=limit_work(*GUARD), patience=PATIENCE)
    check_spent(ended, ended.command)


def resume_nested(folder: Path, nested: Path, draw: Draw) -> None:
    """A checkpoint each of whose plain files is nested beyond measure."""
    question, kept = make_question("few", folder), folder / f"kept-{nested.stem}"
    question.ask("--resume", kept)
    for path in sorted(kept.rglob("*.json")):
        before = path.read_bytes()
        path.write_bytes(nested.read_bytes())
        check_spent(question.ask("--resume", kept), f"{path.name} nested in --resume")
        path.write_bytes(before)


def tune_log(folder: Path, text: str, draw: Draw) -> None:
    log = folder / "bomb.csv"
    log.write_text(text)
    run_command(folder, ["tune", log, "--horizon", "10", "--json"], draw)


def check_spent(ended: Ended, what: str) -> None:
    """Done or rejected, within the time and the memory."""
    if ended.hung or ended.status == -signal.SIGXCPU:
        raise GaveWayError(
            f"no end after {ended.processor_seconds:.0f} s of the processor, {ended.peak_megabytes:.0f} MB: {what}"
        )
    check_done_or_rejected(ended)
    if ended.processor_seconds > SECONDS or ended.peak_megabytes > MEGABYTES:
        raise GaveWayError(f"{ended.processor_seconds:.0f} s and {ended.peak_megabytes:.0f} MB: {what}")
