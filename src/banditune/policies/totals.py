"""Many pulls of an arm at once: what a table of totals knows of them."""

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.numerics.double_double import add
from banditune.tasks.arrays import MOST_PULLS, check_reward
from banditune.validation import finite_number, whole_number


def add_pulls(counts: NDArray[np.int64], sums: NDArray[np.float64], arm: int, pulls: int, total: float) -> None:
    """Count pulls of an arm and add the sum of their rewards to sums (n, 2)."""
    number = whole_number("pulls", pulls, least=0, most=MOST_PULLS)
    value = check_reward("the sum of rewards", total)
    if int(counts.sum()) + number > MOST_PULLS:
        raise ParameterError(f"all pulls together must be at most {MOST_PULLS}, got {counts.sum()} and {number} more")
    if number == 0 and value != 0.0:
        raise ParameterError(f"the sum of the rewards of 0 pulls must be 0, got {value!r}")
    counts[arm] += number
    sums[arm] = add(sums[arm, 0], sums[arm, 1], value, 0.0)


def check_squares(policy: str, pulls: int, total: float, squares: float | None) -> float:
    """Return the sum of the squares of some rewards, which is known and not less than their mean allows."""
    if squares is None:
        raise ParameterError(f"{policy} goes by the variance of rewards: it needs the sum of their squares, got None")
    number = finite_number("the sum of squares", squares, least=0.0)
    least = total * total / pulls if pulls else 0.0
    if number < least * (1.0 - 1e-9):
        raise ParameterError(f"the sum of squares must be at least total**2 / pulls = {least:g}, got {number!r}")
    return number
