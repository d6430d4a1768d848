"""What was asked of finished work: plain data that names it, and is compared with what is asked now."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from banditune import __version__
from banditune.errors import FileError
from banditune.validation import format_value

SHOWN_CHANGES = 5


def version() -> str:
    """The version of banditune: a part of what is asked, as another one may find something else."""
    return __version__


def plain_data(data: Any) -> Any:
    """Data as it comes back from JSON.

    >>> plain_data({"alpha": (0.0, 1.0)})
    {'alpha': [0.0, 1.0]}
    """
    try:
        return json.loads(json.dumps(data, default=_plain))
    except (TypeError, ValueError) as error:
        raise FileError(f"a run can be resumed only if its arguments can be saved: {error}") from None


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy and other collections as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset) or hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{format_value(value)} cannot be")


def digest(asked: Any) -> str:
    """Sixteen letters that differ for something else."""
    return hashlib.blake2b(json.dumps(plain_data(asked), sort_keys=True).encode(), digest_size=8).hexdigest()


def reject_changes(
    place: str | os.PathLike[str], known: Mapping[str, Any], asked: Mapping[str, Any], another: str
) -> None:
    """Reject a place that holds work on something else; `another` is what to give instead."""
    changed = [
        f"{name} was {format_value(known.get(name))} and is {format_value(asked.get(name))}"
        for name in {**known, **asked}
        if known.get(name) != asked.get(name)
    ]
    if changed:
        raise FileError(
            f"{place} holds the work of another run: {'; '.join(changed[:SHOWN_CHANGES])}. "
            f"Give the same arguments, or another {another}"
        )
