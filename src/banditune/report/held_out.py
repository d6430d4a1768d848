"""What was learned beside baselines, task by task, on held-out tasks."""

from dataclasses import dataclass

from banditune.evaluation.cross_validation import HeldOutLosses, HeldOutRow
from banditune.evaluation.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """The learned value's mean loss on held-out tasks, and what baselines lose there."""

    n_folds: int
    learned: Estimate
    against: tuple[HeldOutRow, ...]


def comparison(held_out: HeldOutLosses) -> Comparison:
    """Compare the losses of each task with the value learned without it and with each baseline."""
    learned, *against = held_out.rows
    return Comparison(held_out.n_folds, learned.loss, tuple(against))
