"""How many tasks are enough, by the complexity of their losses."""

import math
import numbers
from collections.abc import Callable

from banditune.errors import ParameterError
from banditune.evaluation.certificate import LEAST_TASKS, check_delta
from banditune.evaluation.chaining import chain_dimension, chain_pieces
from banditune.evaluation.concentration import reach
from banditune.validation import finite_number, one_of, whole_number

MOST_TASKS = 10**15


def bound_excess_by_paper(n: int, delta: float, complexity: float) -> float:
    """Theorem 6.2: 4 sqrt((log(N / delta) + log Q) / N)."""
    return 4.0 * math.sqrt((math.log(n / delta) + math.log(complexity)) / n)


def bound_excess_by_massart(n: int, delta: float, complexity: float) -> float:
    """Massart's lemma with N (Q - 1) + 1 cells, and the best value's own deviation."""
    cells = n * (complexity - 1) + 1
    return math.sqrt(2.0 * math.log(cells) / n) + 3.0 * reach(n, delta / 4.0) + reach(n, delta / 2.0)


def bound_excess_by_chaining(n: int, delta: float, complexity: float) -> float:
    """Covers at every scale: Theorem 6.1 as it is stated, without a logarithm of N."""
    return 2.0 * chain_pieces(complexity) / math.sqrt(n) + 2.0 * reach(n, delta / 2.0)


def bound_excess_by_compression(n: int, delta: float, complexity: float) -> float:
    """Compression by names that two tasks give, Q pieces each on average, at losses that spread as losses can."""
    names = 2.0 * math.log(n) + math.log(complexity) + math.log(2 * complexity + 1)
    return math.sqrt((names + math.log(2.0 / delta)) / (2.0 * (n - 2))) + 2.0 / n + reach(n, delta / 2.0)


def bound_excess_by_dimension(n: int, delta: float, dimension: float) -> float:
    """Theorem A.2 with constants: Haussler's covers at every scale, and so without its log(H / epsilon)."""
    return 2.0 * chain_dimension(int(dimension)) / math.sqrt(n) + 2.0 * reach(n, delta / 2.0)


EXCESSES: dict[str, Callable[[int, float, float], float]] = {
    "paper": bound_excess_by_paper,
    "massart": bound_excess_by_massart,
    "compression": bound_excess_by_compression,
    "chaining": bound_excess_by_chaining,
}
DIMENSION = "pseudo-dimension"


def sample_size(
    *,
    epsilon: float,
    delta: float = 0.05,
    complexity: float | None = None,
    bound: float = 1.0,
    method: str = "paper",
    dimension: int | None = None,
) -> int:
    """Compute how many tasks guarantee a loss within epsilon of the best value's, with probability at least 1 - delta.

    Parameters
    ----------
    epsilon : float
        The largest excess loss.
    delta : float, default 0.05
        The probability that the guarantee may fail.
    complexity : float
        Q_D, the mean number of pieces of a task: measured (`bt.dual_complexity`), or bounded before there is any task
        (`bt.dual_complexity_bound(...).pieces`, an integer of any size).
    bound : float, default 1.0
        The largest possible loss.
    method : {"paper", "massart", "compression", "chaining", "pseudo-dimension"}, default "paper"
        Theorem 6.2 of the paper, Massart's lemma, a compression bound, which needs the fewest tasks, or chaining, which
        grows no faster than log Q_D: Theorem 6.1. Theorem A.2 ("pseudo-dimension") takes a `dimension` instead.
    dimension : int, optional
        The pseudo-dimension of the losses, where several parameters are learned together (Theorem 7.4;
        `pseudo_dimension_with_priors` in `banditune.evaluation.complexity`).

    Returns
    -------
    int

    Examples
    --------
    >>> sample_size(epsilon=0.1, delta=0.05, complexity=30, bound=1.0)
    26533
    >>> sample_size(epsilon=0.1, delta=0.05, complexity=30, bound=1.0, method="compression")
    2568
    >>> sample_size(epsilon=0.1, delta=0.05, dimension=70, method="pseudo-dimension")
    163105
    """
    largest = finite_number("bound", bound, least=0.0)
    wanted = finite_number("epsilon", epsilon)
    if wanted <= 0.0:
        raise ParameterError(f"epsilon must be above 0, got {wanted!r}")
    risk, known = check_delta(delta), one_of("method", method, [*EXCESSES, DIMENSION])
    excess: Callable[[int, float, float], float] = EXCESSES.get(known, bound_excess_by_dimension)
    size = whole_number("dimension", dimension, least=0) if known == DIMENSION else _check_complexity(complexity)
    if largest == 0.0 or wanted >= largest:
        return 1  # no loss is larger than what is allowed for
    return least_tasks(lambda n: largest * excess(n, risk, size) <= wanted)


def _check_complexity(complexity: object) -> float:
    """Return a number of pieces; an integer is kept as it is, for it may be larger than any float."""
    if isinstance(complexity, numbers.Integral) and not isinstance(complexity, bool):
        return whole_number("complexity", complexity, least=1)
    return finite_number("complexity", complexity, least=1.0)


def least_tasks(enough: Callable[[int], bool]) -> int:
    """Return the least number of tasks that is enough, where more are never worse."""
    low, high = LEAST_TASKS - 1, LEAST_TASKS
    while not enough(high):
        low, high = high, 2 * high
        if low > MOST_TASKS:
            raise ParameterError(f"more than {MOST_TASKS:.0e} tasks would be needed: epsilon must be larger")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
