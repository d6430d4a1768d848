"""How many tasks are enough, and how many pieces a task's loss has: the dual complexity of Definition 1."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.errors import ParameterError
from banditune.evaluation.certificate import LEAST_TASKS, check_delta
from banditune.evaluation.concentration import reach
from banditune.evaluation.intervals import estimate
from banditune.validation import finite_number, one_of


@dataclass(frozen=True, slots=True)
class DualComplexity:
    """An estimate of Q_D, the mean number of pieces of a task's loss, with its 95% interval."""

    mean: float  # pieces of a curve
    low: float
    high: float  # infinite where there is only one curve
    n_curves: int


def dual_complexity(curves: Iterable[StepFunction]) -> DualComplexity:
    """Estimate Q_D, the mean number of pieces of a task's loss (Definition 1 of the paper).

    Parameters
    ----------
    curves : iterable of StepFunction
        The loss curves of some tasks.

    Returns
    -------
    DualComplexity
        `mean`, and `low` and `high` of its 95% interval.

    Examples
    --------
    >>> dual_complexity([StepFunction([0, 1, 2], [3, 4]), StepFunction([0, 0.5, 1, 2], [0, 1, 0])]).mean
    2.5
    """
    listed = curves if isinstance(curves, CurveSet) else CurveSet.of(curves)
    found = estimate(listed.n_pieces.astype(np.float64))
    return DualComplexity(found.mean, max(1.0, found.low), found.high if len(listed) > 1 else math.inf, len(listed))


MOST_TASKS = 10**15


def excess_by_paper(n: int, delta: float, complexity: float) -> float:
    """Theorem 6.2: 4 sqrt((log(N / delta) + log Q) / N)."""
    return 4.0 * math.sqrt((math.log(n / delta) + math.log(complexity)) / n)


def excess_by_massart(n: int, delta: float, complexity: float) -> float:
    """Massart's lemma with N (Q - 1) + 1 cells, and the best value's own deviation."""
    cells = n * (complexity - 1.0) + 1.0
    return math.sqrt(2.0 * math.log(cells) / n) + 3.0 * reach(n, delta / 4.0) + reach(n, delta / 2.0)


def excess_by_compression(n: int, delta: float, complexity: float) -> float:
    """Compression with two tasks of Q pieces, at losses that spread as much as losses can."""
    names = 2.0 * math.log(n) + math.log(2.0 * complexity)
    return math.sqrt((names + math.log(2.0 / delta)) / (2.0 * (n - 2))) + reach(n, delta / 2.0)


EXCESSES: dict[str, Callable[[int, float, float], float]] = {
    "paper": excess_by_paper,
    "massart": excess_by_massart,
    "compression": excess_by_compression,
}


def sample_size(
    *, epsilon: float, delta: float = 0.05, complexity: float, bound: float = 1.0, method: str = "paper"
) -> int:
    """Compute how many tasks guarantee a loss within epsilon of the best value's, with probability at least 1 - delta.

    Parameters
    ----------
    epsilon : float
        The largest excess loss.
    delta : float, default 0.05
        The probability that the guarantee may fail.
    complexity : float
        Q_D, the mean number of pieces of a task (`bt.dual_complexity`).
    bound : float, default 1.0
        The largest possible loss.
    method : {"paper", "massart", "compression"}, default "paper"
        Theorem 6.2 of the paper, Massart's lemma, or a compression bound, which needs the fewest tasks.

    Returns
    -------
    int

    Examples
    --------
    >>> sample_size(epsilon=0.1, delta=0.05, complexity=30, bound=1.0)
    26533
    >>> sample_size(epsilon=0.1, delta=0.05, complexity=30, bound=1.0, method="compression")
    2274
    """
    largest = finite_number("bound", bound, least=0.0)
    wanted = finite_number("epsilon", epsilon)
    if wanted <= 0.0:
        raise ParameterError(f"epsilon must be above 0, got {wanted!r}")
    pieces = finite_number("complexity", complexity, least=1.0)
    risk, excess = check_delta(delta), EXCESSES[one_of("method", method, EXCESSES)]
    if largest == 0.0 or wanted >= largest:
        return 1  # no loss is larger than what is allowed for
    return least_tasks(lambda n: largest * excess(n, risk, pieces) <= wanted)


def least_tasks(enough: Callable[[int], bool]) -> int:
    """The least number of tasks that is enough, where more are never worse."""
    low, high = LEAST_TASKS - 1, LEAST_TASKS
    while not enough(high):
        low, high = high, 2 * high
        if low > MOST_TASKS:
            raise ParameterError(f"more than {MOST_TASKS:.0e} tasks would be needed: epsilon must be larger")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
