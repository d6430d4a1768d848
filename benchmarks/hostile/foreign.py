"""Folders that hold the user's own files: whatever is asked of them, nothing of the user's changes or goes."""

import os
from functools import partial
from pathlib import Path

from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.command import check_done_or_rejected
from benchmarks.hostile.questions import make_question
from benchmarks.hostile.snapshots import name_harm, take_snapshot

TRIED = "runs in folders with files of the user's"

FOLDERS: dict[str, dict[str, str | None]] = {  # the user's files and what they hold; None: a folder
    "half-written": {".thesis.tex.part": "years of work", "work/.notes.md.part": "more", "work/deep/.x.part": "most"},
    "hidden": {".git/HEAD": "ref: refs/heads/main", ".env": "TOKEN=1", ".lock": "held by somebody else"},
    "folders": {".d.part/inside": "x", ".asked.json.1.part": None, "d.part": None},
    "asked": {"asked.json": '{"format": "another program"}', ".a.part": "x", "chunks/0.npz": "no npz"},
    "asked, not JSON": {"asked.json": "what I was asked", "answers.txt": "42"},
    "asked, a folder": {"asked.json": None, ".asked.json.part": "x"},
    "like ours": {
        ".tuned.json.abc.part": "mine",
        ".report.html.x.part": "mine",
        "tuned.json.bak": "mine",
        "0.npz": "mine",
    },
    "log": {"log.csv": "task,arm,reward\nt,a,1\n", "kept/sums.npz": "mine", "curves": None},
}


def cases(folder: Path) -> list[Case]:
    found = [
        Case(f"{option} in {name}", partial(run_in, folder / f"{number}{option}", option, files))
        for number, (name, files) in enumerate(FOLDERS.items())
        for option in ("--resume", "--out")
    ]
    found.append(Case("--out over links", partial(write_over_links, folder / "links")))
    found.append(Case("--resume, then files are added", partial(add_to_kept, folder / "added")))
    return found


def run_in(folder: Path, option: str, files: dict[str, str | None], draw: Draw) -> None:
    fill(folder / "theirs", files)
    check_unharmed(folder, option)


def add_to_kept(folder: Path, draw: Draw) -> None:
    """A folder of ours to which the user added files later."""
    folder.mkdir()
    make_question("few", folder).ask("--resume", folder / "theirs")
    before = set(take_snapshot(folder / "theirs"))
    fill(folder / "theirs", {".thesis.part": "x", ".d.part/inside": "y", "notes.md": "z", "sub/.more.part": "w"})
    check_unharmed(folder, "--resume", leaving_out=before)


def write_over_links(folder: Path, draw: Draw) -> None:
    """Links named as our results: what they lead to is not written over."""
    fill(folder / "theirs", {"own.json": "mine", "own.html": "mine"})
    for link, target in (("tuned.json", "own.json"), ("report.html", "own.html")):
        os.symlink(target, folder / "theirs" / link)
    check_unharmed(folder, "--out", leaving_out={"tuned.json", "report.html"})


def fill(folder: Path, files: dict[str, str | None]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        else:
            path.write_text(content)
            os.utime(path, (1e9, 1e9))


def check_unharmed(folder: Path, option: str, leaving_out: set[str] | None = None) -> None:
    """Resume twice, for what the first run leaves may lead the second astray."""
    theirs = folder / "theirs"
    before = {name: entry for name, entry in take_snapshot(theirs).items() if name not in (leaving_out or ())}
    question = make_question("few", folder)
    for _ in range(2 if option == "--resume" else 1):
        ended = question.ask(option, theirs)
        harm = name_harm(before, take_snapshot(theirs))
        if harm:
            raise GaveWayError(f"{'; '.join(harm[:3])}: {ended.command}")
        check_done_or_rejected(ended)
