"""What was learned against values fixed beforehand, task by task, on held-out tasks."""

from dataclasses import dataclass

from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.intervals import Estimate, estimate


@dataclass(frozen=True, slots=True)
class Against:
    """A fixed value beside the learned one, paired by task."""

    value: float
    loss: Estimate
    extra: Estimate  # how much more it loses than the learned value; negative where it loses less
    n_worse: int  # tasks on which it loses more than the learned value
    n_equal: int
    n_better: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The learned value's mean loss on held-out tasks, and what fixed values lose there."""

    n_folds: int
    learned: Estimate
    against: tuple[Against, ...]


def comparison(held_out: HeldOutLosses) -> Comparison:
    """Compare the losses of each task with the value learned without it and with each fixed value."""
    against = []
    for value, losses in held_out.usual.items():
        extra = losses - held_out.learned
        counts = int((extra > 0).sum()), int((extra == 0).sum()), int((extra < 0).sum())
        against.append(Against(value, estimate(losses), estimate(extra), *counts))
    return Comparison(held_out.n_folds, estimate(held_out.learned), tuple(against))
