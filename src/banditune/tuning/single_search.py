"""Tuning one parameter: every task is swept over the whole range, or raced, and the least piece of the mean taken."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from banditune.checkpoints.folder import Checkpoint
from banditune.policies.sweeps import Swept
from banditune.tasks.archive import facts_of
from banditune.tasks.scan import TaskScan
from banditune.tuning.draw_count import settle_draws
from banditune.tuning.question import Question
from banditune.tuning.racing import sweep_or_race
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best


@dataclass(frozen=True, slots=True, eq=False)
class SingleSearch:
    """What was found, and the curves that it was found in: one search for each combination of other values."""

    tuned: Tuned
    searches: Sequence[Search]
    swept: Sequence[Swept]

    @property
    def best(self) -> int:
        """The number of the search that found it."""
        compared = self.tuned.compared
        return [each.params for each in compared].index(self.tuned.params) if compared else 0


def tune_singly(
    question: Question,
    tasks: Iterable[Any],
    racing: bool | None,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
    checkpoint: Checkpoint | None = None,
    *,
    histories: bool = False,
    tell: Callable[[str, float, int], None] | None = None,
) -> SingleSearch:
    """Search one parameter, and of several values of others choose the best.

    `progress` is called with the number of tasks swept, `tell` with how far the choice of the number of draws is.
    """
    origin = facts_of(tasks).origin
    fitted = [replace(search.fit(tasks), histories=histories) for search in question.searches()]
    searches, tasks = settle_draws(fitted, tasks, question.draws, executor, checkpoint, tell)
    scan = TaskScan()
    searches, swept, raced = sweep_or_race(searches, tasks, scan, racing, executor, progress, checkpoint)
    return SingleSearch(choose_best(searches, swept, scan, origin=origin, racing=raced), searches, swept)
