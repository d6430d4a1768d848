"""What a policy remembers: a row of numbers for each arm, and some of its own. All of its state is in two such arrays.

`arms` is (n, ARM_WIDTH), `own` is (OWN_WIDTH,). A rule is a pair of functions: one chooses an arm and changes nothing,
the other learns what it gave. Both the online policy and the compiled run call them, so they cannot disagree.
"""

import math

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import add_float

# of an arm: its pulls; the sum of its rewards, high and low part; their mean; the sum of their squared deviations from
# it; 1 / sqrt(pulls); what was expected of it, or its estimated loss; the probability that it is chosen next
PULLS, SUM, SUM_LOW, MEAN, DEVIATIONS, ROOT, EXTRA, CHANCE = range(8)
ARM_WIDTH = 8

# of the policy: rounds so far; rewards r are taken as (r - LOW) SCALE, and kept between 0 and 1 if CLIPPED; arms never
# pulled; sqrt(alpha) and the weight of priors for UCB; a tuner's chosen row, how many rows it has, and the range of
# sqrt(alpha) they lie in; three settings of the rule; UCB's schedule and its horizon
ROUNDS, LOW, SCALE, CLIPPED, UNPULLED, THETA, WEIGHT, CHOSEN, ROWS, LEAST, MOST, FIRST, SECOND, THIRD = range(14)
SCHEDULE, HORIZON = 14, 15
OWN_WIDTH = 16


@inline
def scale_reward(own: Floats, reward: float) -> float:
    """Return a reward as the policy takes it."""
    value: float = (reward - own[LOW]) * own[SCALE]
    return min(max(value, 0.0), 1.0) if own[CLIPPED] != 0.0 else value


@inline
def count_reward(arms: Floats, own: Floats, arm: int, value: float) -> None:
    """Count a pull of the arm that gave `value`, as taken."""
    own[ROUNDS] += 1.0
    pulls = arms[arm, PULLS] + 1.0
    own[UNPULLED] -= 1.0 if pulls == 1.0 else 0.0
    arms[arm, PULLS] = pulls
    high, low = add_float(arms[arm, SUM], arms[arm, SUM_LOW], value)
    arms[arm, SUM], arms[arm, SUM_LOW] = high, low
    arms[arm, MEAN] = high / pulls
    arms[arm, ROOT] = 1.0 / math.sqrt(pulls)


@jit
def draw_row(rows: Floats, column: int, u: float) -> int:
    """Return the row that the uniform number u falls on, where `column` holds the rows' probabilities."""
    reached = 0.0
    for row in range(rows.shape[0]):
        reached += rows[row, column]
        if u < reached:
            return integer(row)
    return integer(rows.shape[0] - 1)
