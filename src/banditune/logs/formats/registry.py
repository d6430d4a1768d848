"""Every format and layout there is, and which of them a file or table is in."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from banditune.errors import FileError, ParameterError
from banditune.logs.formats.base import Format, Layout
from banditune.validation import format_names, one_of

STORED = ("tables", "dsjson", "vw", "optuna", "aslib", "sqlite")  # modules of this folder with FORMATS
EXPORTED = ("open_bandit", "growthbook", "statsig", "optimizely")  # and with LAYOUTS
CSV = "csv"
PACKED = ".gz"
READABLE = "CSV (.csv, .tsv, .txt), Parquet (.parquet, .pq) or JSON lines (.jsonl, .ndjson, .json), text also as .gz"


def formats() -> dict[str, Format]:
    """Return all formats by name."""
    return {each.name: each for each in _collect("FORMATS")}


def layouts() -> dict[str, Layout]:
    """Return all layouts by name."""
    return {each.name: each for each in _collect("LAYOUTS")}


def names() -> list[str]:
    """Return what --format can be."""
    return [*formats(), *layouts()]


def check_format(given: Any) -> str | None:
    """Check the name of a format; None is to find it out."""
    return None if given is None else one_of("format", given, names())


def find_format(path: str, chosen: str | None = None) -> Format:
    """Return which format a file is in: as chosen, as it unmistakably begins, or as the ending of its name says."""
    if chosen is not None and chosen in formats():
        return formats()[chosen]
    for each in formats().values():
        if each.claims is not None and each.claims(path):
            return each
    found = format_by_name(path)
    if found is None:
        raise FileError(
            f"the format of {path} is not known by its name or its content; a log must be {READABLE}, or another that "
            f"is chosen with format=, one of {', '.join(formats())}"
        )
    return found


def check_ending(path: str) -> None:
    """Reject a file whose name says nothing that can be read."""
    if format_by_name(path) is None:
        raise FileError(f"the format of {path} is not known by its name; a log must be {READABLE}")


def format_by_name(path: str) -> Format | None:
    """Return which format the ending of a file's name says, if it does."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == PACKED:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    return next((each for each in formats().values() if ending in each.endings), None)


def find_layout(columns: Sequence[str], path: str, chosen: str | None = None) -> Layout | None:
    """Return which layout a table with these columns has: the chosen one, which must fit, or one that is recognised.

    Its names are those of the table, which may have other capitals, and blanks instead of underscores.
    """
    there = {_plain(name): name for name in reversed(columns)}
    if chosen is not None and chosen in layouts():
        layout = layouts()[chosen]
        if missing := [name for name in layout.needs if _plain(name) not in there]:
            wanted = f"{layout.title} ({format_names(layout.needs)})"
            raise FileError(f"{path} must have the columns of {wanted}, but it has no {format_names(missing)}")
        return _name_as_there(layout, there)
    if chosen is not None:
        return None
    known = [each for each in layouts().values() if each.is_recognised]
    fitting = [each for each in known if {_plain(name) for name in each.needs} <= {*there}]
    if len(fitting) > 1:
        raise ParameterError(f"{path} may be {format_names(each.title for each in fitting)}: choose with format=")
    return _name_as_there(fitting[0], there) if fitting else None


def _name_as_there(layout: Layout, there: Mapping[str, str]) -> Layout:
    """Return a layout with the names that its columns have in a table."""
    called = {name: there[_plain(name)] for name in layout.needs if there[_plain(name)] != name}
    usual = dict(layout.usual)
    for name, actual in called.items():
        usual = {wanted: re.sub(rf"\b{re.escape(name)}\b", lambda _: actual, each) for wanted, each in usual.items()}  # noqa: B023
    return replace(layout, usual=usual, only={called.get(name, name): value for name, value in layout.only.items()})


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


@cache
def _collect(what: str) -> tuple[Any, ...]:
    modules = (import_module(f"banditune.logs.formats.{name}") for name in STORED + EXPORTED)
    return tuple(each for module in modules for each in getattr(module, what, ()))
