"""What an arm gives: distributions of rewards. They also serve to draw the means of arms from."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.simulator.rewards import BERNOULLI, BETA, GAUSSIAN, RECORDED, UNIFORM
from banditune.validation import finite_number


class Arm(Protocol):
    """A distribution of rewards: what kind, its two numbers, its mean, and a number drawn from it."""

    @property
    def kind(self) -> int:
        """What `reward_at` draws."""

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""

    @property
    def mean(self) -> float:
        """What it gives on average."""

    def draw(self, random: np.random.Generator) -> float:
        """Return a number drawn from it."""


@dataclass(frozen=True, slots=True)
class Bernoulli:
    """1 with probability p, else 0."""

    p: float
    kind: ClassVar[int] = BERNOULLI

    def __post_init__(self) -> None:
        if not 0.0 <= finite_number("p", self.p) <= 1.0:
            raise ParameterError(f"p must be a probability from 0 to 1, got {self.p!r}")

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""
        return self.p, 0.0

    @property
    def mean(self) -> float:
        """What it gives on average."""
        return self.p

    def draw(self, random: np.random.Generator) -> float:
        """Return a number drawn from it."""
        return float(random.random() < self.p)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Normal, with a mean and a standard deviation."""

    mean: float
    sd: float
    kind: ClassVar[int] = GAUSSIAN

    def __post_init__(self) -> None:
        finite_number("mean", self.mean)
        finite_number("sd", self.sd, least=0.0)

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""
        return self.mean, self.sd

    def draw(self, random: np.random.Generator) -> float:
        """Return a number drawn from it."""
        return float(random.normal(self.mean, self.sd))


@dataclass(frozen=True, slots=True)
class Uniform:
    """Uniform from low to high."""

    low: float
    high: float
    kind: ClassVar[int] = UNIFORM

    def __post_init__(self) -> None:
        if not finite_number("low", self.low) <= finite_number("high", self.high):
            raise ParameterError(f"low must not be above high, got {self.low!r} and {self.high!r}")

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""
        return self.low, self.high

    @property
    def mean(self) -> float:
        """What it gives on average."""
        return 0.5 * (self.low + self.high)

    def draw(self, random: np.random.Generator) -> float:
        """Return a number drawn from it."""
        return float(random.uniform(self.low, self.high))


@dataclass(frozen=True, slots=True)
class Beta:
    """Beta, with two shapes: a / (a + b) on average."""

    a: float
    b: float
    kind: ClassVar[int] = BETA

    def __post_init__(self) -> None:
        finite_number("a", self.a, least=1e-3)
        finite_number("b", self.b, least=1e-3)

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""
        return self.a, self.b

    @property
    def mean(self) -> float:
        """What it gives on average."""
        return self.a / (self.a + self.b)

    def draw(self, random: np.random.Generator) -> float:
        """Return a number drawn from it."""
        return float(random.beta(self.a, self.b))


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Rewards that were recorded, in their order; then draws from `beyond`, or without it from the recorded ones."""

    rewards: NDArray[np.float64]
    mean: float
    beyond: Arm | None = None

    @property
    def kind(self) -> int:
        """What is drawn beyond the recorded rewards."""
        return RECORDED if self.beyond is None else self.beyond.kind

    @property
    def numbers(self) -> tuple[float, float]:
        """The numbers that `reward_at` takes."""
        return (0.0, 0.0) if self.beyond is None else self.beyond.numbers

    def draw(self, random: np.random.Generator) -> float:
        """Return one of the recorded rewards."""
        return float(random.choice(self.rewards))
