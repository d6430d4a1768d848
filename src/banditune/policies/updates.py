"""When a policy learns what its pulls gave: at once, in batches or late; and what arms are owed in any case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from banditune.errors import ParameterError
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback
from banditune.policies.parameters import Setting
from banditune.validation import LONGEST_GAME, finite_number, format_value, whole_number, yes_or_no


@dataclass(frozen=True, slots=True)
class Updates:
    """Rewards become known before the next round; arms may be owed pulls.

    Parameters
    ----------
    burn_in : int, default 0
        How often each arm is pulled before the policy chooses.
    floor : float, default 0.0
        The least share of the rounds that each arm gets, at any time.

    Examples
    --------
    >>> Updates(burn_in=100, floor=0.01)
    Updates(burn_in=100, floor=0.01)
    """

    burn_in: int = field(default=0, kw_only=True)
    floor: float = field(default=0.0, kw_only=True)

    kind: ClassVar[str] = "updates"  # in files

    def __post_init__(self) -> None:
        object.__setattr__(self, "burn_in", whole_number("burn_in", self.burn_in, least=0, most=LONGEST_GAME))
        object.__setattr__(self, "floor", finite_number("floor", self.floor, least=0.0, most=1.0))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([*self._list_arguments(), *self._list_dues()])})"

    def _list_arguments(self) -> list[str]:
        return []

    def _list_dues(self) -> list[str]:
        return [f"{name}={value:g}" for name, value in (("burn_in", self.burn_in), ("floor", self.floor)) if value]

    @property
    def pending(self) -> int:
        """How many pulls may be pending at once, at most."""
        return 0

    def describe(self) -> str:
        """Return what is said of it in text."""
        owed = [f"a burn-in of {self.burn_in:,} pulls an arm"] if self.burn_in else []
        owed += [f"at least {self.floor:.2%} of the rounds for each arm"] if self.floor else []
        return ", ".join([*self._describe_lateness(), *owed])

    def _describe_lateness(self) -> list[str]:
        return []

    def to_feedback(self, *, is_randomised: bool) -> Feedback | None:
        """Return it as kernels take it; None if it changes nothing.

        Deterministic policies count pending pulls; those that are randomised spread their pulls by themselves.
        """
        known = self._fill(IMMEDIATE)._replace(burn_in=self.burn_in, floor=self.floor)
        if known == IMMEDIATE:
            return None
        return known._replace(counts_pending=int(not is_randomised and known.is_whole == 0))

    def _fill(self, feedback: Feedback) -> Feedback:
        return feedback

    def count_known(self, rounds: int) -> int:
        """Return how many of the first rounds have rewards that are known to the next."""
        return rounds

    def describe_unseen(self, horizon: int) -> str:
        """Say that no reward becomes known before the last choice of a run, where that is so; else nothing.

        >>> Batches(5000).describe_unseen(1000)
        'no reward becomes known within a run of 1,000 rounds (rewards known in batches of 5,000 rounds): values that \
differ only in what they make of rewards are all equal'
        """
        if horizon < 2 or self.count_known(horizon - 1) > 0:
            return ""
        late = f"within a run of {horizon:,} rounds ({', '.join(self._describe_lateness())})"
        return f"no reward becomes known {late}: values that differ only in what they make of rewards are all equal"

    def check_arms(self, n_arms: int) -> None:
        """Reject a floor that so many arms cannot all have."""
        if self.floor * n_arms > 1.0:
            raise ParameterError(f"floor must be at most 1 / n_arms, here 1 / {n_arms}; got {self.floor!r}")

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": self.kind, **{each.name: getattr(self, each.name) for each in fields(self)}}


@dataclass(frozen=True, slots=True, repr=False)
class Batches(Updates):
    """The rewards of a batch of rounds become known together, when the last of them has been chosen.

    Parameters
    ----------
    size : int
        The rounds of a batch.
    whole : bool, default False
        Whether all of a batch goes to one arm; with contexts, to the arms that one policy chooses which does not change
        during the batch. By default policies without randomness count pending pulls, so that a batch is spread over
        arms; randomised ones draw for every round.
    burn_in, floor
        As in `Updates`.

    Examples
    --------
    >>> import banditune as bt
    >>> task = bt.Task([[0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 0, 1]])
    >>> bt.play(bt.UCB, task, horizon=6, alpha=0.1, updates=bt.Batches(3)).arms
    array([0, 1, 0, 1, 1, 1])
    """

    size: int
    whole: bool = field(default=False, kw_only=True)

    kind: ClassVar[str] = "batches"

    def __post_init__(self) -> None:
        Updates.__post_init__(self)
        object.__setattr__(self, "size", whole_number("size", self.size, least=1, most=LONGEST_GAME))
        object.__setattr__(self, "whole", yes_or_no("whole", self.whole))

    def _list_arguments(self) -> list[str]:
        return [str(self.size), *(["whole=True"] if self.whole else [])]

    def _describe_lateness(self) -> list[str]:
        frozen = ", during which the policy does not change" if self.whole else ""
        return [f"rewards known in batches of {self.size:,} rounds{frozen}"]

    @property
    def pending(self) -> int:
        """How many pulls may be pending at once, at most."""
        return self.size

    def _fill(self, feedback: Feedback) -> Feedback:
        return feedback._replace(batch=self.size, is_whole=int(self.whole and self.size > 1))

    def count_known(self, rounds: int) -> int:
        """Return how many of the first rounds have rewards that are known to the next."""
        return rounds // self.size * self.size


@dataclass(frozen=True, slots=True, repr=False)
class Delay(Updates):
    """Each reward becomes known some rounds later than at once: delayed feedback.

    Parameters
    ----------
    rounds : int
        The further rounds that are chosen before the reward of a round is known.
    burn_in, floor
        As in `Updates`.

    Examples
    --------
    >>> import banditune as bt
    >>> task = bt.Task([[0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 0, 1]])
    >>> bt.play(bt.UCB, task, horizon=6, alpha=0.1, updates=bt.Delay(2)).arms
    array([0, 1, 0, 1, 1, 1])
    """

    rounds: int

    kind: ClassVar[str] = "delay"

    def __post_init__(self) -> None:
        Updates.__post_init__(self)
        object.__setattr__(self, "rounds", whole_number("rounds", self.rounds, least=0, most=LONGEST_GAME))

    def _list_arguments(self) -> list[str]:
        return [str(self.rounds)]

    def _describe_lateness(self) -> list[str]:
        return [f"rewards known {self.rounds:,} rounds late"]

    @property
    def pending(self) -> int:
        """How many pulls may be pending at once, at most."""
        return self.rounds + 1

    def _fill(self, feedback: Feedback) -> Feedback:
        return feedback._replace(delay=self.rounds)

    def count_known(self, rounds: int) -> int:
        """Return how many of the first rounds have rewards that are known to the next."""
        return max(0, rounds - self.rounds)


KINDS = {each.kind: each for each in (Updates, Batches, Delay)}


class UpdatesSetting(Setting):
    """None, or when rewards become known."""

    lists: ClassVar[tuple[type, ...]] = (list, tuple)

    def value(self, given: object) -> Updates | None:
        """As given, or from plain data."""
        if given is None or isinstance(given, Updates):
            return given
        if isinstance(given, Mapping) and given.get("kind") in KINDS:
            named = {name: value for name, value in given.items() if name != "kind"}
            try:
                return KINDS[given["kind"]](**named)
            except TypeError:
                pass
        wanted = "bt.Batches(size), bt.Delay(rounds) or bt.Updates(...)"
        raise ParameterError(f"{self.name} must be {wanted}; got {format_value(given)}")

    def plain(self, value: Any) -> Any:
        """As JSON can hold it."""
        return None if value is None else value.to_json()

    def describe(self, value: Any) -> str:
        """Describe it in words."""
        return "" if value is None else value.describe()


UPDATES = UpdatesSetting("updates", default=None)


def read_feedback(settings: Mapping[str, Any], tasks: Sequence[Any], *, is_randomised: bool) -> Feedback | None:
    """Return when rewards become known in runs on some tasks, as kernels take it; None if at once."""
    updates = settings.get(UPDATES.name)
    if updates is None:
        return None
    updates.check_arms(max(task.n_arms for task in tasks))
    found: Feedback | None = updates.to_feedback(is_randomised=is_randomised)
    return found
