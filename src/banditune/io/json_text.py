"""JSON text that others may have written: what cannot be used is rejected, in words."""

import json
import math
import os
from typing import Any, NoReturn

from banditune.errors import FileError
from banditune.io.files import read_text
from banditune.validation import format_value

MOST_NESTED = 100  # lists and objects within each other; Python would fail at some 1000, here or wherever they go next
NOT_JSON = "is not JSON"


class JsonError(FileError):
    """A text is no JSON that can be used; `trouble` says why, in the same words wherever in a text it is."""

    trouble = NOT_JSON


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read the data of a JSON file."""
    return parse_json(read_text(path), os.fspath(path))


def parse_json(text: str | bytes, what: str, *, as_written: bool = False) -> Any:
    """Return the data of a JSON text, whoever wrote it; `what` is how an error calls the text.

    NaN and infinities, keys that are given twice, halves of characters, and what is nested too deeply to be handed on
    are rejected. With `as_written`, numbers (NaN as well) stay the text they are, and nothing is asked of what strings
    hold.

    >>> parse_json('{"reward": 1.50}', "the line", as_written=True)
    {'reward': '1.50'}
    """
    if not isinstance(text, str | bytes):
        _reject_json(what, "must be JSON text", f"got {format_value(text)}")
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8")
        found = (_AS_WRITTEN if as_written else _STRICT).decode(whole)
    except json.JSONDecodeError as error:
        _reject_json(what, NOT_JSON, str(error))
    except UnicodeDecodeError:
        _reject_json(what, "is not UTF-8 text")
    except RecursionError:
        _reject_json(what, "is nested too deeply")
    except _UnusableError as error:
        _reject_json(what, *error.args)
    except ValueError:  # Python reads no integer of so many digits
        _reject_json(what, "holds a number of too many digits")
    if whole.count("[") + whole.count("{") > MOST_NESTED and _is_deep(found):
        _reject_json(what, "is nested too deeply")
    if not as_written and ("\\u" in whole or not whole.isascii()) and _is_broken(found):
        _reject_json(what, "has half a character (an unpaired surrogate)")
    return found


class _UnusableError(Exception):
    """Some JSON is read by Python, but cannot be used."""


def _reject_json(what: str, trouble: str, details: str = "") -> NoReturn:
    error = JsonError(f"{what} {trouble}{details and ': '}{details}")
    error.trouble = trouble
    raise error from None


def _finite(written: str) -> float:
    """Return a number as it is written, or Python's NaN and Infinity, which are not JSON."""
    number = float(written)
    if not math.isfinite(number):
        raise _UnusableError("must hold finite numbers", f"got {written[:80]}")
    return number


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of pairs whose keys differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _UnusableError("gives a key twice", format_value(next(key for key in keys if keys.count(key) > 1)))
    return found


_STRICT = json.JSONDecoder(object_pairs_hook=_once_each, parse_float=_finite, parse_constant=_finite)
_AS_WRITTEN = json.JSONDecoder(object_pairs_hook=_once_each, parse_float=str, parse_int=str, parse_constant=str)


def _is_deep(data: Any) -> bool:
    """Tell whether lists and objects are nested too deeply."""
    level = [data]
    for _ in range(MOST_NESTED):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [each for values in inside for each in values if isinstance(each, list | dict)]
        if not level:
            return False
    return True


def _is_broken(data: Any) -> bool:
    """Tell whether there is half of a surrogate pair in any text: it could not be written or shown."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
