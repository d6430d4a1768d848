"""GP-UCB by the book: in each round the equations are solved afresh, in 50 digits. Algorithm 5 of the paper."""

import math
from collections.abc import Sequence

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TIE = 1e-15  # indices closer than this, in units of the largest average seen and the prior's spread, are equal


def schedule(n_points: int, t: int, delta: float = 0.1) -> float:
    """beta_t of Srinivas et al. (2010), Theorem 1."""
    return 2.0 * math.log(n_points * t**2 * math.pi**2 / (6.0 * delta))


def naive_points(
    covariances: Array,
    seen: Sequence[Sequence[float]],
    noise: float,
    betas: Sequence[float],
    *,
    squared: bool = False,
    means: Sequence[float] | None = None,
) -> list[int]:
    """The points that GP-UCB chooses in rounds with these betas; seen holds what each point would show.

    That is above what was expected of it: means.
    """
    with mp.workdps(50):
        n = covariances.shape[0]
        expected = [mp.mpf(0.0)] * n if means is None else [mp.mpf(mean) for mean in means]
        chosen: list[int] = []
        shown: list[mp.mpf] = []
        for beta in betas:
            gains = _indices(covariances, chosen, shown, noise, beta, squared=squared)
            indices = [gain + mean for gain, mean in zip(gains, expected, strict=True)]
            averages = [abs(float(_average(chosen, shown, point))) for point in set(chosen)]
            spread, level = math.sqrt(max(covariances.diagonal())), max(abs(float(mean)) for mean in expected)
            tie = TIE * (max(averages, default=0.0) + spread + level)  # a float: at an edge its last digit counts
            highest = max(indices)
            point = next(k for k in range(n) if indices[k] >= highest - tie)
            shown.append(mp.mpf(seen[point][chosen.count(point)]))
            chosen.append(point)
        return chosen


def _indices(
    covariances: Array, chosen: list[int], shown: list[mp.mpf], noise: float, beta: float, *, squared: bool
) -> list[mp.mpf]:
    width = mp.sqrt(mp.mpf(beta))
    if not chosen:
        prior = [mp.mpf(each) for each in covariances.diagonal()]
        return [width * (each if squared else mp.sqrt(each)) for each in prior]
    matrix = mp.matrix(covariances[np.ix_(chosen, chosen)].tolist()) + mp.mpf(noise) * mp.eye(len(chosen))
    inverse = matrix**-1
    weights = inverse * mp.matrix(shown)
    found = []
    for k in range(covariances.shape[0]):
        column = mp.matrix(covariances[chosen, k].tolist())
        mean = (column.T * weights)[0]
        variance = covariances[k, k] - (column.T * inverse * column)[0]
        found.append(mean + width * (variance if squared else mp.sqrt(max(variance, mp.mpf(0)))))
    return found


def _average(chosen: list[int], shown: list[mp.mpf], point: int) -> mp.mpf:
    own = [each for where, each in zip(chosen, shown, strict=True) if where == point]
    return mp.fsum(own) / len(own)
