"""The exact loss of one task for every value of one parameter."""

from collections.abc import Iterable
from typing import Any, overload

from banditune.curves.step_function import StepFunction
from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.policies.losses import choose_loss
from banditune.tuning.parallel_sweep import sweep_task
from banditune.tuning.replay import ReplayCurve
from banditune.tuning.results.details import ProvedCurve, read_proof
from banditune.tuning.search import Search
from banditune.validation import format_value


@overload
def loss_curve(
    policy: type[Policy[Any]],
    task: Any,
    *,
    horizon: int,
    loss: str = "regret",
    rollout: int | None = None,
    recommend: str | None = None,
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
    rollout: int | None = None,
    recommend: str | None = None,
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
    rollout: int | None = None,
    recommend: str | None = None,
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> StepFunction | list[StepFunction]:
    """Compute the loss of a policy on one task for every value of one parameter, exactly.

    For every value that is not on an edge, it equals the loss of `bt.play` with that value; with UCB's schedule
    "constant", except at single values where indices tie exactly. Of a task whose order or length is not recorded, it
    is the curve of the first draw; `bt.tune` averages over several.

    Parameters
    ----------
    policy : type
        The policy class, such as `bt.UCB`.
    task : Task, ContextualTask or LoggedTask
        The task.
    horizon : int or iterable of int
        The number of rounds; several give a list of curves from one sweep.
    loss : {"regret", "reward", "simple", "rollout"}, default "regret"
        The sum over the rounds of (best mean - mean of the pulled arm), or minus the sum of the rewards; "simple" and
        "rollout" as in `bt.tune`. For a `bt.LoggedTask` only "reward": minus the mean reward of the matched events
        among the first `horizon` (replay).
    rollout, recommend
        As in `bt.tune`.
    seed, extend
        As in `bt.tune`.
    **parameters
        One parameter as a range (low, high); others as values.

    Returns
    -------
    StepFunction or list of StepFunction
        The curve. That of a log also has `matched`, the number of matched events for every value; that of `bt.GPUCB`
        has `proof`, which says how far the pieces are proved.

    Examples
    --------
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
    measured = choose_loss(loss, rollout, recommend)
    search = Search.of(policy, horizons, parameters, loss=measured, seed=seed, extend=extend).fit([task])
    swept = sweep_task(search, task)
    curves = [losses[0] for losses in swept.losses]
    if (proof := read_proof(swept)) is not None:
        curves = [ProvedCurve(curve.edges, curve.values, proof) for curve in curves]
    if swept.matched is not None:
        matched = [counts[0] for counts in swept.matched]
        curves = [ReplayCurve(curve.edges, curve.values, of) for curve, of in zip(curves, matched, strict=True)]
    asked = [curves[search.horizons.index(at)] for at in horizons]
    return asked if isinstance(horizon, Iterable) else asked[0]


def _list_horizons(horizon: int | Iterable[int]) -> list[int]:
    """Return one horizon or several as a list; what is neither is rejected where each is checked."""
    if not isinstance(horizon, Iterable):
        return [horizon]
    try:
        return list(horizon)
    except TypeError:
        raise ParameterError(f"horizon must be a whole number or a list of them, got {format_value(horizon)}") from None
