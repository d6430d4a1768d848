"""Finished chunks of tasks: what each search found in them, by their numbers and their content."""

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banditune.checkpoints.arrays import Arrays, from_arrays, open_arrays, to_arrays
from banditune.checkpoints.errors import reading_checkpoint
from banditune.checkpoints.folder import Checkpoint
from banditune.errors import FileError
from banditune.io import write_arrays
from banditune.policies.sweeps import Swept
from banditune.tuning.search import Search

SECONDS = 2.0  # after so long, what is finished is written: no more than that is lost
MOST_BYTES = 2**26  # or after so much
DIGEST = 16  # bytes
FILES = r"\d{6,}\.npz"  # their names


class ChunkStore:
    """The finished chunks of one sweep over the tasks.

    A chunk is known by its number and a digest of its tasks; other tasks under a known number are rejected.
    """

    def __init__(self, checkpoint: Checkpoint, searches: Sequence[Search]) -> None:
        name = (
            "sweep-"
            + hashlib.blake2b(repr([_describe_search(each) for each in searches]).encode(), digest_size=8).hexdigest()
        )
        self._folder = checkpoint.folder(name, FILES)
        self._n_searches = len(searches)
        self._where: dict[int, tuple[Path, bytes]] = {}  # number -> the file it is in, and its digest
        self._open: tuple[Path, Any] | None = None  # the file that was read last
        self._pending: dict[int, tuple[bytes, list[Swept]]] = {}
        self._pending_bytes = 0
        self._written = time.monotonic()
        self._n_files = 0
        files = [path for path in self._folder.glob("*.npz") if re.fullmatch(FILES, path.name)]
        for path in sorted(files, key=lambda path: int(path.stem)):
            with reading_checkpoint(path):
                file = open_arrays(path)
                known = zip(file["numbers"].tolist(), file["digests"], strict=True)
                self._where |= {number: (path, digest.tobytes()) for number, digest in known}
                self._n_files = int(path.stem) + 1

    def find(self, number: int, digest: bytes, tasks: range) -> list[Swept] | None:
        """What each search found in a chunk of that digest; None if it was not finished. `tasks` are their numbers."""
        if number not in self._where:
            return None
        path, known = self._where[number]
        if digest != known:
            raise FileError(
                f"{self._folder.parent} has checkpoints of other tasks: tasks[{tasks.start}:{tasks.stop}] have "
                "changed. Give the same tasks, or another folder"
            )
        if self._open is None or self._open[0] != path:
            self._open = path, open_arrays(path)
        with reading_checkpoint(path):
            return [from_arrays(self._open[1], f"{number}.{k}.") for k in range(self._n_searches)]

    def keep(self, number: int, digest: bytes, swept: list[Swept]) -> None:
        """Keep what was found in a chunk; it is written soon."""
        self._pending[number] = digest, swept
        self._pending_bytes += sum(2 * curves.left.nbytes for each in swept for curves in each.losses)
        if self._pending_bytes >= MOST_BYTES or time.monotonic() - self._written >= SECONDS:
            self.write()

    def write(self) -> None:
        """Write what is kept and not yet written."""
        if not self._pending:
            return
        arrays: Arrays = {
            "numbers": np.array(list(self._pending)),
            "digests": np.array([np.frombuffer(digest, np.uint8) for digest, _ in self._pending.values()]),
        }
        for number, (_, swept) in self._pending.items():
            for k, each in enumerate(swept):
                arrays |= to_arrays(each, f"{number}.{k}.")
        write_arrays(self._folder / f"{self._n_files:06}.npz", arrays, compressed=False)
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


def digest_of(tasks: Sequence[Any]) -> bytes:
    """Some bytes that differ for different tasks: from their arrays and names."""
    digest = hashlib.blake2b(digest_size=DIGEST)
    for task in tasks:
        digest.update(type(task).__name__.encode())
        for field in fields(task) if is_dataclass(task) else ():
            value = getattr(task, field.name, None)
            if isinstance(value, np.ndarray):
                digest.update(f"{value.dtype.str}{value.shape}".encode())
                digest.update(np.ascontiguousarray(value).data)
            else:
                digest.update(repr(value).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _describe_search(search: Search) -> list[Any]:
    """A search in plain data."""
    known = search.policy.parameters
    fixed = {name: known[name].plain(value) for name, value in search.fixed.items()}
    asked = [search.policy.name, search.horizons, search.parameter, search.low, search.high, fixed]
    return [*asked, search.loss, search.seed, search.extend]
