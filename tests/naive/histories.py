"""The runs that Algorithm 3 of the paper visits on two arms, one after the other, by either rule of when a run ends."""

import math
from collections.abc import Sequence


def count_histories(rewards: Sequence[Sequence[float]], most: float, *, ends_when_one_runs_out: bool = False) -> int:
    """Count the different runs of UCB(alpha) on two arms for alpha in [0, most); nothing is merged.

    A run ends after as many rounds as an arm has rewards; or, as Algorithm 3 is printed, when it has used up all
    rewards of one arm. The rest of it is put right: errata 1, 2, 4 and 13.
    """
    horizon, found = len(rewards[0]), 0
    totals = [[0.0, *(math.fsum(row[: k + 1]) for k in range(horizon))] for row in rewards]
    waiting = [(0.0, math.sqrt(most), (1, 1))]  # root alpha from and to, pulls of each arm
    while waiting:
        low, high, counts = waiting.pop()
        while max(counts) < horizon if ends_when_one_runs_out else sum(counts) < horizon:
            means = [total[count] / count for total, count in zip(totals, counts, strict=True)]
            fewer = int(counts[1] < counts[0])
            pulled = int(means[1] > means[0])
            if counts[0] != counts[1]:  # right of where the lines cross, the arm with fewer pulls leads
                slopes = [math.sqrt(math.log(sum(counts) + 1) / count) for count in counts]
                crossing = (means[1 - fewer] - means[fewer]) / (slopes[fewer] - slopes[1 - fewer])
                pulled = fewer if crossing <= low else 1 - fewer
                if low < crossing < high:
                    waiting.append((crossing, high, counts))
                    high = crossing
            counts = (counts[0] + (pulled == 0), counts[1] + (pulled == 1))
        found += 1
    return found
