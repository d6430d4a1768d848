"""A stopping rule: end the test when the leader leads by more than a threshold."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from banditune.errors import ParameterError
from banditune.kernels.stopping.lead import SURE, find_leader, measure_lead
from banditune.tasks.arrays import check_numbers

PROBABILITY, GAP, LOSS = "probability", "gap", "loss"
STATISTICS = (PROBABILITY, GAP, LOSS)  # in the order of the kernel's numbers
NORMAL = NormalDist()


def to_probability(threshold: float) -> float:
    """Return the probability that a normal variable is below so many standard deviations.

    >>> round(to_probability(1.6448536), 6)
    0.95
    """
    return 0.5 * math.erfc(-threshold / math.sqrt(2.0))


def to_threshold(probability: float) -> float:
    """Return how many standard deviations a normal variable is below with a probability."""
    return NORMAL.inv_cdf(probability) if 0.0 < probability < 1.0 else math.copysign(SURE, probability - 0.5)


def format_probability(probability: float) -> str:
    """Return a probability in percent, with as many digits as tell it from 100%.

    >>> format_probability(0.95), format_probability(0.99647), format_probability(0.999968)
    ('95%', '99.65%', '99.9968%')
    """
    digits = 0 if probability <= 0.5 else max(0, math.ceil(-math.log10(max(1.0 - probability, 1e-16))) - 1)
    text = f"{100.0 * probability:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """End a test at the first check at which its leader leads by more than a threshold.

    Attributes
    ----------
    threshold : float
        Of the statistic: `describe` says what that means.
    statistic : {"loss", "probability", "gap"}
        What the leader is expected to be behind the best arm, as minus its logarithm; the probability that it is the
        best, as a normal quantile; or how many standard errors it is ahead of the closest arm.
    check_every, least, most : int
        Rounds from one check to the next, before the first, and at most.

    Examples
    --------
    >>> rule = StoppingRule(threshold=2.0, statistic="probability", check_every=100, least=100, most=2000)
    >>> rule.should_stop([500, 500], means=[0.10, 0.16], sds=[0.30, 0.37]), rule.leader([0.10, 0.16])
    (True, 1)
    """

    threshold: float
    statistic: str
    check_every: int
    least: int
    most: int

    def describe(self) -> str:
        """Say when the test ends, in words.

        >>> StoppingRule(2.0, "probability", 100, 100, 2000).describe()
        'the leader is best with a probability of 97.7%'
        >>> StoppingRule(6.0, "loss", 100, 100, 2000).describe()
        'the leader is expected to be 0.00248 standard deviations of a reward behind the best arm'
        """
        if self.statistic == LOSS:
            behind = f"{math.exp(-self.threshold):.3g} standard deviations of a reward"
            return f"the leader is expected to be {behind} behind the best arm"
        if self.statistic == GAP:
            return f"the leader is {self.threshold:.3g} standard errors ahead of the closest arm"
        return f"the leader is best with a probability of {format_probability(to_probability(self.threshold))}"

    def measure(self, pulls: ArrayLike, means: ArrayLike, sds: ArrayLike) -> float:
        """Return the statistic: from pulls, means and standard deviations of each arm so far."""
        counts, centres, spreads = (check_numbers(each, what) for each, what in
                                    ((pulls, "pulls"), (means, "means"), (sds, "sds")))  # fmt: skip
        if not counts.ndim == 1 or not counts.shape == centres.shape == spreads.shape:
            raise ParameterError(f"pulls, means and sds must be one number for each arm, got shapes {counts.shape}, "
                                 f"{centres.shape} and {spreads.shape}")  # fmt: skip
        whole, sums = counts.astype(np.int64), counts * centres
        return float(
            measure_lead(whole, sums, spreads**2 * counts, find_leader(whole, sums), STATISTICS.index(self.statistic))
        )

    def should_stop(self, pulls: ArrayLike, means: ArrayLike, sds: ArrayLike) -> bool:
        """Tell whether a test ends at a check: pulls, means and standard deviations of each arm so far."""
        rounds = int(np.sum(np.asarray(pulls)))
        return rounds >= self.most or (rounds >= self.least and self.measure(pulls, means, sds) > self.threshold)

    def leader(self, means: ArrayLike) -> int:
        """Return the arm to use from then on: the one with the highest mean, the lowest of several."""
        return int(np.argmax(np.asarray(means)))
