"""What was learned beside baselines, task by task, on held-out tasks."""

from dataclasses import dataclass

from banditune.evaluation.cross_validation import HeldOutLosses, HeldOutRow
from banditune.evaluation.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """The learned value's mean loss on held-out tasks, and what baselines lose there."""

    n_folds: int
    rows: tuple[HeldOutRow, ...]  # the first is what was learned

    @property
    def learned(self) -> Estimate:
        """What the learned value loses."""
        return self.rows[0].loss

    @property
    def against(self) -> tuple[HeldOutRow, ...]:
        """The baselines."""
        return self.rows[1:]


def comparison(held_out: HeldOutLosses) -> Comparison:
    """Compare the losses of each task with the value learned without it and with each baseline."""
    return Comparison(held_out.n_folds, tuple(held_out.rows))
