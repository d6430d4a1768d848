"""Swapped Gaussians: the settings. The paper states the range of alpha and that the means are mu and -mu."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Arms N(mu, sd^2) and N(-mu, sd^2), swapped at random, for each of some mu."""

    horizon: int
    most: float
    n_tasks: int
    a_unit: int
    means: tuple[float, ...]
    sd: float


FULL = Settings(horizon=100, most=4.0, n_tasks=10_000, a_unit=1_000, means=(0.1, 0.25, 0.5, 1.0), sd=1.0)
QUICK = Settings(horizon=100, most=4.0, n_tasks=400, a_unit=400, means=(0.25, 1.0), sd=1.0)
