"""Fitting a Gaussian prior to past tasks by expectation maximisation (Dempster, Laird and Rubin, 1977).

A task shows some arms only, and each by the mean of some rewards, with an error of its own. The structures:

- independent: arms vary from task to task on their own;
- common: one factor, how easy a task is, moves all arms, each by its own loading; beyond it they are independent;
- full: any covariances, shrunk towards those of `common` as far as tasks are few (an inverse-Wishart prior that counts
  for two more tasks than there are arms);
- exchangeable: a level of each task and arms around it, all alike: arms need not come back.

Arms that few tasks have are drawn towards the average of all: their means as by one more task, variances by two.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.policies.gaussian.observations import Array, Observations, observe
from banditune.policies.gaussian.prior import STRUCTURES, GaussianPrior, Population
from banditune.validation import one_of

MOST_STEPS = 200
ENOUGH = 1e-5  # relative change of variances at which a fit ends
MEAN_WEIGHT, VARIANCE_WEIGHT = 1.0, 2.0  # of the average of all arms, in tasks
MOST_ARMS = 300  # for all covariances
LEAST = 1e-8  # of the variance of all means: below it, arms would be known without being pulled


class Factor(NamedTuple):
    """Arms that vary with a common factor of variance 1, and on their own."""

    mean: Array  # (n,)
    loading: Array  # (n,)
    own: Array  # (n,) variances


def fit_prior(tasks: Iterable[Any] | Observations, structure: str = "full") -> GaussianPrior:
    """Fit a Gaussian prior to past tasks.

    Parameters
    ----------
    tasks : iterable of Task
        The past tasks; the same name is the same arm.
    structure : {"independent", "common", "full", "exchangeable"}
        How the arms may vary together.

    Returns
    -------
    GaussianPrior

    Examples
    --------
    >>> import banditune as bt
    >>> prior = fit_prior(bt.datasets.lcdb(), "common")
    >>> prior.arms[int(prior.mean.argmax())]
    'RandomForestClassifier'
    """
    one_of("structure", structure, STRUCTURES)
    seen = (tasks if isinstance(tasks, Observations) else observe(tasks)).drop_unseen()
    if structure == "full" and len(seen.arms) > MOST_ARMS:
        raise ParameterError(f'structure="full" is for at most {MOST_ARMS} arms, got {len(seen.arms)}')
    return _FITS[structure](seen)


def _fit_exchangeable(seen: Observations) -> GaussianPrior:
    """Fit the variances of levels and of arms around them."""
    starts, error = np.searchsorted(seen.task, np.arange(seen.n_tasks)), seen.error
    least = _least(seen)
    average, between = float(seen.mean.mean()), max(float(seen.mean.var()), least)
    own = between
    for _ in range(MOST_STEPS):
        weight = 1.0 / (own + error)
        spread = 1.0 / (1.0 / between + np.add.reduceat(weight, starts))
        level = spread * (average / between + np.add.reduceat(weight * seen.mean, starts))
        away = (seen.mean - level[seen.task]) ** 2 + spread[seen.task]
        before, average = (between, own), _mean(level)
        between = max(_mean((level - average) ** 2 + spread), least)
        own = max(_mean((own * weight) ** 2 * away + own * error * weight), least)
        if _is_settled(np.array(before), np.array([between, own])):
            break
    population = Population(average, between + own, between)
    return GaussianPrior.of((), [], np.zeros((0, 0)), seen.noise, population, "exchangeable")


def _fit_factor(seen: Observations, *, has_factor: bool) -> Factor:
    """Fit a common factor and the arms' own variances; without a factor, only these."""
    n, least, error, arm, task = len(seen.arms), _least(seen), seen.error, seen.arm, seen.task
    counts = np.bincount(arm, minlength=n)

    def average(values: Array, weight: float) -> Array:
        """Average over an arm's tasks, with so much of the average of all arms."""
        total = np.bincount(arm, values, n)
        whole: Array = (total + weight * _mean(total / counts)) / (counts + weight)
        return whole

    mean = average(seen.mean, MEAN_WEIGHT)
    own = np.maximum(average((seen.mean - mean[arm]) ** 2, VARIANCE_WEIGHT), least)
    starts = np.searchsorted(task, np.arange(seen.n_tasks))
    levels = np.add.reduceat(seen.mean - mean[arm], starts) / np.diff(np.append(starts, arm.size))
    loading = np.full(n, float(levels.std())) if has_factor else np.zeros(n)
    for _ in range(MOST_STEPS):
        own_here, slope = own[arm], loading[arm]
        weight, away = 1.0 / (own_here + error), seen.mean - mean[arm]
        spread = 1.0 / (1.0 + np.add.reduceat(slope**2 * weight, starts))
        factor = spread * np.add.reduceat(slope * weight * away, starts)
        off = _mean(factor)  # a factor that is not around 0 is in the means instead: else they settle slowly
        mean, factor, away = mean + off * loading, factor - off, away - off * slope
        square, here = (factor**2 + spread)[task], factor[task]
        kept = own_here * weight  # how much of what the factor leaves is the arm's own
        # deviation of the arm's mean: slope z + kept (away - slope z), up to own variance
        free, own_away = (1.0 - kept) * slope, kept * away
        with_factor = free * square + own_away * here
        deviation = free * here + own_away
        before = np.concatenate([own, loading])
        if has_factor:
            loading = average(with_factor, VARIANCE_WEIGHT) / average(square, VARIANCE_WEIGHT)
        # what the arm is off the new line: (1 - kept) slope z + kept away - loading z, squared
        line = loading[arm]
        tilt = free - line
        rest = tilt**2 * square + 2.0 * tilt * kept * away * here + own_away**2 + kept * error
        own = np.maximum(average(rest, VARIANCE_WEIGHT), least)
        mean = average(mean[arm] + deviation - line * here, MEAN_WEIGHT)
        if _is_settled(before, np.concatenate([own, loading])):
            break
    return Factor(mean, loading, own)


def _fit_independent(seen: Observations) -> GaussianPrior:
    fitted = _fit_factor(seen, has_factor=False)
    return GaussianPrior.of(seen.arms, fitted.mean, np.diag(fitted.own), seen.noise, structure="independent")


def _fit_common(seen: Observations) -> GaussianPrior:
    fitted = _fit_factor(seen, has_factor=True)
    cov = np.outer(fitted.loading, fitted.loading) + np.diag(fitted.own)
    return GaussianPrior.of(seen.arms, fitted.mean, cov, seen.noise, structure="common")


def _fit_full(seen: Observations) -> GaussianPrior:
    """Fit all covariances, from those of a common factor on, and shrunk towards them."""
    fitted, n = _fit_factor(seen, has_factor=True), len(seen.arms)
    target = np.outer(fitted.loading, fitted.loading) + np.diag(fitted.own)
    mean, cov, weight = fitted.mean, target, n + 2.0
    known, values = np.zeros((seen.n_tasks, n)), np.zeros((seen.n_tasks, n))
    known[seen.task, seen.arm], values[seen.task, seen.arm] = 1.0 / np.sqrt(seen.error), seen.mean
    for _ in range(MOST_STEPS):
        # each task's arms given its means: one system of equations a task, with nothing in the rows of missing arms
        scaled = known[:, :, None] * cov  # (tasks, n, n)
        systems = np.eye(n) + scaled * known[:, None, :]
        away = known * (values - mean)
        solved = np.linalg.solve(systems, np.concatenate([away[:, :, None], scaled], axis=2))
        deviations = np.einsum("tij,ti->tj", scaled, solved[:, :, 0])
        uncertain = cov - np.einsum("tij,tik->jk", scaled, solved[:, :, 1:], optimize=True) / seen.n_tasks
        away_from_all = MEAN_WEIGHT * (mean.mean() - mean)
        shift = (deviations.sum(axis=0) + away_from_all) / (seen.n_tasks + MEAN_WEIGHT)
        centred, before = deviations - shift, cov
        found = centred.T @ centred / seen.n_tasks + uncertain
        cov = shrink_covariance(found, seen.n_tasks, target, weight)
        cov, mean = (cov + cov.T) / 2.0, mean + shift
        if _is_settled(np.diag(before), np.diag(cov)):
            break
    return GaussianPrior.of(seen.arms, mean, cov, seen.noise, structure="full")


_FITS: dict[str, Callable[[Observations], GaussianPrior]] = {
    "independent": _fit_independent,
    "common": _fit_common,
    "full": _fit_full,
    "exchangeable": _fit_exchangeable,
}


def shrink_covariance(found: Array, found_weight: float, target: Array, weight: float) -> Array:
    """Return the average of covariances (n, n) that were found in past tasks and a target, with these weights."""
    shrunk: Array = (found_weight * found + weight * target) / (found_weight + weight)
    return shrunk


def _least(seen: Observations) -> float:
    """Return the least variance that is believed."""
    return LEAST * (float(seen.mean.var()) or seen.noise)


def _mean(values: Array) -> float:
    """Return values.mean(), which takes several times as long where they are few."""
    return float(np.add.reduce(values)) / values.size


def _is_settled(before: NDArray[np.float64], after: NDArray[np.float64]) -> bool:
    """Tell whether a fit has come to its end."""
    return bool(np.abs(after - before).max() <= ENOUGH * np.abs(after).max())
