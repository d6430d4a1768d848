"""Simulations on a single problem, within one worker."""

from collections.abc import Sequence

from banditune.interruption import Threads
from banditune.policies.entries import Entry
from banditune.problems.bandit import Bandit
from banditune.simulation.simulate import Simulation, simulate


def simulate_alone(
    entries: Sequence[Entry], bandit: Bandit, rounds: int, recorded: Sequence[int], seed: int
) -> Simulation:
    """The runs of some entries on one problem, in this worker alone."""
    with Threads(1) as alone:
        return simulate(entries, [bandit], horizon=rounds, rounds=recorded, seed=seed, executor=alone)
