"""The folder of a run's finished work: what was asked, and who is using it."""

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from banditune.checkpoints.checkpoint_files import (
    name_damage,
    plain_data,
    read_piece,
    reject_changes,
    version,
    write_piece,
)
from banditune.errors import FileError
from banditune.io.files import make_folder, open_alone, remove_half_written, write_text
from banditune.io.json_text import read_json
from banditune.validation import format_value

FORMAT = "banditune.checkpoint/2"
ASKED = "asked.json"
LOCK = ".lock"


class Checkpoint:
    """A folder with the checkpoints of a run, from which a run with the same arguments resumes.

    `asked` says in plain data what decides the result: the arguments, and in part the input. A folder that was made for
    something else, or by another version, cannot be used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Checkpoint(folder, {"horizon": 20}) as checkpoint:
    ...     checkpoint.write("best", {"alpha": 0.5})
    ...     checkpoint.read("best")
    {'alpha': 0.5}
    """

    def __init__(self, folder: str | os.PathLike[str], asked: Mapping[str, Any]) -> None:
        self._asked = plain_data({"format": FORMAT, "version": version(), **asked})
        self._made: list[Path] = []  # by this run
        self._recognise(folder)  # before anything there is touched: it may be anybody's
        self.path = self._make(folder)
        in_use = f"{self.path} is in use by another run"
        self._lock: int | None = open_alone(self.path / LOCK, os.O_RDWR | os.O_CREAT, to="write", in_use=in_use)
        try:
            self._began = not self._recognise(self.path)  # again: another run may have begun meanwhile
            remove_half_written(self.path, re.escape(ASKED))
            if self._began:
                write_text(self.path / ASKED, json.dumps(self._asked, indent=1) + "\n")
        except BaseException:
            self.close()
            raise

    def _recognise(self, folder: str | os.PathLike[str]) -> bool:
        """Tell whether a folder holds work on what is asked; one that holds anything else is rejected."""
        try:
            path = Path(folder)
            inside = os.listdir(path)
        except (FileNotFoundError, NotADirectoryError, TypeError, ValueError):
            return False  # there is none; if it cannot be, making it will tell
        except OSError as error:
            raise FileError(f"cannot read {folder}: {error.strerror or error}") from None
        if (path / ASKED).exists():
            self._check(path)
            return True
        others = [name for name in inside if not name.startswith(".")]
        if others:
            raise FileError(f"{path} must be empty or hold the checkpoints of a run, but it holds {min(others)}")
        return False

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and self._began:
            self._take_back()
        self.close()

    def close(self) -> None:
        """Let other runs use the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write(self, name: str, found: Mapping[str, Any]) -> None:
        """Keep plain data under a name."""
        write_piece(self.path / f"{name}.npz", found)

    def read(self, name: str, read: Callable[[Any], Any] = dict) -> Any:
        """Return what was kept under a name, as `read` makes it of the plain data; None if nothing was."""
        path = self.path / f"{name}.npz"
        remove_half_written(self.path, re.escape(path.name))
        if not path.exists():
            return None
        with name_damage(path):
            return read(read_piece(path).note)

    def folder(self, name: str, holds: str) -> Path:
        """Return a folder within, made if it is not there, for files whose names match a pattern."""
        path = self._make(self.path / name)
        remove_half_written(path, holds)
        return path

    def _make(self, folder: str | os.PathLike[str]) -> Path:
        new = not os.path.exists(folder)
        path = make_folder(folder)
        self._made += [path] * new
        return path

    def _take_back(self) -> None:
        """Leave nothing behind of a run that has failed before anything was finished."""
        with suppress(OSError):  # what is not empty stays
            for folder in self._made:
                if folder != self.path:
                    folder.rmdir()
            if set(os.listdir(self.path)) <= {ASKED, LOCK}:
                (self.path / ASKED).unlink()
                if os.name == "nt":  # where no open file can be removed
                    self.close()
                (self.path / LOCK).unlink()
                if self.path in self._made:
                    self.path.rmdir()

    def _check(self, folder: Path) -> None:
        """Reject what was kept for another question."""
        place = folder / ASKED
        known = read_json(place)
        if not isinstance(known, dict) or known.get("format") != FORMAT:
            found = known.get("format") if isinstance(known, dict) else known
            raise FileError(f'{place} must have "format": "{FORMAT}", got {format_value(found)}; give another folder')
        reject_changes(folder, known, self._asked, "folder")
