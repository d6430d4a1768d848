"""A journal of rewards: a file that grows by a line for each, and survives whatever ends the program.

The first line says what the rewards are for, each other one holds an arm and what it gave. A line is on the disk before
the next reward is asked for; one that was cut short is taken back when the journal is opened again.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from banditune.checks import shown
from banditune.errors import FileError
from banditune.files import lock, open_descriptor


class Entry(NamedTuple):
    """A reward as a journal holds it."""

    arm: Any
    reward: Any
    line: int  # of the file, from 1


class Journal:
    """A journal that is open for one program; `recorded` are the rewards it held when it was opened."""

    def __init__(self, path: str | os.PathLike[str], purpose: Mapping[str, object]) -> None:
        self.path = str(path)
        self._file = open_descriptor(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, to="open")
        try:
            if lock(self._file) is False:
                raise FileError(f"{self.path} is in use: another program is collecting into it")
            self.recorded = self._opened(json.dumps(dict(purpose), default=str))
        except BaseException:
            self.close()
            raise

    def append(self, arm: int, reward: float) -> None:
        """Write down a reward; it is on the disk when this returns."""
        self._write(json.dumps({"arm": arm, "reward": reward}))

    def close(self) -> None:
        """Let others have the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self, purpose: str) -> list[Entry]:
        """Read what is there, begin the journal if it is new, and take back a line that was cut short."""
        text = self._read()
        whole = text[: text.rfind(b"\n") + 1]
        if not whole and purpose.encode().startswith(text):
            os.ftruncate(self._file, 0)
            self._write(purpose)
            _keep_name(self.path)
            return []
        first, *rest = whole.split(b"\n")[:-1] or [text]
        self._check(first, purpose)
        os.ftruncate(self._file, len(whole))
        return [self._entry(line, number) for number, line in enumerate(rest, start=2)]

    def _check(self, first: bytes, purpose: str) -> None:
        """Refuse a file that is no journal, or one of something else: it is left as it is."""
        found, wanted = _parsed(first), json.loads(purpose)
        if found is None or found.get("kind") != wanted["kind"]:
            raise FileError(f"{self.path} is no journal of collected rewards: it begins with {shown(first[:60])}")
        for key in {**wanted, **found}:
            if found.get(key) != wanted.get(key):
                was, now = shown(found.get(key)), shown(wanted.get(key))
                raise FileError(f"{self.path} was collected for {key} = {was}, here it is {now}; take another file")

    def _entry(self, line: bytes, number: int) -> Entry:
        entry = _parsed(line)
        if entry is None or set(entry) != {"arm", "reward"}:
            raise FileError(f"{self.path}, line {number} must hold an arm and a reward, got {shown(line)}")
        return Entry(entry["arm"], entry["reward"], number)

    def _read(self) -> bytes:
        parts = []
        while part := os.read(self._file, 2**20):
            parts.append(part)
        return b"".join(parts)

    def _write(self, line: str) -> None:
        left = f"{line}\n".encode()
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line, if it is one."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _keep_name(path: str) -> None:
    """Have the name of a new file on the disk, not only what it holds."""
    if os.name == "posix":
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        except OSError:
            pass  # a file system that cannot
        finally:
            os.close(folder)
