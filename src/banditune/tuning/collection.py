"""Collecting the rewards of a new task: each pull is made only when some value of the parameter asks for it.

All runs of the range are played side by side, round by round. A reward that one of them needs and that is not known
yet is asked of the real world, once, and shared by all. What comes of it, in place of Theorem 6.2 of the paper, is in
docs/theory/maths.md.
"""

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banditune.checkpoints.reward_journal import JournalEntry, RewardJournal
from banditune.errors import FileError, InputError, ParameterError
from banditune.policies.base import Policy
from banditune.policies.sweep_results import LazySweep
from banditune.tasks.arrays import arm_rows, pack_rewards
from banditune.tasks.collected import CollectedTask
from banditune.tasks.task import Task
from banditune.tuning.search import Search
from banditune.validation import format_count, format_value, whole_number

MOST_ARMS = 10**6


def collect(
    policy: type[Policy[Any]],
    pull: Callable[[int], float],
    *,
    horizon: int,
    n_arms: int | None = None,
    arms: Sequence[Hashable] | None = None,
    points: ArrayLike | None = None,
    means: ArrayLike | None = None,
    name: str | None = None,
    limits: tuple[float, float] | None = None,
    known: Task | Sequence[ArrayLike] | None = None,
    save: str | os.PathLike[str] | None = None,
    **parameters: object,
) -> CollectedTask:
    """Collect the rewards that the values of a parameter in (low, high) need in `horizon` rounds, and no others.

    An arm is pulled as often as the value that pulls it most needs it: in all at most min(n_arms, Q) * horizon times,
    with Q the number of different runs in the range.

    Parameters
    ----------
    policy : type
        `bt.UCB` or `bt.GPUCB`.
    pull : callable
        pull(arm) returns one reward of an arm, 0 to n_arms - 1, from the real world.
    horizon : int
        The number of rounds.
    n_arms, arms, points
        The number of arms, their names, or their points: at least one of them.
    means, name, limits
        As in `bt.Task`.
    known : Task or sequence of array_like, optional
        Rewards of each arm that are known already; they are used first.
    save : path, optional
        A journal: each reward is written before the next pull, and the same call resumes from it.
    **parameters
        One parameter as a range (low, high); others as values.

    Returns
    -------
    CollectedTask
        A task; `total_pulls` is the number of rewards.

    Raises
    ------
    Exception
        Whatever `pull` raises, and KeyboardInterrupt. Its attribute `collected` holds the rewards so far, a list for
        each arm, for `known`.

    Examples
    --------
    >>> import banditune as bt
    >>> streams = bt.problems.bernoulli(5).bandit(0).task(100)
    >>> asked = [iter(row) for row in streams.rewards]
    >>> task = bt.collect(bt.UCB, lambda arm: next(asked[arm]), n_arms=5, horizon=100, alpha=(0, 1))
    >>> task.total_pulls  # of 500
    134
    >>> def curve(of):
    ...     return bt.loss_curve(bt.UCB, of, horizon=100, alpha=(0, 1), loss="reward")
    >>> curve(task) == curve(streams)
    True
    """
    search = Search.of(policy, [horizon], parameters, loss="reward", seed=0, extend=False)
    for setting, value in search.fixed.items():
        if policy.parameters[setting].needs_tasks(value):
            raise ParameterError(
                f"{setting}={format_value(value)} is fitted to past tasks, and there are none yet: give a number"
            )
    if not callable(pull):
        raise ParameterError(
            f"pull must be a function that takes an arm and returns its reward, got {format_value(pull)}"
        )
    blank = _blank(search.horizons[-1], n_arms, arms, points, means, name)
    sweep = search.sweep_lazily(blank)
    rewards = _Rewards(pull, sweep, blank, _check_known(known, blank))
    with nullcontext() if save is None else RewardJournal(save, _purpose(search, blank)) as journal:
        try:
            rewards.collect(search.horizons[-1], journal)
            return CollectedTask(
                rewards.there(),
                search,
                arms=blank.given_arms,
                means=blank.given_means,
                points=blank.points,
                name=name,
                limits=limits,
            )
        except BaseException as error:
            error.collected = rewards.there()  # type: ignore[attr-defined]  # also for Ctrl-C, which is no Exception
            again = "known=error.collected" if save is None or isinstance(error, FileError) else f"save={str(save)!r}"
            error.add_note(
                f"{format_count(rewards.n_pulls, 'reward')} collected before that; {again} resumes with them"
            )
            raise


class _Rewards:
    """The rewards so far, and where the next ones come from: the journal, then what was known, then the real world."""

    def __init__(self, pull: Callable[[int], float], sweep: LazySweep, task: Task, known: list[list[float]]) -> None:
        self._pull, self._sweep, self._task, self._known = pull, sweep, task, known
        self._asked: list[list[float]] = [[] for _ in known]
        self._n_asked = np.zeros(len(known), np.int64)

    @property
    def n_pulls(self) -> int:
        """How many rewards there are."""
        return sum(len(row) for row in self.there())

    def there(self) -> list[list[float]]:
        """Return all rewards of each arm that are there: those asked for, and what more was known."""
        return [[*row, *more[len(row) :]] for row, more in zip(self._asked, self._known, strict=True)]

    def collect(self, rounds: int, journal: RewardJournal | None) -> None:
        """Play all rounds; ask for what they need, and write it down."""
        recorded = iter([] if journal is None else journal.recorded)
        for _ in range(rounds):
            for arm in np.flatnonzero(self._sweep.advance() > self._n_asked).tolist():
                self._sweep.learn(arm, self._next(arm, recorded, journal))
                self._n_asked[arm] += 1
        if journal is not None and (surplus := next(recorded, None)) is not None:
            raise FileError(f"{journal.path}, line {surplus.line}: this reward is not needed")

    def _next(self, arm: int, recorded: Iterator[JournalEntry], journal: RewardJournal | None) -> float:
        row, known = self._asked[arm], self._known[arm]
        entry = next(recorded, None)
        if entry is not None and journal is not None:
            row.append(self._from_journal(arm, entry, journal))
            return row[-1]
        if len(row) < len(known):
            row.append(known[len(row)])
        else:
            what = f"what pull({arm}) returned (reward {len(row) + 1} of {self._task.arm_label(arm)})"
            row.append(self._sweep.check_reward(self._pull(arm), what))
        if journal is not None:
            journal.append(arm, row[-1])
        return row[-1]

    def _from_journal(self, arm: int, entry: JournalEntry, journal: RewardJournal) -> float:
        where = f"{journal.path}, line {entry.line}"
        if entry.arm != arm or isinstance(entry.arm, bool):
            raise FileError(f"{where} must hold a reward of arm {arm}, got one of {format_value(entry.arm)}")
        try:
            return self._sweep.check_reward(entry.reward, "the reward")
        except InputError as error:
            raise FileError(f"{where}: {error}") from None


def _blank(
    horizon: int,
    n_arms: int | None,
    arms: Sequence[Hashable] | None,
    points: ArrayLike | None,
    means: ArrayLike | None,
    name: str | None,
) -> Task:
    """Return a task with these arms, of which nothing is known yet."""
    said = {
        "n_arms": None if n_arms is None else whole_number("n_arms", n_arms, least=1, most=MOST_ARMS),
        "arms": None if arms is None else _length("arms", arms),
        "points": None if points is None else _length("points", points),
    }
    numbers = {number for number in said.values() if number is not None}
    if len(numbers) != 1:
        came = ", ".join(f"{number} by {what}" for what, number in said.items() if number is not None) or "nothing"
        raise ParameterError(f"n_arms, arms or points must give the number of arms, and agree; got {came}")
    rewards = np.zeros((numbers.pop(), horizon))
    return Task(rewards, arms=arms, means=means, points=points, name=name)


def _length(what: str, given: Any) -> int:
    try:
        return len(given)
    except TypeError:
        raise ParameterError(f"{what} must be a list, one entry per arm; got {format_value(given)}") from None


def _check_known(known: Task | Sequence[ArrayLike] | None, task: Task) -> list[list[float]]:
    """Return the rewards of each arm that are known already."""
    if known is None:
        return [[] for _ in range(task.n_arms)]
    rows = arm_rows(known.rewards if isinstance(known, Task) else known, "known: ")
    if len(rows) != task.n_arms:
        raise ParameterError(f"known must hold the rewards of {task.n_arms} arms, got {len(rows)}")
    flat, starts = pack_rewards(list(rows), task.given_arms, "known, ", may_lack=True)
    return [flat[a:b].tolist() for a, b in pairwise(starts.tolist())]


def _purpose(search: Search, task: Task) -> dict[str, Any]:
    """Return what a journal says it is for: all that decides which rewards are asked for, and of which task."""
    stated = search.policy.list_fixed_settings(search.fixed)
    return {
        "kind": "rewards collected by banditune",
        "policy": search.policy.name,
        "horizon": search.horizons[-1],
        search.parameter: [search.low, search.high],
        **{name: search.policy.parameters[name].plain(value) for name, value in stated.items()},
        "name": task.name,
        "n_arms": task.n_arms,
        "arms": None if task.given_arms is None else [str(arm) for arm in task.given_arms],
        "points": None if task.points is None else task.points.tolist(),
    }
