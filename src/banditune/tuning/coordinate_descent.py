"""Tuning several parameters together: exact searches over one after the other, until none of them helps.

Each search finds the best value of one parameter over its whole range, with the others as they are; the loss never
rises. It may end where only a change of several at once would help, so it is begun at several values.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from banditune.policies.parameters import Parameter
from banditune.policies.settings import find_parameter, free_parameters
from banditune.tasks.archive import facts_of
from banditune.tasks.scan import TaskScan
from banditune.tuning.parallel_sweep import OWN, Resources, iterate_tasks, sweep_tasks
from banditune.tuning.question import Question
from banditune.tuning.results.details import Compared
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best

STARTS = 3  # values of each further parameter to begin with
MOST_ROUNDS = 20  # over all parameters


def tune_alternately(question: Question, tasks: Iterable[Any], resources: Resources = OWN) -> Tuned:
    """Search all parameters given as ranges in turn.

    The result's curve is that of the first of them, with the others as they were found.
    """
    listed = list(iterate_tasks(tasks))
    policy = question.policy
    free = free_parameters(policy, question.parameters)
    ranges = {name: find_parameter(policy, name).range(given) for name, given in free.items()}
    others = list(free)[1:]
    found: list[list[Tuned]] = []
    for number in range(STARTS):
        start = {name: _start(find_parameter(policy, name), *ranges[name], number) for name in others}
        searches = replace(question, parameters={**question.parameters, **start}).searches()
        found.append([_alternate(each.fit(listed), ranges, listed, resources) for each in searches])
    of_each = [min(tries, key=lambda each: each.loss) for tries in zip(*found, strict=True)]
    best: Tuned = min(of_each, key=lambda each: each.loss)
    compared = tuple(Compared(each.params, each.loss) for each in of_each) if len(of_each) > 1 else ()
    source = replace(best.source, origin=facts_of(tasks).origin)
    return replace(best, compared=compared, source=source)


def _start(known: Parameter, low: float, high: float, number: int) -> Any:
    """Return a value to begin with: the middle of one of as many parts of the range."""
    bounds = known.divide(low, high, STARTS)
    place = min(number, len(bounds) - 2)
    return known.as_run(known.inside(bounds[place], bounds[place + 1]))


def _alternate(
    search: Search, ranges: Mapping[str, tuple[float, float]], tasks: list[Any], resources: Resources
) -> Tuned:
    """Search one parameter after the other, from what the search has for those it does not search."""
    values, loss, idle = dict(search.fixed), math.inf, 0
    steps: list[Tuned] = []
    for turn in range(MOST_ROUNDS * len(ranges)):
        name = list(ranges)[turn % len(ranges)]
        fixed = {other: value for other, value in values.items() if other != name}
        here = replace(search, parameter=name, low=ranges[name][0], high=ranges[name][1], fixed=fixed, knows_tasks=True)
        swept = sweep_tasks([here], tasks, resources)
        steps.append(choose_best([here], swept, TaskScan.of(tasks)))
        if steps[-1].loss < loss:
            values[name], loss, idle = steps[-1].params[name], steps[-1].loss, 0
        else:
            idle += 1
        if idle == len(ranges) - 1:  # the one before is at its best with the others as they are, and so are these
            break
    last = next(step for step in reversed(steps) if step.parameter == search.parameter)
    return replace(last, steps=tuple(Compared(each.params, each.loss) for each in steps))
