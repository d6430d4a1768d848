"""Which of n lines is highest, decided without rounding error: the one rule shared by run, sweep and online policy.

A line is a row (A high, A low, B high, B low, d, a, b) of `lines` and has the value (A + u x B) / d at x >= 0, where
d > 0; it may rise or fall. a and b are A / d and B / d as plain floats, and the unit u > 0 is common to all lines.
Keeping the denominator apart means that lines are compared without a division: arms whose means are equal in arithmetic
tie exactly. The plain floats settle all but close calls.

Where priors count for some pulls, the parts have more digits than two floats can hold. Then a row goes on with (w, A2
high, A2 low, A3 high, A3 low, B2 high, B2 low): the line is (A + A2 + A3 + u x (B + B2)) / (d + w), and what decides
close calls is added up without any error. There b may be lifted by the same number in all lines.
"""

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import add, add_term, multiply, round_sum, scale, two_product

Lines = Floats  # (n, PLAIN), or (n, WITH_PRIORS)
PLAIN, WITH_PRIORS = 7, 14
MOST_TERMS = 48  # of two lines' intercepts: 6 parts each, times 2 of a denominator, each product in two floats

# a + x b computed in floats, from a and b that are off by 2 units in the last place and x by one, is off by at most
# 6 * 2**-53 * (abs(a) + x abs(b)); the difference of two such values is certain beyond this multiple of their sizes.
SLACK = 2.0**-49

# How near to a float, in units of the gap between floats, a crossing may seem to lie and yet be on its other side.
NEAR = 2.0**-10


@jit
def long_difference(lines: Lines, i: int, j: int, part: int) -> tuple[float, float]:
    """As `part_difference`, rounded only at the end, for lines with priors.

    One loop over all products of a part of a numerator and one of the other line's denominator, each in two floats: the
    compiler copies this function into its callers, and would take minutes over several loops.
    """
    terms, used, rest = np.empty(MOST_TERMS), integer(0), 0.0
    n_parts = 6 - part  # of an intercept 6, of a slope 4
    for k in range(8 * n_parts):
        own, other, sign = (i, j, 1.0) if k & 4 == 0 else (j, i, -1.0)
        place = k >> 3
        column = part + place if place < 2 else PLAIN - 1 + place + 2 * part
        value = rest
        if k & 1 == 0:
            numerator, denominator = sign * lines[own, column], lines[other, 4 if k & 2 == 0 else PLAIN]
            value, rest = two_product(numerator, denominator)
        if value != 0.0:
            used = add_term(terms, used, value)
    return round_sum(terms, used)


@inline
def part_difference(lines: Lines, i: int, j: int, part: int) -> tuple[float, float]:
    """d_i d_j times the difference of two lines' intercepts (part 0) or slopes (part 2)."""
    if lines.shape[1] > PLAIN:
        return long_difference(lines, i, j, integer(part))
    one, one_low = scale(lines[i, part], lines[i, part + 1], lines[j, 4])
    other, other_low = scale(lines[j, part], lines[j, part + 1], lines[i, 4])
    return add(one, one_low, -other, -other_low)


@inline
def value_at(start: float, start_low: float, rise: float, rise_low: float, x: float, unit: float) -> float:
    """Start + unit x rise, with the right sign."""
    run, run_low = two_product(x, unit)
    rise, rise_low = multiply(rise, rise_low, run, run_low)
    value, _ = add(start, start_low, rise, rise_low)
    return value


@lean
def exact_difference(lines: Lines, i: int, j: int, x: float, unit: float) -> float:
    """d_i d_j times the difference of two lines at x, with the right sign."""
    start, start_low = part_difference(lines, i, j, 0)
    rise, rise_low = part_difference(lines, i, j, 2)
    return value_at(start, start_low, rise, rise_low, x, unit)


@inline
def compare(lines: Lines, i: int, j: int, x: float, unit: float) -> float:
    """Positive where line i is above line j at x, zero where they tie, negative where it is below."""
    run = x * unit
    difference: float = (lines[i, 5] - lines[j, 5]) + run * (lines[i, 6] - lines[j, 6])
    size = abs(lines[i, 5]) + abs(lines[j, 5]) + run * (abs(lines[i, 6]) + abs(lines[j, 6]))
    if abs(difference) > SLACK * size:
        return difference
    return exact_difference(lines, i, j, x, unit)


@inline
def is_steeper(lines: Lines, i: int, j: int) -> bool:
    """Tell whether line i rises faster than line j."""
    difference: float = lines[i, 6] - lines[j, 6]
    if abs(difference) > SLACK * (abs(lines[i, 6]) + abs(lines[j, 6])):
        return difference > 0.0
    rise, _ = part_difference(lines, i, j, 2)
    return rise > 0.0


@lean
def leader(lines: Lines, x: float, unit: float) -> int:
    """Return the highest line at x; of several the lowest numbered. This is the choice a policy makes."""
    best = integer(0)
    for i in range(1, lines.shape[0]):
        if compare(lines, i, best, x, unit) > 0.0:
            best = i
    return best


@lean
def leader_right_of(lines: Lines, x: float, unit: float) -> int:
    """Return the highest line just right of x: of those that tie at x the steepest, of equal lines the first."""
    best = integer(0)
    for i in range(1, lines.shape[0]):
        difference = compare(lines, i, best, x, unit)
        if difference > 0.0 or (difference == 0.0 and is_steeper(lines, i, best)):
            best = i
    return best


@inline
def find_crossing(lines: Lines, i: int, j: int, unit: float) -> float:
    """Return the smallest float at which the steeper line i has drawn level with line j.

    The quotient is within a few floats of it, and its value there says by how many. Where that is a close call the
    comparison itself settles it, so that an edge and a run played beside it can never disagree.
    """
    start, start_low = part_difference(lines, i, j, 0)
    rise, rise_low = part_difference(lines, i, j, 2)
    slope = rise * unit
    x = -start / slope
    step = np.nextafter(x, np.inf) - x
    excess = value_at(start, start_low, rise, rise_low, x, unit) / (slope * step)
    whole = np.floor(excess)
    level: float = x - whole * step
    evenly_spaced = x - level == whole * step and level - np.nextafter(level, -np.inf) == step
    if evenly_spaced and NEAR < excess - whole < 1.0 - NEAR:
        return level
    while value_at(start, start_low, rise, rise_low, x, unit) < 0.0:
        x = np.nextafter(x, np.inf)
    before = np.nextafter(x, -np.inf)
    while value_at(start, start_low, rise, rise_low, before, unit) >= 0.0:
        x, before = before, np.nextafter(before, -np.inf)
    return x


@lean
def find_overtaking(lines: Lines, best: int, low: float, high: float, unit: float) -> tuple[float, int]:
    """Find the first float in (low, high) where a line draws level with `best`, which leads at low; that line.

    Where none does, `high` and `best`.
    """
    edge, by = high, best
    for i in range(lines.shape[0]):
        if i != best and compare(lines, i, best, edge, unit) > 0.0 and is_steeper(lines, i, best):
            level = max(find_crossing(lines, i, best, unit), np.nextafter(low, np.inf))
            if level < edge:
                edge, by = level, i
    return edge, by
