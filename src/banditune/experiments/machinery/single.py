"""Games on a single problem, within one worker."""

from collections.abc import Sequence

from banditune.interruption import Threads
from banditune.problems.bandit import Bandit
from banditune.rivals.entries import Entry
from banditune.simulation import Simulation, simulate


def simulated(entries: Sequence[Entry], bandit: Bandit, rounds: int, recorded: Sequence[int], seed: int) -> Simulation:
    """The games of some entries on one problem, in this worker alone."""
    with Threads(1) as alone:
        return simulate(entries, [bandit], horizon=rounds, rounds=recorded, seed=seed, executor=alone)
