"""Baselines beside what was learned: ratios and differences first, then levels, in the units of those who recorded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from banditune.evaluation.cross_validation import HeldOutRow
from banditune.evaluation.intervals import Estimate
from banditune.evaluation.verdict import TWICE
from banditune.report.wording import Words
from banditune.tasks.units import THOUSAND

MUCH_LONGER = 1.5  # times a thousand rounds: from here on, what is lost in a thousand says more than in a run
LEVELS = (
    "Regret is counted against the arm that was observed best, so that levels are somewhat too high; ratios and "
    "differences are affected less."
)


@dataclass(frozen=True, slots=True)
class Gain:
    """One baseline, or what was learned itself, in words."""

    name: str
    remark: str  # how it compares with what was learned; "" for that itself
    difference: str  # from what was learned, with its 95% interval
    level: str  # in a run
    rate: str  # in a thousand rounds; "" where that says no more


def list_gains(rows: Sequence[HeldOutRow], words: Words, horizon: int) -> list[Gain]:
    """Put the rows of a comparison on held-out tasks into words; the first is what was learned."""
    has_rates = has_rate(words, horizon)
    return [
        Gain(
            name=row.name + " (current)" * row.is_current,
            remark="" if row is rows[0] else describe_remark(rows[0].loss.mean, row, words),
            difference="" if row is rows[0] else describe_difference(row.extra, words),
            level=words.format(row.loss.mean),
            rate=words.format(row.loss.mean * THOUSAND / horizon) if has_rates else "",
        )
        for row in rows
    ]


def has_rate(words: Words, horizon: int) -> bool:
    """Tell whether what is lost in a thousand rounds is worth telling beside what is lost in a run."""
    return not words.replayed and not words.loss.later and horizon >= MUCH_LONGER * THOUSAND


def describe_remark(learned: float, row: HeldOutRow, words: Words) -> str:
    """Return how a baseline compares with what was learned, by its ratio where losses have a zero."""
    ratio = row.loss.mean / learned if words.lost and learned > 0.0 else math.nan
    if row.extra.low <= 0.0 <= row.extra.high:
        return "no clear difference"
    if row.loss.mean < learned:
        return "better than learned" if math.isnan(ratio) else f"better than learned ({describe_ratio(ratio)})"
    return "worse" if math.isnan(ratio) else describe_ratio(ratio)


def describe_ratio(ratio: float) -> str:
    """Return a ratio as a share more or less; from twice on, in times.

    >>> describe_ratio(7.04), describe_ratio(1.124), describe_ratio(0.75), describe_ratio(1.0001)
    ('7.0 times as high', '12% more', '25% less', 'under 1% more')
    """
    if ratio >= TWICE:
        return f"{ratio:,.1f} times as high"
    share = 100.0 * abs(ratio - 1.0)
    return f"{f'{share:.0f}' if share >= 0.5 else 'under 1'}% {'more' if ratio >= 1.0 else 'less'}"


def describe_difference(extra: Estimate, words: Words) -> str:
    """Return how much more a baseline loses than what was learned, or how much less it earns, with its 95% interval."""
    return extra.flip(words.sign).describe_difference()
