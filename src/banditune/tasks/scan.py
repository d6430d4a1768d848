"""What is noted of tasks as they pass: the first few, the limits of their rewards, and how evenly logs were made."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from banditune.curves.step_function import Interval
from banditune.tasks.archive import facts_of
from banditune.tasks.logged import LoggedTask
from banditune.validation import format_value

FEW = 20  # tasks that are held


def find_reward_limits(tasks: Iterable[Any]) -> Interval | None:
    """Return the limits that no reward of any task can be beyond, if they are known."""
    known = facts_of(tasks).reward_limits
    return TaskScan.of(tasks).reward_limits if known is None else known


class TaskScan:
    """What was seen of tasks that may pass only once."""

    def __init__(self) -> None:
        self.first: list[Any] = []
        self._reward_limits: list[Interval | None] = []  # each that is stated, once; None if a task states none
        self.least_even = ("no log", 0.0, 0.0)  # which, and the shares of the arm chosen least and most often
        self._chi_squared, self._freedom, self._most = 0.0, 0, -np.inf
        self.logged, self.thinned, self.least_propensity = 0, 0.0, 1.0  # events, what is left of them, and by what

    def note_passing(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Return the tasks, noted as they pass."""
        for number, task in enumerate(tasks):
            if len(self.first) < FEW:
                self.first.append(task)
            stated = getattr(task, "limits", None)
            if stated not in self._reward_limits:
                self._reward_limits.append(stated)
            if isinstance(task, LoggedTask):
                self._note_log(task, number)
            yield task

    @classmethod
    def of(cls, tasks: Iterable[Any]) -> "TaskScan":
        """Return what is noted of tasks that have all passed."""
        noted = cls()
        for _ in noted.note_passing(tasks):
            pass
        return noted

    @property
    def reward_limits(self) -> Interval | None:
        """Between which rewards lie, if every task says so of its own."""
        stated = [each for each in self._reward_limits if each is not None]
        if not stated or len(stated) < len(self._reward_limits):
            return None
        return Interval(min(each.low for each in stated), max(each.high for each in stated))

    def look_uniform(self) -> bool:
        """Tell whether arms were chosen about equally often: chi-squared, added up, is below 6 standard deviations."""
        return self._chi_squared <= self._freedom + 6.0 * math.sqrt(2.0 * self._freedom)

    def _note_log(self, log: LoggedTask, number: int) -> None:
        self.logged += len(log)
        if log.propensities is not None:
            least = float(log.propensities.min())
            self.thinned += float((least / log.propensities).sum())
            self.least_propensity = min(self.least_propensity, least)
            return
        self.thinned += len(log)
        chi_squared, freedom = log.unevenness()
        self._chi_squared += chi_squared
        self._freedom += freedom
        if chi_squared - freedom > self._most:
            self._most = chi_squared - freedom
            shares = np.bincount(log.arms, minlength=log.n_arms) / len(log)
            label = f"log {number + 1:,}" if log.name is None else f"the log {format_value(log.name)}"
            self.least_even = (label, float(shares.min()), float(shares.max()))
