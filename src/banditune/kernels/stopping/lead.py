"""How clearly the leading arm of a test leads, and what a test loses that ends when it leads clearly enough.

A test ends at the first check at which the statistic is above the threshold. So the time at which it ends is a step
function of the threshold, cut where the statistic is larger than ever before, and what the test loses is one, too.
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import normal_quantile

PROBABILITY, GAP, LOSS = range(3)  # what is measured
SURE = 38.0  # standard errors: beyond, probabilities are 1 in floats
LEAST = 1e-300  # a probability that is taken for 0


@inline
def find_leader(counts: Integers, sums: Floats) -> int:
    """Return the arm with the highest mean of counts (n,) rewards that add up to sums (n,); ties go to the lowest."""
    leader, most = integer(0), -math.inf
    for arm in range(counts.size):
        if counts[arm] > 0 and sums[arm] / counts[arm] > most:
            leader, most = integer(arm), sums[arm] / counts[arm]
    return leader


@jit
def measure_lead(counts: Integers, sums: Floats, deviations: Floats, leader: int, statistic: int) -> float:
    """Return how clearly the leader leads, at least 0; 0 where an arm has no reward.

    deviations (n,) are the sums of squared deviations of each arm's rewards from their mean, of which all arms' common
    variance is estimated; posteriors are normal. PROBABILITY: the quantile of the probability that the leader is the
    best, 1 less the sum over the other arms of that of being better. GAP: by how many standard errors it is ahead of
    the closest arm. LOSS: minus the logarithm of what the leader is expected to be behind the best, the sum over the
    other arms of what it is behind each, in standard deviations of a reward.
    """
    n, total, squares = counts.size, 0, 0.0
    for arm in range(n):
        if counts[arm] == 0:
            return 0.0
        total += counts[arm]
        squares += deviations[arm]
    if total <= n:
        return 0.0
    spread, mean = math.sqrt(squares / (total - n)), sums[leader] / counts[leader]
    closest, wrong, behind = SURE, 0.0, 0.0
    for arm in range(n):
        if arm != leader:
            ahead = mean - sums[arm] / counts[arm]
            error = spread * math.sqrt(1.0 / counts[leader] + 1.0 / counts[arm])
            z = 0.0 if ahead <= 0.0 else SURE if error == 0.0 else min(SURE, ahead / error)
            tail = 0.5 * math.erfc(z / math.sqrt(2.0))
            closest = min(closest, z)
            wrong += tail
            behind += error * max(math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - z * tail, 0.0)
    if statistic == LOSS:
        if closest == 0.0 and spread == 0.0:
            return 0.0
        return SURE if behind <= LEAST * spread else max(0.0, -math.log(behind / spread))
    if statistic == GAP or n <= 2:
        return closest
    return 0.0 if wrong >= 0.5 else SURE if wrong < LEAST else -normal_quantile(wrong)


@jit
def sweep_thresholds(
    arms: Integers,
    rewards: Floats,
    gaps: Floats,
    checks: Integers,
    later: float,
    statistic: int,
    high: float,
    left: Floats,
    losses: Floats,
    lengths: Floats,
    fixed: Floats,
) -> int:
    """Write the loss of a test for every threshold in [0, high], and how long it is; return the number of pieces.

    The test pulls arms (T,) and gets rewards (T,); gaps (n,) are what a round of each arm loses. After the checks (k,),
    the last of them T, it may end; all rounds to T and `later` ones after that go to the arm that leads then. fixed
    (k,) gets the loss of ending at each check whatever happened; left, losses and lengths have room for k pieces.
    """
    n = gaps.size
    counts, sums, deviations = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
    used, highest, t = integer(0), 0.0, 0
    for k in range(checks.size):
        while t < checks[k]:
            arm, reward = arms[t], rewards[t]
            before = sums[arm] / counts[arm] if counts[arm] > 0 else reward
            counts[arm] += 1
            sums[arm] += reward
            deviations[arm] += (reward - before) * (reward - sums[arm] / counts[arm])
            t += 1
        leader = find_leader(counts, sums)
        loss = (arms.size - t + later) * gaps[leader]
        for arm in range(n):
            loss += counts[arm] * gaps[arm]
        fixed[k] = loss
        reached = high if t == arms.size else measure_lead(counts, sums, deviations, leader, statistic)
        if reached > highest and highest < high:
            left[used], losses[used], lengths[used] = highest, loss, t
            highest = reached
            used += 1
    return used
