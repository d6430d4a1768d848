"""A policy in production: arm names in and out, rewards late and in any order, state that many processes share."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

from banditune.deployment.arms import ArmState, check_totals, list_rows, sum_rewards
from banditune.deployment.events import (
    ADD,
    DROP,
    FORMAT,
    REMOVE,
    RESTORE,
    REWARD,
    Arm,
    Decision,
    Event,
    check_names,
    format_id,
    parse_id,
    write_text,
)
from banditune.deployment.head import Head
from banditune.deployment.learner import Learner
from banditune.deployment.log import make_log, replay, write_csv
from banditune.deployment.stores import Store
from banditune.deployment.transaction import Transaction, start_learner
from banditune.errors import ParameterError
from banditune.io.json_text import parse_json
from banditune.validation import finite_number, format_value, whole_number

if TYPE_CHECKING:
    import pyarrow

MOST_AT_ONCE = 100_000  # decisions of one call


class Deployment:
    """A policy in production; what `tuned.deploy(arms=[...])` and `banditune.deployment.deploy` return.

    All calls are transactions of its store: threads and processes may share a deployment, each process with an object
    of its own, and every reward counts exactly once, whatever becomes of the processes.

    Examples
    --------
    >>> import banditune as bt
    >>> from banditune.deployment import deploy
    >>> deployment = deploy(bt.UCB, arms=["red", "blue"], alpha=0.1)
    >>> first, second = deployment.choose(2)
    >>> first.arm, second.arm
    ('red', 'blue')
    >>> deployment.reward(second.id, 1.0), deployment.reward(second.id, 1.0)  # once: the second time nothing happens
    (True, False)
    >>> deployment
    Deployment('default', UCB with alpha = 0.1, arms=['red', 'blue'], rewards=1, pending=1)
    """

    def __init__(self, head: Head, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.name, self.store = head.name, store
        self._head, self._clock = head, clock
        self._lock = threading.RLock()
        self._cache: Learner | None = None

    def __repr__(self) -> str:
        with self._transact(writes=False) as now:
            rewards, waiting = sum(tally.pulls for tally in now.learner.tallies.values()), len(now.learner.pending)
            shown = f"{self._head.recipe.describe()}, arms={format_value(now.learner.arms)}"
        return f"Deployment({self.name!r}, {shown}, rewards={rewards}, pending={waiting})"

    @overload
    def choose(self, k: None = None, *, contexts: Any = None) -> Decision: ...
    @overload
    def choose(self, k: int, *, contexts: Any = None) -> list[Decision]: ...
    def choose(self, k: int | None = None, *, contexts: Any = None) -> Decision | list[Decision]:
        """Choose an arm, or k of them at once.

        Parameters
        ----------
        k : int, optional
            How many decisions to make, one after the other: deterministic policies count those before as pulls whose
            rewards are still to come.
        contexts : array_like, optional
            For a contextual policy: the contexts of the arms, as `select` takes them; with k, a list of k of those.

        Returns
        -------
        Decision, or list of Decision
        """
        number = 1 if k is None else whole_number("k", k, least=1, most=MOST_AT_ONCE)
        seen = self._head.check_contexts(contexts, None if k is None else number)
        with self._transact() as now:
            made = [self._decision(now.record(now.learner.choose(each))) for each in seen]
        return made[0] if k is None else made

    def _decision(self, event: Event) -> Decision:
        assert event.decision is not None
        assert event.arm is not None
        return Decision(format_id(self._head.key, event.decision), event.arm, event.propensity, event.decision)

    def reward(self, decision: str | Decision, reward: float) -> bool:
        """Learn the reward of a decision: late, and in any order.

        Parameters
        ----------
        decision : str or Decision
            The decision, or its id.
        reward : float
            Its reward.

        Returns
        -------
        bool
            Whether it is new. False if this reward was given before: a message sent twice does no harm. Another
            reward for the same decision is an error. A reward of an arm that was removed is in the log and in `table`,
            and changes no choice.
        """
        return self.reward_many([(decision, reward)])[0]

    def reward_many(self, rewards: Iterable[tuple[str | Decision, float]]) -> list[bool]:
        """Learn many rewards in one transaction: all of them, or none if one is an error.

        Parameters
        ----------
        rewards : iterable of (decision, reward)
            As for `reward`.

        Returns
        -------
        list of bool
            For each, whether it counts.
        """
        given = [
            (
                number := parse_id(decision, self._head.key, self.name),
                finite_number(f"reward of decision {number}", value),
            )
            for decision, value in rewards
        ]
        counted = []
        with self._transact() as now:
            for number, value in given:
                known = now.look_up(number, self._head.key)
                if known.reward is not None and known.reward != value:
                    raise ParameterError(
                        f"decision {format_id(self._head.key, number)!r} has got its reward, {known.reward!r}, before; "
                        f"a decision has one reward, got {value!r}"
                    )
                counted.append(known.reward is None)
                if known.reward is None:
                    details = None if known.context is None else {"context": known.context}
                    now.record(Event(REWARD, 0.0, number, known.arm, value, details=details))
        return counted

    def drop(self, decision: str | Decision) -> bool:
        """Give up a decision whose reward will not come; if it comes all the same, it counts.

        Returns
        -------
        bool
            Whether it was pending.
        """
        number = parse_id(decision, self._head.key, self.name)
        with self._transact() as now:
            known = now.look_up(number, self._head.key)
            if known.is_pending:
                now.record(Event(DROP, 0.0, number, known.arm))
        return known.is_pending

    def expire(self, seconds: float) -> list[str]:
        """Give up all decisions that have waited for their reward longer than that.

        Returns
        -------
        list of str
            Their ids.
        """
        before = self._clock() - finite_number("seconds", seconds, least=0.0)
        with self._transact() as now:
            late = [(number, each.arm) for number, each in now.learner.pending.items() if each.at < before]
            for number, arm in late:
                now.record(Event(DROP, 0.0, number, arm))
        return [format_id(self._head.key, number) for number, _ in late]

    def add_arms(self, arms: Sequence[Arm], *, points: Sequence[Sequence[float]] | None = None) -> None:
        """Let arms join: they start from what a learned prior says of them or of arms never seen, else from nothing.

        Parameters
        ----------
        arms : sequence of str or int
            Their names; an arm that was removed and joins again starts anew, too.
        points : array_like, optional
            For GP-UCB: the point of each.
        """
        names = check_names(arms)
        placed = self._head.check_points(names, points)
        with self._transact() as now:
            for arm in names:
                if arm in now.learner.arms:
                    raise ParameterError(f'"{self.name}" has an arm {format_value(arm)} already')
                now.record(Event(ADD, 0.0, arm=arm, details={"point": placed[arm]} if placed else None))

    def remove_arms(self, arms: Sequence[Arm]) -> None:
        """Choose these arms no more. Rewards that are still to come are recorded and change nothing else."""
        with self._transact() as now:
            for arm in check_names(arms):
                now.learner.number_of(arm)
                if len(now.learner.arms) == 1:
                    raise ParameterError(f"{format_value(arm)} is the only arm left: add_arms lets others join first")
                now.record(Event(REMOVE, 0.0, arm=arm))

    @property
    def arms(self) -> list[Arm]:
        """The names of the arms of now."""
        with self._transact(writes=False) as now:
            return list(now.learner.arms)

    @property
    def pending(self) -> int:
        """How many decisions have no reward yet."""
        with self._transact(writes=False) as now:
            return len(now.learner.pending)

    def table(self) -> list[ArmState]:
        """Return what is known of each arm, also of those that were removed."""
        with self._transact(writes=False) as now:
            waiting: dict[Arm, int] = dict.fromkeys(now.learner.tallies, 0)
            for each in now.learner.pending.values():
                waiting[each.arm] = waiting.get(each.arm, 0) + 1
            return [ArmState(arm, *now.learner.tallies[arm], number) for arm, number in waiting.items()]

    def restore_counts(self, table: Mapping[Arm, Sequence[float]] | Iterable[Sequence[Any]], *, label: str) -> bool:
        """Learn from totals of the time before, such as a database has: they are added to what is known.

        Parameters
        ----------
        table : mapping, or iterable of rows
            For each arm (pulls, sum of rewards) or (pulls, sum of rewards, sum of their squares); rows begin with the
            arm. UCB-V and UCB-Tuned need the squares.
        label : str
            What these totals are called. They count once: every process may restore them when it starts.

        Returns
        -------
        bool
            Whether they count; False if totals of this label were restored before.
        """
        rows = [check_totals(*row) for row in list_rows(table)]
        if not isinstance(label, str):
            raise ParameterError(f"label must be text, got {format_value(label)}")
        with self._transact() as now:
            if label in now.learner.labels:
                return False
            for arm, totals in rows:
                now.learner.number_of(arm)
                now.record(Event(RESTORE, 0.0, arm=arm, details={**totals, "label": label}))
        return True

    def restore_rewards(self, rewards: Iterable[tuple[Arm, float]], *, label: str) -> bool:
        """Learn from single rewards of the time before, (arm, reward) each, whose order does not matter; once."""
        return self.restore_counts(sum_rewards(rewards), label=label)

    def log(self) -> "pyarrow.Table":
        """Return the decisions that have a reward as a table that `bt.read_log` reads: today's choices for tomorrow.

        Returns
        -------
        pyarrow.Table
            A row for each, in the order of the decisions: task (the name of the deployment), decision, arm, reward,
            time (of the choice, in seconds since 1970), propensity; for a contextual policy with one context for all
            arms, its features x0, x1, ...
        """
        with self._transact(writes=False) as now:
            return make_log(self.name, self._head.key, now.journal.read(0))

    def write_log(self, path: str | os.PathLike[str]) -> None:
        """Write `log()` to a CSV file."""
        write_csv(self.log(), path)

    def replay(self, decision: str | Decision) -> Decision:
        """Make a decision again: from what was known then, with the random numbers of its id.

        Returns
        -------
        Decision
            The same as `choose` returned. It takes as long as reading all events before it.

        Raises
        ------
        FileError
            If it comes out differently: another version of banditune, or a store that was changed.
        """
        number = parse_id(decision, self._head.key, self.name)
        with self._transact(writes=False) as now:
            now.look_up(number, self._head.key)
            return self._decision(replay(self._head, now.journal.read(0), number, now.where))

    def to_json(self) -> str:
        """Return the deployment with all that happened as JSON text, for `deployment_from_json`."""
        with self._transact(writes=False) as now:
            events = [event.to_json() for event in now.journal.read(0)]
        return write_text({"format": FORMAT, "head": parse_json(self._head.to_json(), "head"), "events": events})

    @contextmanager
    def _transact(self, *, writes: bool = True) -> Iterator[Transaction]:
        """Begin a transaction with all that is known by then; what is recorded in it is stored as a whole, at its end.

        What is in memory is only a cache of what is stored: if anything goes wrong, it is read again.
        """
        where = f'{self.store.describe()}, deployment "{self.name}"'
        with self._lock:
            learner, self._cache = self._cache, None
            with self.store.transact(self.name, writes=writes) as journal:
                now = Transaction(journal, learner or start_learner(self._head, journal, where), self._clock, where)
                now.catch_up()
                yield now
                now.store()
            self._cache = now.learner
