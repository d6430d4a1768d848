"""Many step functions, and the mean of the largest of them: the conditional value at risk (CVaR) at every point."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval, StepFunction
from banditune.kernels.numerics.tail_sums import find_tail_within_one_se, spread_tail, tail_of_curves


def count_largest(share: float, n_tasks: int) -> int:
    """Return how many of so many tasks are the worst share of them: rounded up.

    >>> count_largest(0.1, 1000), count_largest(0.1, 11), count_largest(0.05, 3)
    (100, 2, 1)
    """
    return max(1, math.ceil(share * n_tasks * (1.0 - 1e-12)))


def spread_losses(losses: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return numbers (tasks,) whose mean is that of the worst share of the losses (tasks,), and its error theirs.

    They are t + (n / k) max(loss - t, 0), t being the least of the k worst of n losses: what each task adds to the
    conditional value at risk. Paired differences of them are those of two policies' tails.

    >>> spread_losses(np.array([1.0, 4.0, 2.0, 8.0]), 0.5).tolist()
    [4.0, 4.0, 4.0, 12.0]
    """
    spread = np.empty(losses.size)
    spread_tail(np.ascontiguousarray(losses, np.float64), count_largest(share, losses.size), spread)
    return spread


@dataclass(frozen=True, eq=False)
class TailCurves(CurveSet):
    """Curves whose mean is taken over the worst share of them at each point, rounded up to whole curves."""

    share: float = 1.0

    @classmethod
    def of_set(cls, curves: CurveSet, share: float) -> "TailCurves":
        """Return the same curves, to be averaged over their worst share."""
        return cls(curves.low, curves.high, curves.left, curves.values, curves.starts, share)

    def mean(self, members: NDArray[np.bool_] | None = None) -> StepFunction:
        """Return the mean of the largest of all curves, or of those marked in members (curves,), at every point."""
        chosen = np.ones(len(self), bool) if members is None else members
        n_largest = count_largest(self.share, int(chosen.sum()))
        left, values = tail_of_curves(
            self.left,
            self.values,
            self._bits,
            self.starts,
            self._order,
            self._curve_of,
            chosen,
            n_largest,
            self._layout,
        )
        return StepFunction(np.append(left, self.high), values)

    def estimate_mean(self, members: NDArray[np.bool_]) -> StepFunction:
        """Return the same: there is no quicker way."""
        return self.mean(members)

    def find_least(self, members: NDArray[np.bool_] | None = None) -> tuple[Interval, float]:
        """Return where that mean is least, and how large it is there."""
        mean = self.mean(members)
        return mean.argmin(), mean.minimum()

    def find_within_one_se(self, best: float, z: float = 1.0) -> Interval:
        """Return the interval from the first to the last point within one standard error, or z, of the point `best`."""
        n_largest = count_largest(self.share, len(self))
        widening = z**2 * len(self) / (len(self) - 1 + z**2)
        pieces = self.left, self.values, self.starts, self._order, self._curve_of
        first, last = find_tail_within_one_se(*pieces, self.at(best), n_largest, self.high, widening)
        return Interval(float(first), float(last))
