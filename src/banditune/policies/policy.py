"""What every policy that can be tuned offers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from banditune.curve_set import CurveSet
from banditune.policies.parameter import Parameter


class Policy(Protocol):
    """A bandit policy: online behaviour, its parameters, and the links to its compiled game and sweep."""

    name: ClassVar[str]
    parameters: ClassVar[Mapping[str, Parameter]]
    packed: ClassVar[Any]  # (tasks, horizon, ...) -> a batch as `game` and `sweep` take it: see `packing`

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
    def default_range(cls, parameter: str, tasks: Iterable[Any]) -> tuple[float, float]:
        """A range to search that fits the scale of the tasks' rewards."""

    @classmethod
    def game(
        cls, batch: Any, values: Mapping[str, float]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The arms, the rewards and the loss so far of a game on the first task of a batch, each (T,)."""

    @classmethod
    def sweep(
        cls, batch: Any, horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, float]
    ) -> tuple[list[CurveSet], NDArray[np.int64]]:
        """The exact losses of the tasks of a batch for every value of a parameter.

        One set of curves for each of the increasing horizons, and the number of histories of each task.
        """
