"""Finished chunks of tasks: what each search found in them, by their numbers and their content."""

import hashlib
import pickle
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banditune.checkpoints.checkpoint_files import Arrays, Piece, digest, name_damage, read_piece, write_piece
from banditune.checkpoints.folder import Checkpoint
from banditune.errors import FileError
from banditune.policies.sweep_results import Swept
from banditune.tasks.base import PastTask

SECONDS = 2.0  # after so long, what is finished is written: no more than that is lost
MOST_BYTES = 2**26  # or after so much
DIGEST = 16  # bytes
FILES = r"\d{6,}\.npz"  # their names


class ChunkStore:
    """The finished chunks of one sweep over the tasks.

    A chunk is known by its number and a digest of its tasks; other tasks under a known number are rejected. `searches`
    are plain data that say what was asked; `part` says which of the tasks they are, if not all.
    """

    def __init__(self, checkpoint: Checkpoint, searches: Sequence[Any], part: str | None = None) -> None:
        asked = [*searches, *([] if part is None else [part])]
        self._folder = checkpoint.folder(f"sweep-{digest(asked)}", FILES)
        self._n_searches = len(searches)
        self._where: dict[int, tuple[Path, str]] = {}  # number -> the file it is in, and its digest
        self._open: tuple[Path, Piece] | None = None  # the file that was read last
        self._pending: dict[int, tuple[str, list[Swept]]] = {}
        self._pending_bytes = 0
        self._written = time.monotonic()
        self._n_files = 0
        files = [path for path in self._folder.glob("*.npz") if re.fullmatch(FILES, path.name)]
        for path in sorted(files, key=lambda path: int(path.stem)):
            with name_damage(path):
                self._where |= {int(number): (path, known) for number, known in read_piece(path).note.items()}
                self._n_files = int(path.stem) + 1

    def find(self, number: int, tasks_digest: str, tasks: range) -> list[Swept] | None:
        """Return what each search found in a chunk of such `tasks`, by number; None if it was not finished."""
        if number not in self._where:
            return None
        path, known = self._where[number]
        if tasks_digest != known:
            raise FileError(
                f"{self._folder.parent} has checkpoints of other tasks: tasks[{tasks.start}:{tasks.stop}] have "
                "changed. Give the same tasks, or another folder"
            )
        if self._open is None or self._open[0] != path:
            self._open = path, read_piece(path)
        with name_damage(path):
            return [Swept.from_arrays(self._open[1].arrays, f"{number}.{k}.") for k in range(self._n_searches)]

    def keep(self, number: int, tasks_digest: str, swept: list[Swept]) -> None:
        """Keep what was found in a chunk; it is written soon."""
        self._pending[number] = tasks_digest, swept
        self._pending_bytes += sum(2 * curves.left.nbytes for each in swept for curves in each.losses)
        if self._pending_bytes >= MOST_BYTES or time.monotonic() - self._written >= SECONDS:
            self.write()

    def write(self) -> None:
        """Write what is kept and not yet written."""
        if not self._pending:
            return
        arrays: Arrays = {}
        for number, (_, swept) in self._pending.items():
            for k, each in enumerate(swept):
                arrays |= each.to_arrays(f"{number}.{k}.")
        digests = {number: known for number, (known, _) in self._pending.items()}
        write_piece(self._folder / f"{self._n_files:06}.npz", digests, arrays)
        self._n_files += 1
        self._pending, self._pending_bytes, self._written = {}, 0, time.monotonic()

    def end(self, n_chunks: int) -> None:
        """All chunks are done: write the rest, and reject what was kept of more tasks than there are."""
        beyond = [number for number in self._where if number >= n_chunks]
        if beyond:
            raise FileError(
                f"{self._folder.parent} has checkpoints of more tasks than there are now. Give the same tasks, or "
                "another folder"
            )
        self.write()


def digest_tasks(tasks: Sequence[Any]) -> str:
    """Return some letters that differ for different tasks: from their arrays and names."""
    found = hashlib.blake2b(digest_size=DIGEST)
    for task in tasks:
        for part in _list_parts(task):
            found.update(part)
    return found.hexdigest()


def _list_parts(value: Any) -> Iterator[Any]:
    """Yield the bytes of a value, field by field."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).data
    elif isinstance(value, PastTask) and not type(value).__module__.startswith("banditune."):  # whatever it holds
        yield pickle.dumps(value, protocol=5)
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for field in fields(value):
            yield from _list_parts(getattr(value, field.name, None))
    else:
        yield repr(value).encode("utf-8", "surrogatepass")
