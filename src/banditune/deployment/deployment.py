"""A policy in production: arm names in and out, rewards late and in any order, state that many processes share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from banditune.deployment.arms import list_totals, sum_rewards
from banditune.deployment.events import (
    ADD,
    DROP,
    REMOVE,
    RESTORE,
    REWARD,
    Arm,
    Decision,
    Event,
    check_names,
    format_id,
    parse_id,
)
from banditune.deployment.view import Record
from banditune.errors import ParameterError
from banditune.validation import finite_number, format_value, whole_number

MOST_AT_ONCE = 100_000  # decisions of one call


class Deployment(Record):
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
    >>> deployment.reward(second.id, 1.0), deployment.reward(second.id, 1.0)  # the second time nothing happens
    (True, False)
    >>> deployment
    Deployment('default', UCB with alpha = 0.1, arms=['red', 'blue'], rewards=1, pending=1)
    """

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
        seen = self._definition.check_contexts(contexts, None if k is None else number)
        with self._transact() as now:
            made = [self._decision(now.record(now.learner.choose(each))) for each in seen]
        return made[0] if k is None else made

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
                number := parse_id(decision, self._definition.key, self.name),
                finite_number(f"reward of decision {number}", value),
            )
            for decision, value in rewards
        ]
        counted = []
        with self._transact() as now:
            for number, value in given:
                known = now.look_up(number, self._definition.key)
                if known.reward is not None and known.reward != value:
                    raise ParameterError(
                        f"decision {format_id(self._definition.key, number)!r} has got its reward, {known.reward!r}, "
                        f"before; a decision has one reward, got {value!r}"
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
        number = parse_id(decision, self._definition.key, self.name)
        with self._transact() as now:
            known = now.look_up(number, self._definition.key)
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
        return [format_id(self._definition.key, number) for number, _ in late]

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
        placed = self._definition.check_points(names, points)
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
        rows = list_totals(table)
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
