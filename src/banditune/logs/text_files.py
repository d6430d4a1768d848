"""Text files as bytes and as lines, compressed or not."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import IO, AnyStr, cast

from banditune.errors import FileError
from banditune.io.files import open_file

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
OTHER_ENCODINGS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet",
    b"PAR1": "Parquet",
}
SAVE_AS = "save it as UTF-8 (in a spreadsheet: CSV UTF-8; or iconv -f ENCODING -t UTF-8)"
START = 2**16  # bytes by which a text file is known
LONGEST_LINE = 2**26  # characters; what is longer is no line, and is not held


class Place:
    """How far a file has been read, which another thread may ask."""

    tell: Callable[[], int] | None = None  # of the file without its buffer, which the other thread may be filling
    size = 1

    def share(self) -> float:
        """Return the part of it that has been read."""
        try:
            return 0.0 if self.tell is None else self.tell() / self.size
        except (ValueError, OSError):  # it is closed, or just being closed
            return 1.0


@contextmanager
def open_bytes(path: str | os.PathLike[str], place: Place | None = None) -> Iterator[IO[bytes]]:
    """Return the bytes of a file, unpacked if it was packed with gzip, which is seen by how it begins."""
    with open_file(path) as file:
        is_packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        if place is not None:
            place.tell, place.size = file.raw.tell, os.fstat(file.fileno()).st_size
        with gzip.open(file, "rb") if is_packed else nullcontext(file) as unpacked:
            yield cast(IO[bytes], unpacked)


def check_start(path: str) -> bytes:
    """Return the first bytes of a text file; what is not UTF-8 text at all is rejected."""
    with reading(path), open_bytes(path) as file:
        start = file.read(START)
    for magic, what in OTHER_ENCODINGS.items():
        if start.startswith(magic):
            advice = SAVE_AS if what.startswith("UTF") else "give the end of its name that says so, or a text file"
            raise FileError(f"{path} must be UTF-8 text, but it begins like {what}; {advice}")
    text = start.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise FileError(f"{path} is empty")
    if text.startswith(BYTE_ORDER_MARK):
        raise FileError(f"{path} must begin with one byte-order mark or none, but it has several; remove them")
    first_line = text.lstrip().splitlines()[0]
    if b"\0" in first_line:
        every_other = max(first_line[::2].count(0), first_line[1::2].count(0)) * 4 > len(first_line)
        like = "as UTF-16 without a byte-order mark has" if every_other else "as no text has"
        raise FileError(f"{path} must be UTF-8 text, but its first line has zero bytes, {like}; {SAVE_AS}")
    return text


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Return a block in which trouble with the file is reported as such."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def number_lines(path: str, place: Place | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers from 1, without their ends; empty lines are left out."""
    with reading(path), open_bytes(path, place) as file:
        for number, line in enumerate(read_lines(file, path), 1):
            content = line.strip()
            if number == 1:
                content = content.removeprefix(BYTE_ORDER_MARK)
            if content:
                yield number, content


def read_lines(file: IO[AnyStr], path: str) -> Iterator[AnyStr]:
    """Yield the lines of an open file with their ends; one without end, as in a file of holes, is an error."""
    for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), file.read(0)), 1):
        if len(line) == LONGEST_LINE:
            raise FileError(f"{path}, line {number} has over {LONGEST_LINE:,} characters: it is no row of a log")
        yield line


def is_broken(text: str) -> bool:
    """Tell whether there is half of a surrogate pair in a text: a byte that is not UTF-8, or written so in JSON."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
