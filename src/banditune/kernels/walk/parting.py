"""Where two runs part, decided without rounding error: the edge between them, as the sweep finds it."""

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.lines.envelope import leader_right_of, overtaken_at
from banditune.kernels.lines.tables import set_lines
from banditune.kernels.walk.proof import ARM, BLOCKED, PULLS, Counts, Ground

NARROW = 1e-11  # how wide a zone around an edge is, relative to it
WIDE = 1e-9  # the same where the edge is not known


@jit
def zone_end(ground: Ground, counts: Counts, failure: Counts, t: int, theta: float, high: float) -> float:
    """An end of the zone right of theta in which the runs with these counts at time t part."""
    arm, blocked = failure[ARM], failure[BLOCKED]
    mean, root = ground.blocks[arm, failure[PULLS], 0], ground.blocks[arm, failure[PULLS], 1]
    other, steeper = ground.blocks[blocked, counts[blocked], 0], ground.blocks[blocked, counts[blocked], 1]
    end = theta * (1.0 + WIDE)
    level = (mean - other) / (steeper - root) / ground.growth[t + 1]
    if level * (1.0 + NARROW) > theta:
        end = level + (level - theta) + level * NARROW
    return min(high, max(end, np.nextafter(theta, np.inf)))


@jit
def part(ground: Ground, counts: Counts, t: int, low: float, high: float) -> tuple[float, int, int]:
    """The edge in (low, high) at which the runs with these counts at time t part, and the arms pulled on its two sides.

    The edge is `high` if they do not part, and the second arm -1 if they part more than once.
    """
    for arm in range(counts.size):
        ground.pair[0, arm] = counts[arm]
    set_lines(ground.lines, ground.pair, 0, ground.tables)
    unit = ground.growth[t + 1]
    one = leader_right_of(ground.lines, low, unit)
    edge, _ = overtaken_at(ground.lines, one, low, high, unit)
    if edge >= high:
        return high, one, one
    other = leader_right_of(ground.lines, edge, unit)
    again, _ = overtaken_at(ground.lines, other, edge, high, unit)
    return edge, one, other if again >= high else integer(-1)
