"""The exact loss of one task for every value of one parameter."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import overload

from banditune.checks import shown
from banditune.cores import n_cores
from banditune.errors import ParameterError
from banditune.policies.policy import Policy
from banditune.search import Search
from banditune.step_function import StepFunction, adjoined
from banditune.tasks import Task

LONG_GAME = 5_000  # rounds from which the range is divided into parts that all cores work on
PARTS = 32


@overload
def loss_curve(
    policy: type[Policy],
    task: Task,
    *,
    horizon: int,
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> StepFunction: ...
@overload
def loss_curve(
    policy: type[Policy],
    task: Task,
    *,
    horizon: Iterable[int],
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> list[StepFunction]: ...
def loss_curve(
    policy: type[Policy],
    task: Task,
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
    with extend=False refused.

    >>> import banditune as bt
    >>> task = bt.Task([[0, 1, 0, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 1, 0, 1]])
    >>> curve = bt.loss_curve(bt.UCB, task, horizon=6, alpha=(0.0, 4.0))
    >>> curve.edges.round(3)
    array([0.   , 1.256, 1.546, 4.   ])
    >>> curve.values
    array([0.375, 0.75 , 1.125])
    """
    horizons = _listed(horizon)
    if not horizons:
        raise ParameterError("horizon must be a whole number or several of them, got an empty list")
    search = Search.of(policy, horizons, parameters, loss=loss, seed=seed, extend=extend)
    if search.horizons[-1] < LONG_GAME:
        parts = [search.curves([task])[0]]
    else:
        with ThreadPoolExecutor(n_cores()) as executor:
            parts = list(executor.map(lambda part: part.curves([task])[0], search.parts(PARTS)))
    sets_at = dict(zip(search.horizons, zip(*parts, strict=True), strict=True))
    asked = [adjoined([curves[0] for curves in sets_at[at]]) for at in horizons]
    return asked if isinstance(horizon, Iterable) else asked[0]


def _listed(horizon: int | Iterable[int]) -> list[int]:
    """One horizon or several as a list; what is neither is refused where each is checked."""
    if not isinstance(horizon, Iterable):
        return [horizon]
    try:
        return list(horizon)
    except TypeError:
        raise ParameterError(f"horizon must be a whole number or a list of them, got {shown(horizon)}") from None
