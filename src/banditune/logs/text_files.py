"""Text files as bytes and as lines, compressed or not."""

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import IO, cast

from banditune.errors import FileError
from banditune.files import open_file

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
OTHER_ENCODINGS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet",
    b"PAR1": "Parquet",
}


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if it was packed with gzip, which is seen by how it begins."""
    with open_file(path) as file:
        is_packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        with gzip.open(file, "rb") if is_packed else nullcontext(file) as unpacked:
            yield cast(IO[bytes], unpacked)


def checked_start(path: str, size: int = 2**16) -> bytes:
    """The first bytes of a text file; what is not UTF-8 text at all is refused."""
    with reading(path), opened(path) as file:
        start = file.read(size)
    for magic, what in OTHER_ENCODINGS.items():
        if start.startswith(magic):
            raise FileError(f"{path} must be UTF-8 text, but it begins like {what}")
    if not start.strip():
        raise FileError(f"{path} is empty")
    return start.removeprefix(BYTE_ORDER_MARK)


class reading:  # noqa: N801  # reads as a sentence: with reading(path): ...
    """A block in which trouble with the file is told as such."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError | EOFError | gzip.zlib.error):  # type: ignore[attr-defined]
            told = getattr(error, "strerror", None) or str(error)
            raise FileError(f"cannot read {self._path}: {told}") from None


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1, without their ends; lines with nothing in them are left out."""
    with reading(path), opened(path) as file:
        for number, line in enumerate(file, 1):
            content = line.strip()
            if number == 1:
                content = content.removeprefix(BYTE_ORDER_MARK)
            if content:
                yield number, content


def is_broken(text: str) -> bool:
    """Whether there is half of a surrogate pair in a text: a byte that is not UTF-8, or written so in JSON."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
