"""How many tasks are enough, by the complexity of their losses.

Bounds by chaining, by covers at every scale, have no logarithm of the number of tasks: see docs/theory/proofs.md.
"""

import math
import numbers
from collections.abc import Callable

from banditune.errors import ParameterError
from banditune.evaluation.certificate import LEAST_TASKS, check_delta
from banditune.evaluation.concentration import reach
from banditune.validation import finite_number, one_of, whole_number

MOST_TASKS = 10**15
RATIOS = tuple(k / 100.0 for k in range(2, 70, 2))  # of a scale to the one before, among which the best is taken
LEAST_SCALE = 1e-12  # below it the rest of the sum is smaller than a float

LogCover = Callable[[float], float]  # the log of how many balls of a radius in the mean square cover all losses


def chain(log_cover: LogCover) -> float:
    """Return C such that the Rademacher complexity of losses from 0 to 1 on N tasks is at most C / sqrt(N).

    With scales e_k = r^k / 2, C is the sum over k = 1, 2, ... of e_(k-1) sqrt(2 log cover(e_k)), for the best r.

    >>> round(chain(lambda radius: math.log(7.0)), 4), round(math.sqrt(2 * math.log(7.0)) / 2, 4)
    (1.0065, 0.9864)
    """
    return min(_sum_scales(log_cover, ratio) for ratio in RATIOS)


def _sum_scales(log_cover: LogCover, ratio: float) -> float:
    total, scale = 0.0, 0.5
    while scale > LEAST_SCALE:
        finer = scale * ratio
        total += scale * math.sqrt(2.0 * log_cover(finer))
        scale = finer
    return total


def chain_pieces(complexity: float) -> float:
    """Return the constant for step functions of one parameter with Q pieces on average: 1 + (Q - 1) / e^2 balls.

    >>> round(chain_pieces(30), 3)
    2.454
    """
    if complexity <= 1:
        return 0.0
    changes = math.log(complexity - 1)
    return chain(lambda radius: _log_one_more(changes - 2.0 * math.log(radius)))


def chain_dimension(dimension: int) -> float:
    """Return the constant for a class of pseudo-dimension d: e (d + 1) (2 e / e_k^2)^d balls, by Haussler's theorem.

    >>> round(chain_dimension(3), 3)
    4.063
    """
    if dimension == 0:
        return 0.0
    least = 1.0 + math.log(dimension + 1)
    return chain(lambda radius: least + dimension * (math.log(2.0 * math.e) - 2.0 * math.log(radius)))


def _log_one_more(log: float) -> float:
    """Return the log of 1 + e^log."""
    return max(log, 0.0) + math.log1p(math.exp(-abs(log)))


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
    wanted = check_epsilon(epsilon)
    risk, known = check_delta(delta), one_of("method", method, [*EXCESSES, DIMENSION])
    excess: Callable[[int, float, float], float] = EXCESSES.get(known, bound_excess_by_dimension)
    size = whole_number("dimension", dimension, least=0) if known == DIMENSION else _check_complexity(complexity)
    if largest == 0.0 or wanted >= largest:
        return 1  # no loss is larger than what is allowed for
    return least_tasks(lambda n: largest * excess(n, risk, size) <= wanted)


def check_epsilon(epsilon: object, what: str = "epsilon") -> float:
    """Return the excess loss that is wanted; what is not above 0 is rejected."""
    wanted = finite_number(what, epsilon)
    if wanted <= 0.0:
        raise ParameterError(f"{what} must be above 0, got {wanted!r}")
    return wanted


def _check_complexity(complexity: object) -> float:
    """Return a number of pieces; an integer is kept as it is, for it may be larger than any float."""
    if isinstance(complexity, numbers.Integral) and not isinstance(complexity, bool):
        return whole_number("complexity", complexity, least=1)
    return finite_number("complexity", complexity, least=1.0)


def least_tasks(enough: Callable[[int], bool], least: int = LEAST_TASKS) -> int:
    """Return the least number of tasks, from so many on, that is enough, where more are never worse."""
    low, high = least - 1, least
    while not enough(high):
        low, high = high, 2 * high
        if low > MOST_TASKS:
            raise ParameterError(f"epsilon must be larger: more than {MOST_TASKS:.0e} tasks would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
