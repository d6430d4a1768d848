"""Failures of checkpoints: they name the file, and are not failures of the tasks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banditune.errors import FileError


class CheckpointError(FileError):
    """A checkpoint cannot be read or written."""


@contextmanager
def reading_checkpoint(path: Path) -> Iterator[None]:
    """A block that reads a checkpoint; a damaged one fails in any way it likes, and is named."""
    try:
        yield
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise CheckpointError(f"{path} is damaged ({reason}); remove it, and its part is computed again") from None


@contextmanager
def writing_checkpoint() -> Iterator[None]:
    """A block that writes a checkpoint, and names it if it cannot."""
    try:
        yield
    except FileError as error:
        raise CheckpointError(str(error)) from None
