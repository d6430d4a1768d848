"""The verdict of a study: whether to use what was learned, by its losses and those of baselines on held-out tasks."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from banditune.evaluation.cross_validation import HeldOutLosses, HeldOutRow
from banditune.evaluation.intervals import COVERED, Estimate, estimate_ratio, estimate_skewed_mean
from banditune.policies.losses import Loss, choose_loss
from banditune.validation import format_count

LEAST_TASKS = 10  # fewer say too little of rare large losses
TWICE = 2.0  # from here on ratios are spoken of, below it shares

Choice = Literal["learned", "no difference", "keep"]


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """Whether to use the learned value, by the losses on held-out tasks.

    Attributes
    ----------
    choice : {"learned", "no difference", "keep"}
        Use the learned value; or there is no clear difference; or a baseline is better.
    headline : str
        The same in a few words: "Use alpha = 0.01".
    reason : str
        What that rests on, with the gain and its interval; empty where nothing was compared.
    text : str
        Both as a sentence.
    against : str or None
        The baseline that the text speaks of; None where nothing was compared.
    gain : Estimate or None
        How much less the learned value loses than that baseline, with its 95% interval.
    ratio : Estimate or None
        Its loss divided by that baseline's; None where losses can be negative.
    """

    choice: Choice
    headline: str
    reason: str = ""
    against: str | None = None
    gain: Estimate | None = None
    ratio: Estimate | None = None

    @property
    def text(self) -> str:
        """The headline and the reason as a sentence."""
        return f"{': '.join(part for part in (self.headline, self.reason) if part)}."

    def __repr__(self) -> str:
        return f"Verdict({self.choice!r}, {self.text!r})"


def judge(held_out: HeldOutLosses | None, learned: str, loss: Loss | str) -> Verdict:
    """Judge what was learned, such as "alpha = 0.01", by what it lost on held-out tasks, if any were held out.

    It is to be used if it is clearly better than every baseline. All of those intervals have to exclude 0, so that none
    needs a correction. A baseline is clearly better if its interval excludes 0 at a level that is corrected for the
    number of baselines (Bonferroni), since the best of several on the same tasks looks better than it is. Where
    neither is so, but what is used today is clearly worse than what was learned, that is no reason to keep it.
    """
    if held_out is None:
        return Verdict("no difference", f"{learned} was not compared on held-out tasks, so there is no verdict")
    if not held_out.rows[1:]:
        return Verdict("no difference", f"There is nothing to compare {learned} with, so there is no verdict")
    choice, other, headline, reason = _decide(held_out)
    losses = held_out.losses[other.name]
    measured = choose_loss(loss)
    noun = (measured.measure if measured.is_lost else measured.name) + measured.where
    has_ratio = measured.is_lost and losses.mean() > 0.0  # the level depends on the observed best arm, ratios less so
    ratio = estimate_ratio(held_out.learned, losses) if has_ratio else None
    amount, interval = _describe_gain(other.extra, noun) if ratio is None else _describe_ratio(ratio, noun)
    known = {"learned": learned, "other": other.name, "amount": amount, "interval": interval}
    headline = headline.format(**known)
    if not headline.startswith(held_out.parameter):  # which is never capitalised
        headline = headline[0].upper() + headline[1:]
    return Verdict(choice, headline, reason.format(**known), other.name, other.extra, ratio)


def _decide(held_out: HeldOutLosses) -> tuple[Choice, HeldOutRow, str, str]:
    """Return what to choose, the baseline that it is compared with, and the headline and the reason to fill in."""
    rows, n_tasks = held_out.rows[1:], held_out.learned.size
    best = min(rows, key=lambda row: row.loss.mean)
    better = [row for row in rows if _is_better(held_out, row, len(rows))]
    today = next((row for row in rows if row.is_current), None)
    on_tasks = "on held-out tasks, {amount} than {other} ({interval})"
    if n_tasks < LEAST_TASKS:
        few = f"{format_count(n_tasks, 'task')} are too few to tell {{learned}} from {{other}}"
        return "no difference", best, few, "keep what you have"
    unclear = [row for row in rows if not row.extra.low > 0.0]  # that what was learned is not clearly better than
    if not unclear:
        return "learned", best, "Use {learned}", on_tasks
    if better:
        best = min(better, key=lambda row: row.loss.mean)
        return "keep", best, "{other} is better here", "on held-out tasks, {learned} has {amount} ({interval})"
    best = min(unclear, key=lambda row: row.loss.mean)
    if today is not None and today.extra.low > 0.0:
        return "learned", today, "Use {learned}", f"{on_tasks}; no clear difference from {best.name}"
    kept = f"keep what you have ({{learned}}: {on_tasks})"
    return "no difference", best, "No clear difference from {other}", kept


def _is_better(held_out: HeldOutLosses, row: HeldOutRow, n_compared: int) -> bool:
    """Tell whether a baseline, one of several that might have been, is clearly better than what was learned."""
    extra = held_out.losses[row.name] - held_out.learned
    return estimate_skewed_mean(extra, 1.0 - (1.0 - COVERED) / n_compared).high < 0.0


def _describe_ratio(ratio: Estimate, noun: str) -> tuple[str, str]:
    """Return how much less is lost, and its interval, in shares; from twice on, in times.

    >>> _describe_ratio(Estimate(0.48, 0.43, 0.55), "regret")
    ('52% less regret', '95% interval: 45 to 57% less')
    >>> _describe_ratio(Estimate(2.34, 0.9, math.inf), "regret")
    ('2.3 times the regret', '95% interval: 10% less to any number of times')
    """
    amount, low, high = (_share(part) for part in (ratio.mean, ratio.low, ratio.high))
    return f"{amount}{' the' * (ratio.mean >= TWICE)} {noun}", f"95% interval: {_span(low, high)}"


def _share(ratio: float) -> str:
    if math.isinf(ratio):
        return "any number of times"
    if ratio >= TWICE:
        return f"{ratio:.2g} times"
    share = min(abs(100.0 * (1.0 - ratio)), 100.0)
    return f"{share:{'.0f' if share >= 1.0 else '.1g'}}% {'less' if ratio <= 1.0 else 'more'}"


def _describe_gain(gain: Estimate, noun: str) -> tuple[str, str]:
    """Return how much more is earned, or less is lost, and its interval.

    >>> _describe_gain(Estimate(0.012, -0.004, 0.028), "reward")
    ('0.012 more reward', '95% interval: 0.004 less to 0.028 more')
    """
    better, worse = ("more", "less") if noun.startswith("reward") else ("less", "more")
    amount, low, high = (
        f"{abs(part):.3g} {better if part >= 0.0 else worse}" for part in (gain.mean, gain.low, gain.high)
    )
    return f"{amount} {noun}", f"95% interval: {_span(low, high)}"


def _span(low: str, high: str) -> str:
    """Write an interval of amounts, the unit once if it is the same; of what is less, the smaller amount first.

    >>> _span("57% less", "45% less"), _span("12% less", "7% more")
    ('45 to 57% less', '12% less to 7% more')
    """
    (one, unit), (other, others) = re.findall(r"^([0-9.]*)(.*)$", f"{low}\n{high}", flags=re.M)
    if unit != others or not one:
        return f"{low} to {high}"
    return f"{' to '.join(sorted((one, other), key=float))}{unit}"
