"""Racing: sweep the whole range on a few tasks, and on further ones only where the best value can still lie.

Tasks are taken in random order. Whenever there are `GROWTH` times as many, every value is compared with the best one by
the differences of the same tasks' losses, and what is worse by more than `Z` standard errors at both ends of the range
is given up. What remains is swept on all tasks: there, the mean loss is as exact as without racing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval
from banditune.errors import ParameterError
from banditune.policies.batches import of_kind
from banditune.policies.sweep_results import Swept
from banditune.rng import generator
from banditune.tasks.archive import facts_of
from banditune.tasks.scan import TaskScan
from banditune.tuning.parallel_sweep import Resources, iterate_tasks, sweep_tasks
from banditune.tuning.question import Question
from banditune.tuning.results.details import Racing, Round
from banditune.tuning.search import Search
from banditune.validation import yes_or_no

MANY_TASKS = 10_000  # from which tasks are raced if nothing is said
PILOT_TASKS = 128  # on which the whole range is swept
GROWTH = math.sqrt(2.0)  # of the number of tasks from one narrowing to the next
Z = 4.0  # standard errors by which a value has to be worse
DIGITS = 2  # to which an end of the range is rounded, outwards, of the range's width


def sweep_or_race(
    searches: Sequence[Search], tasks: Any, scan: TaskScan, racing: bool | None, resources: Resources
) -> tuple[list[Search], list[Swept], Racing | None]:
    """Sweep all tasks, raced or not; return the searches with the ranges that were swept on all, and what was found.

    With `racing=None`, tasks are raced from `MANY_TASKS` on, where they can be.
    """
    hindrance = find_hindrance(searches, tasks)
    if racing is not None and yes_or_no("racing", racing) and hindrance is not None:
        raise ParameterError(f"racing {hindrance}")
    if (racing and len(tasks)) or (racing is None and hindrance is None and len(tasks) >= MANY_TASKS):
        search, swept, raced = race_tasks(searches[0], tasks, scan, resources)
        return [search], [swept], raced
    passing = scan.note_passing(iterate_tasks(tasks))
    return list(searches), sweep_tasks(searches, passing, resources), None


def check_racing(question: Question, racing: bool | None) -> None:
    """Reject racing where not one parameter alone is searched."""
    if racing and not question.is_single:
        raise ParameterError("racing narrows the range of one parameter, but several are searched together")


def find_hindrance(searches: Sequence[Search], tasks: Any) -> str | None:
    """Return why these tasks cannot be raced, in words that follow "racing"; None if they can."""
    if not isinstance(tasks, Sequence):
        return "takes tasks in random order: give them in a list, not a generator"
    if len(searches) > 1:
        return f"narrows one range, but values of other parameters make {len(searches)} searches; give one value each"
    if searches[0].loss.tail is not None:
        return "compares means over all tasks, but tail= counts the worst ones alone"
    if not searches[0].extend:
        return "is for tasks that may be extended: leave out extend=False"
    if len(tasks) and getattr(tasks[0], "is_log", False):
        return "needs a loss of every task alone, but logs of contexts are replayed together"
    return None


def race_tasks(
    search: Search, tasks: Sequence[Any], scan: TaskScan, resources: Resources
) -> tuple[Search, Swept, Racing]:
    """Sweep the whole range on a pilot, and on more and more tasks what can still hold the best value.

    Returns the search over the range that remained, and the curves of all tasks on it, in the tasks' order.
    """
    select = _selector(search, tasks)
    order = generator(search.seed, "racing").permutation(len(tasks))
    here, done = search, 0
    parts: list[Swept] = []
    numbers: list[NDArray[np.int64]] = []
    rounds: list[Round] = []
    while done < len(tasks):
        if done:
            low, high = _narrow(search, parts[0])
            noted = search.draws._replace(at=min(max(search.draws.at, low), high))
            here = replace(search, low=low, high=high, draws=noted)
        chosen = np.sort(order[done : max(PILOT_TASKS, math.ceil(GROWTH * done))])
        count = None if resources.progress is None else partial(_count_on, resources.progress, done)
        passing = scan.note_passing(select(chosen))
        (swept,) = sweep_tasks([here], passing, replace(resources, progress=count), f"raced tasks from {done} on")
        if not done:
            (curves,) = swept.losses
            pilot, complexity = curves.mean(), float(swept.count_pieces().mean())
        parts = [Swept.concatenate([part.clip(here.low, here.high) for part in (*parts, swept)])]
        numbers.append(chosen)
        rounds.append(Round(chosen.size, here.low, here.high))
        done += chosen.size
    found = parts[0].take(np.argsort(np.concatenate(numbers)))
    return here, found, Racing(tuple(rounds), pilot, complexity)


def _count_on(progress: Callable[[float], None], before: int, n_done: float) -> None:
    progress(before + n_done)


def _narrow(search: Search, swept: Swept) -> Interval:
    """Return the range that can still hold the best value, with ends rounded outwards."""
    (curves,) = swept.losses
    best = search.free_parameter.inside(*curves.find_least()[0])
    low, high = curves.find_within_one_se(best, Z)
    step = 10.0 ** (math.floor(math.log10(high - low)) - DIGITS)
    return Interval(
        max(curves.low, min(low, math.floor(low / step) * step)),
        min(curves.high, max(high, math.ceil(high / step) * step)),
    )


def _selector(search: Search, tasks: Sequence[Any]) -> Callable[[NDArray[np.int64]], Iterator[Any]]:
    """Return what gives the tasks with some increasing numbers, with the draws they have among all tasks."""
    facts = facts_of(tasks)
    if facts.names is not None:  # all different, so each task has draws of its own
        return facts.select
    known = list(search.number_twins(of_kind(tasks, *search.policy.task_types)))
    return lambda numbers: (known[k] for k in numbers.tolist())
