"""Distributions over tasks: those of the paper by name, and general ones.

Each has `.sample(n_tasks, horizon, seed)`. Those of arms also have `.bandits(n_tasks, seed)`, whose rewards are drawn
when they are needed, for runs of any length.
"""

from banditune.problems.arms import Bernoulli, Beta, Gaussian, Recorded, Uniform
from banditune.problems.general import LinearContextual, bernoulli, beta, fixed, gaussian, recorded
from banditune.problems.grids import on_grid, smooth_functions
from banditune.problems.paper import (
    NAMES,
    bernoulli_pair,
    corral_gaussian,
    corral_uniform,
    gaussian_pair,
    gaussian_variances,
    large_gap,
    named,
    small_gap,
    swapped_gaussians,
    uniform_pair,
)
from banditune.problems.problem import Bandit, Problem

__all__ = [
    "NAMES",
    "Bandit",
    "Bernoulli",
    "Beta",
    "Gaussian",
    "LinearContextual",
    "Problem",
    "Recorded",
    "Uniform",
    "bernoulli",
    "bernoulli_pair",
    "beta",
    "corral_gaussian",
    "corral_uniform",
    "fixed",
    "gaussian",
    "gaussian_pair",
    "gaussian_variances",
    "large_gap",
    "named",
    "on_grid",
    "recorded",
    "small_gap",
    "smooth_functions",
    "swapped_gaussians",
    "uniform_pair",
]
