"""The contract of every policy that can be tuned."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import TaskError
from banditune.policies.parameters import Setting


class LazySweep(Protocol):
    """All games of a range, round by round: a reward is needed only when one of them has asked for it."""

    def advance(self) -> NDArray[np.int64]:
        """Play the next round in all games; return the most pulls of each arm in any of them: (n_arms,)."""

    def check_reward(self, reward: object, what: str) -> float:
        """A reward that the policy can learn from; another is rejected, by the name of `what`."""

    def learn(self, arm: int, reward: float) -> None:
        """Take the next reward of an arm; all that a round asked for has to be known before the next."""


class Game(NamedTuple):
    """What happened in the rounds of a game that counted: all but those that the replay of a log passes over."""

    arms: NDArray[np.int64]  # (rounds,) the arms pulled
    rewards: NDArray[np.float64]  # (rounds,) the rewards received
    losses: NDArray[np.float64]  # (rounds,) the loss up to and including each round
    loss: float  # of the whole game


class Swept(NamedTuple):
    """What a sweep found: a set of curves for each horizon, one curve a task."""

    losses: list[CurveSet]
    histories: NDArray[np.int64]  # (tasks,) the games the range was cut into
    matched: list[CurveSet] | None = None  # of logs: how many of the events counted
    events: NDArray[np.int64] | None = None  # (tasks,) of logs: how many were replayed
    proved: NDArray[np.int64] | None = None  # (tasks,) where choices need proof: of how many intervals there is one
    unproved: NDArray[np.float64] | None = None  # (tasks,) and how wide the others are together

    @classmethod
    def concatenate(cls, parts: Sequence["Swept"]) -> "Swept":
        """What was found of all tasks, from what was found of some and others."""
        if len({part.matched is None for part in parts}) > 1:
            raise TaskError("tasks must be all logs, or all with full information; got some of each")
        return cls(
            [CurveSet.concatenate(each) for each in zip(*(part.losses for part in parts), strict=True)],
            np.concatenate([part.histories for part in parts]),
            [CurveSet.concatenate(each) for each in zip(*(part.matched or () for part in parts), strict=True)] or None,
            _end_to_end([part.events for part in parts]),
            _end_to_end([part.proved for part in parts]),
            _end_to_end([part.unproved for part in parts]),
        )

    @classmethod
    def adjoin(cls, parts: Sequence["Swept"]) -> "Swept":
        """What was found in the whole range, from what was found in adjoining parts of it."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            [CurveSet.adjoin(each) for each in zip(*(part.losses for part in parts), strict=True)],
            np.sum([part.histories for part in parts], axis=0) - (len(parts) - 1),
            [CurveSet.adjoin(each) for each in zip(*(part.matched or () for part in parts), strict=True)] or None,
            parts[0].events,
            _together([part.proved for part in parts]),
            _together([part.unproved for part in parts]),
        )


def _together(parts: Sequence[NDArray[Any] | None]) -> Any:
    """The sum of arrays, where there are any."""
    there = [part for part in parts if part is not None]
    return np.sum(there, axis=0) if there else None


def _end_to_end(parts: Sequence[NDArray[Any] | None]) -> Any:
    """Arrays as one, where there are any."""
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there else None


class Policy(Protocol):
    """A bandit policy: online behaviour, its parameters, and the links to its compiled game and sweep."""

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, Setting]]
    made_for: ClassVar[tuple[str, ...]]  # what a new task has to say: "n_arms", "dim", "points"
    contextual: ClassVar[bool]  # whether it chooses by contexts
    merges: ClassVar[bool]  # whether its sweep joins games that have come to know the same
    chunk: ClassVar[int]  # how many rewards the tasks have, at least, that a worker is handed at once
    packed: ClassVar[Any]  # (tasks, horizon, ...) -> a batch as `game` and `sweep` take it: see `packing`
    lazily: ClassVar[Any]  # (batch, horizon, parameter, low, high, fixed) -> a LazySweep of it; None: there is none

    def select(self, *contexts: Any, **named: Any) -> int:
        """The arm to choose next, of the contexts if there are any."""

    def update(self, *learned: Any, **named: Any) -> None:
        """Learn what an arm gave: (arm, reward), and the contexts if there are any."""

    def to_json(self) -> str:
        """The policy with all it has learned, as text."""

    @classmethod
    def from_state(cls, state: Mapping[str, object]) -> "Policy":
        """The policy from what `to_json` wrote."""

    @classmethod
    def list_fixed(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Of the parameters that were not searched, those that make a difference."""

    @classmethod
    def for_arms(cls, params: Mapping[str, Any], arms: Sequence[Hashable] | None) -> dict[str, Any]:
        """The parameters for a task with these arms; None if they have no names."""

    @classmethod
    def default_range(cls, parameter: str, tasks: Iterable[Any]) -> tuple[float, float]:
        """A range to search that fits the scale of the tasks' rewards."""

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """What that range follows from: the largest spread of a task. That of many tasks is the largest of any."""

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """A range to search that fits tasks of such a spread."""

    @classmethod
    def game(cls, batch: Any, values: Mapping[str, Any]) -> Game:
        """A game on the first task of a batch."""

    @classmethod
    def sweep(
        cls, batch: Any, horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> Swept:
        """The exact losses of the tasks of a batch for every value of a parameter, after each increasing horizon.

        `fixed` holds a value for every other parameter.
        """
