"""What an experiment is: units of work, what they come to, and how that is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from banditune.experiments.machinery.claims import Claim
from banditune.experiments.machinery.figures import Figure

Arrays = Mapping[str, NDArray[Any]]
Results = Mapping[str, Arrays]  # by the name of the unit


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of work that is done as a whole and kept: `work(seed=seed, **arguments)`.

    What it gives depends on the seed and on the arguments alone, and these can be written as JSON: that is how a
    finished unit is known again.
    """

    name: str  # of its file too: letters, digits, points, hyphens
    work: Callable[..., Arrays]
    arguments: Mapping[str, Any]


def divide(
    name: str, work: Callable[..., Arrays], n: int, a_unit: int, arguments: Mapping[str, Any], start: int = 0
) -> list[Unit]:
    """List units that do some work for n numbers from `start` on, each for a few: `count` of them from `first` on."""
    return [
        Unit(f"{name}-{k}", work, {**arguments, "first": start + k, "count": min(a_unit, n - k)})
        for k in range(0, n, a_unit)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What an experiment found; all fields are written as numbers."""

    claims: tuple[Claim, ...]  # what the paper says beside what was found
    readings: tuple[str, ...]  # how the paper was read where it leaves a choice


S = TypeVar("S")
F = TypeVar("F", bound=Findings)


@dataclass(frozen=True, slots=True)
class Experiment(Generic[S, F]):
    """One figure or table of the paper: its definition (`units`), its literal settings, its analysis."""

    name: str
    title: str
    place: str  # in the paper
    full: S
    quick: S
    units: Callable[[S], Sequence[Unit]]
    analyse: Callable[[S, Results], F]
    draw: Callable[[F], Figure]
    then: Callable[[S, Results], Sequence[Unit]] | None = None  # units that depend on what the first ones gave

    def settings(self, *, quick: bool) -> S:
        """Return the settings of the paper, or the reduced ones."""
        return self.quick if quick else self.full
