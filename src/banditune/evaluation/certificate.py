"""Certificates: what can be promised of a value that was learned, and at what risk of being wrong."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from banditune.curves.step_function import Interval
from banditune.errors import InputError, ParameterError
from banditune.evaluation.bounds import Learned, compression, massart, paper, rademacher
from banditune.evaluation.concentration import lower_mean
from banditune.validation import finite_number, format_count, format_value, one_of

Bound = Callable[[Learned, float], float]  # of the expected loss, laid out from 0 to 1, at a risk
BOUNDS: dict[str, Bound] = {"compression": compression, "rademacher": rademacher, "massart": massart, "paper": paper}
HOLDOUT, BEST = "holdout", "best"
TRIED = ("compression", "rademacher", "massart")  # the bounds that "best" pays for
LEAST_TASKS = 3  # compression sets two aside


@dataclass(frozen=True, slots=True)
class Certificate:
    """What holds of new tasks, but for a chance of at most delta that these tasks mislead.

    Both bounds hold together with that chance.
    """

    method: str
    delta: float
    value: float  # of the parameter: what the certificate speaks of
    loss: float  # its mean loss on the tasks it rests on
    loss_bound: float  # a new task is expected to lose at most this with the value
    excess_bound: float  # and at most this much more than with the best of all values
    limits: Interval  # between which every loss lies
    n_tasks: int  # that it rests on
    assumptions: tuple[str, ...]  # what has to be true

    @property
    def says_something(self) -> bool:
        """Whether the bound is below the largest loss there can be."""
        return self.loss_bound < self.limits.high

    def __str__(self) -> str:
        sure = f"With {1.0 - self.delta:.4g} confidence"
        if not self.says_something:
            return f"{sure}, nothing can be said by {self.method} from {format_count(self.n_tasks, 'task')}"
        return (
            f"{sure} ({self.method}), a new task is expected to lose at most {self.loss_bound:.4g}, and at most "
            f"{self.excess_bound:.4g} more than with the best value"
        )


def certify(learned: Learned, delta: float, method: str, n_compared: int = 1) -> Certificate:
    """The certificate of what was learned, by one method chosen beforehand, or by the best of several, paid for.

    Where the curves are those of the best of `n_compared` searches, each has a share of delta.
    """
    if learned.n_tasks < LEAST_TASKS:
        raise InputError(f"a certificate needs at least {LEAST_TASKS} tasks, got {learned.n_tasks}")
    share = delta / n_compared
    if method != BEST:
        return _by(learned, delta, share, method)
    tried = [_by(learned, delta, share / len(TRIED), each) for each in TRIED]
    return min(tried, key=lambda each: each.loss_bound)


def _by(learned: Learned, delta: float, share: float, method: str) -> Certificate:
    """One certificate: half of its share of delta for what the value loses, half for what the best one does."""
    mean, width = learned.mean, learned.limits.width
    if method == "paper":
        upper = BOUNDS[method](learned, share)
        excess = upper - mean
    else:
        upper = BOUNDS[method](learned, share / 2.0)
        excess = upper - lower_mean(mean, math.log(2.0 / share) / learned.n_tasks)
    return Certificate(
        method,
        delta,
        learned.value,
        float(learned.curves.at(learned.value).mean()),
        learned.limits.low + width * upper,
        width * excess,
        learned.limits,
        learned.n_tasks,
        assumptions(learned.limits),
    )


def assumptions(limits: Interval) -> tuple[str, ...]:
    """What every certificate rests on."""
    return (
        "the tasks learned from and the tasks to come are drawn independently of each other from one population",
        f"no loss is below {limits.low:g} or above {limits.high:g}",
    )


def check_delta(delta: object, name: str = "delta") -> float:
    """The chance of being wrong: above 0 and below 1."""
    number = finite_number(name, delta)
    if not 0.0 < number < 1.0:
        raise ParameterError(f"{name} must be above 0 and below 1, got {format_value(delta)}")
    return number


def check_method(method: object) -> str:
    """The name of a way to certify."""
    return one_of("method", method, (*BOUNDS, HOLDOUT, BEST))
