"""How far the pieces of a curve are proved, where choices cannot be read off lines."""

from dataclasses import dataclass

from banditune.curves.step_function import StepFunction
from banditune.policies.sweeps import Swept

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved in all rounds of all tasks together."""

    intervals: int  # that were proved to have one choice
    unproved: float  # how wide the others are, each relative to its place, added up
    tolerance: float = TOLERANCE  # what that should stay below

    @property
    def holds(self) -> bool:
        """Whether what is unproved is below the tolerance."""
        return self.unproved <= self.tolerance


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ProvedCurve(StepFunction):
    """The loss of a policy on a task, with how far it is proved: `proof`."""

    proof: Proof


def proof_of(swept: Swept) -> Proof | None:
    """What a sweep proved of its tasks; None if no proof was needed."""
    if swept.proved is None or swept.unproved is None:
        return None
    return Proof(int(swept.proved.sum()), float(swept.unproved.sum()))
