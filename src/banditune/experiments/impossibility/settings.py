"""Theorem 4.1: the settings. The paper has none, for it did not run this."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Settings:
    """Two Gaussian arms with these means, and the same variance; one task for each variance, played many times."""

    means: tuple[float, float]
    variances: tuple[float, ...]
    rounds: int
    slope_from: int  # the round from which the growth with log T is measured
    n_games: int
    a_unit: int
    default: float  # alpha, as textbooks have it
    shares: tuple[float, ...]  # alphas among which the best is sought, over twice the variance
    bases: tuple[float, ...]  # alphas of the corral


FULL = Settings(
    means=(0.25, 0.75),
    variances=(0.25, 0.0625, 0.015625),
    rounds=1_000_000,
    slope_from=10_000,
    n_games=60,
    a_unit=5,
    default=1.0,
    shares=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 10.0),
    bases=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
)
QUICK = replace(FULL, rounds=20_000, slope_from=1_000, n_games=30, a_unit=15)
