"""Tests of single arguments, and how messages name and count: each says what was needed and what came."""

import math
import numbers
from collections.abc import Iterable

from banditune.errors import ParameterError

LONGEST_GAME = 10**9  # rounds


def format_value(value: object) -> str:
    """Return a value as an error message shows it: short."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def format_names(names: Iterable[object]) -> str:
    """Return names as an error message lists them."""
    return ", ".join(str(name) for name in names)


def format_count(number: int, thing: str) -> str:
    """Return a number of things.

    >>> format_count(1, "round"), format_count(1000, "round")
    ('1 round', '1,000 rounds')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def whole_number(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """Return an integer from `least` to `most`; a float is rejected, even a whole one."""
    wanted = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ParameterError(f"{name} must be {wanted}, got {format_value(value)}")
    number = int(value)
    if number < least or (most is not None and number > most):
        raise ParameterError(f"{name} must be {wanted}, got {format_value(number)}")
    return number


def finite_number(name: str, value: object, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number from `least` to `most`."""
    wanted = "a finite number" if least == -math.inf else f"a finite number of at least {least:g}"
    wanted += "" if most == math.inf else f" and at most {most:g}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be {wanted}, got {format_value(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or not least <= number <= most:
        raise ParameterError(f"{name} must be {wanted}, got {number!r}")
    return number


def yes_or_no(name: str, value: object) -> bool:
    """Return True or False, and nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {format_value(value)}")
    return value


def one_of(name: str, value: object, choices: Iterable[str]) -> str:
    """Return one of some words."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{name} must be one of {format_names(known)}; got {format_value(value)}")
    return value
