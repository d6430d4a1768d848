"""A policy that kills whoever works on certain tasks: it stands for bugs and lack of memory."""

import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import banditune as bt
from banditune.policies.sweep_results import Swept

DEADLY = 0.123456
WRONG = 0.654321


class Deadly(bt.UCB):
    name: ClassVar[str] = "ucb"

    @classmethod
    def sweep(
        cls, batch: Any, horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> Swept:
        if (batch.streams == DEADLY).any():
            os.kill(os.getpid(), signal.SIGKILL)
        if (batch.streams == WRONG).any():
            raise bt.TaskError("a wrong reward")
        return super().sweep(batch, horizons, parameter, low, high, fixed)


class DeadlyToLookAt(bt.UCB):
    name: ClassVar[str] = "ucb"
    reward: ClassVar[float] = DEADLY

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        listed = list(tasks)
        if any((task.flat == cls.reward).any() for task in listed):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().spread(listed)
