"""What can be promised of what was learned: of new tasks, and against the usual values."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.evaluation.certificate import Certificate, check_delta
from banditune.evaluation.concentration import scale_losses
from banditune.evaluation.holdout import Improvement, bound_improvement, hold_out
from banditune.evaluation.plan import forecast_certificate
from banditune.tuning.question import Question
from banditune.tuning.results.tuned import Tuned


@dataclass(frozen=True, slots=True)
class Guarantees:
    """A certificate of the learned value, and intervals for what it saves against others."""

    certificate: Certificate
    least: float  # the least loss of a task with the learned value
    largest: float  # and the largest
    needed: int | None  # about how many tasks a bound below that needs; None where all losses are equal
    improvements: tuple[Improvement, ...]  # measured on half of the tasks, with the value learned on the other half

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound is no lower than what the worst task has lost, and so says nothing that is not seen."""
        return self.certificate.loss_bound >= self.largest

    @property
    def telling(self) -> tuple[Improvement, ...]:
        """The improvements that say which value is better, or that the difference is less than that between tasks."""
        seen = self.largest - self.least
        return tuple(
            each for each in self.improvements if each.is_clear or max(-each.saved.low, each.saved.high) < seen
        )

    def to_json(self) -> dict[str, object]:
        """As plain data."""
        found = self.certificate
        return {
            "method": found.method,
            "delta": found.delta,
            "loss_bound": found.loss_bound,
            "excess_bound": found.excess_bound,
            "largest_loss": self.largest,
            "tasks_needed": self.needed,
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


def check_guarantee(question: Question, delta: float | None, bound: object, racing: bool | None) -> None:
    """Check before the work whether losses of new tasks can be bounded, by tasks that nothing was learned from."""
    if delta is None:
        if bound is not None:
            raise ParameterError("bound= needs certify=")
        return
    check_delta(delta, "certify")
    if racing:
        raise ParameterError("certify= needs every task over the whole range: leave out racing=")
    question.check_is_single("certify=")


def guarantee(
    tuned: Tuned, usual: Mapping[float, NDArray[np.float64]], *, delta: float, bound: object = None
) -> Guarantees:
    """Return what can be promised, but for delta each; `usual` maps values to the losses (tasks,) with them."""
    certificate = tuned.certificate(delta, bound)
    assert tuned.curves is not None  # else there were no certificate
    held = hold_out(tuned.curves, tuned.search.free_parameter, tuned.seed, draws=tuned.smoothing_draws)
    share = delta / max(1, len(tuned.compared))
    against = (
        bound_improvement(held, value, losses[held.numbers], certificate.limits, share)
        for value, losses in usual.items()
    )
    losses = tuned.curves.at(certificate.value)
    least, mean, largest = float(losses.min()), float(losses.mean()), float(losses.max())
    needed = None
    if largest > mean:
        limits = certificate.limits
        n_pieces = float(tuned.curves.n_pieces.mean())
        epsilon = (largest - mean) / limits.width
        needed = forecast_certificate(scale_losses(losses, limits), n_pieces, delta, epsilon)
    return Guarantees(certificate, least, largest, needed, tuple(against))
