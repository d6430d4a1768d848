"""Trouble with finished work where it is kept: told with the name of the file, and no trouble with the tasks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banditune.errors import FileError


class KeptError(FileError):
    """Finished work cannot be read or written where it is kept."""


@contextmanager
def reading_kept(path: Path) -> Iterator[None]:
    """A block that reads a kept file; a damaged one fails in any way it likes, and is named."""
    try:
        yield
    except KeptError:
        raise
    except OSError as error:
        raise KeptError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:
        told = str(error) or type(error).__name__
        raise KeptError(f"{path} is damaged ({told}); remove it, and what was in it is computed again") from None


@contextmanager
def writing_kept() -> Iterator[None]:
    """A block that writes a kept file, and names it if it cannot."""
    try:
        yield
    except FileError as error:
        raise KeptError(str(error)) from None
