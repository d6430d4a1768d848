"""Cases, one after another until the time is up, and a tally of what gave way."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

Draw = np.random.Generator


class GaveWayError(AssertionError):
    """What was attacked did not do what it must."""


class LeftOut(Exception):  # noqa: N818 (no error: this machine does not allow the case)
    """Why a case cannot be tried here."""


class Case(NamedTuple):
    """One attack: what kind it is, and how it is done with a generator of its own. It raises GaveWayError or ends.

    It may return a word on what was seen so far; the runner prints the last one.
    """

    kind: str
    attempt: Callable[[Draw], str | None]


@dataclass
class Tally:
    """How many cases were tried, and which failed, by kind."""

    kinds: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def n_tried(self) -> int:
        """How many cases of all kinds."""
        return sum(self.kinds.values())


def attack_for(seconds: float, cases: Iterable[Case], seed: tuple[int, ...], only: int | None = None) -> Tally:
    """Try the cases until they end or the time is up; with `only`, the case of that number alone.

    A list is tried in an order drawn from the seed, so that it is not always the same ones that are left.
    """
    tally, end = Tally(), time.monotonic() + seconds
    numbered: Iterable[tuple[int, Case]] = enumerate(cases)
    if isinstance(cases, Sequence):
        numbered = [(int(number), cases[number]) for number in np.random.default_rng(seed).permutation(len(cases))]
    for number, case in numbered:
        if only is not None and number != only:
            continue
        if tally.n_tried and time.monotonic() > end:
            if isinstance(cases, Sequence):
                tally.notes["time"] = f"{len(cases) - tally.n_tried} more left for want of time"
            break
        try:
            word = case.attempt(np.random.default_rng((*seed, number)))
        except LeftOut as reason:
            tally.notes[case.kind] = f"{case.kind} left out: {reason}"
            continue
        except GaveWayError as problem:
            tally.failures.setdefault(case.kind, []).append((number, str(problem)))
            word = None
        tally.kinds[case.kind] += 1
        if word:
            tally.notes["word"] = word
        if only is not None:
            break
    return tally
