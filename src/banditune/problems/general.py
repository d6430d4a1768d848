"""Problems of any size: arms that are given, or drawn from a distribution."""

from collections.abc import Sequence

import numpy as np

from banditune.errors import ParameterError, TaskError
from banditune.problems.arms import Arm, Bernoulli, Beta, Gaussian, Recorded, Uniform
from banditune.problems.problem import Problem
from banditune.tasks.task import Task
from banditune.validation import finite_number, one_of, whole_number

MOST_ARMS = 10**6


def fixed(arms: Sequence[Arm], name: str = "fixed arms") -> Problem:
    """Return the same arms in every task; only the rewards differ.

    >>> fixed([Bernoulli(0.5), Bernoulli(0.7)]).bandit(0).means
    array([0.5, 0.7])
    """
    given = tuple(arms)
    if not given:
        raise ParameterError("arms must hold at least one arm, got none")
    return Problem(name, lambda _: given)


def bernoulli(n_arms: int, rates: Arm = Uniform(0.0, 1.0)) -> Problem:  # noqa: B008
    """Return arms that pay 1 at a rate drawn from a distribution, kept within 0 and 1."""
    n_arms = _check_arms(n_arms)

    def draw(random: np.random.Generator) -> list[Arm]:
        return [Bernoulli(min(max(rates.draw(random), 0.0), 1.0)) for _ in range(n_arms)]

    return Problem(f"{n_arms} Bernoulli arms", draw)


def gaussian(n_arms: int, means: Arm = Gaussian(0.0, 1.0), sd: float = 1.0) -> Problem:  # noqa: B008
    """Return arms with normal rewards around a mean drawn from a distribution."""
    n_arms, sd = _check_arms(n_arms), finite_number("sd", sd, least=0.0)
    return Problem(f"{n_arms} Gaussian arms", lambda random: [Gaussian(means.draw(random), sd) for _ in range(n_arms)])


def beta(n_arms: int, means: Arm = Uniform(0.1, 0.9), weight: float = 10.0) -> Problem:  # noqa: B008
    """Arms with Beta rewards around a mean drawn from a distribution; the larger the weight, the closer to it."""
    n_arms, weight = _check_arms(n_arms), finite_number("weight", weight, least=1.0)

    def draw(random: np.random.Generator) -> list[Arm]:
        drawn = [min(max(means.draw(random), 1e-3), 1.0 - 1e-3) for _ in range(n_arms)]
        return [Beta(weight * mean, weight * (1.0 - mean)) for mean in drawn]

    return Problem(f"{n_arms} Beta arms", draw)


def recorded(tasks: Sequence[Task], beyond: str = "recorded") -> Problem:
    """Return recorded tasks, each drawn as likely as any other; what comes after their rewards is drawn from them.

    `beyond="gaussian"` draws normal rewards with each arm's mean and standard deviation instead, as the paper does
    after the first 20 rewards of a network.
    """
    known, normal = list(tasks), one_of("beyond", beyond, ("recorded", "gaussian")) == "gaussian"
    if not known:
        raise TaskError("tasks must hold at least one task, got none")
    for k, task in enumerate(known):
        if not task.lengths.all():
            label = task.arm_label(int(task.lengths.argmin()))
            raise TaskError(f"tasks[{k}], {label}: at least one reward is needed to draw others from, got none")

    def draw(random: np.random.Generator) -> list[Arm]:
        task = known[int(random.integers(len(known)))]
        return [
            Recorded(row, float(mean), Gaussian(float(row.mean()), float(row.std())) if normal else None)
            for row, mean in zip(task.rewards, task.means, strict=True)
        ]

    return Problem("recorded tasks", draw)


def _check_arms(n_arms: int) -> int:
    return whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
