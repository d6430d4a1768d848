"""KL-UCB: the level at which the index of one arm overtakes that of another.

After p pulls with mean m, the index at a level L = c log t is the largest q with p d(m, q) <= L, d being the divergence
of an exponential family. Two indices cross at most once, and only an arm with fewer pulls overtakes (docs: maths). The
level at which it does depends on means and pulls alone: not on the round, and not on c. All decisions are made by it,
so that runs and sweep agree. Distances are kept instead of q, and 1 - q apart, so that nothing cancels.
"""

import math

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.envelope import Lines, part_difference

FAMILIES = ("bernoulli", "gaussian", "poisson", "exponential")
BERNOULLI, GAUSSIAN, POISSON, EXPONENTIAL = range(4)
LARGEST = 690.0  # of -log(1 - q) and log(q / mean)
MOST_NEWTON = 100  # steps; fewer than ten are usual
SERIES = 20  # terms: 0.1**20 is nothing beside 1
STEPS = 40  # of Newton's method, at most; some five are usual
SURE = 1e-9  # relative: how near levels must be for the overtaking level to be asked
LEAST_REST = 1e-290  # of 1 - q: below, digits are lost
ROUNDING = 1e-14  # the same, relative to the means, where distances are small beside them


@jit
def excess(x: float) -> float:
    """x - log(1 + x) for x > -1, with all digits."""
    if abs(x) >= 0.1:
        return x - math.log1p(x)
    total = 0.0
    for power in range(SERIES, 1, -1):
        total = 1.0 / power - x * total
    return x * x * total


@jit
def divergence(family: int, mean: float, distance: float, rest: float) -> float:
    """Return the divergence of q = mean + distance from the mean; for BERNOULLI the rest is 1 - q."""
    if family == GAUSSIAN:
        return 0.5 * distance * distance
    if family == EXPONENTIAL:
        if mean <= 0.0:
            return np.inf
        share = distance / (mean + distance)
        return excess(-share) if share < 0.5 else math.log((mean + distance) / mean) - share
    below = mean * excess(distance / mean) if mean > 0.0 else distance
    if family == POISSON:
        return below
    room = rest + distance  # 1 - mean
    if distance < 0.5 * room:
        return below + room * excess(-distance / room)
    return below + room * (math.log(room / rest) - distance / room)


@inline
def place_at(family: int, mean: float, u: float) -> tuple[float, float]:
    """Return the distance of q from a mean where u says, and 1 - q for BERNOULLI.

    u is -log(1 - q) + log(1 - mean) for BERNOULLI, log(q / mean) for EXPONENTIAL, else the distance. With each of these
    the derivative of `lead_at` is ((P - p) distance - p gap) / q, which increases: so the lead is convex.
    """
    if family == BERNOULLI:
        return -(1.0 - mean) * math.expm1(-u), (1.0 - mean) * math.exp(-u)
    if family == EXPONENTIAL:
        return mean * math.expm1(u), 0.0
    return u, 0.0


@inline
def lead_at(
    family: int, u: float, mean: float, pulls: float, lower: float, fewer: float, gap: float
) -> tuple[float, float, float]:
    """Return how far the arm with the lower mean and fewer pulls is ahead at u, its derivative, the other's level."""
    distance, rest = place_at(family, mean, u)
    level = pulls * divergence(family, mean, distance, rest)
    lead = level - fewer * divergence(family, lower, distance + gap, rest)
    return lead, ((pulls - fewer) * distance - fewer * gap) / (mean + distance), level


@jit
def find_overtaking_level(family: int, mean: float, pulls: float, lower: float, fewer: float, gap: float) -> float:
    """Find the level from which an arm with lower mean and fewer pulls is ahead of another; infinite if none.

    `gap` is the difference of the means, which may have more digits than they do. By Newton's method: the lead is
    convex, so it comes to the right of its root in one step and then moves left, until it moves no more.
    """
    if family == GAUSSIAN:
        distance = gap * math.sqrt(fewer) * (math.sqrt(pulls) + math.sqrt(fewer)) / (pulls - fewer)
        return 0.5 * pulls * distance * distance
    if family == BERNOULLI and (mean >= 1.0 or pulls * (1.0 - mean) <= fewer * (1.0 - lower)):
        return np.inf
    if family == EXPONENTIAL and lower <= 0.0:
        return np.inf
    u = 2.0 * fewer * gap / (pulls - fewer)  # from half of it on, the lead rises
    if family == BERNOULLI:
        u = -math.log1p(-max(0.5 * u / (1.0 - mean), min(u / (1.0 - mean), 0.999)))
        u = u if u < LARGEST else LARGEST
        u += 1e-3 * u
    elif family == EXPONENTIAL:
        u = math.log1p(u / mean)
    is_right, level = False, np.inf
    for _ in range(MOST_NEWTON):
        lead, slope, here = lead_at(family, u, mean, pulls, lower, fewer, gap)
        if is_right or lead >= 0.0:
            level = here
        if is_right and lead < 0.0:  # by rounding
            break
        is_right = is_right or lead >= 0.0
        after = min(u - lead / slope if slope > 0.0 else 2.0 * u, 2.0 * u + 1.0)
        if lead >= 0.0 and not after < u:
            break
        u = after
        if u > LARGEST and family != POISSON:
            return np.inf
    return level


@jit
def index_distance(family: int, mean: float, level: float) -> tuple[float, float]:
    """Return how far the index is above the mean at a level for one pull, and 1 - index for BERNOULLI, to 12 digits.

    Newton's method from the right of the root of a convex function, which only ever moves left.
    """
    if family == GAUSSIAN:
        return math.sqrt(2.0 * level), 0.0
    if family == EXPONENTIAL:
        u = level + math.sqrt(2.0 * level)
        for _ in range(STEPS):
            step = (u + math.expm1(-u) - level) / -math.expm1(-u)
            if not step > 1e-13 * u:
                break
            u -= step
        return mean * math.expm1(u), 0.0
    distance, rest, room = level / 1.5 + math.sqrt(level * level / 2.25 + 2.0 * mean * level), 0.0, 1.0 - mean
    if family == BERNOULLI:
        rest = room * math.exp(-min(700.0, level / room + 1.0)) if room > 0.0 else 0.0
        distance = room - rest
        if math.sqrt(0.5 * level) < distance:
            distance = math.sqrt(0.5 * level)
            rest = room - distance
    for _ in range(STEPS):
        variance = (mean + distance) * (rest if family == BERNOULLI else 1.0)
        step = (divergence(family, mean, distance, rest) - level) * variance / distance
        if not step > 1e-13 * min(distance, rest if family == BERNOULLI else distance):
            break
        distance -= step
        rest += step
    return distance, rest


@lean
def compare_at(family: int, mean: float, pulls: float, level: float, other: float, distance: float, rest: float) -> int:
    """1 if an arm has a higher index at a level than another beyond any rounding, -1 if a lower one, 0 if in doubt.

    The other's index is `distance` above its mean `other`; the rest is 1 - index for BERNOULLI.
    """
    beyond, size = distance + (other - mean), max(abs(mean), abs(other))
    if beyond <= ROUNDING * size:
        return 1 if beyond < -ROUNDING * size else 0
    reached = pulls * divergence(family, mean, beyond, rest)
    doubt = SURE + 2.0 * ROUNDING * size / beyond
    if abs(reached - level) <= doubt * level or not reached < np.inf or (family == BERNOULLI and rest < LEAST_REST):
        return 0
    return 1 if reached < level else -1


@lean
def compare_sure(family: int, mean_i: float, pulls_i: float, mean_j: float, pulls_j: float, level: float) -> int:
    """As `compare_at`, for two arms of which the index of neither is known."""
    if level == 0.0:
        return 0
    distance, rest = index_distance(family, mean_j, level / pulls_j)
    return compare_at(family, mean_i, pulls_i, level, mean_j, distance, rest)


@inline
def gap_of(mean: float, pulls: float, lower: float, fewer: float, difference: float, span: float) -> float:
    """Return the gap between two means with more digits than they have, unless the lower one is taken as 0."""
    return mean if lower == 0.0 else difference / (pulls * fewer * span)


@inline
def mean_difference(lines: Lines, i: int, j: int, family: int) -> float:
    """Subtract two means, times their pulls; 0 where both are taken as the same end of a family's range."""
    if lines[i, 5] == lines[j, 5] and family != GAUSSIAN and (lines[i, 5] == 0.0 or lines[i, 5] == 1.0):
        return 0.0
    difference, _ = part_difference(lines, i, j, 0)
    return difference


@lean
def is_dominated(lines: Lines, i: int, family: int) -> bool:
    """Tell whether another arm is ahead of arm i at every level: one with no more pulls and no lower mean.

    Those that are not have the higher means the more pulls they have: any two of them cross. Others are left aside
    first, so that roundings of levels cannot contradict each other where arms are all but alike.
    """
    for j in range(lines.shape[0]):
        if j != i and lines[j, 6] <= lines[i, 6]:
            difference = mean_difference(lines, j, i, family)
            if difference > 0.0 or (difference == 0.0 and (lines[j, 6] < lines[i, 6] or j < i)):
                return True
    return False


@lean
def is_ahead(lines: Lines, i: int, j: int, level: float, family: int, span: float) -> bool:
    """Tell whether arm i has a higher index than arm j at a level, neither of them dominated.

    Rows are pulls, sums and means as they are taken; levels go by the last column, which also counts pending pulls.
    """
    pulls_i, pulls_j, mean_i, mean_j = lines[i, 6], lines[j, 6], lines[i, 5], lines[j, 5]
    sure = compare_sure(family, mean_i, pulls_i, mean_j, pulls_j, level)
    if sure != 0:
        return sure > 0
    difference, _ = part_difference(lines, i, j, 0)
    if difference > 0.0:
        gap = gap_of(mean_i, lines[i, 4], mean_j, lines[j, 4], difference, span)
        return level < find_overtaking_level(family, mean_i, pulls_i, mean_j, pulls_j, gap)
    gap = gap_of(mean_j, lines[j, 4], mean_i, lines[i, 4], -difference, span)
    return level >= find_overtaking_level(family, mean_j, pulls_j, mean_i, pulls_i, gap)


@lean
def leader_at_level(lines: Lines, level: float, family: int, span: float) -> int:
    """Return the arm with the highest index at a level; of arms that are alike, the lowest numbered."""
    best = integer(-1)
    for i in range(lines.shape[0]):
        if not is_dominated(lines, i, family) and (best < 0 or is_ahead(lines, i, best, level, family, span)):
            best = i
    return best


@lean
def find_overtaking_from(
    lines: Lines, best: int, low: float, high: float, growth: float, family: int, span: float
) -> tuple[float, int]:
    """Return the first float c in (low, high) at which another arm is ahead of `best`, and that arm; `high` if none is.

    The level is c times the growth, as floats multiply.
    """
    edge, by = high, best
    distance, rest = index_distance(family, lines[best, 5], high * growth / lines[best, 6])
    for i in range(lines.shape[0]):
        if compare_at(family, lines[i, 5], lines[i, 6], high * growth, lines[best, 5], distance, rest) < 0:
            continue  # not even at the right end
        difference, _ = part_difference(lines, best, i, 0)
        if lines[i, 6] < lines[best, 6] and difference > 0.0 and not is_dominated(lines, i, family):
            gap = gap_of(lines[best, 5], lines[best, 4], lines[i, 5], lines[i, 4], difference, span)
            level = find_overtaking_level(family, lines[best, 5], lines[best, 6], lines[i, 5], lines[i, 6], gap)
            if level <= edge * growth:
                c = find_least_reaching(level, growth)
                if low < c < edge:
                    edge, by = c, i
    return edge, by


@lean
def find_least_reaching(level: float, growth: float) -> float:
    """Return the smallest float c with c * growth >= level > 0."""
    c = level / growth
    while c * growth < level:
        c = np.nextafter(c, np.inf)
    before = np.nextafter(c, 0.0)
    while before * growth >= level:
        c, before = before, np.nextafter(before, 0.0)
    return c
