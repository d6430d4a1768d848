"""Between which limits the losses of tasks lie: known or given, never guessed."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval
from banditune.errors import ParameterError
from banditune.policies.losses import LOSSES
from banditune.validation import finite_number, format_value


def loss_limits(
    bound: object, reward_limits: Interval | None, *, loss: str, horizon: int, averaged: bool = False
) -> Interval:
    """The limits that `bound` gives, a number or (low, high), or that follow from the limits of rewards.

    `averaged` losses are those of a replayed log: per event, not in total.

    >>> loss_limits(None, Interval(0.0, 1.0), loss="regret", horizon=100)
    Interval(low=0.0, high=100.0)
    """
    if bound is not None:
        return _parse_bound(bound, loss)
    if reward_limits is None:
        raise ParameterError(
            "a certificate needs the largest possible loss, which observed rewards do not tell: give bound=, the "
            "largest loss possible, or the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)"
        )
    return LOSSES[loss].find_limits(reward_limits, 1 if averaged else horizon)


def _parse_bound(bound: object, loss: str) -> Interval:
    if isinstance(bound, Iterable) and not isinstance(bound, str):
        ends = list(bound)
        if len(ends) != 2:
            raise ParameterError(f"bound must be the largest loss possible, or (low, high); got {format_value(bound)}")
        low, high = (finite_number("bound", end) for end in ends)
    elif not LOSSES[loss].is_lost:
        raise ParameterError(
            f"losses are minus the rewards, so bound must be (low, high) here, got {format_value(bound)}; or give "
            "the limits of the rewards (limits= of bt.Task, reward_range= of bt.read_log)"
        )
    else:
        low, high = 0.0, finite_number("bound", bound)
    if not low < high:
        raise ParameterError(f"bound must be above the least loss, {low:g}; got {high:g}")
    return Interval(low, high)


def check_losses(losses: NDArray[np.float64], limits: Interval) -> None:
    """Reject limits that losses (tasks,) do not keep to."""
    room = 1e-9 * limits.width  # for rounding
    outside = np.flatnonzero((losses < limits.low - room) | (losses > limits.high + room))
    if outside.size:
        k = int(outside[0])
        raise ParameterError(
            f"bound must hold for every loss: tasks[{k}] has the loss {losses[k]:g}, outside {limits.low:g} to "
            f"{limits.high:g}"
        )
