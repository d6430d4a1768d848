"""Claims: what the paper says, what was found here, and whether the two agree by a criterion that is stated."""

from dataclasses import dataclass
from enum import StrEnum

from banditune.experiments.machinery.plus_minus import PlusMinus


class Agrees(StrEnum):
    """Whether what was found agrees with the paper."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"  # the interval found holds both answers
    BEYOND = "-"  # the paper says nothing of it, or it could not be done here


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the table "paper | here | agrees?"."""

    what: str
    paper: str
    here: str
    agrees: Agrees
    criterion: str  # when it is said to agree


def judged(holds: bool) -> Agrees:
    """Yes or no."""
    return Agrees.YES if holds else Agrees.NO


def sign_judged(difference: PlusMinus) -> Agrees:
    """Whether a difference is above 0: undecided where its interval holds 0.

    >>> [str(sign_judged(PlusMinus(mean, half=1.0))) for mean in (2.0, 0.5, -2.0)]
    ['yes', 'undecided', 'no']
    """
    if difference.low > 0.0:
        return Agrees.YES
    return Agrees.NO if difference.high < 0.0 else Agrees.UNDECIDED


def beyond(what: str, here: str) -> Claim:
    """A line about something that the paper does not report."""
    return Claim(what, "not reported", here, Agrees.BEYOND, "")
