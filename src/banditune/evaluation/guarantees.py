"""What can be promised of what was learned: of new tasks, and against the usual values."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.evaluation.certificate import Certificate
from banditune.evaluation.holdout import Improvement, hold_out, improvement
from banditune.tuning.result import Tuned
from banditune.tuning.search import searchable


@dataclass(frozen=True, slots=True)
class Guarantees:
    """A certificate of the learned value, and intervals for what it saves against others."""

    certificate: Certificate
    improvements: tuple[Improvement, ...]  # measured on half of the tasks, with the value learned on the other half

    def to_json(self) -> dict[str, object]:
        """As plain data."""
        found = self.certificate
        return {
            "method": found.method,
            "delta": found.delta,
            "loss_bound": found.loss_bound,
            "excess_bound": found.excess_bound,
            "loss_limits": list(found.limits),
            "assumptions": list(found.assumptions),
            "against": [
                {
                    "value": each.over,
                    "saved": list(each.saved),
                    "share": None if each.share is None else list(each.share),
                    "learned": each.value,
                    "tasks": each.n_tasks,
                }
                for each in self.improvements
            ],
        }


def guarantee(
    tuned: Tuned, usual: Mapping[float, NDArray[np.float64]], *, delta: float, bound: object = None
) -> Guarantees:
    """What can be promised, but for a chance of delta each; `usual` maps values to the losses (tasks,) with them."""
    certificate = tuned.certificate(delta, bound)
    assert tuned.curves is not None  # else there were no certificate
    held = hold_out(tuned.curves, searchable(tuned.policy_class, tuned.parameter), tuned.seed)
    share = delta / max(1, len(tuned.compared))
    against = (
        improvement(held, value, losses[held.numbers], certificate.limits, share) for value, losses in usual.items()
    )
    return Guarantees(certificate, tuple(against))
