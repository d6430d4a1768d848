"""Cases, one after another until the time is up, and a tally of what gave way."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

Draw = np.random.Generator


class GaveWay(AssertionError):
    """What was attacked did not do what it must."""


class LeftOut(Exception):  # noqa: N818 - it is no error: this machine does not allow the case
    """Why a case cannot be tried here."""


class Case(NamedTuple):
    """One attack: what kind it is, and how it is done with a generator of its own. It raises GaveWay, or ends well.

    It may return a word on what it saw; the runner prints the last word of each kind that has one.
    """

    kind: str
    attempt: Callable[[Draw], str | None]


@dataclass
class Tally:
    """How many cases were tried, and which failed, by kind."""

    kinds: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        return sum(self.kinds.values())

    @property
    def notes(self) -> list[str]:
        return list(self.words.values())


def attack_for(seconds: float, cases: Iterator[Case], seed: tuple[int, ...], only: int | None = None) -> Tally:
    """Try the cases in order until they end or the time is up; with `only`, the case of that number alone."""
    tally, end = Tally(), time.monotonic() + seconds
    for number, case in enumerate(cases):
        if only is not None and number != only:
            if number > only:
                break
            continue
        if number and only is None and time.monotonic() > end:
            tally.words["time"] = "the time was up"
            break
        try:
            word = case.attempt(np.random.default_rng((*seed, number)))
        except LeftOut as reason:
            tally.words[case.kind] = f"{case.kind} left out: {reason}"
            continue
        except GaveWay as problem:
            tally.failures.setdefault(case.kind, []).append((number, str(problem)))
            word = None
        tally.kinds[case.kind] += 1
        if word:
            tally.words[case.kind] = word
    return tally
