"""A journal of rewards: a file that grows by a line for each, and survives whatever ends the program.

The first line says what the rewards are for, each other one holds an arm and what it gave. A line is on the disk before
the next reward is asked for; one that was cut short is taken back when the journal is opened again. Each ends with a
checksum of itself and of the one before, so that a line that was changed, lost, repeated or moved is noticed.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, Self

from banditune.checkpoints.checkpoint_files import plain_data, reject_changes
from banditune.errors import FileError
from banditune.io.files import open_alone
from banditune.io.json_text import parse_json
from banditune.validation import format_value

SEALED = re.compile(rb'(.*), "check": "([0-9a-f]{8})"\}', re.DOTALL)  # a line: what it says, and its checksum


class JournalEntry(NamedTuple):
    """A reward as a journal holds it."""

    arm: Any
    reward: Any
    line: int  # of the file, from 1


class RewardJournal:
    """A journal that is open for one program; `recorded` are the rewards it held when it was opened."""

    def __init__(self, path: str | os.PathLike[str], purpose: Mapping[str, object]) -> None:
        self.path, asked = str(path), plain_data(purpose)
        in_use = f"{self.path} is in use: another program is collecting into it"
        self._file = open_alone(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, to="open", in_use=in_use)
        self._last = b""  # the checksum of the last line
        try:
            self.recorded = self._open(asked)
        except BaseException:
            self.close()
            raise

    def append(self, arm: int, reward: float) -> None:
        """Write down a reward; it is on the disk when this returns."""
        self._append(_seal(self._last, {"arm": arm, "reward": reward}))

    def close(self) -> None:
        """Let others have the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, purpose: dict[str, object]) -> list[JournalEntry]:
        """Read what is there, begin the journal if it is new, and take back a line that was cut short."""
        text = self._read()
        whole = text[: text.rfind(b"\n") + 1]
        begun = _seal(b"", purpose)
        if not whole:
            if not begun.startswith(text):
                self._reject(text)
            self._append(begun, after=text)
            _keep_name(self.path)
            return []
        first, *rest = whole.split(b"\n")[:-1]
        has_checksums = any(SEALED.fullmatch(line) for line in (first, *rest))
        if not self._is_next(first) or first + b"\n" != begun:
            self._explain(first, purpose, has_checksums)
        recorded = [self._entry(line, number) for number, line in enumerate(rest, start=2)]
        cut = text[len(whole) :]
        if self._is_next(cut[:-1]):  # it was whole, and it is its end that was changed
            self._reject_line(len(rest) + 2)
        os.ftruncate(self._file, len(whole))
        return recorded

    def _explain(self, first: bytes, purpose: dict[str, object], has_checksums: bool) -> None:
        """Reject a file that is no journal, or a damaged one, or one of something else: it is left as it is."""
        found = _parse_line(first)
        if not self._last:
            if not has_checksums and found.get("kind") != purpose["kind"]:
                self._reject(first)
            why = ", line 1 is damaged" if has_checksums else " is from an earlier version, without checksums"
            raise FileError(
                f"{self.path}{why}. Use another file, and give the rewards of this one as known=[[...], ...], a list "
                "for each arm"
            )
        found.pop("check", None)
        reject_changes(self.path, found, purpose, "file")

    def _entry(self, line: bytes, number: int) -> JournalEntry:
        if not self._is_next(line):
            self._reject_line(number)
        entry = _parse_line(line)
        if set(entry) != {"arm", "reward", "check"}:
            raise FileError(f"{self.path}, line {number} must hold an arm and a reward, got {format_value(line)}")
        return JournalEntry(entry["arm"], entry["reward"], number)

    def _is_next(self, line: bytes) -> bool:
        """Tell whether a line is as it was written, after the one before; then it is the last so far."""
        sealed = SEALED.fullmatch(line)
        if sealed is None or _checksum(self._last, sealed[1]) != sealed[2]:
            return False
        self._last = sealed[2]
        return True

    def _reject(self, first: bytes) -> NoReturn:
        raise FileError(f"{self.path} is not a journal of collected rewards: it begins with {format_value(first[:60])}")

    def _reject_line(self, number: int) -> NoReturn:
        raise FileError(
            f"{self.path}, line {number} is damaged: its checksum is not that of this line after those before it. "
            "They are whole: remove this line and all below it, and those rewards are collected again"
        )

    def _read(self) -> bytes:
        parts = []
        while part := os.read(self._file, 2**20):
            parts.append(part)
        return b"".join(parts)

    def _append(self, line: bytes, after: bytes = b"") -> None:
        """Write a line, or what comes after its beginning, which is there already."""
        left = line[len(after) :]
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None
        self._is_next(line.removesuffix(b"\n"))


def _parse_line(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line; an empty one if it is none."""
    try:
        found = parse_json(line, "the line")
    except FileError:
        return {}
    return found if isinstance(found, dict) else {}


def _seal(before: bytes, said: Mapping[str, object]) -> bytes:
    """Return a line with its checksum, for after the line of that checksum."""
    body = json.dumps(said).removesuffix("}").encode()
    return body + b', "check": "%b"}\n' % _checksum(before, body)


def _checksum(before: bytes, body: bytes) -> bytes:
    """Eight letters that differ for another line, or for the same after another."""
    return hashlib.blake2b(before + body, digest_size=4).hexdigest().encode()


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
