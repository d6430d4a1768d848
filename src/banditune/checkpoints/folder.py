"""The folder of a run's finished work: what was asked, and who is using it."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from banditune import __version__
from banditune.checkpoints.trouble import KeptError, reading_kept
from banditune.checks import shown
from banditune.errors import FileError
from banditune.files import lock, open_descriptor, read_text, write_text

FORMAT = "banditune.checkpoint/1"
ASKED = "asked.json"


class Checkpoint:
    """A folder in which a run keeps its finished work, to be resumed by a run that is asked the same.

    `asked` says in plain data what decides the result: the question, and in part the input. A folder that was made for
    something else, or by another version, is refused.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Checkpoint(folder, {"horizon": 20}) as kept:
    ...     kept.note("best", {"alpha": 0.5})
    ...     kept.noted("best")
    {'alpha': 0.5}
    """

    def __init__(self, folder: str | os.PathLike[str], asked: Mapping[str, Any]) -> None:
        self.path = _made(folder)
        self._lock: int | None = _locked(self.path)
        try:
            self._begin(_as_json({"format": FORMAT, "version": version(), **asked}))
        except BaseException:
            self.close()
            raise

    def _begin(self, asked: str) -> None:
        """See that what is in the folder belongs to what is asked."""
        for half_written in self.path.rglob(".*.part"):  # by a run that was killed
            half_written.unlink(missing_ok=True)
        if (self.path / ASKED).exists():
            self._check(json.loads(asked))
            return
        others = [path.name for path in self.path.iterdir() if not path.name.startswith(".")]
        if others:
            raise FileError(f"{self.path} must be empty or hold a run's finished work, but it holds {others[0]}")
        write_text(self.path / ASKED, asked + "\n")

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other runs use the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def note(self, name: str, found: Mapping[str, Any]) -> None:
        """Keep plain data under a name."""
        write_text(self.path / f"{name}.json", _as_json(found) + "\n")

    def noted(self, name: str, read: Callable[[Any], Any] = dict) -> Any:
        """What was kept under a name, as `read` makes it of the plain data; None if nothing was."""
        path = self.path / f"{name}.json"
        if not path.exists():
            return None
        with reading_kept(path):
            return read(json.loads(read_text(path)))

    def folder(self, name: str) -> Path:
        """A folder within, made if it is not there."""
        return _made(self.path / name)

    def _check(self, asked: Mapping[str, Any]) -> None:
        """Refuse what was kept for another question."""
        known = _read_asked(self.path / ASKED)
        if not isinstance(known, dict) or known.get("format") != FORMAT:
            raise FileError(f'{self.path / ASKED} must have "format": "{FORMAT}", got {shown(known)}')
        changed = [
            f"{name} was {shown(known.get(name))} and is {shown(asked.get(name))}"
            for name in {**known, **asked}
            if known.get(name) != asked.get(name)
        ]
        if changed:
            raise FileError(
                f"{self.path} holds finished work of another run: {'; '.join(changed[:5])}. "
                "Ask the same as then, or give another folder"
            )


def version() -> str:
    """The version of banditune: what another one has kept is not taken."""
    return __version__


def _made(folder: str | os.PathLike[str]) -> Path:
    try:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        raise FileError(f"cannot make the folder {folder}: {getattr(error, 'strerror', None) or error}") from None
    return path


def _locked(path: Path) -> int:
    """Keep other runs out of the folder until what is returned is closed."""
    handle = open_descriptor(path / ".lock", os.O_RDWR | os.O_CREAT, to="write")
    if lock(handle) is False:
        os.close(handle)
        raise FileError(f"{path} is in use by another run")
    return handle


def _read_asked(path: Path) -> Any:
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise KeptError(f"{path} is damaged ({error}); remove the folder {path.parent} to begin anew") from None


def _as_json(data: Mapping[str, Any]) -> str:
    try:
        return json.dumps(data, indent=1, default=_plain)
    except (TypeError, ValueError) as error:
        raise FileError(f"a run can be resumed only if what it is asked can be written down: {error}") from None


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy and other collections as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset) or hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{shown(value)} cannot be")
