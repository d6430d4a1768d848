"""How often what is not recorded of a task is drawn: often enough that the draws add little to the standard error.

The loss of a task whose order or length is not recorded is an expectation over what is drawn; the variance of a mean
over N tasks of K draws each is between / N + within / (N K). A pilot estimates both. Few runs lose much and most lose
little, so that a pilot may well see too little of either: one standard error is added to what it estimates.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import TaskError
from banditune.rng import stable_hash
from banditune.tasks.archive import facts_of
from banditune.tuning.parallel_sweep import OWN, Resources, iterate_tasks, sweep_tasks
from banditune.tuning.search import ONCE, Draws, Search

SHARE = 0.1  # of the variance of the mean loss: what draws may add to it
PILOT_TASKS, LARGEST_PILOT = 16, 64
PILOT_DRAWS = (2, 4)  # of each; the second number where by the first draws matter
PILOT_SHARE = 0.25  # of the tasks, within these limits
LOOKS = 4  # tasks that are looked at for each of the pilot: where fewer are drawn, draws matter little
FEW_DRAWS = 4  # that are always affordable
NOTE = "draws"  # in a checkpoint
CHOOSING = "Choosing the number of draws"
AFFORDABLE = 4e8  # rounds times arms of all tasks and draws, beyond those few
CHEAP = 2e6  # the same, where several times as many draws take seconds
GENEROUS = 5  # how many times as many then: which value is least owes more to draws than the level does


def settle_draws(
    searches: Sequence[Search],
    tasks: Iterable[Any],
    draws: int | None,
    resources: Resources = OWN,
    tell: Callable[[str, float, int], None] | None = None,
) -> tuple[list[Search], Iterable[Any]]:
    """Return the searches with a number of draws for each task, and the tasks, which may be an iterator.

    Where none is given, as many as bring the share of the draws in the squared standard error of the loss near its
    minimum below `SHARE`, on the safe side, within limits: 20, or fewer where the tasks are so many or so long that
    this would take more than `AFFORDABLE` rounds times arms, but then 4; and up to `GENEROUS` times as many where that
    takes no more than `CHEAP`. A run that is resumed draws as often as before. `tell` is called with what is being
    done, how much is done, and of how much.
    """
    first, checkpoint = searches[0], resources.checkpoint
    settled = None if checkpoint is None else checkpoint.read(NOTE, lambda noted: Draws(**noted))
    if settled is None:
        pilot, tasks, n_tasks = _choose_pilot(tasks, first)
        settled = _try_pilot(first, pilot, n_tasks, draws, resources.executor, tell) if pilot else ONCE
        if checkpoint is not None and settled is not ONCE:
            checkpoint.write(NOTE, settled._asdict())
    return [replace(search, draws=settled) for search in searches], tasks


def _try_pilot(
    search: Search,
    pilot: list[Any],
    n_tasks: int | None,
    draws: int | None,
    executor: Executor | None,
    tell: Callable[[str, float, int], None] | None,
) -> Draws:
    """Settle the draws by what a pilot loses."""
    most = search.policy.most_draws if draws is None else draws
    if most == 1:
        return ONCE
    best = share = math.nan
    enough = 1
    for number in PILOT_DRAWS[: 1 if draws is not None else None]:
        total = len(pilot) * number
        progress = None if tell is None else lambda done, total=total: tell(CHOOSING, done, total)
        try:
            # tasks that stand there twice are drawn twice
            (swept,) = sweep_tasks([search], pilot * number, Resources(executor, progress))
        except (TaskError, MemoryError):  # it will be raised again, with the place of the task
            return ONCE
        (curves,) = swept.losses
        best = search.free_parameter.inside(*curves.mean().argmin())
        losses = curves.at(best).reshape(number, len(pilot))
        share = _share_in_variance(losses)
        enough = _count_enough(share + _jackknife_error(losses), most)
        if enough == 1:
            break
    if draws is None:
        draws = _limit_draws(enough, search, pilot, n_tasks)
    return Draws(draws, best, share)


def share_of_draws(draws: Draws, losses: NDArray[np.float64], variances: NDArray[np.float64] | None) -> float:
    """Return the share of the draws in the squared standard error of the mean loss of some tasks.

    losses (tasks,) are those at the best value, variances (tasks,) those of the draws of each.
    """
    if variances is None or not variances.any():
        return 0.0
    if np.isnan(variances).any():  # one draw of each: only the pilot has seen more
        return math.nan if draws.share is None else draws.share
    whole = float(np.var(losses, ddof=1)) if losses.size > 1 else 0.0
    drawn = float(variances.mean()) / draws.number
    return drawn / whole if drawn < whole else 1.0


def _share_in_variance(losses: NDArray[np.float64]) -> float:
    """Return the share of the draws in the variance of the losses (draws, tasks), one draw of a task each."""
    within = float(losses.var(axis=0, ddof=1).mean())
    between = (float(losses.mean(axis=0).var(ddof=1)) if losses.shape[1] > 1 else 0.0) - within / len(losses)
    return within / (within + max(between, 0.0)) if within > 0.0 else 0.0


def _jackknife_error(losses: NDArray[np.float64]) -> float:
    """Return the standard error of the share of the draws in the variance of the losses (draws, tasks), by tasks."""
    n = losses.shape[1]
    if n < 3:
        return 0.0
    without = np.array([_share_in_variance(np.delete(losses, k, axis=1)) for k in range(n)])
    return float(np.sqrt((n - 1) * np.var(without)))


def _count_enough(share: float, most: int) -> int:
    """Return how many draws bring their share in a variance, of so much with one, below `SHARE`.

    >>> [_count_enough(share, 20) for share in (0.0, 0.1, 0.5, 1.0)]
    [1, 1, 9, 20]
    """
    if share >= 1.0:
        return most
    return min(max(1, math.ceil(share / (1.0 - share) * (1.0 - SHARE) / SHARE - 1e-9)), most)


def _limit_draws(enough: int, search: Search, pilot: Sequence[Any], n_tasks: int | None) -> int:
    """Return how many draws are affordable; without knowing how many tasks there are, a few."""
    if n_tasks is None or enough == 1:
        return min(enough, FEW_DRAWS)
    work = n_tasks * search.horizons[-1] * float(np.mean([task.n_arms for task in pilot]))
    affordable = min(enough, int(max(FEW_DRAWS, AFFORDABLE // work)))
    return max(affordable, min(GENEROUS * enough, search.policy.cheap_draws, int(CHEAP // work)))


def _choose_pilot(tasks: Iterable[Any], search: Search) -> tuple[list[Any], Iterable[Any], int | None]:
    """Choose some tasks that need draws, if many do: by the hashes of their names, however they are ordered or divided.

    Of an iterator, the first ones. Returns them, all tasks, and how many these are if that is known.
    """
    if isinstance(tasks, Iterator):
        seen = list(islice(tasks, PILOT_TASKS))
        return [task for task in seen if _is_drawn(task, search)], chain(seen, tasks), None
    if not isinstance(tasks, Sequence):
        tasks = list(iterate_tasks(tasks))
    facts = facts_of(tasks)
    if not search.policy.is_randomised and facts.needs_draws(_count_drawn_rounds(search)) is False:
        return [], tasks, len(tasks)
    names: Sequence[str | None] = facts.names or [getattr(task, "name", None) for task in tasks]
    labels = [f"{k}" if name is None else name for k, name in enumerate(names)]
    hashes = [stable_hash(label.encode("utf-8", "surrogatepass")) for label in labels]
    chosen = (tasks[k] for k in np.argsort(np.array(hashes, np.uint64), kind="stable").tolist())
    size = min(max(PILOT_TASKS, int(PILOT_SHARE * len(tasks))), LARGEST_PILOT)
    looked_at = islice(chosen, LOOKS * size)  # a log makes each task that is asked for
    return [task for task in looked_at if _is_drawn(task, search)][:size], tasks, len(tasks)


def _is_drawn(task: Any, search: Search) -> bool:
    """Tell whether a search draws something for a task; one that is too short and may not be extended is an error."""
    if not hasattr(task, "needs_draws"):
        return False
    return search.policy.is_randomised or bool(task.needs_draws(_count_drawn_rounds(search)))


def _count_drawn_rounds(search: Search) -> int:
    """Return for how many rounds what is missing is drawn; that of a task which may not be extended is an error."""
    return search.horizons[-1] if search.extend else 1
