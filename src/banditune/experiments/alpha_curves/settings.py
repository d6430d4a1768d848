"""The regret as a function of alpha: the settings."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Kind:
    """Tasks of one kind."""

    name: str
    tasks: str
    second: str  # what the second number of N(mean, number) is
    horizon: int
    stated: bool  # whether this is the paper's notation, else the other reading


@dataclass(frozen=True, slots=True)
class Settings:
    """UCB's alpha in [0, most] on so many tasks of each kind."""

    kinds: tuple[Kind, ...]
    n_tasks: int
    a_unit: int
    most: float = 1.0


FULL = Settings(
    kinds=(
        Kind("Bernoulli, p: variance 0.2", "bernoulli", "variance", 100, stated=True),
        Kind("Bernoulli, p: sd 0.2", "bernoulli", "sd", 100, stated=False),
        Kind("uniform, width: variance 0.5", "uniform", "variance", 100, stated=True),
        Kind("uniform, width: sd 0.5", "uniform", "sd", 100, stated=False),
        Kind("Gaussian, variance 0.5 to 1.5", "alpha-gaussian", "variance", 100, stated=True),
        Kind("learning rates, CIFAR-10", "cifar10", "variance", 20, stated=True),
    ),
    n_tasks=10_000,
    a_unit=2_500,
)
QUICK = replace(FULL, n_tasks=500, a_unit=500)
