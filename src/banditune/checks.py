"""Tests of single arguments; every message says what was needed and what came."""

import math
import numbers
from collections.abc import Iterable

from banditune.errors import ParameterError


def shown(value: object) -> str:
    """A value as an error message shows it: short."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def listed(names: Iterable[object]) -> str:
    """Names as an error message lists them."""
    return ", ".join(str(name) for name in names)


def whole_number(name: str, value: object, *, least: int) -> int:
    """An integer of at least `least`; a float is refused, even a whole one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {shown(value)}")
    return int(value)


def finite_number(name: str, value: object, *, least: float = -math.inf) -> float:
    """A finite number of at least `least`."""
    wanted = "a finite number" if least == -math.inf else f"a finite number of at least {least:g}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be {wanted}, got {shown(value)}")
    number = float(value)
    if not math.isfinite(number) or number < least:
        raise ParameterError(f"{name} must be {wanted}, got {number!r}")
    return number


def one_of(name: str, value: object, choices: Iterable[str]) -> str:
    """One of some words."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{name} must be one of {listed(known)}; got {shown(value)}")
    return value
