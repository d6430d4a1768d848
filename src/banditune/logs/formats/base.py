"""What a format is: how such files are recognised and opened; or, of tables, what their columns mean."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from banditune.logs.columns import Columns
from banditune.logs.engine import Engine
from banditune.logs.parts import Part


@dataclass(frozen=True, slots=True)
class Opening:
    """What is known when a file is opened."""

    columns: Columns  # as the user named them
    delimiter: str | None
    engine: Engine
    query: str | None = None  # what is read of a database


@dataclass(frozen=True, slots=True)
class Format:
    """A way in which rows are stored.

    `claims` tells, of a file that can be opened, whether it is unmistakably in this format; without it, the ending of
    its name decides. What `open` returns says by `usual` what its columns mean.
    """

    name: str  # for --format
    title: str
    open: Callable[[str, Opening], Part]
    endings: tuple[str, ...] = ()
    claims: Callable[[str], bool] | None = None
    is_folder: bool = False  # whether a log is a folder with several files


@dataclass(frozen=True, slots=True)
class Layout:
    """A table whose columns have a known meaning, in whatever format it is stored."""

    name: str  # for --format
    title: str
    needs: tuple[str, ...]  # columns that such a table always has, and by which it is recognised
    usual: Mapping[str, str]  # what is wanted -> what it is called there
    only: Mapping[str, str] = field(default_factory=dict)  # rows that are taken: a column and its value
    advice: str = ""  # what else is to be said
    is_recognised: bool = True  # whether a table with these columns is taken for it, though nobody says so
