"""Hold-out: learn from a part of the tasks, and measure on the others what was learned."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.errors import InputError
from banditune.evaluation.certificate import HOLDOUT, Certificate, assumptions
from banditune.evaluation.concentration import (
    bound_expectation_above,
    bound_mean_below,
    mean_interval,
    ratio_interval,
    scale_losses,
)
from banditune.evaluation.recommended_value import learn_value
from banditune.policies.parameters import Parameter
from banditune.rng import generator
from banditune.validation import format_count

LEAST_TASKS = 4
MOST_TIMES = 1_000.0  # the largest ratio of two losses that is reported

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """A value, and what it lost on tasks that it was not learned from, in an order that tells nothing."""

    value: float
    losses: Floats  # (tasks,)
    numbers: NDArray[np.int64]  # (tasks,) which of all tasks these are


def hold_out(curves: CurveSet, parameter: Parameter, seed: int, *, draws: int | None = None) -> HeldOut:
    """Learn from a random half of the tasks, measure on the other.

    What is learned is what a study recommends with so many draws of each task; without, the least of the mean.
    """
    n = len(curves)
    if n < LEAST_TASKS:
        raise InputError(f"a holdout set needs at least {LEAST_TASKS} tasks, got {n}")
    order = generator(seed, "holdout").permutation(n)
    learned_from = np.zeros(n, bool)
    learned_from[order[: n // 2]] = True
    value = learn_value(parameter, curves, learned_from, draws)
    others = order[n // 2 :]
    return HeldOut(value, curves.at(value)[others], others)


def certify_held_out(
    held: HeldOut, limits: Interval, delta: float, n_compared: int = 1, everyone: tuple[float, int] | None = None
) -> Certificate:
    """Return the certificate of a value from tasks it was not learned from, by betting.

    `everyone` is the least mean loss over all values, and of how many tasks: none can be expected to do much better.
    Without it nothing is known of other values, but that they cannot lose less than the lower limit.
    """
    share = delta / n_compared
    laid_out = scale_losses(held.losses, limits)
    upper = bound_expectation_above(laid_out, share / 2.0)
    least = 0.0
    if everyone is not None:
        mean, n = everyone
        least = bound_mean_below(float(scale_losses(np.array([mean]), limits)[0]), math.log(2.0 / share) / n)
    return Certificate.of(HOLDOUT, delta, held.value, held.losses, limits, upper, upper - least)


@dataclass(frozen=True, slots=True)
class Improvement:
    """How much less is lost with what was learned than with another value, on tasks that it was not learned from."""

    value: float  # that was learned
    over: float  # the other
    saved: Interval  # of loss on a new task, with probability at least 1 - delta
    share: Interval | None  # the same as a share of what the other loses; None where losses can be negative
    delta: float
    n_tasks: int  # that it was measured on
    assumptions: tuple[str, ...]

    @property
    def is_clear(self) -> bool:
        """Whether it is known which of the two values is better."""
        return any(not each.low <= 0.0 <= each.high for each in (self.saved, self.share) if each is not None)

    def phrase(self, better: str = "less", worse: str = "more") -> str:
        """Return how much better the learned value is, as far as that can be promised.

        >>> Improvement(0.1, 1.0, Interval(4.1, 5.5), Interval(0.41, 0.55), 0.05, 80, ()).phrase()
        '41 to 55% less'
        """
        if self.share is not None and not self.share.low <= 0.0 <= self.share.high:
            low, high = sorted(abs(100.0 * end) for end in self.share)
            return f"{low:.0f} to {high:.0f}% {better if self.share.low > 0.0 else worse}"
        least, most = (f"{abs(end):.3g}" for end in self.saved)
        if self.saved.low > 0.0:
            return f"{least} to {most} {better}"
        if self.saved.high < 0.0:
            return f"{most} to {least} {worse}"
        return f"no clear difference: from {least} {worse} to {most} {better}"

    def __str__(self) -> str:
        sure = f"probability at least {1.0 - self.delta:.4g}, {format_count(self.n_tasks, 'held-out task')}"
        return f"loss of the learned value against {self.over:g}: {self.phrase()} ({sure})"


def bound_improvement(held: HeldOut, over: float, losses: Floats, limits: Interval, delta: float) -> Improvement:
    """Return how much less `held.value` loses than the value `over`, with which the same tasks lose `losses` (tasks,).

    The interval of the difference and that of the share take half of delta each.
    """
    learned, other = scale_losses(held.losses, limits), scale_losses(losses, limits)
    middle = mean_interval(0.5 * (other - learned + 1.0), delta / 2.0)
    saved = Interval(limits.width * (2.0 * middle.low - 1.0), limits.width * (2.0 * middle.high - 1.0))
    share = None
    if limits.low == 0.0:
        ratio = ratio_interval(learned, other, delta / 2.0, most=MOST_TIMES)
        share = Interval(1.0 - ratio.high, 1.0 - ratio.low)
    return Improvement(held.value, over, saved, share, delta, held.losses.size, assumptions(limits))
