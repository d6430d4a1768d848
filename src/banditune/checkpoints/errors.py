"""Trouble with finished work where it is kept: told with the name of the file, and no trouble with the tasks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banditune.errors import FileError


class CheckpointError(FileError):
    """Finished work cannot be read or written where it is kept."""


@contextmanager
def reading_checkpoint(path: Path) -> Iterator[None]:
    """A block that reads a kept file; a damaged one fails in any way it likes, and is named."""
    try:
        yield
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:
        told = str(error) or type(error).__name__
        raise CheckpointError(f"{path} is damaged ({told}); remove it, and what was in it is computed again") from None


@contextmanager
def writing_checkpoint() -> Iterator[None]:
    """A block that writes a kept file, and names it if it cannot."""
    try:
        yield
    except FileError as error:
        raise CheckpointError(str(error)) from None
