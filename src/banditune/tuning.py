"""Tuning: the mean of the tasks' step functions, and its least piece. Algorithm 2 of the paper, over the continuum."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from banditune.errors import ReplayWarning
from banditune.policies.policy import Policy, Swept
from banditune.replay import FEW_LOGS, replay
from banditune.search import Search
from banditune.sweeping import iterated, sweep_tasks
from banditune.tuned import Compared, Tuned


def tune(
    policy: type[Policy],
    tasks: Iterable[Any],
    *,
    horizon: int,
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
    **parameters: object,
) -> Tuned:
    """The value of a policy's parameter that loses least on past tasks, found exactly over its whole range.

    The parameter to learn is given as (low, high), others as values; where one without a range is given as a list, each
    value is tried with its own exact search, and the best taken. `tasks` may be a generator: it is consumed in
    chunks. The chunks go through `executor`, by default a thread on each of this machine's cores; the answer is the
    same to the last bit whatever the executor. `progress` is called with the number of tasks done.

    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10], seed=k) for k in range(20)]
    >>> tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0))
    >>> tuned.alpha in tuned.interval and tuned.loss == tuned.curve(tuned.alpha)
    True
    """
    asked = Search.each(policy, [horizon], parameters, loss=loss, seed=seed, extend=extend)
    searches = [search.fitted(tasks) for search in asked]
    first_tasks: list[Any] = []
    swept = sweep_tasks(searches, _noting(iterated(tasks), first_tasks), executor, progress)
    tuned = learned(searches, swept, first_tasks, origin=getattr(tasks, "origin", None))
    for doubt in () if tuned.replay is None else tuned.replay.warnings:
        warnings.warn(doubt, ReplayWarning, stacklevel=2)
    return tuned


def learned(
    searches: Sequence[Search],
    swept: Sequence[Swept],
    first_tasks: Sequence[Any],
    *,
    origin: Mapping[str, object] | None = None,
) -> Tuned:
    """What the best of some searches finds in the curves of its tasks, which may come from a log."""
    found = [_learned(search, each) for search, each in zip(searches, swept, strict=True)]
    k = min(range(len(found)), key=lambda k: found[k].loss)  # of several, the first
    return replace(
        found[k],
        origin=origin,
        compared=tuple(Compared(tuned.params, tuned.loss) for tuned in found) if len(found) > 1 else (),
        replay=replay(searches[k], swept[k], found[k].params[found[k].parameter], first_tasks),
    )


def _learned(search: Search, swept: Swept) -> Tuned:
    """What one search finds in its curves."""
    (curves,) = swept.losses
    mean = curves.mean()
    interval = mean.argmin()
    best = search.searched.inside(*interval)
    return Tuned(
        policy_class=search.policy,
        params={search.parameter: best, **search.policy.stated(search.fixed)},
        interval=interval,
        plausible=curves.plausible(best),
        curve=mean,
        loss=mean(best),
        loss_name=search.loss,
        parameter=search.parameter,
        n_tasks=len(curves),
        horizon=search.horizons[-1],
        complexity=float(curves.n_pieces.mean()),
        histories=float(swept.histories.mean()),
        seed=search.seed,
    )


def _noting(tasks: Iterator[Any], first: list[Any]) -> Iterator[Any]:
    """The tasks, of which the first few are noted as they pass."""
    for task in tasks:
        if len(first) < FEW_LOGS:
            first.append(task)
        yield task
