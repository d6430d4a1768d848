"""What was learned about when to stop a test."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from banditune.curves.display import html_table
from banditune.curves.step_function import Interval, StepFunction
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.verdict import Verdict, judge
from banditune.policies.losses import choose_loss
from banditune.stopping.rule import StoppingRule
from banditune.tasks.units import UNNAMED, Units

FIXED, ROLL, USUAL, FULL = "best fixed length", "Test & Roll", "95%", "full length"  # what it is compared with


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stopping:
    """The threshold with the least regret of test and roll-out on past tests.

    Attributes
    ----------
    threshold : float
        Of the rule's statistic, the least on average over a neighbourhood; `rule.describe()` says what it means.
    interval : Interval
        Every threshold in it has the least mean loss.
    within_one_se : Interval
        Outside it, every threshold is worse by more than one standard error of the paired difference.
    curve : StepFunction
        The mean loss for every threshold.
    rule : StoppingRule
        To stop the next test with.
    held_out : HeldOutLosses or None
        What held-out tests lose, beside the best fixed length, Test & Roll's (Feit and Berman, 2019), a threshold of
        95% and the full length.
    lengths : mapping of str to float
        How many rounds held-out tests last on average with each of them; where there is one test only, that one.
    """

    threshold: float
    interval: Interval
    within_one_se: Interval
    curve: StepFunction
    rule: StoppingRule
    rollout: int
    n_tasks: int
    draws: int
    assigned_by: str | None  # the policy that assigns the arms; None: an equal split
    held_out: HeldOutLosses | None
    lengths: Mapping[str, float]
    units: Units = UNNAMED
    seed: int = 0

    @property
    def loss(self) -> float:
        """The mean loss with the threshold."""
        return self.curve(self.threshold)

    @property
    def verdict(self) -> Verdict:
        """Whether to use it, by the losses on held-out tests."""
        measured = choose_loss("rollout", max(1, self.rollout))
        return judge(self.held_out, f"a threshold of {self.threshold:.4g}", measured)

    def summary(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold, without the curve."""
        rows = [] if self.held_out is None else self.held_out.rows
        return {
            "threshold": self.threshold,
            "stops_when": self.rule.describe(),
            "statistic": self.rule.statistic,
            "interval": list(self.interval),
            "within_one_se": list(self.within_one_se),
            "loss": self.loss,
            "n_tasks": self.n_tasks,
            "horizon": self.rule.most,
            "rollout": self.rollout,
            "check_every": self.rule.check_every,
            "least": self.rule.least,
            "assigned_by": self.assigned_by or "equal split",
            "draws": self.draws,
            "seed": self.seed,
            "lengths": dict(self.lengths),
            "held_out": [
                {"name": row.name, "loss": row.loss.mean, "difference": list(astuple(row.extra))} for row in rows
            ],
            "verdict": {"choice": self.verdict.choice, "text": self.verdict.text},
        }

    def __repr__(self) -> str:
        return (
            f"Stopping(threshold={self.threshold:.4g}, statistic={self.rule.statistic!r}, loss={self.loss:.4g}, "
            f"rounds={self.lengths['learned']:.4g} of {self.rule.most}, n_tasks={self.n_tasks})"
        )

    def _repr_html_(self) -> str:
        rows = [(row.name, f"{row.loss.mean:.4g}") for row in (() if self.held_out is None else self.held_out.rows)]
        return html_table("Mean regret of test and roll-out on held-out tests", rows)
