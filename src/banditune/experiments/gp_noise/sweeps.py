"""GP-UCB's reward as a function of the noise that it believes in: settings, and the sweeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.policies.gpucb.gpucb import GPUCB
from banditune.problems import on_grid
from banditune.tuning.search import Search

FUNCTIONS = {"waves": "sin x + cos y", "bowl": "(x - 1)(x + 0.5) + (y - 1.5)(y + 1)", "slope": "x + y^2"}
N_POINTS = 576


@dataclass(frozen=True, slots=True)
class Reading:
    """What the paper does not state: where the grid lies, how noisy rewards are, which bonus."""

    name: str
    low: float
    high: float
    noise: float  # the standard deviation of the rewards
    bonus: str  # "std", or "variance" as the paper prints it


@dataclass(frozen=True, slots=True)
class Settings:
    """The noise that GP-UCB believes in, searched from `least` to `most` with proof."""

    readings: tuple[Reading, ...]
    n_tasks: int
    a_unit: int
    horizon: int = 20
    least: float = 1e-4
    most: float = 10.0


FULL = Settings(
    readings=(
        Reading("grid -2 to 2", -2.0, 2.0, 0.1, "std"),
        Reading("grid -5 to 5", -5.0, 5.0, 0.1, "std"),
        Reading("grid 0 to 1", 0.0, 1.0, 0.1, "std"),
        Reading("grid -2 to 2, no noise", -2.0, 2.0, 0.0, "std"),
        Reading("grid -2 to 2, noise 1", -2.0, 2.0, 1.0, "std"),
        Reading("grid -2 to 2, bonus as printed", -2.0, 2.0, 0.1, "variance"),
    ),
    n_tasks=40,
    a_unit=10,
)
QUICK = replace(FULL, readings=FULL.readings[:2], n_tasks=6, a_unit=6)


def units(settings: Settings) -> list[Unit]:
    """Return all units, function by function."""
    return [
        unit
        for function in FUNCTIONS
        for place in range(len(settings.readings))
        for unit in list_reading_units(settings, function, place)
    ]


def list_reading_units(settings: Settings, function: str, place: int) -> list[Unit]:
    """Return the units of one function in one reading; without noise all tasks are the same, and one is enough."""
    reading = settings.readings[place]
    n_tasks = settings.n_tasks if reading.noise > 0.0 else 1
    return [
        Unit(
            f"{function}-{place}-{first}",
            sweep_noise,
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


def sweep_noise(
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
    """Return curves of minus the total reward over the noise, and the width of what is unproved: (tasks,)."""
    problem = on_grid(function, low=low, high=high, noise=noise)
    tasks = [problem.bandit(number, seed).task(horizon) for number in range(first, first + count)]
    parameters = {"noise": tuple(between), "bonus": bonus}
    found = Search.of(GPUCB, [horizon], parameters, loss="reward", seed=seed, extend=False).curves(tasks)
    curves = found.losses[0]
    return {
        "left": curves.left,
        "values": curves.values,
        "starts": curves.starts,
        "unproved": found.measure_doubts(),
        "best": np.array([task.means.max() for task in tasks]),
        "worst": np.array([task.means.min() for task in tasks]),
    }
