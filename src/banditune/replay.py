"""What the replay of logs can be trusted with: how many events matched, and how sure the estimate is.

A log tells only what the chosen arms gave. A policy is replayed on it: an event counts if the policy chooses what was
chosen, and is passed over if not. Where choices were made uniformly at random, the mean reward of the events that count
is an unbiased estimate of what the policy would have received (Li et al., 2011).
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checks import counted, shown
from banditune.curve_set import CurveSet
from banditune.logged_task import LoggedTask
from banditune.policies.policy import Swept
from banditune.randomness import generator
from banditune.search import Search
from banditune.step_function import Interval, StepFunction

TOO_FEW = 100  # events: of their mean reward, the standard error is still a tenth of the rewards' spread
FEW_LOGS = 20  # from so many on, the logs themselves tell how much they vary
RESAMPLES = 1_000
COVERED = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How a policy fared on logs, of all of them together."""

    events: int  # replayed: what thinning left, and of each log no more than the horizon
    matched: StepFunction  # how many of them counted, for every value of the parameter
    interval: Interval  # of the loss at the learned value, 95%, by the bootstrap
    warnings: tuple[str, ...]  # what speaks against trusting it


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ReplayCurve(StepFunction):
    """The loss of a policy replayed on a log, with the number of events that matched: `matched(x)`."""

    matched: StepFunction


def replay(search: Search, swept: Swept, best: float, noted: "Noted") -> Replay | None:
    """What was seen in replaying logs, of which the first few are noted; None if the tasks were no logs."""
    if swept.matched is None or swept.events is None:
        return None
    (losses,), (matched,) = swept.losses, swept.matched
    total = _total(matched)
    return Replay(
        events=int(swept.events.sum()),
        matched=total,
        interval=_bootstrap(search, losses, best, noted),
        warnings=tuple(_doubts(search, matched, total, best, noted)),
    )


def _total(matched: CurveSet) -> StepFunction:
    mean = matched.mean()
    return StepFunction(mean.edges, np.rint(mean.values * len(matched)))


def _bootstrap(search: Search, losses: CurveSet, best: float, noted: "Noted") -> Interval:
    """Where the mean loss may lie, had other logs been drawn; where logs are few, had these held other events."""
    rng = generator(search.seed, "bootstrap")
    if len(losses) >= FEW_LOGS:
        means = _resampled_means(losses.at(best), rng)
    else:
        games = [search.game_at(log, best) for log in noted.first]
        each = [-_resampled_means(game.rewards, rng) if game.rewards.size else game.loss for game in games]
        means = np.mean(np.broadcast_arrays(*each, np.zeros(RESAMPLES))[:-1], axis=0)
    outside = 50.0 * (1.0 - COVERED)
    low, high = np.percentile(means, (outside, 100.0 - outside))
    return Interval(float(low), float(high))


def _resampled_means(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """The means of as many values drawn with replacement, RESAMPLES times."""
    return np.array([values[rng.integers(values.size, size=values.size)].mean() for _ in range(RESAMPLES)])


def _doubts(search: Search, matched: CurveSet, total: StepFunction, best: float, noted: "Noted") -> Iterator[str]:
    name = search.parameter
    n_matched = int(total(best))
    if n_matched < TOO_FEW:
        yield (
            f"only {counted(n_matched, 'event')} matched at {name} = {best:.4g}: too few to trust the estimate there; "
            f"{TOO_FEW} or more are wanted"
        )
    few = np.flatnonzero(total.values < TOO_FEW)
    if few.size and n_matched >= TOO_FEW:
        low, high = total.edges[few[0]], total.edges[few[-1] + 1]
        yield f"fewer than {TOO_FEW} events matched at some {name} from {low:.4g} to {high:.4g}: little is known there"
    unmatched = int((matched.at(best) == 0.0).sum())
    if unmatched:
        yield (
            f"no event of {counted(unmatched, 'log')} matched at {name} = {best:.4g}: "
            "the worst reward of each stands for its mean"
        )
    if not noted.look_uniform():
        label, low, high = noted.least_even
        yield (
            f"the choices were hardly made uniformly at random, as replay supposes: in {label}, an arm was chosen in "
            f"{low:.1%} of the events, another in {high:.1%}. Give the propensities if they are known"
        )


class Noted:
    """What is noted of tasks as they pass: the first few of them, and how evenly logs were made."""

    def __init__(self) -> None:
        self.first: list[Any] = []
        self._reward_limits: list[Interval | None] = []  # each that is stated, once; None if a task states none
        self.least_even = ("no log", 0.0, 0.0)  # which, and the shares of the arm chosen least and most often
        self._chi_squared, self._freedom, self._most = 0.0, 0, -np.inf

    def passing(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """The tasks, noted as they pass."""
        for number, task in enumerate(tasks):
            if len(self.first) < FEW_LOGS:
                self.first.append(task)
            stated = getattr(task, "limits", None)
            if stated not in self._reward_limits:
                self._reward_limits.append(stated)
            if isinstance(task, LoggedTask) and task.propensities is None:
                self._note(task, number)
            yield task

    @classmethod
    def of(cls, tasks: Iterable[Any]) -> "Noted":
        """What is noted of tasks that have all passed."""
        noted = cls()
        for _ in noted.passing(tasks):
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
        """Whether arms were chosen about equally often: chi-squared, added up, no 6 standard deviations too large."""
        return self._chi_squared <= self._freedom + 6.0 * math.sqrt(2.0 * self._freedom)

    def _note(self, log: LoggedTask, number: int) -> None:
        chi_squared, freedom = log.unevenness()
        self._chi_squared += chi_squared
        self._freedom += freedom
        if chi_squared - freedom > self._most:
            self._most = chi_squared - freedom
            shares = np.bincount(log.arms, minlength=log.n_arms) / len(log)
            label = f"log {number + 1:,}" if log.name is None else f"the log {shown(log.name)}"
            self.least_even = (label, float(shares.min()), float(shares.max()))
