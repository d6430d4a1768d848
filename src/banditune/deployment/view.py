"""A deployment as it can be read: its arms, its history, and the transactions in which all of it is seen."""

import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from banditune.deployment.arms import ArmState
from banditune.deployment.definition import Definition
from banditune.deployment.events import CHOOSE, FORMAT, REWARD, Arm, Decision, Event, format_id, parse_id, write_text
from banditune.deployment.history import replay
from banditune.deployment.learner import Learner
from banditune.deployment.stores.base import Store
from banditune.deployment.transaction import Transaction
from banditune.io.files import write_bytes
from banditune.io.json_text import parse_json
from banditune.validation import format_value

if TYPE_CHECKING:
    import pyarrow


class Record:
    """What has happened in a deployment; `Deployment` is what lets more happen."""

    def __init__(self, definition: Definition, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.name, self.store = definition.name, store
        self._definition, self._clock = definition, clock
        self._lock = threading.RLock()
        self._cache: Learner | None = None

    def __repr__(self) -> str:
        with self._transact(writes=False) as now:
            rewards, waiting = sum(tally.pulls for tally in now.learner.tallies.values()), len(now.learner.pending)
            shown = f"{self._definition.recipe.describe()}, arms={format_value(now.learner.arms)}"
        return f"Deployment({self.name!r}, {shown}, rewards={rewards}, pending={waiting})"

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

    def log(self) -> "pyarrow.Table":
        """Return the decisions that have a reward as a table that `bt.read_log` reads: today's choices for tomorrow.

        Returns
        -------
        pyarrow.Table
            A row for each, in the order of the decisions: task (the name of the deployment), decision, arm, reward,
            time (of the choice, in seconds since 1970), propensity; for a contextual policy with one context for all
            arms, its features x0, x1, ... Names that a log would not tell from others (blanks around them, a number
            and the same as text) stand in quotes.
        """
        with self._transact(writes=False) as now:
            return _make_log(self.name, self._definition.key, now.journal.read(0))

    def write_log(self, path: str | os.PathLike[str]) -> None:
        """Write `log()` to a CSV file, beside its place, and rename it."""
        from pyarrow import csv

        held = BytesIO()
        csv.write_csv(self.log(), held)
        write_bytes(path, held.getbuffer())

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
        number = parse_id(decision, self._definition.key, self.name)
        with self._transact(writes=False) as now:
            now.look_up(number, self._definition.key)
            return self._decision(replay(self._definition, now.journal.read(0), number, now.where))

    def to_json(self) -> str:
        """Return the deployment with all that happened as JSON text, for `deployment_from_json`."""
        with self._transact(writes=False) as now:
            events = list(now.journal.read(0))
        return write_text({"format": FORMAT, "head": parse_json(self._definition.to_json(), "head"), "events": events})

    @contextmanager
    def _transact(self, *, writes: bool = True) -> Iterator[Transaction]:
        """Begin a transaction with all that is known by then; what is recorded in it is stored as a whole, at its end.

        What is in memory is only a cache of what is stored: if anything goes wrong, it is read again.
        """
        where = f'{self.store.describe()}, deployment "{self.name}"'
        with self._lock:
            learner, self._cache = self._cache, None
            with self.store.transact(self.name, writes=writes) as journal:
                now = Transaction(self._definition, journal, self._clock, where, learner)
                yield now
                now.store()
            self._cache = now.learner

    def _decision(self, event: Event) -> Decision:
        assert event.decision is not None
        assert event.arm is not None
        return Decision(format_id(self._definition.key, event.decision), event.arm, event.propensity, event.decision)


def _make_log(name: str, key: str, events: Iterable[Event]) -> "pyarrow.Table":
    """Return the decisions that have a reward as a table, in the order of the decisions."""
    import pyarrow as pa

    chosen: dict[int, Event] = {}
    rewards: dict[int, float] = {}
    for event in events:
        assert event.decision is not None or event.kind not in (CHOOSE, REWARD)
        if event.kind == CHOOSE:
            chosen[event.decision] = event  # type: ignore[index]
        elif event.kind == REWARD:
            rewards[event.decision] = event.reward  # type: ignore[index, assignment]
    rows = [(number, event) for number, event in chosen.items() if number in rewards]
    names = _name_arms({event.arm for _, event in rows if event.arm is not None})
    columns: dict[str, Any] = {
        "task": pa.array([name] * len(rows), pa.string()),
        "decision": pa.array([format_id(key, number) for number, _ in rows], pa.string()),
        "arm": pa.array([names[event.arm] for _, event in rows if event.arm is not None]),
        "reward": pa.array([rewards[number] for number, _ in rows], pa.float64()),
        "time": pa.array([event.at for _, event in rows], pa.float64()),
        "propensity": pa.array([event.propensity for _, event in rows], pa.float64()),
    }
    contexts = [(event.details or {}).get("contexts") for _, event in rows]
    if contexts and all(isinstance(each, list) and each and not isinstance(each[0], list) for each in contexts):
        for k, values in enumerate(zip(*contexts, strict=True)):
            columns[f"x{k}"] = pa.array(values, pa.float64())
    return pa.table(columns)


def _name_arms(arms: Collection[Arm]) -> dict[Arm, Arm]:
    """Return what arms are called in a log: a name that would be read as none or as another stands in quotes.

    >>> _name_arms(["a", " a", "1", 1, ""]) == {"a": "a", " a": '" a"', "1": '"1"', 1: "1", "": '""'}
    True
    """
    numbers = {str(arm) for arm in arms if isinstance(arm, int)}
    if len(numbers) == len(arms):
        return {arm: arm for arm in arms}
    return {arm: json.dumps(arm, ensure_ascii=False) if _needs_quotes(arm, numbers) else str(arm) for arm in arms}


def _needs_quotes(arm: Arm, numbers: Collection[str]) -> bool:
    return isinstance(arm, str) and (arm in numbers or not arm or arm[0] in ' "' or arm[-1] == " ")
