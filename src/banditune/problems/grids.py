"""Functions on a grid: every point is an arm, for policies that use where the arms sit."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.problems.arms import Arm, Gaussian
from banditune.problems.problem import Problem
from banditune.validation import finite_number, one_of, whole_number

Array = NDArray[np.float64]

# the paper's three, as functions of x and y
FUNCTIONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "waves": lambda x, y: np.sin(x) + np.cos(y),
    "bowl": lambda x, y: (x - 1.0) * (x + 0.5) + (y - 1.5) * (y + 1.0),
    "slope": lambda x, y: x + y**2,
}
N_WAVES = 200  # of which a random function is made


def grid_points(side: int = 24, low: float = -2.0, high: float = 2.0) -> Array:
    """Return the points of a square grid: (side * side, 2)."""
    side = whole_number("side", side, least=1, most=1000)
    if not finite_number("low", low) < finite_number("high", high):
        raise ParameterError(f"low must be below high, got {low!r} and {high!r}")
    line = np.linspace(low, high, side)
    return np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)


def on_grid(
    function: str | Callable[[Array, Array], Array],
    *,
    side: int = 24,
    low: float = -2.0,
    high: float = 2.0,
    noise: float = 0.1,
) -> Problem:
    """Return a function of x and y with normal noise, on a square grid; one of the paper's by name, or any other.

    The paper states 24 x 24 points; neither where the grid lies nor the noise.

    >>> on_grid("waves").bandit(0).points.shape
    (576, 2)
    """
    called = FUNCTIONS[one_of("function", function, FUNCTIONS)] if isinstance(function, str) else function
    points, noise = grid_points(side, low, high), finite_number("noise", noise, least=0.0)
    arms: list[Arm] = [Gaussian(float(value), noise) for value in called(points[:, 0], points[:, 1])]
    return Problem(f"{function if isinstance(function, str) else 'function'} on a grid", lambda _: arms, points)


def smooth_functions(
    *, length_scale: float = 1.0, side: int = 24, low: float = -2.0, high: float = 2.0, noise: float = 0.1
) -> Problem:
    """Return a random smooth function in each task, on a square grid: close to a Gaussian process with an RBF kernel.

    It is a sum of random waves whose covariance on average is exp(-distance^2 / (2 length_scale^2)).
    """
    points, noise = grid_points(side, low, high), finite_number("noise", noise, least=0.0)
    length_scale = finite_number("length_scale", length_scale, least=1e-9)

    def draw(random: np.random.Generator) -> list[Arm]:
        directions = random.normal(0.0, 1.0 / length_scale, (2, N_WAVES))
        waves = np.cos(points @ directions + random.uniform(0.0, 2.0 * np.pi, N_WAVES))
        values = np.sqrt(2.0 / N_WAVES) * (waves @ random.normal(size=N_WAVES))
        return [Gaussian(float(value), noise) for value in values]

    return Problem("smooth functions", draw, points)
