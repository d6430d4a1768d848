"""Certificates: what can be promised of a value that was learned, and at what risk of being wrong.

They need limits that the losses of tasks lie between: known or given, never guessed.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from banditune.curves.display import html_table, take_axes
from banditune.curves.palette import CURVE, RANGE, TREND
from banditune.curves.step_function import Interval
from banditune.errors import InputError, ParameterError
from banditune.evaluation.certificate_bounds import BOUNDS, Learned
from banditune.evaluation.concentration import Floats, bound_mean_below
from banditune.policies.losses import Loss, choose_loss
from banditune.validation import finite_number, format_count, format_value, one_of


def loss_limits(
    bound: object, reward_limits: Interval | None, *, loss: Loss | str, horizon: int, averaged: bool = False
) -> Interval:
    """Return the limits that `bound` gives, a number or (low, high), or that follow from the limits of rewards.

    `averaged` losses are those of a replayed log: per event, not in total.

    >>> loss_limits(None, Interval(0.0, 1.0), loss="regret", horizon=100)
    Interval(low=0.0, high=100.0)
    """
    measured = choose_loss(loss)
    if bound is not None:
        return _parse_bound(bound, measured)
    if reward_limits is None:
        raise ParameterError(
            "a certificate needs the largest possible loss, which observed rewards do not bound: give bound=, the "
            "largest loss possible, or the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)"
        )
    return measured.find_limits(reward_limits, 1 if averaged else horizon)


def _parse_bound(bound: object, loss: Loss) -> Interval:
    if isinstance(bound, Iterable) and not isinstance(bound, str):
        ends = list(bound)
        if len(ends) != 2:
            raise ParameterError(f"bound must be the largest loss possible, or (low, high); got {format_value(bound)}")
        low, high = (finite_number("bound", end) for end in ends)
    elif not loss.is_lost:
        raise ParameterError(
            f"losses are minus the rewards, so bound must be (low, high) here, got {format_value(bound)}; or give "
            "the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)"
        )
    else:
        low, high = 0.0, finite_number("bound", bound)
    if not low < high:
        raise ParameterError(f"bound must be above the least loss, {low:g}; got {high:g}")
    return Interval(low, high)


def check_losses(losses: Floats, limits: Interval) -> None:
    """Reject limits that losses (tasks,) do not keep to."""
    room = 1e-9 * limits.width  # for rounding
    outside = np.flatnonzero((losses < limits.low - room) | (losses > limits.high + room))
    if outside.size:
        k = int(outside[0])
        raise ParameterError(
            f"bound must hold for every loss: tasks[{k}] has the loss {losses[k]:g}, outside {limits.low:g} to "
            f"{limits.high:g}"
        )


if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOLDOUT, BEST = "holdout", "best"
TRIED = ("compression", "rademacher", "massart")  # the bounds that "best" pays for
LEAST_TASKS = 3  # compression sets two aside


@dataclass(frozen=True, slots=True)
class Certificate:
    """A bound on the loss of new tasks that holds with probability at least 1 - delta over the past tasks.

    Both bounds hold together with that probability.

    Attributes
    ----------
    loss_bound : float
        The expected loss of a new task with the learned value is at most this.
    excess_bound : float
        It exceeds that of the best value by at most this.
    method : str
        How the bounds were derived.
    assumptions : tuple of str
        What they assume.
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

    @classmethod
    def of(
        cls, method: str, delta: float, value: float, losses: Floats, limits: Interval, upper: float, excess: float
    ) -> "Certificate":
        """Make it from bounds laid out from 0 to 1 between the limits of losses; it rests on `losses` (tasks,)."""
        bounds = limits.low + limits.width * upper, limits.width * excess
        return cls(method, delta, value, float(losses.mean()), *bounds, limits, losses.size, assumptions(limits))

    @property
    def says_something(self) -> bool:
        """Whether the bound is below the largest loss there can be."""
        return self.loss_bound < self.limits.high

    def __repr__(self) -> str:
        return (
            f"Certificate(method={self.method!r}, delta={self.delta:g}, loss_bound={self.loss_bound:.4g}, "
            f"excess_bound={self.excess_bound:.4g})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("method", self.method),
            ("probability", f"at least {1.0 - self.delta:.4g}"),
            ("loss bound", f"{self.loss_bound:.4g}"),
            ("excess bound", f"{self.excess_bound:.4g}"),
            ("mean loss", f"{self.loss:.4g} on {format_count(self.n_tasks, 'task')}"),
            ("assumes that", "; ".join(self.assumptions)),
        ]
        return html_table("Certificate", rows)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the mean loss and its bound within the limits of losses; return the Matplotlib axes."""
        axes = take_axes(ax)
        axes.axvspan(self.limits.low, self.loss_bound, color=RANGE, linewidth=0, zorder=0)
        axes.axvline(self.loss_bound, color=TREND, linestyle="--", label=f"bound {self.loss_bound:.4g}")
        axes.plot([self.loss], [0.0], "o", color=CURVE, label=f"mean loss {self.loss:.4g}")
        axes.set(xlim=tuple(self.limits), yticks=[], xlabel="expected loss of a new task", title=self.method)
        axes.legend()
        return axes

    def __str__(self) -> str:
        sure = f"With probability at least {1.0 - self.delta:.4g}"
        if not self.says_something:
            return f"{sure}, {self.method} gives no bound from {format_count(self.n_tasks, 'task')}"
        return (
            f"{sure} ({self.method}), the expected loss of a new task with the value {self.value:.4g} is at most "
            f"{self.loss_bound:.4g}, and at most {self.excess_bound:.4g} above that of the best value"
        )


def certify(learned: Learned, delta: float, method: str, n_compared: int = 1) -> Certificate:
    """Return the certificate of what was learned, by one method chosen beforehand, or by the best of several, paid for.

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
    """Return one certificate: half of its share of delta for what the value loses, half for what the best one does."""
    mean = learned.mean
    if method == "paper":
        upper = BOUNDS[method](learned, share)
        excess = upper - mean
    else:
        upper = BOUNDS[method](learned, share / 2.0)
        excess = upper - bound_mean_below(mean, math.log(2.0 / share) / learned.n_tasks)
    return Certificate.of(method, delta, learned.value, learned.curves.at(learned.value), learned.limits, upper, excess)


def assumptions(limits: Interval) -> tuple[str, ...]:
    """Return what every certificate rests on."""
    return (
        "past and future tasks are independent draws from one population",
        f"no loss is below {limits.low:g} or above {limits.high:g}",
    )


def check_delta(delta: object, name: str = "delta") -> float:
    """Return the probability that a bound may fail: above 0 and below 1."""
    number = finite_number(name, delta)
    if not 0.0 < number < 1.0:
        raise ParameterError(f"{name} must be above 0 and below 1, got {format_value(delta)}")
    return number


def check_method(method: object) -> str:
    """Return the name of a way to certify."""
    return one_of("method", method, (*BOUNDS, HOLDOUT, BEST))
