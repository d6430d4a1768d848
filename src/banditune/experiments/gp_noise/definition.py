"""GP-UCB's noise: the proved curves of the total reward, on noisy functions over a grid."""

from collections.abc import Sequence

import numpy as np

from banditune.experiments.gp_noise.settings import FUNCTIONS, Settings
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.policies.gpucb import GPUCB
from banditune.problems import on_grid
from banditune.search import Search


def units(settings: Settings) -> list[Unit]:
    """All units, function by function."""
    return [
        unit
        for function in FUNCTIONS
        for place in range(len(settings.readings))
        for unit in reading_units(settings, function, place)
    ]


def reading_units(settings: Settings, function: str, place: int) -> list[Unit]:
    """The units of one function in one reading; without noise all tasks are the same, and one is enough."""
    reading = settings.readings[place]
    n_tasks = settings.n_tasks if reading.noise > 0.0 else 1
    return [
        Unit(
            f"{function}-{place}-{first}",
            swept,
            {
                "function": function,
                "low": reading.low,
                "high": reading.high,
                "noise": reading.noise,
                "bonus": reading.bonus,
                "horizon": settings.horizon,
                "between": [settings.least, settings.most],
                "first": first,
                "count": min(settings.a_unit, n_tasks - first),
            },
        )
        for first in range(0, n_tasks, settings.a_unit)
    ]


def swept(
    *,
    seed: int,
    function: str,
    low: float,
    high: float,
    noise: float,
    bonus: str,
    horizon: int,
    between: Sequence[float],
    first: int,
    count: int,
) -> Arrays:
    """The curves of minus the total reward over the noise, and how wide what could not be proved is: (tasks,)."""
    problem = on_grid(function, low=low, high=high, noise=noise)
    tasks = [problem.bandit(number, seed).task(horizon) for number in range(first, first + count)]
    parameters = {"noise": tuple(between), "bonus": bonus}
    found = Search.of(GPUCB, [horizon], parameters, loss="reward", seed=seed, extend=False).curves(tasks)
    curves, unproved = found.losses[0], found.unproved
    assert unproved is not None  # GP-UCB always says
    return {
        "left": curves.left,
        "values": curves.values,
        "starts": curves.starts,
        "unproved": unproved,
        "best": np.array([task.means.max() for task in tasks]),
        "worst": np.array([task.means.min() for task in tasks]),
    }
