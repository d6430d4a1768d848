"""How policies stand beside each other, task by task."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.display import html_table, take_axes
from banditune.curves.palette import BEST, CURVE
from banditune.curves.step_function import Interval
from banditune.errors import ParameterError
from banditune.evaluation.intervals import NORMAL, estimate_skewed_mean, standard_error
from banditune.policies.base import Policy
from banditune.policies.losses import LOSSES, Loss
from banditune.tasks.units import UNNAMED, Units
from banditune.tuning.families import hold_against_first
from banditune.validation import format_names, format_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Searched(NamedTuple):
    """What was tuned: a policy, and the parameter that was searched."""

    policy: type[Policy[Any]]
    parameter: str


class Played(NamedTuple):
    """The runs of one policy."""

    name: str
    knowledge: str  # what it knew beforehand
    regret: NDArray[np.float64]  # (tasks, repetitions, rounds)
    seconds: float  # of all runs

    @property
    def losses(self) -> NDArray[np.float64]:
        """The regret at the horizon, the mean over the repetitions: (tasks,)."""
        means: NDArray[np.float64] = self.regret[:, :, -1].mean(axis=1)
        return means


@dataclass(frozen=True, slots=True)
class Standing:
    """How one policy did, and how it did beside the reference on the same rewards."""

    name: str
    knowledge: str  # what it knew beforehand
    regret: float  # the mean over the tasks
    error: float  # its standard error
    extra: float  # what it lost more than the reference, the mean over the tasks
    interval: Interval  # of that: 95%, as in a study: by Student's t with its skewness
    worse: int  # tasks on which it lost more
    better: int  # tasks on which it lost less
    rank: float  # the mean over the tasks: 1 lost least; those that tie share their ranks
    seconds: float  # of one run; 0 for equal split, which nobody runs
    is_level: bool = False  # whether neither it nor any before it is clearly worse than the first


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Policies compared on held-out tasks, all with the same rewards.

    Attributes
    ----------
    standings : tuple of Standing
        One per policy, the least mean regret first: regret, its standard error, and the difference from `reference`.
    losses : mapping of str to ndarray, shape (n_tasks,)
        The regret of each policy on each task at the horizon.
    curves : mapping of str to ndarray
        The mean regret of each policy after each of `rounds`.
    learned : mapping of str to sequence of mapping
        The parameters that were learned for each tuned policy without each of the folds.
    searched : mapping of str to Searched
        The class of each tuned policy, and the parameter that was searched.
    simplest : str or None
        Of the tuned policies that are level with the first, the simplest to run.
    """

    reference: str  # the policy that others are held against
    standings: tuple[Standing, ...]  # the least regret first
    losses: Mapping[str, NDArray[np.float64]]  # name -> (tasks,) the regret at the horizon
    rounds: NDArray[np.int64]  # (c,)
    curves: Mapping[str, NDArray[np.float64]]  # name -> (c,) the mean regret after each of these rounds
    fold: NDArray[np.int64]  # (tasks,) the fold of each task
    learned: Mapping[str, Sequence[Mapping[str, Any]]]  # name of a tuned policy -> for each fold, its parameters
    searched: Mapping[str, Searched]  # name of a tuned policy -> what was searched for it
    learning_seconds: float  # of all folds
    horizon: int
    repetitions: int
    seed: int
    loss: Loss = LOSSES["regret"]  # what `regret` is, with what comes after the runs
    units: Units = UNNAMED  # of rewards and rounds
    simplest: str | None = None  # of the tuned policies that are level with the first; None if none is

    def __post_init__(self) -> None:
        for part in (self.rounds, self.fold, *self.losses.values(), *self.curves.values()):
            part.flags.writeable = False

    @property
    def n_tasks(self) -> int:
        """How many tasks there were."""
        return int(self.fold.size)

    @property
    def n_folds(self) -> int:
        """In how many folds they were."""
        return int(self.fold.max()) + 1

    @property
    def measure(self) -> str:
        """What is compared, with its unit."""
        length = self.units.count(self.horizon)
        if self.loss.gaps and self.loss.later:
            length += f" and {self.units.count(int(self.loss.later))} of roll-out"
        return f"{self.level} over {length}"

    @property
    def level(self) -> str:
        """What is compared, in units, without the length of runs."""
        return self.units.measure(f"mean {self.loss.measure}")

    @property
    def best(self) -> str:
        """The policy with the least mean regret."""
        return self.standings[0].name

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each policy, the least mean regret first, as `pandas.DataFrame` and others take it."""
        return [asdict(each) | {"interval": tuple(each.interval)} for each in self.standings]

    def __repr__(self) -> str:
        best = self.standings[0]
        return (
            f"Comparison(best={best.name!r}, regret={best.regret:.4g}, n_policies={len(self.standings)}, "
            f"n_tasks={self.n_tasks}, horizon={self.horizon})"
        )

    def _repr_html_(self) -> str:
        rows = [(each.name, f"{each.regret:.4g} (standard error {each.error:.2g})") for each in self.standings]
        return html_table(f"{self.measure.capitalize()} on held-out tasks", rows)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the mean regret of every policy with its 95% interval; return the Matplotlib axes."""
        axes = take_axes(ax)
        for place, each in enumerate(self.standings):
            colour = BEST if each.name == self.reference else CURVE
            axes.errorbar(each.regret, place, xerr=NORMAL * each.error, fmt="o", color=colour)
        axes.set_yticks(range(len(self.standings)), [each.name for each in self.standings])
        axes.invert_yaxis()
        axes.set_xlabel(f"{self.measure}, held-out tasks")
        return axes

    def of(self, name: str) -> Standing:
        """Return the standing of the policy of that name."""
        for standing in self.standings:
            if standing.name == name:
                return standing
        raise ParameterError(f"there is no policy {format_value(name)}; there are {format_names(self.losses)}")


def rank_policies(runs: Sequence[Played]) -> tuple[Standing, ...]:
    """Return every policy beside the first, which is the reference; the least regret first."""
    losses = np.array([played.losses for played in runs])
    n_runs = runs[0].regret[:, :, 0].size
    ranks = mean_ranks(losses)
    found = []
    for place, played in enumerate(runs):
        extra = losses[place] - losses[0]
        beside = estimate_skewed_mean(extra)
        found.append(
            Standing(
                name=played.name,
                knowledge=played.knowledge,
                regret=float(losses[place].mean()),
                error=standard_error(losses[place]),
                extra=beside.mean,
                interval=Interval(beside.low, beside.high),
                worse=int((extra > 0.0).sum()),
                better=int((extra < 0.0).sum()),
                rank=float(ranks[place]),
                seconds=played.seconds / n_runs,
            )
        )
    found.sort(key=lambda standing: standing.regret)
    by_name = {played.name: each for played, each in zip(runs, losses, strict=True)}
    levels = hold_against_first([by_name[standing.name] for standing in found])
    return tuple(replace(each, is_level=is_level) for each, (_, is_level) in zip(found, levels, strict=True))


def mean_ranks(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean rank of each policy over the tasks, from losses (policies, tasks); 1 lost least, ties share.

    >>> mean_ranks(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 9.0]])).tolist()
    [1.25, 1.75, 3.0]
    """
    below = (losses[None] < losses[:, None]).sum(axis=1)
    level = (losses[None] == losses[:, None]).sum(axis=1)
    ranks: NDArray[np.float64] = (below + (level + 1) / 2).mean(axis=1)
    return ranks
