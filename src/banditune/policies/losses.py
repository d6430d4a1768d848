"""The losses: what a pull costs under each, what comes after the run, and between which limits they lie.

A loss is added here and in its test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.curves.tail_curves import TailCurves, spread_losses
from banditune.errors import ParameterError
from banditune.kernels.lines.index import NOTHING, After
from banditune.kernels.numerics.arrays import Floats
from banditune.validation import LONGEST_GAME, finite_number, format_value, one_of, whole_number

ROLLOUT = "rollout"
MEAN, PULLS = "mean", "pulls"
RECOMMENDATIONS = (MEAN, PULLS)  # which arm is recommended at the end: the highest mean, or the most pulls


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: the sum over the rounds of `gaps` (best mean - mean of the arm) - `rewards` (reward).

    After them, `later` rounds are given to the arm that is recommended at the end, each of which costs its gap.
    """

    name: str  # in calls and files
    measure: str  # what is measured, in a whole run
    measure_per_event: str  # the same for a mean event of a log that is replayed
    gaps: float
    rewards: float
    later: float = 0.0
    recommend: str = MEAN
    tail: float | None = None  # the share of the tasks, the worst of them, whose mean is kept low; None: all

    @property
    def is_lost(self) -> bool:
        """Whether what is measured is kept low; else it is earned, and the loss is minus that."""
        return self.rewards == 0.0

    @property
    def sign(self) -> float:
        """Return 1 or -1: what a loss is multiplied by to get what is measured."""
        return 1.0 if self.is_lost else -1.0

    @property
    def fits_logs(self) -> bool:
        """Whether it can be computed where the rewards of the other arms are unknown."""
        return not self.is_lost

    @property
    def needs_one_best_arm(self) -> bool:
        """Whether one arm is recommended at the end, so that the best arm must not depend on contexts."""
        return self.later > 0.0

    def cost_arms(self, means: Floats, starts: NDArray[np.int64]) -> Floats:
        """Return what a pull of each arm costs besides its reward, the arms of task k from starts[k] on. (arms,)"""
        return self.gaps * find_gaps(means, starts)

    def end_runs(self, means: Floats, starts: NDArray[np.int64]) -> After:
        """Return what comes after the runs on tasks with these means: (arms,), those of task k from starts[k] on."""
        return After(self.later, find_gaps(means, starts), self.recommend == PULLS) if self.later > 0.0 else NOTHING

    def cost_rounds(self, means: Floats, rewards: Floats) -> Floats:
        """Return what each arm costs in each round of a contextual task. (rounds, arms)"""
        earned = self.rewards * rewards
        return -earned if self.fits_logs else self.gaps * (means.max(axis=1, keepdims=True) - means) - earned

    def find_limits(self, rewards: Interval, rounds: int) -> Interval:
        """Return the limits of the loss of so many rounds whose rewards and means keep to limits.

        >>> LOSSES["regret"].find_limits(Interval(0.0, 1.0), 100), LOSSES["reward"].find_limits(Interval(0.0, 1.0), 100)
        (Interval(low=0.0, high=100.0), Interval(low=-100.0, high=0.0))
        >>> choose_loss("rollout", rollout=500).find_limits(Interval(0.0, 1.0), 100)
        Interval(low=0.0, high=600.0)
        """
        low, lost = 0.0 - self.rewards * (rounds * rewards.high), (self.gaps * rounds + self.later) * rewards.width
        return Interval(low, lost - self.rewards * (rounds * rewards.low))

    @property
    def where(self) -> str:
        """Say which tasks are counted, if not all: a part of a sentence."""
        return "" if self.tail is None else f" in the worst {100.0 * self.tail:.3g}% of tasks"

    def gather(self, curves: CurveSet) -> CurveSet:
        """Return the curves of tasks as those whose mean is kept low."""
        return curves if self.tail is None else TailCurves.of_set(curves, self.tail)

    def weigh(self, losses: Floats) -> Floats:
        """Return what each task adds to what is kept low, whose mean that is: (tasks,)."""
        return losses if self.tail is None else spread_losses(losses, self.tail)

    def to_json(self) -> dict[str, Any]:
        """Return what is saved of it besides its name: nothing of a mean with nothing after the run."""
        saved: dict[str, Any] = {"rollout": int(self.later)} if self.name == ROLLOUT else {}
        saved |= {"recommend": self.recommend} if self.later > 0.0 else {}
        return saved | ({} if self.tail is None else {"tail": self.tail})

    def describe(self) -> Any:
        """Return it as plain data: finished work belongs to the same loss only, whichever tasks are counted."""
        own = replace(self, tail=None).to_json()
        return {"name": self.name, **own} if own else self.name


LOSSES = {
    loss.name: loss
    for loss in (
        Loss("regret", "regret", "regret", gaps=1.0, rewards=0.0),
        Loss("reward", "total reward", "reward per event", gaps=0.0, rewards=1.0),
        Loss("simple", "simple regret", "simple regret", gaps=0.0, rewards=0.0, later=1.0),
        Loss(ROLLOUT, "regret of test and roll-out", "regret", gaps=1.0, rewards=0.0, later=1.0),
    )
}


def choose_loss(loss: object, rollout: object = None, recommend: object = None, tail: object = None) -> Loss:
    """Return the loss that a call's arguments describe.

    >>> choose_loss("rollout", 5000).later, choose_loss("simple", recommend="pulls").recommend
    (5000.0, 'pulls')
    """
    if isinstance(loss, Loss):
        return loss
    chosen = LOSSES[one_of("loss", loss, LOSSES)]
    if (chosen.name == ROLLOUT) != (rollout is not None):
        needed = 'the loss "rollout" needs rollout=, the number of rounds after the run, and no other loss takes it'
        came = "no number" if rollout is None else f"{format_value(rollout)} with the loss {chosen.name!r}"
        raise ParameterError(f"{needed}; got {came}")
    if rollout is not None:
        chosen = replace(chosen, later=float(whole_number("rollout", rollout, least=1, most=LONGEST_GAME)))
    if recommend is not None:
        if chosen.later == 0.0:
            raise ParameterError(f'recommend is for the losses "simple" and "rollout", got "{chosen.name}"')
        chosen = replace(chosen, recommend=one_of("recommend", recommend, RECOMMENDATIONS))
    if tail is not None:
        share = finite_number("tail", tail, least=0.0, most=1.0)
        if share == 0.0:
            raise ParameterError("tail must be a share of the tasks above 0, such as 0.1; got 0")
        chosen = replace(chosen, tail=share)
    return chosen


def read_loss(saved: Mapping[str, Any]) -> Loss:
    """Return the loss of a saved result."""
    return choose_loss(saved["loss_name"], saved.get("rollout"), saved.get("recommend"), saved.get("tail"))


def find_gaps(means: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return how far each arm's mean is below that of the best arm of its task, whose arms begin at starts. (arms,)"""
    best = np.repeat(np.maximum.reduceat(means, starts[:-1]), np.diff(starts))
    gaps: Floats = best - means
    return gaps
