"""Names of arms, tasks, columns and files that try to be commands, markup or code."""

import itertools
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import Ended, banditune, check_civil, last_line, run
from benchmarks.hostile.injections import (
    MARK,
    NAMES,
    find_controls,
    find_in_page,
    find_in_script,
    find_rendered,
)
from benchmarks.hostile.questions import write_rows

TRIED = "names printed and put into pages"


def cases(folder: Path) -> list[Case]:
    found = [
        Case("all in a contest", partial(compare_log, folder / "contest")),
        Case("all with priors", partial(tune_priors, folder / "priors")),
    ]
    for kind, name in NAMES.items():
        found.append(Case(f"{kind} in a log", partial(tune_log, folder / kind / "log", name)))
        found.append(Case(f"{kind} in a mistake", partial(mistake, folder / kind / "mistake", name)))
    return found


def tune_log(folder: Path, name: str, draw: Draw) -> None:
    """The name is that of the file, a task, an arm and columns; some rows are bad, so that messages speak of them."""
    task, arm = f"task {name}"[:60], f"arm {name}"[:60]
    folder.mkdir(parents=True)
    log = write_log(folder, [name], task=task, arm=arm, path=folder / f"{usable_path(name)}.csv")
    check_page(ask(folder, "tune", log, "--task", task.replace("\0", ""), "--arm", arm.replace("\0", "")), folder)


def mistake(folder: Path, name: str, draw: Draw) -> None:
    """The name is that of a file, a column or a value that is not there."""
    given, path = name.replace("\0", ""), f"{folder}/no {usable_path(name)}"
    log = write_log(folder, ["a"])
    wrong = [
        ["tune", f"{path}.csv"],
        ["tune", f"{path}*.csv"],
        ["convert", path, "--to", "river"],
        ["convert", str(log), "--to", given],
        *(["tune", str(log), option, given] for option in ("--task", "--policy", "--horizon", "--loss", "--scaling")),
    ]
    for arguments in (wrong[k] for k in draw.choice(len(wrong), 2, replace=False)):
        ended = run([*banditune(), *arguments], folder / "tmp")
        check_printed(ended)
        if ended.status != 2:
            raise GaveWayError(f"exit {ended.status} instead of 2: {ended.command}: {last_line(ended)}")


def usable_path(name: str) -> str:
    """What a file may be called."""
    return name.replace("\0", "").replace("/", "_")[:80]


def tune_priors(folder: Path, draw: Draw) -> None:
    log = write_log(folder, list(NAMES.values()))
    ended = ask(folder, "tune", log, "--prior-means", "0", "1")
    check_page(ended, folder)
    if ended.status == 0:
        for library in ("mabwiser", "river", "smpybandits", "banditpylib"):
            script = run([*banditune(), "convert", folder / "out" / "tuned.json", "--to", library], folder / "tmp")
            check_printed(script)
            found = find_in_script(script.stdout) if script.status == 0 else []
            if found:
                raise GaveWayError(f"{found[0]} in the script of {script.command}")


def compare_log(folder: Path, draw: Draw) -> None:
    log = write_log(folder, list(NAMES.values()))
    check_page(ask(folder, "compare", log, "--folds", "2", "--repetitions", "1"), folder)


def write_log(
    folder: Path, names: list[str], *, task: str = "task", arm: str = "arm", path: Path | None = None
) -> Path:
    """A log in which tasks and arms have these names, beside plain ones, and some rewards are words."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {task: f"{name} {k}", arm: arm_name, "reward": "soon" if (k, turn) == (0, 1) else (k * turn) % 3}
        for name, k in itertools.product(names, range(4))
        for turn in range(6)
        for arm_name in ("plain", *names)
    ]
    path = path or folder / "log.csv"
    write_rows(path, rows)
    return path


def ask(folder: Path, command: str, log: Path, *options: str) -> Ended:
    """The command, with its results in a folder."""
    words = [*banditune(), command, str(log), "--horizon", "6", *options]
    return run([*words, "--out", folder / "out"], folder / "tmp")


def check_printed(ended: Ended) -> None:
    """Nothing that was printed commands the terminal, and codes in the data were left as they are."""
    check_civil(ended)
    if ended.status not in (0, 2):
        raise GaveWayError(f"exit {ended.status}: {ended.command}: {last_line(ended)}")
    told = ended.stdout + ended.stderr
    found = find_controls(told) + find_rendered(told)
    if found:
        line = next(line for line in told.split("\n") if find_controls(line) + find_rendered(line))
        raise GaveWayError(f"{', '.join(found)} printed in {line[:120]!r} by {ended.command}"[:600])


def check_page(ended: Ended, folder: Path) -> None:
    """The pages and figures hold the names as text, or there are none because the log was rejected."""
    check_printed(ended)
    out = folder / "out"
    for page in out.glob("*.html"):
        found = find_in_page(page.read_text(encoding="utf-8"))
        if found:
            raise GaveWayError(f"{found[0]} in {page.name} of {ended.command}"[:600])
    for figure in out.glob("*.svg"):
        try:
            tree = ElementTree.parse(figure)
        except ElementTree.ParseError as error:
            raise GaveWayError(f"{figure.name} is no SVG: {error}; {ended.command}"[:600]) from None
        if any(MARK in element.tag or any(MARK in name for name in element.attrib) for element in tree.iter()):
            raise GaveWayError(f"an element from data in {figure.name} of {ended.command}"[:600])
    if ended.status == 0 and not list(out.glob("*.html")):
        raise GaveWayError(f"no page was written by {ended.command}"[:600])
