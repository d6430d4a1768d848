"""The task distributions of the paper's experiments, by name.

It writes N(mean, x). By its notation x is a variance, but some of its words read as if x were a standard deviation:
`second` says which, "variance" or "sd", wherever that makes a difference.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from banditune.problems.arms import Arm, Bernoulli, Gaussian, Uniform
from banditune.problems.grids import FUNCTIONS, on_grid
from banditune.problems.problem import Problem
from banditune.validation import finite_number, one_of

SPREADS = (0.1, 0.2, 0.3, 0.5)  # of the families of Table 1


def deviation(number: float, second: str) -> float:
    """Return the standard deviation that the second number of N(mean, number) stands for.

    >>> deviation(0.25, "variance"), deviation(0.25, "sd")
    (0.5, 0.25)
    """
    number = finite_number("the second number of N", number, least=0.0)
    return math.sqrt(number) if one_of("second", second, ("variance", "sd")) == "variance" else number


def bernoulli_pair(spread: float, second: str = "sd") -> Problem:
    """Return table 1's B: Bernoulli(.5) and Bernoulli(p), p ~ N(.5, spread) kept within 0 and 1."""
    sd = deviation(spread, second)
    return _bernoulli_pair(f"B({sd:g})", 0.5, sd)


def uniform_pair(spread: float, second: str = "sd") -> Problem:
    """Return table 1's U: U[2, 6] and U[4.1 - u, 4.1 + u], u ~ N(1.5, spread)."""
    sd = deviation(spread, second)

    def draw(random: np.random.Generator) -> list[Arm]:
        half = abs(float(random.normal(1.5, sd)))
        return [Uniform(2.0, 6.0), Uniform(4.1 - half, 4.1 + half)]

    return Problem(f"U({sd:g})", draw)


def gaussian_pair(spread: float, second: str = "sd") -> Problem:
    """Return table 1's G: N(4, 1) and N(4.1, spread)."""
    sd = deviation(spread, second)
    return Problem(f"G({sd:g})", lambda _: [Gaussian(4.0, 1.0), Gaussian(4.1, sd)])


def gaussian_variances() -> Problem:
    """Return the Gaussian tasks of the curves over alpha: N(4, 1) and N(4.1, v), the variance v ~ U[.5, 1.5]."""
    return Problem(
        "Gaussian variances", lambda random: [Gaussian(4.0, 1.0), Gaussian(4.1, math.sqrt(random.uniform(0.5, 1.5)))]
    )


def swapped_gaussians(mean: float = 1.0, sd: float = 1.0) -> Problem:
    """N(mean, sd^2) and N(-mean, sd^2), as likely as not with the arms swapped; the paper states no numbers."""

    def draw(random: np.random.Generator) -> list[Arm]:
        sign = 1.0 if random.random() < 0.5 else -1.0
        return [Gaussian(sign * mean, sd), Gaussian(-sign * mean, sd)]

    return Problem("swapped Gaussians", draw)


def small_gap(second: str = "variance") -> Problem:
    """Return the corral experiment: Bernoulli(.5) and Bernoulli(.5 + e), e ~ N(.01, .01)."""
    return _bernoulli_pair(f"small gap, {second}", 0.51, deviation(0.01, second))


def large_gap(second: str = "variance") -> Problem:
    """Return the corral experiment with a large gap: Bernoulli(.5) and Bernoulli(p), p ~ N(.7, .01)."""
    return _bernoulli_pair(f"large gap, {second}", 0.7, deviation(0.01, second))


def corral_uniform(second: str = "variance") -> Problem:
    """Return the corral experiment with uniform rewards: U[.5, .6] and U[.55, .65 + e], e ~ N(0, .01)."""
    sd = deviation(0.01, second)

    def draw(random: np.random.Generator) -> list[Arm]:
        end = 0.65 + float(random.normal(0.0, sd))
        return [Uniform(0.5, 0.6), Uniform(min(0.55, end), max(0.55, end))]

    return Problem(f"corral uniform, {second}", draw)


def corral_gaussian(second: str = "variance") -> Problem:
    """Make the corral experiment's normal tasks: N(.5, .1) and N(.65, .1 + e), e ~ N(0, .01), at least 0."""
    sd = deviation(0.01, second)

    def draw(random: np.random.Generator) -> list[Arm]:
        other = max(0.0, 0.1 + float(random.normal(0.0, sd)))
        return [Gaussian(0.5, deviation(0.1, second)), Gaussian(0.65, deviation(other, second))]

    return Problem(f"corral Gaussian, {second}", draw)


def named(name: str) -> Problem:
    """Return a distribution of the paper by its name in `NAMES`.

    >>> named("B(0.1)").bandit(0).n_arms, named("corral-large-gap").bandit(0).n_arms
    (2, 2)
    """
    return NAMES[one_of("name", name, NAMES)]()


def _bernoulli_pair(name: str, mean: float, sd: float) -> Problem:
    def draw(random: np.random.Generator) -> list[Arm]:
        return [Bernoulli(0.5), Bernoulli(min(max(float(random.normal(mean, sd)), 0.0), 1.0))]

    return Problem(name, draw)


NAMES: Mapping[str, Callable[[], Problem]] = {
    **{f"B({spread})": partial(bernoulli_pair, spread) for spread in SPREADS},
    **{f"U({spread})": partial(uniform_pair, spread) for spread in SPREADS},
    **{f"G({spread})": partial(gaussian_pair, spread) for spread in SPREADS},
    "alpha-mixture": swapped_gaussians,
    "alpha-bernoulli": partial(bernoulli_pair, 0.2, "variance"),
    "alpha-uniform": partial(uniform_pair, 0.5, "variance"),
    "alpha-gaussian": gaussian_variances,
    "corral-small-gap": small_gap,
    "corral-large-gap": large_gap,
    "corral-uniform": corral_uniform,
    "corral-gaussian": corral_gaussian,
    **{f"gp-{name}": partial(on_grid, name) for name in FUNCTIONS},
}
