"""What an index adds to the mean of an arm, by the parts it is made of; the parameter x multiplies it.

After p pulls of an arm, in round t, the index is mean + x slope with slope = width(p) * (growth(t) * coin(t, arm)),
each product rounded once: a line in x that rises or falls with the coin. Two forms add terms that grow differently, and
one has a sample of a posterior: its deviation from the posterior's mean is the slope. DIVERGENCE is KL-UCB
(`kl_divergence`). Two forms have no slope: they explore an arm of their own where x reaches an edge that belongs to the
round. Coins are drawn for (key, round, arm) and never for a pull, so that what follows depends on the counts alone.
"""

import math
from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.envelope import PLAIN, Lines, leader
from banditune.kernels.lines.index import bonus_growth, set_prior
from banditune.kernels.lines.kl_divergence import BERNOULLI, GAUSSIAN, leader_at_level
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import (
    beta_number,
    beta_number_by,
    normal_quantile,
    random_bits,
    toss_ahead,
    uniform,
)
from banditune.kernels.numerics.double_double import add, divide, multiply, two_product

PRODUCT, BERNSTEIN, CAPPED, POSTERIOR, DIVERGENCE, EXPLORE, COMMIT = range(7)  # forms
UNIT, ROOT, MINIMAX = range(3)  # widths: 1, 1 / sqrt(p), sqrt(max(0, log(T / (n p))) / p)
INVERSE_ROOT, POWER, LOGARITHM = 3, 4, 5  # growths besides `index.SCHEDULES`: 1 / sqrt(t), t ** -power, log t
NO_COIN, NORMAL, GUMBEL = range(3)
COINS = 2**40  # of the numbers of a task's key, the one that coins are drawn by: rewards are drawn by those of arms

# of a round: its number and growth; where x explores, and which arm; no line is steeper; the batch with draws listed
ROUND, GROWTH, EDGE, CHOSEN, STEEPEST, LISTED, NOW_WIDTH = range(7)


class Bonus(NamedTuple):
    """The parts of an index, by number."""

    form: int
    width: int  # for DIVERGENCE, the family
    growth: int
    coin: int
    horizon: float = 0.0  # rounds of the run, where a part asks for them
    power: float = 0.0  # for POWER, with which exploration falls; for BERNSTEIN, what log t is multiplied with
    span: float = 1.0  # of the rewards, where a form asks for it
    low: float = 0.0  # what POSTERIOR and DIVERGENCE take as 0
    successes: float = 1.0  # of the prior of POSTERIOR
    failures: float = 1.0

    @property
    def has_variances(self) -> bool:
        """Whether it goes by the variance of an arm's rewards."""
        return self.form in (BERNSTEIN, CAPPED)


@inline
def growth_at(bonus: Bonus, t: float) -> float:
    """Return how the bonus of all arms changes with the round t >= 1."""
    if bonus.growth == INVERSE_ROOT:
        return 1.0 / math.sqrt(t)
    if bonus.growth == POWER:
        return float(t**-bonus.power)
    if bonus.growth == LOGARITHM:
        return math.log(t)
    return bonus_growth(bonus.growth, bonus.horizon, t)


@inline
def width_at(bonus: Bonus, n_arms: int, pulls: float, variance: float) -> float:
    """Return how wide the bonus of an arm is after some pulls, whose rewards have this variance; 0 before the first.

    For BERNSTEIN sqrt(2 v power / p), for CAPPED the variance itself.
    """
    if pulls == 0.0 or bonus.form == DIVERGENCE:
        return 0.0
    if bonus.form == BERNSTEIN:
        return math.sqrt(2.0 * variance * bonus.power / pulls)
    if bonus.form == CAPPED:
        return variance
    if bonus.width == ROOT:
        return 1.0 / math.sqrt(pulls)
    if bonus.width == MINIMAX:
        return math.sqrt(max(0.0, math.log(bonus.horizon / (n_arms * pulls))) / pulls)
    return 1.0


@inline
def second_at(bonus: Bonus, pulls: float) -> float:
    """Return what else the slope goes by: for BERNSTEIN 3 power span / p, for CAPPED sqrt(2 / p)."""
    if pulls == 0.0:
        return 0.0
    return 3.0 * bonus.span * bonus.power / pulls if bonus.form == BERNSTEIN else math.sqrt(2.0 / pulls)


@inline
def slope_of(bonus: Bonus, width: float, second: float, factor: float) -> float:
    """Return the slope of an index, from what the pulls give and the factor growth * coin of the round.

    BERNSTEIN: width g + second g**2. CAPPED: g sqrt(min(span**2 / 4, v + span**2 g sqrt(2 / p)) / p).
    """
    if bonus.form == BERNSTEIN:
        return width * factor + second * (factor * factor)
    if bonus.form == CAPPED:
        square = bonus.span * bonus.span
        spread = min(0.25 * square, width + square * (factor * second))
        return factor * math.sqrt(0.5 * second * second * spread)
    return width * factor


@inline
def successes_of(bonus: Bonus, pulls: float, total: float) -> float:
    """Return how many of some pulls were successes, by the sum of their rewards."""
    return min(max((total - bonus.low * pulls) / bonus.span, 0.0), pulls)


@inline
def mean_of(bonus: Bonus, pulls: float, total: float) -> float:
    """Return an arm's mean as the index takes it: for POSTERIOR that of the posterior. 0 before the first."""
    if bonus.form == POSTERIOR:
        prior = bonus.successes + bonus.failures
        return (bonus.successes + successes_of(bonus, pulls, total)) / (prior + pulls)
    if pulls == 0.0:
        return 0.0
    if bonus.form == DIVERGENCE:
        mean = (total / pulls - bonus.low) / bonus.span
        if bonus.width != GAUSSIAN:
            mean = max(0.0, mean)
        return min(1.0, mean) if bonus.width == BERNOULLI else mean
    return total / pulls


@inline
def key_of_arm(key: np.uint64, t: int, arm: int) -> np.uint64:
    """Return the key of the stream that an arm's sample in round t is drawn from."""
    return random_bits(random_bits(random_bits(key, COINS), t), arm)


@lean
def toss_arms(key: np.uint64, t: int, tosses: Floats) -> None:
    """Write what the samples of all arms in round t are drawn by: (n, 4)."""
    for arm in range(tosses.shape[0]):
        own_key = key_of_arm(key, t, arm)
        tosses[arm, 0], tosses[arm, 1] = toss_ahead(own_key, 0)
        tosses[arm, 2], tosses[arm, 3] = toss_ahead(own_key, 2)


@lean
def deviation_by(
    bonus: Bonus, key: np.uint64, t: int, arm: int, pulls: float, total: float, tosses: Floats, is_rounded: bool
) -> float:
    """As `deviation_of`, by the tosses of round t; if it may be rounded otherwise, off by less than NEAR_BETA."""
    successes = successes_of(bonus, pulls, total)
    a, b = bonus.successes + successes, bonus.failures + (pulls - successes)
    return beta_number_by(tosses, arm, a, b, key_of_arm(key, t, arm), is_rounded) - mean_of(bonus, pulls, total)


@jit
def deviation_of(bonus: Bonus, key: np.uint64, t: int, arm: int, pulls: float, total: float) -> float:
    """Return how far a sample of an arm's posterior is from its mean in round t: this is what a policy draws."""
    successes = successes_of(bonus, pulls, total)
    sample = beta_number(bonus.successes + successes, bonus.failures + (pulls - successes), key_of_arm(key, t, arm))
    return sample - mean_of(bonus, pulls, total)


@lean
def variance_of(pulls: float, total: float, total_low: float, squares: float, squares_low: float) -> float:
    """Return the variance of some rewards, from their sum and the sum of their squares, high and low part each."""
    high, low = multiply(total, total_low, total, total_low)
    high, low = divide(high, low, pulls, 0.0)
    high, _ = add(squares, squares_low, -high, -low)
    return max(0.0, high) / pulls


@lean
def add_square(high: float, low: float, reward: float) -> tuple[float, float]:
    """Return a sum of squares with that of one more reward, high and low part."""
    square, rest = two_product(reward, reward)
    return add(high, low, square, rest)


@jit
def coin_at(kind: int, round_key: np.uint64, number: int) -> float:
    """Return a coin of a round."""
    if kind == NORMAL:
        return normal_quantile(uniform(round_key, number))
    if kind == GUMBEL:
        return -math.log(-math.log(uniform(round_key, number)))
    return 1.0


@lean
def begin_round(bonus: Bonus, key: np.uint64, t: int, known: int, turn: int, factors: Floats, now: Floats) -> None:
    """Write what round t brings: growth * coin for each arm into factors (n,); for EXPLORE and COMMIT the edge.

    COMMIT goes by the number of rounds whose rewards are known, and explores the arms in turn.
    """
    n_arms, growth = factors.size, growth_at(bonus, float(t))
    now[ROUND], now[GROWTH] = t, growth
    round_key = random_bits(random_bits(key, COINS), t)
    if bonus.form == EXPLORE:
        now[EDGE] = find_least_exploring(uniform(round_key, 0), growth)
        now[CHOSEN] = min(n_arms - 1, int(uniform(round_key, 1) * n_arms))
    elif bonus.form == COMMIT:
        now[EDGE], now[CHOSEN] = known // n_arms + 1, turn % n_arms
    for arm in range(n_arms):
        if bonus.form >= DIVERGENCE:
            factors[arm] = 0.0
        else:
            factors[arm] = growth * coin_at(bonus.coin, round_key, arm)


@lean
def find_least_exploring(u: float, growth: float) -> float:
    """Return the smallest float x with x * growth > u, as floats multiply."""
    x = u / growth
    while x * growth <= u:
        x = np.nextafter(x, np.inf)
    before = np.nextafter(x, 0.0)
    while before * growth > u:
        x, before = before, np.nextafter(before, 0.0)
    return x


@inline
def set_bonus_line(
    lines: Lines, arm: int, pulls: float, total: float, total_low: float, mean: float, slope: float
) -> None:
    """Write the index of an arm, whose rewards have this total, as a line over the denominator `pulls`.

    For DIVERGENCE, which has no slope, that is the number of pulls that its level goes by.
    """
    lines[arm, 0], lines[arm, 1] = total, total_low
    lines[arm, 2], lines[arm, 3] = two_product(slope, pulls)
    lines[arm, 4], lines[arm, 5], lines[arm, 6] = pulls, mean, slope


@inline
def add_prior(lines: Lines, arm: int, weight: float, expected: float, expected_low: float) -> None:
    """Write what is expected of an arm, times its weight, into its line; its slope is over that weight, too."""
    set_prior(lines, arm, weight, expected, expected_low)
    lines[arm, PLAIN + 5], lines[arm, PLAIN + 6] = two_product(lines[arm, 6], weight)


@inline
def find_committed_arm(bonus: Bonus, counts: Integers, row: int, is_late: bool) -> int:
    """Return the arm that a run with counts[row] is committed to, which it pulled most; -1 if to none yet.

    Where rewards are late, arms are explored until enough is known, so that some are ahead by a pull: those are not
    taken for the arm, unless lower ones are behind.
    """
    most, last = integer(0), counts.shape[1] - 1
    in_turn = True
    if bonus.form == COMMIT:
        for arm in range(1, counts.shape[1]):
            before = counts[row, arm - 1]
            in_turn = in_turn and (counts[row, arm] == before or (is_late and counts[row, arm] < before))
            most = arm if counts[row, arm] >= counts[row, most] else most
        in_turn = in_turn and counts[row, 0] - counts[row, last] <= 1
    return integer(-1) if in_turn else most


@lean
def choose_at(lines: Lines, counts: Integers, row: int, bonus: Bonus, now: Floats, x: float, is_late: bool) -> int:
    """Return the arm that is pulled with the parameter x: this is the choice a policy makes."""
    if bonus.form >= EXPLORE and x >= now[EDGE]:
        return int(now[CHOSEN])
    if bonus.form == DIVERGENCE:
        return leader_at_level(lines, x * now[GROWTH], bonus.width, bonus.span)
    arm = find_committed_arm(bonus, counts, row, is_late)
    return leader(lines, x, 1.0) if arm < 0 else arm
