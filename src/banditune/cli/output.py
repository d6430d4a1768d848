"""Messages, progress and folders of the command line, which go to stderr, and how text from data is shown."""

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

LOADING = "Loading kernels (compiled on first use: a minute or two)"


def terminal(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Where text is shown as it is: nothing in it is highlighted or taken for a picture."""
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=soft_wrap)


def literal(text: object) -> str:
    r"""Text from data, to be put into marked-up text: shown letter by letter, what a terminal would obey escaped.

    >>> literal("[red]\x1b[2J")
    '\\[red]\\x1b[2J'
    """
    return escape(escape_controls(str(text)))


def say(message: str) -> None:
    """A line for the person at the terminal."""
    terminal(stderr=True, soft_wrap=True).print(escape_controls(message), style="dim", markup=False)


def _bar(done: ProgressColumn) -> Progress:
    """A bar that tells in its own way how much is done, and goes when it ends."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), done, TimeRemainingColumn())
    return Progress(*columns, console=terminal(stderr=True), transient=True)


@contextmanager
def share_bar(words: str) -> Iterator[Callable[[str, float], None]]:
    """A bar on the terminal while the block runs; yields what to call with words and the share done."""
    with _bar(TaskProgressColumn()) as bar:
        shown = bar.add_task(words, total=1.0)
        yield lambda words, share: bar.update(shown, completed=share, description=escape_controls(words))


@contextmanager
def progress_bar(words: str, total: int, first: str | None = None) -> Iterator[Callable[[float], None]]:
    """A bar on the terminal while the block runs; yields what to call with the number done. `first` stands first."""
    with _bar(MofNCompleteColumn()) as bar:
        shown = bar.add_task(first or words, total=total)
        yield lambda done: bar.update(shown, completed=done, description=words)


@contextmanager
def stage_bar(first: str) -> Iterator[Callable[[str, float, int], None]]:
    """A bar for work in stages; yields what to call with what is being done, how much is done, and of how much."""
    with _bar(MofNCompleteColumn()) as bar:
        shown = bar.add_task(first, total=None)

        def progress(words: str, done: float, total: int) -> None:
            bar.update(shown, completed=done, total=total, description=escape_controls(words[:1].upper() + words[1:]))

        yield progress


def reject_file(path: Path) -> None:
    """Fail early where a folder cannot be created because a file has its name."""
    for place in (path, *path.absolute().parents):
        if place.exists():
            if not place.is_dir():
                raise FileError(f"cannot create the folder {path}: a file has that name ({place})")
            return
