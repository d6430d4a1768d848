"""Table 1: its settings, and what the paper found."""

from collections.abc import Mapping
from dataclasses import dataclass

from banditune.experiments.machinery.plus_minus import PlusMinus


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted: UCB's alpha in [0, most] on tasks of two arms."""

    horizon: int
    most: float
    n_tasks: int
    a_unit: int


FULL = Settings(horizon=100, most=1.0, n_tasks=10_000, a_unit=2_500)
QUICK = Settings(horizon=100, most=1.0, n_tasks=400, a_unit=400)

N_RUNS = 10_000  # of the paper
SPREADS = (0.1, 0.2, 0.3, 0.5)
PAPER: Mapping[str, tuple[PlusMinus, ...]] = {  # a number for each spread
    "B": (PlusMinus(28.26, 1.05), PlusMinus(31.77, 1.24), PlusMinus(35.93, 1.40), PlusMinus(40.84, 1.57)),
    "U": (PlusMinus(20.03, 0.50), PlusMinus(20.53, 0.52), PlusMinus(19.79, 0.50), PlusMinus(19.63, 0.53)),
    "G": (PlusMinus(32.23, 1.20), PlusMinus(28.70, 1.01), PlusMinus(25.30, 0.85), PlusMinus(22.48, 0.68)),
}
FAMILIES = {"B": "Bernoulli", "U": "uniform", "G": "Gaussian"}
