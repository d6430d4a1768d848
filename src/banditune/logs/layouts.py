"""What the columns of a log mean where its format or layout says so, and the user does not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from banditune.errors import FileError
from banditune.logs.columns import Columns
from banditune.logs.formats.registry import find_layout
from banditune.logs.parts import Part

MEASURES = ("reward", "pulls", "successes", "mean", "sd")
DEFAULTS = Columns()


class Settled(NamedTuple):
    """How a log is read: its columns, the rows that are taken, what it is read as, and what else is to be said."""

    columns: Columns
    only: dict[str, str]
    title: str
    advice: str


def settle_columns(columns: Columns, parts: Sequence[Part], chosen: str | None) -> Settled:
    """Find out what columns are called that the user has not named, by the format or layout of the parts."""
    found = []
    for part in parts:
        layout = find_layout(part.columns, part.path, chosen)
        taken: Mapping[str, str] = part.usual if layout is None else layout.usual
        only = {} if layout is None else dict(layout.only)
        title = part.title if layout is None else layout.title
        advice = "" if layout is None else layout.advice
        found.append(Settled(_fill_in(columns, taken, part.columns), only, title if taken else "", advice))
    first = found[0]
    for part, each in zip(parts, found, strict=True):
        if each != first:
            one, other = (read.title or "a plain table" for read in (first, each))
            raise FileError(
                f"{part.path} must be read as {parts[0].path} is ({one}), but it is {other}: give them one by one, or "
                "name the columns"
            )
    return first


def describe_columns(columns: Columns, title: str) -> str:
    """Say as what a log was read, and where its columns come from."""
    given = {name: getattr(columns, name) for name in ("task", "arm", *MEASURES, "time", "propensity")}
    used = [f"{name} = {value}" for name, value in given.items() if value is not None and value != name]
    return f"read as {title}: {', '.join(used)}" if used else f"read as {title}"


def _fill_in(columns: Columns, usual: Mapping[str, str], there: Sequence[str]) -> Columns:
    """Take the usual names for what is neither named nor there under its own name."""
    lowered = {name.lower() for name in there}
    named = {name for name in (*MEASURES, "task", "arm", "time", "propensity") if _is_named(columns, name)}
    filled: dict[str, Any] = {
        wanted: name
        for wanted, name in usual.items()
        if wanted not in named and not (wanted in ("task", "arm", "reward") and wanted in lowered)
    }
    if named & {*MEASURES}:  # a measure of one's own goes with nothing of the usual one but the number of pulls
        kept = {"pulls"} if named & {"successes", "mean", "sd"} else set()
        filled = {wanted: name for wanted, name in filled.items() if wanted not in MEASURES or wanted in kept}
        if "mean" in named and "sd" not in named and "sd" in usual:
            filled["sd"] = usual["sd"]
        if "sd" in named and "mean" not in named and "mean" in usual:
            filled["mean"] = usual["mean"]
    if columns.features is None:
        filled.pop("propensity", None)
    else:
        filled.pop("task", None)  # all events are of one task, unless they are said to be of several
    if columns.parameters is not None:
        filled.pop("arm", None)
    return replace(columns, **filled)


def _is_named(columns: Columns, name: str) -> bool:
    return bool(getattr(columns, name) != getattr(DEFAULTS, name))
