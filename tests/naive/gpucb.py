"""GP-UCB by the book: in each round the equations are solved afresh, in 50 digits. Algorithm 5 of the paper."""

import math
from collections.abc import Sequence

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

import banditune as bt
from tests.naive.lines import NaiveLines

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
    updates: bt.Updates | None = None,
    then_greedy: bool = False,
) -> list[int]:
    """The points that GP-UCB chooses in rounds with these betas; seen holds what each point would show.

    That is above what was expected of it: means. At last, if asked for, what it would choose without a bonus, by all
    rewards.
    """
    rounds = Rounds(seen, len(betas), updates=updates)
    with mp.workdps(50):
        n = covariances.shape[0]
        expected = [mp.mpf(0.0)] * n if means is None else [mp.mpf(mean) for mean in means]
        shown: list[mp.mpf] = []
        for t, beta in enumerate([*betas, *[0.0] * then_greedy]):
            is_over = t == len(betas)
            owed = None if is_over else rounds.owed()
            known = rounds.arms if is_over else rounds.arms[: rounds.n_known]
            counted = known if rounds.is_whole else rounds.arms
            gains = _indices(covariances, known, counted, shown, noise, beta, squared=squared)
            indices = [gain + mean for gain, mean in zip(gains, expected, strict=True)]
            averages = [abs(float(_average(known, shown, point))) for point in set(known)]
            spread, level = math.sqrt(max(covariances.diagonal())), max(abs(float(mean)) for mean in expected)
            tie = TIE * (max(averages, default=0.0) + spread + level)  # a float: at an edge its last digit counts
            highest = max(indices)
            point = next(k for k in range(n) if indices[k] >= highest - tie) if owed is None else owed
            shown.append(mp.mpf(0.0 if is_over else seen[point][rounds.arms.count(point)]))
            rounds.arms.append(point)
        return rounds.arms


class Rounds(NaiveLines):
    """When rewards become known, and what is owed; points that were never tried are known by the others."""

    needs_each = False


def _indices(
    covariances: Array,
    known: list[int],
    counted: list[int],
    shown: list[mp.mpf],
    noise: float,
    beta: float,
    *,
    squared: bool,
) -> list[mp.mpf]:
    """The mean by what is known, the first of what was shown, and the spread by what is counted."""
    means, variances = _posterior(covariances, known, shown[: len(known)], noise)
    if counted != known:
        _, variances = _posterior(covariances, counted, [mp.mpf(0)] * len(counted), noise)
    width = mp.sqrt(mp.mpf(beta))
    spreads = variances if squared else [mp.sqrt(max(variance, mp.mpf(0))) for variance in variances]
    return [mean + width * spread for mean, spread in zip(means, spreads, strict=True)]


def _posterior(
    covariances: Array, chosen: list[int], shown: list[mp.mpf], noise: float
) -> tuple[list[mp.mpf], list[mp.mpf]]:
    if not chosen:
        return [mp.mpf(0)] * len(covariances), [mp.mpf(each) for each in covariances.diagonal()]
    matrix = mp.matrix(covariances[np.ix_(chosen, chosen)].tolist()) + mp.mpf(noise) * mp.eye(len(chosen))
    inverse = matrix**-1
    weights = inverse * mp.matrix(shown)
    columns = [mp.matrix(covariances[chosen, k].tolist()) for k in range(len(covariances))]
    means = [(column.T * weights)[0] for column in columns]
    return means, [covariances[k, k] - (column.T * inverse * column)[0] for k, column in enumerate(columns)]


def _average(chosen: list[int], shown: list[mp.mpf], point: int) -> mp.mpf:
    own = [each for where, each in zip(chosen, shown, strict=False) if where == point]
    return mp.fsum(own) / len(own)
