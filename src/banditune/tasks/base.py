"""The contract of every kind of task: what tuning and reports ask of one, whatever it holds.

A policy says which kinds it runs on (`Policy.task_types`) and lays their rewards out itself (`Policy.make_batch`), so a
kind made outside the package needs no more than this.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Self


class PastTask(ABC):
    """What happened in one past bandit problem."""

    __slots__ = ()

    is_log: ClassVar[bool] = False  # whether only the rewards of chosen arms are known, to be replayed to the end
    name: str | None

    @property
    @abstractmethod
    def n_arms(self) -> int:
        """How many arms there were."""

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds are recorded: what a run is long where no horizon is given."""

    @property
    @abstractmethod
    def n_rewards(self) -> int:
        """How many rewards are recorded."""

    def drawn_by(self, horizon: int) -> int | None:
        """Return what draws for a run of so many rounds have in common with those of its twins; None if none are made.

        See `twins`.
        """
        return None

    def with_twin(self, twin: int) -> Self:
        """Return the same task with that number among its twins: what is not recorded of it is drawn anew."""
        return self
