"""The tasks of the experiments, by names that can be written into settings, and runs on one of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from banditune import problems
from banditune.datasets import cifar10
from banditune.interruption import Threads
from banditune.policies.comparison_entries import Entry
from banditune.problems.arms import Arm, Gaussian, Recorded
from banditune.problems.problem import Bandit, Problem
from banditune.simulation.simulate import Simulation, simulate
from banditune.tasks.task import Task
from banditune.validation import one_of

TEST_TASKS = 10**6  # the number of the first task that is played on and not learned from

# those in which the second number of N(mean, number) may be a variance or a standard deviation
TWO_READINGS: Mapping[str, Callable[[str], Problem]] = {
    "bernoulli": partial(problems.bernoulli_pair, 0.2),
    "uniform": partial(problems.uniform_pair, 0.5),
    "small-gap": problems.small_gap,
    "large-gap": problems.large_gap,
    "corral-uniform": problems.corral_uniform,
    "corral-gaussian": problems.corral_gaussian,
}


def distribution(name: str, second: str = "variance") -> Problem:
    """Return tasks by name: those of `TWO_READINGS`, "cifar10", or one of `problems.NAMES`.

    >>> distribution("small-gap", "sd").name, distribution("B(0.1)").name
    ('small gap, sd', 'B(0.1)')
    """
    if name in TWO_READINGS:
        return TWO_READINGS[name](second)
    if name == "cifar10":
        return make_learning_rates(cifar10())
    return problems.named(one_of("name", name, [*TWO_READINGS, "cifar10", *problems.NAMES]))


def make_learning_rates(tasks: Sequence[Task]) -> Problem:
    """Return one of the recorded tasks, each as likely; an arm gives its recorded rewards in random order.

    Beyond those, rewards are normal with their mean and standard deviation, as the paper simulates them.
    """

    def draw(random: np.random.Generator) -> list[Arm]:
        task = tasks[int(random.integers(len(tasks)))]
        return [
            Recorded(random.permutation(row), float(mean), Gaussian(float(row.mean()), float(row.std())))
            for row, mean in zip(task.rewards, task.means, strict=True)
        ]

    return Problem("learning rates", draw)


def simulate_alone(
    entries: Sequence[Entry], bandit: Bandit, rounds: int, recorded: Sequence[int], seed: int
) -> Simulation:
    """Return the runs of some entries on one problem, in this worker alone."""
    with Threads(1) as alone:
        return simulate(entries, [bandit], horizon=rounds, rounds=recorded, seed=seed, executor=alone)
