"""What a test costs, and what the roll-out of the arm recommended at its end earns."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from banditune.policies.losses import LOSSES
from banditune.tuning.equal_split import split_losses
from banditune.tuning.parallel_sweep import Resources, sweep_tasks
from banditune.tuning.results.tuned import Tuned


@dataclass(frozen=True, slots=True)
class Rollout:
    """The regret of the tests and of the roll-outs after them, means over the tasks, in the rewards' own units.

    Attributes
    ----------
    rounds : int
        Of the roll-out.
    test : float
        The regret of the test with the recommended value.
    after : float
        The regret of the roll-out.
    split_test, split_after : float
        The same with an equal split.
    random : float
        The regret of rolling out an arm chosen at random, without a test.
    """

    rounds: int
    test: float
    after: float
    split_test: float
    split_after: float
    random: float

    @property
    def earned(self) -> float:
        """How much more the roll-out earns than that of an arm chosen at random."""
        return self.random - self.after

    def to_json(self) -> dict[str, float]:
        """Return it as plain data."""
        return {**asdict(self), "earned": self.earned}


def measure_rollout(tuned: Tuned, tasks: Sequence[Any], executor: Executor | None = None) -> Rollout | None:
    """Measure on past tasks what test and roll-out lose with the recommended value; None if there is no roll-out."""
    loss, search = tuned.search.loss, tuned.search
    if not loss.later or not loss.gaps:
        return None
    value = tuned.params[tuned.parameter] if tuned.smoothed is None else tuned.smoothed
    here = search.at(float(value))
    in_test = replace(here, loss=LOSSES["regret"])
    whole, test = (
        float(swept.losses[0].at(here.low).mean()) for swept in sweep_tasks([here, in_test], tasks, Resources(executor))
    )
    split = split_losses(search, tasks)
    gaps = float(np.mean([task.means.max() - task.means.mean() for task in tasks]))
    assert split is not None  # as tasks have rewards alone
    split_test = search.horizons[-1] * gaps
    split_after = float(split.mean()) - split_test
    return Rollout(int(loss.later), test, whole - test, split_test, split_after, loss.later * gaps)
