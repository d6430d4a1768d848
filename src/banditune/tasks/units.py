"""What rewards and rounds are called: the words of those who recorded the tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from banditune.validation import format_count

PLAIN = ("reward", "cost", "value")  # a column of this name says no more than that it holds rewards
COST = ":cost"  # after the name of a column whose numbers are to be small
LONGEST = 40  # characters of a name that is put into sentences
THOUSAND = 1000.0


@dataclass(frozen=True, slots=True)
class Units:
    """What rewards are counted in, such as "clicks", and what the rounds of a run are, such as "views"."""

    reward: str = ""  # "": not said
    rounds: str = ""  # "": rounds

    @classmethod
    def infer(cls, origin: Mapping[str, Any] | None, reward: str | None = None) -> "Units":
        """Take the names of a log's columns, and for rewards the name that was given.

        >>> Units.infer({"columns": {"task": "test", "arm": "headline", "pulls": "views", "successes": "clicks"}})
        Units(reward='clicks', rounds='views')
        >>> Units.infer({"columns": {"task": "task", "arm": "arm", "reward": "reward"}}), Units.infer(None, "euros")
        (Units(reward='', rounds=''), Units(reward='euros', rounds=''))
        """
        columns: Mapping[str, Any] = {} if origin is None else origin.get("columns", {})
        named = columns.get("successes", columns.get("reward", PLAIN[0]))
        named = named.removesuffix(COST) if isinstance(named, str) else named
        known = reward if reward is not None else _short(named) if named not in PLAIN else ""
        return cls(known, _short(columns.get("pulls", "")))

    @classmethod
    def of(cls, origin: Mapping[str, Any] | None, tasks: Sequence[Any]) -> "Units":
        """Take those of the log that tasks were read from, or of the first task: of totals, successes and pulls."""
        if origin is not None:
            return cls.infer(origin)
        return getattr(tasks[0], "units", UNNAMED) if len(tasks) else UNNAMED

    def measure(self, what: str) -> str:
        """Name what is measured with its unit.

        >>> Units("clicks").measure("mean regret"), Units().measure("mean regret")
        ('mean regret in clicks', 'mean regret')
        """
        return f"{what} in {self.reward}" if self.reward else what

    def count(self, rounds: int) -> str:
        """Say how many rounds.

        >>> Units("clicks", "views").count(14_000), Units().count(1)
        ('14,000 views', '1 round')
        """
        return f"{rounds:,} {self.rounds}" if self.rounds else format_count(rounds, "round")

    @property
    def per_thousand(self) -> str:
        """Name a rate."""
        return f"per 1,000 {self.rounds or 'rounds'}"


def _short(name: object) -> str:
    return name if isinstance(name, str) and len(name) <= LONGEST else ""


UNNAMED = Units()
