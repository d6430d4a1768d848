"""The exact loss of one task for every value of one parameter."""

from collections.abc import Iterable
from typing import Any, overload

from banditune.curves.step_function import StepFunction
from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.tuning.executor import sweep_task
from banditune.tuning.proof import ProvedCurve, proof_of
from banditune.tuning.replay import ReplayCurve
from banditune.tuning.search import Search
from banditune.validation import format_value


@overload
def loss_curve(
    policy: type[Policy[Any]],
    task: Any,
    *,
    horizon: int,
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> StepFunction: ...
@overload
def loss_curve(
    policy: type[Policy[Any]],
    task: Any,
    *,
    horizon: Iterable[int],
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> list[StepFunction]: ...
def loss_curve(
    policy: type[Policy[Any]],
    task: Any,
    *,
    horizon: int | Iterable[int],
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> StepFunction | list[StepFunction]:
    """The loss of a policy on one task as a function of the parameter given as (low, high); others are fixed.

    For every value that is not on an edge it equals what `play` loses with that value. `loss` is "regret" (the sum
    over the rounds of best mean - mean of the pulled arm) or "reward" (minus the rewards received). A list of horizons
    gives a list of curves from one sweep. A task with fewer rewards than the horizon is extended with the seed, or
    with extend=False rejected.

    Of a `bt.LoggedTask`, at most `horizon` events are replayed, and loss="reward" is minus the mean reward of those
    that matched; `curve.matched` is their number for every value. Of `bt.GPUCB`, `curve.proof` says how far the pieces
    are proved.

    >>> import banditune as bt
    >>> task = bt.Task([[0, 1, 0, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 1, 0, 1]])
    >>> curve = bt.loss_curve(bt.UCB, task, horizon=6, alpha=(0.0, 4.0))
    >>> curve.edges.round(3)
    array([0.   , 1.256, 1.546, 4.   ])
    >>> curve.values
    array([0.375, 0.75 , 1.125])
    """
    horizons = _list_horizons(horizon)
    if not horizons:
        raise ParameterError("horizon must be a whole number or several of them, got an empty list")
    search = Search.of(policy, horizons, parameters, loss=loss, seed=seed, extend=extend).fit([task])
    swept = sweep_task(search, task)
    curves = [losses[0] for losses in swept.losses]
    if (proof := proof_of(swept)) is not None:
        curves = [ProvedCurve(curve.edges, curve.values, proof) for curve in curves]
    if swept.matched is not None:
        matched = [counts[0] for counts in swept.matched]
        curves = [ReplayCurve(curve.edges, curve.values, of) for curve, of in zip(curves, matched, strict=True)]
    asked = [curves[search.horizons.index(at)] for at in horizons]
    return asked if isinstance(horizon, Iterable) else asked[0]


def _list_horizons(horizon: int | Iterable[int]) -> list[int]:
    """One horizon or several as a list; what is neither is rejected where each is checked."""
    if not isinstance(horizon, Iterable):
        return [horizon]
    try:
        return list(horizon)
    except TypeError:
        raise ParameterError(f"horizon must be a whole number or a list of them, got {format_value(horizon)}") from None
