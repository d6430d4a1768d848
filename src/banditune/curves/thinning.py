"""A step function of any size as a line of at most some thousand points that looks the same."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import StepFunction

MOST_POINTS = 4_000
BUCKETS = (MOST_POINTS - 3) // 3  # of each the lowest, the highest and the last piece; and the ends and the one to keep


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Points of a step line: y[k] holds from x[k] to x[k + 1]; the last point is the right end."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    thinned: bool  # whether pieces were left out


def thin_curve(curve: StepFunction, start: float, *, log: bool, keep: float) -> Line:
    """Return the curve from `start` on, thinned for an axis of that scale.

    The axis is divided into buckets; of the pieces that begin in one, the lowest, the highest and the last are drawn,
    and always the piece at `keep`. So a drawn line departs from the curve by less than a bucket to the side.
    """
    first = int(np.searchsorted(curve.edges[:-1], start, side="right")) - 1
    left, values = np.maximum(curve.edges[first:-1], start), curve.values[first:]
    thinned = left.size > MOST_POINTS - 1
    if thinned:
        kept = _keep_extremes(_positions(left, start, curve.high, log=log), values)
        there = max(int(np.searchsorted(left, keep, side="right")) - 1, 0)
        kept = np.unique(np.append(kept, [0, there]))
        left, values = left[kept], values[kept]
    return Line(np.append(left, curve.high), np.append(values, values[-1]), thinned)


def _positions(left: NDArray[np.float64], start: float, end: float, *, log: bool) -> NDArray[np.float64]:
    """Return where the pieces begin on the axis, from 0 to 1."""
    if log:
        return np.asarray(np.log(left / start) / np.log(end / start))
    return np.asarray((left - start) / (end - start))


def _keep_extremes(positions: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the lowest, the highest and the last piece of each bucket."""
    bucket = np.minimum((positions * BUCKETS).astype(np.int64), BUCKETS - 1)
    by_value = np.lexsort((values, bucket))
    last = np.flatnonzero(np.append(bucket[1:] != bucket[:-1], True))
    first = np.append(0, last[:-1] + 1)
    return np.unique(np.concatenate([by_value[first], by_value[last], last]))
