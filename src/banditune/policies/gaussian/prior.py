"""What past tasks say about arms: a Gaussian distribution of their means, and how rewards vary around them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import ParameterError
from banditune.tasks.arrays import check_arms, check_numbers
from banditune.validation import finite_number, format_value, one_of

LARGEST_MEAN = 1e100
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-140, 1e140
ROUNDING = 1e-9  # of the largest variance: how negative an eigenvalue may be by rounding
FLAT = "flat"
STRUCTURES = ("independent", "common", "full", "exchangeable")
KINDS = (FLAT, *STRUCTURES, "given")


@dataclass(frozen=True, slots=True)
class Population:
    """What is expected of an arm that nothing is known of.

    Attributes
    ----------
    mean, variance : float
        Of such an arm.
    covariance : float
        Of two such arms of one task.
    """

    mean: float
    variance: float
    covariance: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GaussianPrior:
    """A Gaussian distribution of the arms' means in a task, and the variance of a reward around its arm's mean.

    Parameters
    ----------
    arms : tuple
        The names of the arms that something is known of; there may be none.
    mean : ndarray, shape (n,)
        Their means over the tasks.
    cov : ndarray, shape (n, n)
        How they vary from task to task, and go together.
    noise : float
        The variance of a reward around its arm's mean.
    population : Population
        What is expected of any other arm.
    structure : str
        "independent", "common", "full" or "exchangeable" if it was fitted, "given" if not; "flat": nothing is
        expected, every arm is pulled once first, and the index is UCB's with alpha = theta**2 * noise.

    Examples
    --------
    >>> prior = GaussianPrior.of(["a", "b"], [0.2, 0.4], [[0.02, 0.01], [0.01, 0.02]], noise=0.1)
    >>> prior
    GaussianPrior(arms=2, structure='given', noise=0.1)
    >>> prior.for_arms(["b", "new"])[0].round(3)
    array([0.4, 0.3])
    """

    arms: tuple[Hashable, ...]
    mean: NDArray[np.float64]
    cov: NDArray[np.float64]
    noise: float
    population: Population
    structure: str = "given"

    @classmethod
    def of(
        cls,
        arms: Sequence[Hashable],
        mean: ArrayLike | Mapping[Any, float],
        cov: ArrayLike,
        noise: float,
        population: Population | None = None,
        structure: str = "given",
    ) -> "GaussianPrior":
        """Make a checked prior of these arms; another arm is expected to be like their average, if nothing is said."""
        names = check_arms(arms, len(arms), "")
        means = _check_means(mean, names)
        known = cls(
            names,
            means,
            _check_covariance(cov, len(names)),
            check_variance("noise", noise),
            Population(0.0, 0.0, 0.0),
            one_of("structure", structure, KINDS),
        )
        return replace(known, population=_average(known) if population is None else population)

    @classmethod
    def flat(cls, noise: float) -> "GaussianPrior":
        """Make the prior that expects nothing."""
        return cls((), np.zeros(0), np.zeros((0, 0)), check_variance("noise", noise), Population(0.0, 0.0, 0.0), FLAT)

    @property
    def is_flat(self) -> bool:
        """Whether nothing is expected."""
        return self.structure == FLAT

    @property
    def sd(self) -> NDArray[np.float64]:
        """How far an arm's mean in a task is from its mean over tasks, usually: (n,)."""
        return np.sqrt(np.diag(self.cov))

    @property
    def correlation(self) -> NDArray[np.float64]:
        """The correlations of the arms: (n, n); 0 for an arm that never varies."""
        scale = np.where(self.sd > 0.0, self.sd, 1.0)
        found = self.cov / np.outer(scale, scale)
        np.fill_diagonal(found, 1.0)
        return np.asarray(np.clip(found, -1.0, 1.0))

    def scale_noise(self, factor: float) -> "GaussianPrior":
        """Return the same prior with the noise times a factor."""
        return replace(self, noise=self.noise * factor)

    def for_arms(self, arms: Sequence[Hashable]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means (k,) and covariances (k, k) of these arms; those never seen are like the population.

        An arm never seen goes with a known one as the average of all known arms does.
        """
        numbers = {arm: number for number, arm in enumerate(self.arms)}
        places = np.array([numbers.get(arm, -1) for arm in arms], np.int64)
        known, population = places >= 0, self.population
        mean = np.full(places.size, population.mean)
        cov = np.full((places.size, places.size), population.covariance)
        np.fill_diagonal(cov, population.variance)
        if known.any():
            here = places[known]
            mean[known] = self.mean[here]
            cov[np.ix_(known, known)] = self.cov[np.ix_(here, here)]
            with_new = self.cov.mean(axis=0)[here]
            cov[np.ix_(known, ~known)] = with_new[:, None]
            cov[np.ix_(~known, known)] = with_new[None, :]
        return mean, cov

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold."""
        population = [self.population.mean, self.population.variance, self.population.covariance]
        plain = {"arms": list(self.arms), "mean": self.mean.tolist(), "cov": self.cov.tolist(), "noise": self.noise}
        return plain | {"population": population, "structure": self.structure}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "GaussianPrior":
        """Make it from what `to_json` returned; what cannot be is rejected."""
        mean, variance, covariance = check_numbers(saved["population"], "population", most=LARGEST_VARIANCE).tolist()
        if not 0.0 <= abs(covariance) <= variance:
            raise ParameterError(f"population must have a covariance within its variance, got {saved['population']}")
        population = Population(mean, variance, covariance)
        if saved["structure"] == FLAT:
            return cls.flat(saved["noise"])
        arms = [tuple(arm) if isinstance(arm, list) else arm for arm in saved["arms"]]
        return cls.of(arms, saved["mean"], saved["cov"], saved["noise"], population, saved["structure"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GaussianPrior) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values are arrays

    def __repr__(self) -> str:
        return f"GaussianPrior(arms={len(self.arms)}, structure={self.structure!r}, noise={self.noise:.4g})"


def check_variance(what: str, given: object) -> float:
    """Return a positive variance that can be computed with."""
    number = finite_number(what, given)
    if not SMALLEST_VARIANCE <= number <= LARGEST_VARIANCE:
        limits = f"from {SMALLEST_VARIANCE:g} to {LARGEST_VARIANCE:g}"
        raise ParameterError(f"{what} must be a variance above 0, {limits}; got {number!r}")
    return number


def _check_means(given: ArrayLike | Mapping[Any, float], arms: tuple[Hashable, ...]) -> NDArray[np.float64]:
    """Return a mean for each arm: from a mapping, a list, or one number for all."""
    if isinstance(given, Mapping):
        missing = [arm for arm in arms if arm not in given]
        if missing:
            raise ParameterError(f"prior_mean must have a mean for every arm, got none for {format_value(missing[0])}")
        given = [given[arm] for arm in arms]
    if isinstance(given, dict | set | str) or given is None:
        raise ParameterError(f"prior_mean must be a mean for each arm, got {format_value(given)}")
    means = check_numbers(given, "prior_mean", most=LARGEST_MEAN)
    if means.shape not in ((), (len(arms),)):
        raise ParameterError(f"prior_mean must hold a mean for each of {len(arms)} arms, got {format_value(given)}")
    return np.array(np.broadcast_to(means, len(arms)))


def _check_covariance(given: ArrayLike, n_arms: int) -> NDArray[np.float64]:
    """Return a covariance matrix: from one, from a variance for each arm, or from one variance for all."""
    if isinstance(given, dict | set | str) or given is None:
        raise ParameterError(f"prior_cov must be a covariance matrix, got {format_value(given)}")
    cov = check_numbers(given, "prior_cov", most=LARGEST_VARIANCE)
    if cov.shape in ((), (n_arms,)):
        cov = np.diag(np.broadcast_to(cov, n_arms))
    if cov.shape != (n_arms, n_arms):
        raise ParameterError(f"prior_cov must have shape ({n_arms}, {n_arms}), one row per arm; got {cov.shape}")
    variances = np.diag(cov)
    if n_arms and not ((variances == 0.0) | (variances >= SMALLEST_VARIANCE)).all():
        raise ParameterError(f"prior_cov must have variances of 0 or at least {SMALLEST_VARIANCE:g} on its diagonal")
    if not (np.abs(cov - cov.T) <= ROUNDING * variances.max(initial=0.0)).all():
        raise ParameterError("prior_cov must be symmetric")
    cov = 0.5 * cov + 0.5 * cov.T
    if n_arms and np.linalg.eigvalsh(cov / max(variances.max(), SMALLEST_VARIANCE)).min() < -ROUNDING:
        raise ParameterError("prior_cov must be positive semidefinite: no combination of arms has a negative variance")
    return cov


def _average(prior: GaussianPrior) -> Population:
    """Expect an arm like the average of all, that varies as each of them does and as they do among each other."""
    if not prior.arms:
        return Population(0.0, prior.noise, 0.0)
    cov = prior.cov
    variance = float(np.diag(cov).mean() + prior.mean.var())
    return Population(float(prior.mean.mean()), variance, min(float(cov.mean()), variance))
