"""Messages, progress and folders of the command line, which go to stderr, and how text from data is shown."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from banditune.errors import FileError, escape_controls

ESTIMATE_AFTER, WORTH_SAYING = 1.5, 10.0  # seconds of work that is extrapolated, and that have to be left
UNBOUNDED = 1000  # columns: wider than any table
LOADING = "Loading kernels (compiled on first use: a minute or two)"


def terminal(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Return a console that shows text as it is: nothing in it is highlighted or taken for a picture."""
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=soft_wrap)


def literal(text: object) -> str:
    r"""Text from data, to be put into marked-up text: shown letter by letter, what a terminal would obey escaped.

    >>> literal("[red]\x1b[2J")
    '\\[red]\\x1b[2J'
    """
    return escape(escape_controls(str(text)))


def say(message: str) -> None:
    """Print a line for the person at the terminal."""
    terminal(stderr=True, soft_wrap=True).print(escape_controls(message), style="dim", markup=False)


def _bar(done: ProgressColumn) -> Progress:
    """Return a bar that tells in its own way how much is done, and goes when it ends; only a terminal shows it."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn())
    console = terminal(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_interactive)  # else: empty lines


@contextmanager
def share_bar(words: str) -> Iterator[Callable[[str, float], None]]:
    """Return a bar on the terminal while the block runs; yields what to call with words and the share done."""
    with _bar(TaskProgressColumn()) as bar:
        shown = bar.add_task(words, total=1.0)
        yield lambda words, share: bar.update(shown, completed=share, description=escape_controls(words))


@contextmanager
def progress_bar(words: str, total: int, first: str | None = None) -> Iterator[Callable[[float], None]]:
    """Show a bar while the block runs; yield what to call with the number done. `first` stands first."""
    with _bar(MofNCompleteColumn()) as bar:
        shown = bar.add_task(first or words, total=total)
        yield lambda done: bar.update(shown, completed=done, description=words)


class RemainingTime:
    """How long some work will take, said once: from what the first seconds have done, compiling not counted."""

    def __init__(self, work: str, n_cores: int) -> None:
        self._work = work
        self._cores = "1 core" if n_cores == 1 else f"{n_cores} cores"
        self._began: tuple[float, float] | None = None  # when something was done first, and how much
        self._said = False

    def update(self, done: float, total: int, now: float) -> list[str]:
        """Take how much is done by now; return a sentence as soon as it is known that much is left, else none."""
        if done <= 0.0:  # until the first tasks are done, kernels may be compiled
            return []
        if self._began is None:
            self._began = now, done
        seconds, more = now - self._began[0], done - self._began[1]
        if self._said or seconds < ESTIMATE_AFTER or more <= 0.0:
            return []
        self._said = True
        left = seconds * (total - done) / more
        return [] if left < WORTH_SAYING else [f"{self._work}: about {format_duration(left)} on {self._cores}."]


def format_duration(seconds: float) -> str:
    """Return a duration that is only roughly known.

    >>> format_duration(38.0), format_duration(170.0), format_duration(7000.0), format_duration(5e5)
    ('40 seconds', '3 minutes', '2 hours', '6 days')
    """
    for unit, size, step in (("second", 1.0, 10), ("minute", 60.0, 1), ("hour", 3600.0, 1), ("day", 86400.0, 1)):
        n = max(step, step * round(seconds / (step * size)))
        if n < {"second": 90, "minute": 90, "hour": 48}.get(unit, n + 1):
            break
    return f"{n:,} {unit}{'' if n == 1 else 's'}"


@contextmanager
def stage_bar(first: str, n_cores: int | None = None) -> Iterator[Callable[[str, float, int], None]]:
    """Return a bar for work in stages; yields what to call with what is being done, how much is done, and of how much.

    With the number of cores that are at work: how long a stage will take, if it is long.
    """
    estimates: dict[str, RemainingTime] = {}
    with _bar(MofNCompleteColumn()) as bar:
        shown = bar.add_task(first, total=None)

        def progress(words: str, done: float, total: int) -> None:
            stage = escape_controls(words[:1].upper() + words[1:])
            if n_cores is not None:
                estimate = estimates.setdefault(stage, RemainingTime(stage, n_cores))
                for sentence in estimate.update(done, total, time.monotonic()):
                    bar.console.print(sentence, style="dim", markup=False)
            bar.update(shown, completed=done, total=total, description=stage)

        yield progress


def reject_file(path: Path) -> None:
    """Fail early where a folder cannot be created because a file has its name."""
    for place in (path, *path.absolute().parents):
        if place.exists():
            if not place.is_dir():
                raise FileError(f"cannot create the folder {path}: a file has that name ({place})")
            return
