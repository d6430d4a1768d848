"""How complex the losses of tasks are: Q_D of Definition 1 measured, and bounds on it that need no task."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.errors import ParameterError
from banditune.evaluation.intervals import estimate
from banditune.evaluation.sample_size import least_tasks
from banditune.policies.base import Policy
from banditune.policies.parameters import Parameter
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.updates import UPDATES
from banditune.validation import format_names, one_of, whole_number


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


def dual_complexity_bound(
    policy: type[Policy[Any]],
    *,
    horizon: int,
    n_arms: int,
    n_values: int | None = None,
    parameter: str | None = None,
    **settings: object,
) -> ComplexityBound:
    """Bound Q_D before there is any task: a number of pieces that no task of this size exceeds.

    Parameters
    ----------
    policy : type
        `bt.UCB` (Theorems 7.1 and 7.2 of the paper), `bt.LinUCB` (7.3), `bt.GPUCB` (8.1), `bt.GaussianUCB` and
        `bt.GaussianTS` with any prior that does not depend on the tasks (7.1), or another that knows.
    horizon : int
        The number of rounds.
    n_arms : int
        The number of arms, or of points. Where tasks differ in it, the largest of their bounds holds, which need not be
        that of the most arms.
    n_values : int, optional
        Rewards take so many values, equally spaced; 2 for clicks. UCB then has a bound that hardly depends on the arms.
    parameter : str, optional
        The parameter that is tuned, by default the policy's first.
    **settings
        What else is fixed: `prior_means` of UCB, `bonus` of GP-UCB, `prior="flat"` of Gaussian policies.

    Returns
    -------
    ComplexityBound
        `pieces`, the bound; `paper`, what the paper's proof counts; `theorem`; `log`.

    Examples
    --------
    >>> import banditune as bt
    >>> dual_complexity_bound(bt.UCB, horizon=100, n_arms=2)
    ComplexityBound(pieces=4,852, paper=10,000, theorem='7.1')
    >>> bound = dual_complexity_bound(bt.LinUCB, horizon=100, n_arms=10)
    >>> bound
    ComplexityBound(pieces=about 10^99.0, paper=about 10^100.0, theorem='7.3')
    >>> bt.sample_size(epsilon=0.1, complexity=bound.pieces, method="chaining")
    62237
    """
    size = TaskSize(
        whole_number("horizon", horizon, least=1),
        whole_number("n_arms", n_arms, least=1),
        None if n_values is None else whole_number("n_values", n_values, least=1),
    )
    searched = [name for name, known in policy.parameters.items() if isinstance(known, Parameter)]
    unknown = [name for name in settings if name not in policy.parameters]
    if unknown:
        raise ParameterError(
            f"{policy.__name__} has no parameter {format_names(unknown)}; it has {format_names(policy.parameters)}"
        )
    if settings.get(UPDATES.name) is not None:
        raise ParameterError(
            f"no bound on the number of pieces is known where rewards are late: leave out {UPDATES.name}"
        )
    asked = searched[0] if parameter is None else one_of("parameter", parameter, searched)
    return policy.bound_pieces(asked, size, settings)


def pseudo_dimension_of_pieces(pieces: int) -> int:
    """Return the largest pseudo-dimension of losses over one parameter with at most so many pieces each (Theorem 8.1).

    m tasks have at most m (pieces - 1) + 1 different rows of losses, and 2^m are needed to shatter them.

    >>> pseudo_dimension_of_pieces(1), pseudo_dimension_of_pieces(2), pseudo_dimension_of_pieces(4852)
    (0, 1, 16)
    """
    wanted = whole_number("pieces", pieces, least=1)
    return least_tasks(lambda m: 2**m > m * (wanted - 1) + 1, 1) - 1


def pseudo_dimension_with_priors(n_arms: int, horizon: int) -> int:
    """Return the largest pseudo-dimension of UCB's losses over alpha and the prior means of all arms (Theorem 7.4).

    With root alpha for alpha the index is affine in these n + 1 numbers. Which arm is pulled is told by comparisons of
    two arms i < j with pulls a and b in a round: L = C(n, 2) C(T + 2, 3) half-spaces for each task. m tasks have at
    most (e m L / (n + 1))^(n + 1) different rows of losses, and 2^m are needed.

    >>> pseudo_dimension_with_priors(2, 100), pseudo_dimension_with_priors(20, 100)
    (70, 658)
    """
    n = whole_number("n_arms", n_arms, least=1)
    planes, d = math.comb(n, 2) * math.comb(whole_number("horizon", horizon, least=1) + 2, 3), n + 1
    if planes == 0:
        return 0

    def can_be_shattered(m: int) -> bool:
        cells = m * planes  # of one half-space each; few of them have at most 2^cells sign vectors
        return m <= (cells if cells < d else d * math.log2(math.e * cells / d))

    return least_tasks(lambda m: not can_be_shattered(m), 1) - 1
