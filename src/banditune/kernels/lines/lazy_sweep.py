"""The merging sweep of `sweep` round by round, with rewards that are known only once a round has asked.

A round's choices follow from the rewards of earlier rounds, and neighbours merge by their counts alone. So a round can
be played before its rewards are known; they are filled in before the next.
"""

from banditune.kernels.jit import jit
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.lines.prefix_sums import with_reward
from banditune.kernels.lines.sweep import Sweep, advance_sweep
from banditune.kernels.numerics.arrays import Integers


@jit
def play_round(sweep: Sweep, n_pieces: int, tables: TaskTables, t: int, needed: Integers) -> tuple[Sweep, int]:
    """Play round t in all pieces, and raise needed (n,) to the most pulls of each arm in any of them."""
    sweep, n_pieces, _ = advance_sweep(sweep, n_pieces, tables, t, t)
    counts = sweep.slots.counts
    for piece in range(n_pieces):
        slot = sweep.pieces.owner[piece]
        for arm in range(needed.size):
            needed[arm] = max(needed[arm], counts[slot, arm])
    return sweep, n_pieces


@jit
def learn_reward(sweep: Sweep, n_pieces: int, tables: TaskTables, arm: int, pulls: int, reward: float) -> None:
    """Table what pull number `pulls` of an arm gave, and tell it to the pieces that have just made that pull."""
    sums, means = tables.sums, tables.means
    sums[arm, pulls, 0], sums[arm, pulls, 1], means[arm, pulls] = with_reward(
        sums[arm, pulls - 1, 0],
        sums[arm, pulls - 1, 1],
        reward,
        tables.expected[arm, 0],
        tables.expected[arm, 1],
        tables.weights[pulls],
        tables.weights[0] > 0.0,
    )
    for piece in range(n_pieces):
        slot = sweep.pieces.owner[piece]
        if sweep.slots.counts[slot, arm] == pulls:
            sweep.slots.means[slot, arm] = means[arm, pulls]
