"""A test that is stopped at a threshold, look by look, by the definition."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np


def naive_lead(rewards: Sequence[Sequence[float]], statistic: str) -> tuple[int, float]:
    """The arm that leads, and how clearly; rewards[i] are those of arm i so far."""
    means = [sum(row) / len(row) if row else -math.inf for row in rewards]
    leader = means.index(max(means))
    n, total = len(rewards), sum(map(len, rewards))
    if not all(rewards) or total <= n:
        return leader, 0.0
    spread = math.sqrt(sum(float(np.var(row)) * len(row) for row in rewards) / (total - n))
    scores, behind = [], 0.0
    for arm in range(n):
        if arm != leader:
            error = spread * math.sqrt(1 / len(rewards[leader]) + 1 / len(rewards[arm]))
            ahead = means[leader] - means[arm]
            scores.append(0.0 if ahead <= 0 else 38.0 if error == 0 else min(38.0, ahead / error))
            density = math.exp(-(scores[-1] ** 2) / 2) / math.sqrt(2 * math.pi)
            behind += error * max(density - scores[-1] * 0.5 * math.erfc(scores[-1] / math.sqrt(2.0)), 0.0)
    if statistic == "loss":
        if spread == 0.0 and min(scores, default=38.0) == 0.0:
            return leader, 0.0
        return leader, 38.0 if behind <= 1e-300 * spread else max(0.0, -math.log(behind / spread))
    if statistic == "gap" or n <= 2:
        return leader, min(scores, default=38.0)
    wrong = sum(0.5 * math.erfc(score / math.sqrt(2.0)) for score in scores)
    return leader, 0.0 if wrong >= 0.5 else 38.0 if wrong < 1e-300 else -NormalDist().inv_cdf(wrong)


def naive_stop(
    arms: Sequence[int],
    rewards: Sequence[float],
    means: Sequence[float],
    *,
    threshold: float,
    least: int,
    every: int,
    later: int,
    statistic: str,
) -> tuple[int, float, float]:
    """The round after which a test ends, its loss with the rest, and how close a look was to the threshold."""
    gaps = [max(means) - mean for mean in means]
    so_far: list[list[float]] = [[] for _ in means]
    closest = math.inf
    for t, (arm, reward) in enumerate(zip(arms, rewards, strict=True), start=1):
        so_far[arm].append(reward)
        looked = t >= least and (t - least) % every == 0
        if not looked and t < len(arms):
            continue
        leader, lead = naive_lead(so_far, statistic)
        if looked and t < len(arms):
            closest = min(closest, abs(lead - threshold))
        if (looked and lead > threshold) or t == len(arms):
            lost = sum(gaps[each] for each in arms[:t])
            return t, lost + (len(arms) - t + later) * gaps[leader], closest
    raise AssertionError("a test has at least one round")
