"""The corral experiments: their settings."""

from dataclasses import dataclass, replace

GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # the paper's, for corrals and for learning
DECADES = (-6, 2)  # of alpha, from and to: searched finely at the true horizon


@dataclass(frozen=True, slots=True)
class Arena:
    """Tasks to learn from and to play on: a panel of a figure."""

    name: str
    tasks: str
    second: str  # what the second number of N(mean, number) is
    rounds: int  # of a run
    longer: int  # rounds of the longer runs that are tuned on exactly
    checked: tuple[int, ...]  # rounds after which the paper says that it is ahead
    learned: float | None = None  # what the paper learned on the grid


@dataclass(frozen=True, slots=True)
class Settings:
    """What is learned from, and what is played."""

    arenas: tuple[Arena, ...]
    grid: tuple[float, ...] = GRID
    most: float = 100.0  # alpha, where it is searched over the continuum
    short: int = 20  # rounds of the runs that the paper learns from
    n_training: int = 200
    n_longer: int = 200  # training tasks of the longer runs, a few in each unit
    a_unit: int = 20
    n_true: int = 50  # training tasks at the true horizon
    a_decade: int = 5  # alphas that are tried there
    n_test: int = 20  # the paper: 5
    n_further: int = 200  # test tasks on which the ways of learning are compared, without corrals


LONG = 1_000_000
SMALL = Arena("small gap, N(0.51, variance 0.01)", "small-gap", "variance", 2 * LONG, 10_000, (2 * LONG,), 5.0)
SMALL_SD = Arena("small gap, N(0.51, sd 0.01)", "small-gap", "sd", 2 * LONG, 10_000, (2 * LONG,), 5.0)
CIFAR = Arena("learning rates, CIFAR-10", "cifar10", "variance", LONG, 1_000, (LONG,), 0.1)
SMALL_GAP = Settings((SMALL, SMALL_SD, CIFAR))
LARGE_GAP = Settings(
    (
        Arena(
            "large gap, N(0.7, variance 0.01)", "large-gap", "variance", LONG, 10_000, (1_000, 10_000, 100_000, LONG)
        ),
        Arena("large gap, N(0.7, sd 0.01)", "large-gap", "sd", LONG, 10_000, (1_000, 10_000, 100_000, LONG)),
    ),
    n_longer=100,
    n_true=30,
    n_test=10,
)
UNIFORM_GAUSSIAN = Settings(
    (
        Arena("uniform, e: variance 0.01", "corral-uniform", "variance", LONG, 2_000, (10_000, LONG)),
        Arena("uniform, e: sd 0.01", "corral-uniform", "sd", LONG, 2_000, (10_000, LONG)),
        Arena("Gaussian, variances", "corral-gaussian", "variance", LONG, 2_000, (10_000, LONG)),
        Arena("Gaussian, sds", "corral-gaussian", "sd", LONG, 2_000, (10_000, LONG)),
    ),
    n_longer=100,
    n_true=30,
    n_test=10,
)


def shorten(full: Settings) -> Settings:
    """Return runs of 20,000 rounds, longer ones of 200 to tune on, few tasks."""
    arenas = tuple(
        replace(arena, rounds=20_000, longer=200, checked=tuple(sorted({min(t, 20_000) for t in arena.checked})))
        for arena in full.arenas
    )
    return replace(full, arenas=arenas, n_longer=20, n_true=4, a_decade=3, n_test=6, n_further=20)
