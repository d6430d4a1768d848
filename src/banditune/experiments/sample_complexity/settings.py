"""How many tasks it takes: the settings."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Kind:
    """Tasks of one kind, as the paper writes them."""

    name: str
    tasks: str
    horizon: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Alpha in [0, most] is learned from the first 1, 2, 5, ... tasks of a training set; many times over."""

    kinds: tuple[Kind, ...]
    sizes: tuple[int, ...]  # of training sets
    n_sets: int  # training sets, each with test tasks of its own
    a_unit: int  # sets in a unit
    n_test: int  # tasks, as in the paper
    n_many: int  # tasks that stand for all, to measure the error without the noise of few test tasks
    many_a_unit: int
    most: float = 1.0


FULL = Settings(
    kinds=(
        Kind("Bernoulli", "bernoulli", 100),
        Kind("uniform", "uniform", 100),
        Kind("Gaussian", "alpha-gaussian", 100),
        Kind("learning rates, CIFAR-10", "cifar10", 20),
    ),
    sizes=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000),
    n_sets=100,
    a_unit=10,
    n_test=10,
    n_many=20_000,
    many_a_unit=5_000,
)
QUICK = replace(FULL, sizes=(1, 5, 20, 100), n_sets=20, n_many=2_000, many_a_unit=2_000)
