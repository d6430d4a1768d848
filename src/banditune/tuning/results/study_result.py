"""What a study found: what was learned, how it does on held-out tasks, and the verdict. What the command line shows."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.display import format_losses, html_table
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.guarantees import Guarantees
from banditune.evaluation.verdict import Verdict, judge
from banditune.logs.account import Account
from banditune.policies.updates import UPDATES
from banditune.tasks.units import Units
from banditune.tuning.priors.fitted_prior import FittedPrior
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.rollout import Rollout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from banditune.tuning.families import Families


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Study:
    """What was learned, and how it compares on held-out tasks with the values that are usual.

    Attributes
    ----------
    tuned : Tuned
        What was learned from all tasks: `.params` have the least mean loss, `.recommended` are those to use.
    verdict : Verdict
        Whether to use it: `.choice` is "learned", "no difference" or "keep", `.text` says so with the gain.
    held_out : HeldOutLosses or None
        What each task lost with the value learned without it, and with baselines: the usual values, an equal split of
        the rounds, and what is used today. `.rows` is the table: means, intervals, paired differences. None where
        that was not measured, as for priors.
    usual_losses : mapping of float to float
        The mean loss at each usual value.
    families : Families or None
        Where all policies were studied: `.rows` has each of them on held-out tasks, `.text` says which to use.
    rollout : Rollout or None
        With loss="rollout": what the test costs, and what the roll-out then loses and earns.

    Examples
    --------
    >>> import banditune as bt
    >>> study = bt.study(bt.UCB, bt.problems.bernoulli(3).sample(20, horizon=200), alpha=(0.0, 4.0))
    >>> study.verdict.choice
    'learned'
    >>> [row.name for row in study.held_out.rows]
    ['learned', 'alpha = 1', 'alpha = 2', 'equal split']
    """

    tuned: Tuned
    curves: CurveSet  # of the tasks
    tasks: Sequence[Any]  # whose curves these are: all of them, or of very many a sample
    held_out: HeldOutLosses | None  # None where that was not measured
    usual: Mapping[float, NDArray[np.float64]]  # usual values -> (tasks,) the loss of these tasks with them
    chose_range: bool  # whether the range was chosen to fit the scale of the rewards
    seconds: float
    guarantees: Guarantees | None = None  # if they were asked for
    account: Account | None = None  # of the rows of the log, if the tasks are from one
    chose_horizon: bool = False  # whether it is the recorded tasks' own length
    units: Units | None = None  # of rewards and rounds; None: as the columns of the log are called
    families: "Families | None" = None  # where all policies were studied
    rollout: Rollout | None = None  # what test and roll-out lose, where there is a roll-out
    notes: tuple[tuple[str, str], ...] = ()  # what else is to be known of the tasks: what, and a text

    @property
    def verdict(self) -> Verdict:
        """Whether to use what was learned, by the losses on held-out tasks."""
        tuned = self.tuned
        learned = tuned.policy_class.parameters[tuned.parameter].describe(tuned.recommended[tuned.parameter])
        if (fitted := tuned.find(FittedPrior)) is not None:
            learned = f"{learned} with the {fitted.chosen} prior" if fitted.helps else f"alpha = {fitted.alpha:.4g}"
        verdict, unseen = judge(self.held_out, learned, tuned.search.loss), describe_unseen(tuned)
        return replace(verdict, reason="; ".join(filter(None, (verdict.reason, unseen)))) if unseen else verdict

    @property
    def usual_losses(self) -> Mapping[float, float]:
        """The mean loss of all tasks at each usual value."""
        sampled = len(self.tasks) < self.tuned.n_tasks
        whole = self.held_out.usual if sampled and self.held_out is not None else self.usual
        weigh = self.tuned.search.loss.weigh if whole is self.usual else np.asarray  # of held-out ones, that is done
        return {value: float(weigh(losses).mean()) for value, losses in whole.items()}

    def summary(self) -> dict[str, object]:
        """Return what was found as plain data, without the curves: what `banditune tune --json` prints."""
        tuned, held_out = self.tuned, self.held_out
        result = tuned.summary() | {"seconds": round(self.seconds, 3), "held_out": None}
        if held_out is not None:
            usual = [{tuned.parameter: value, "loss": float(losses.mean())} for value, losses in held_out.usual.items()]
            result["held_out"] = {
                "folds": held_out.n_folds,
                "learned": float(held_out.learned.mean()),
                "defaults": usual,
                "rows": [row.to_json() for row in held_out.rows],
            }
        if self.families is not None:
            result["families"] = [row.to_json() for row in self.families.rows]
        if self.rollout is not None:
            result["after_test"] = self.rollout.to_json()
        verdict = self.verdict
        result["verdict"] = {"choice": verdict.choice, "text": verdict.text, "against": verdict.against}
        if self.guarantees is not None:
            result["certificate"] = self.guarantees.to_json()
        return result

    def report(self, folder: str | os.PathLike[str], *, progress: Callable[[float], None] | None = None) -> list[Path]:
        """Write tuned.json, its curves beside it, report.html and curve.svg into a folder; return their paths."""
        from banditune.report.page import write_report

        return write_report(self, folder, progress)

    save = report  # as results are saved

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the mean loss for every value, as `tuned.plot` does."""
        return self.tuned.plot(ax)

    def __repr__(self) -> str:
        return f"Study({self.tuned!r}, {format_losses(self._list_losses())})"

    def _repr_html_(self) -> str:
        if self.held_out is not None:
            losses = self.held_out._repr_html_()
        else:
            rows = [(what, f"{loss:.4g}") for what, loss in self._list_losses()]
            losses = html_table("Mean loss on the tasks learned from", rows)
        return f"<p><strong>{escape(self.verdict.text)}</strong></p>{losses}{self.tuned._repr_html_()}"

    def _list_losses(self) -> list[tuple[str, float]]:
        """List the mean losses of what was learned and of the usual values, on held-out tasks if they were measured."""
        if self.held_out is not None:
            return list(self.held_out.means.items())
        usual = ((f"{self.tuned.parameter} = {value:g}", loss) for value, loss in self.usual_losses.items())
        return [("learned", self.tuned.loss), *usual]


def describe_unseen(tuned: Tuned) -> str:
    """Say that no reward becomes known in time to be learned from, where that is so; else nothing."""
    updates = tuned.params.get(UPDATES.name)
    return "" if updates is None else updates.describe_unseen(tuned.horizon)
