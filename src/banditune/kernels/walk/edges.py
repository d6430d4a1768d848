"""Where two runs part, decided without rounding error: the edge between them, as the sweep finds it."""

import numpy as np

from banditune.kernels.jit import integer, lean
from banditune.kernels.lines.envelope import Lines, find_overtaking, leader_right_of
from banditune.kernels.lines.index import TaskTables, set_lines
from banditune.kernels.numerics.arrays import Integers
from banditune.kernels.walk.line_blocks import Ground, ahead, direction_of
from banditune.kernels.walk.proof import ARM, BLOCKED, PULLS, Counts

NARROW = 1e-11  # how wide a zone around an edge is, relative to it
WIDE = 1e-9  # the same where the edge is not known


@lean
def zone_end(ground: Ground, counts: Counts, failure: Counts, t: int, theta: float, high: float) -> float:
    """Return an end of the zone right of theta in which the runs with these counts at time t part."""
    arm, blocked = failure[ARM], failure[BLOCKED]
    mean, root = ground.blocks[arm, failure[PULLS]], ground.roots[failure[PULLS]]
    other, steeper = ground.blocks[blocked, counts[blocked]], ground.roots[counts[blocked]]
    end = ahead(theta, WIDE)
    level = (mean - other) / (steeper - root) / ground.growth[t + 1]
    if ahead(level, NARROW) > theta:
        end = ahead(level + (level - theta), NARROW)
    return min(high, max(end, float(np.nextafter(theta, np.inf))))


@lean
def part(
    tables: TaskTables, lines: Lines, states: Integers, row: int, t: int, low: float, high: float
) -> tuple[float, int, int]:
    """Find the edge in (low, high) where runs with counts states[row] at time t part, and the arms beside it.

    The edge is `high` if they do not part, or more than once; then the second arm is -1.
    """
    set_lines(lines, states, row, tables)
    unit, turned = tables.growth[t + 1], direction_of(tables) < 0.0
    left, right = (-high, -low) if turned else (low, high)
    one = leader_right_of(lines, left, unit)
    edge, _ = find_overtaking(lines, one, left, right, unit)
    if edge >= right:
        return high, one, one
    other = leader_right_of(lines, edge, unit)
    again, _ = find_overtaking(lines, other, edge, right, unit)
    if again < right:
        return high, one, integer(-1)
    return (-edge, other, one) if turned else (edge, one, other)
