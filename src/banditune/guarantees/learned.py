"""A value that was learned, with what it was learned from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curve_set import CurveSet
from banditune.step_function import Interval


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What was learned: the curves of the tasks, and the value chosen inside the best piece of their mean."""

    curves: CurveSet
    piece: Interval  # the best piece of the mean
    value: float  # its middle: it depends on the ends of the piece and on nothing else
    limits: Interval  # between which all losses lie
    seed: int

    @property
    def n_tasks(self) -> int:
        """How many tasks were learned from."""
        return len(self.curves)

    @property
    def losses(self) -> NDArray[np.float64]:
        """What each task loses with the value, laid out from 0 to 1: (tasks,)."""
        return np.clip((self.curves.at(self.value) - self.limits.low) / self.limits.width, 0.0, 1.0)

    @property
    def mean(self) -> float:
        """The mean of the losses."""
        return float(self.losses.mean())
