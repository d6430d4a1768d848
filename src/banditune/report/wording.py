"""How results are put into words and numbers, on the terminal and on the page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from banditune.curves.step_function import Interval
from banditune.evaluation.guarantees import Guarantees
from banditune.evaluation.holdout import Improvement
from banditune.evaluation.intervals import Estimate
from banditune.policies.base import Policy
from banditune.policies.losses import Loss, choose_loss
from banditune.tasks.units import UNNAMED, Units
from banditune.tuning.draw_count import SHARE
from banditune.tuning.results.details import Merged, Proof
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.rollout import Rollout
from banditune.validation import format_count

MINUS, TIMES = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
NAMED = 3  # intervals in doubt that a sentence names
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float, digits: int = 4) -> str:
    """Return a number to so many significant digits, without the e of programming languages.

    >>> format_number(15.756), format_number(1234.56), format_number(12345.6), format_number(0.0)
    ('15.76', '1,235', '12,346', '0')
    >>> format_number(2.754e-05) == f"2.754{TIMES}10⁻⁵"
    True
    """
    if not math.isfinite(value):
        return "not known"
    size = abs(value)
    if size >= 1000.0 and size < 1e12:
        text = f"{size:,.{max(digits - 1 - math.floor(math.log10(size)), 0)}f}"
    else:
        text = f"{size:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}{TIMES}10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return f"{MINUS}{text}" if value < 0.0 and text != "0" else text


def format_interval(interval: Interval) -> str:
    """Return an interval with as many digits as its ends need to differ.

    >>> format_interval(Interval(0.123456, 0.123457))
    '0.123456 to 0.123457'
    """
    digits = count_digits(interval)
    return f"{format_number(interval.low, digits)} to {format_number(interval.high, digits)}"


def format_estimate(estimate: Estimate) -> str:
    """Return a 95% interval."""
    if estimate.high - estimate.low == float("inf"):
        return "not known"
    return (
        format_interval(Interval(estimate.low, estimate.high))
        if estimate.low < estimate.high
        else format_number(estimate.mean)
    )


def format_roughly(n: float) -> str:
    """Return a number of tasks that is only roughly known, to two digits.

    >>> format_roughly(2950.7), format_roughly(3.2), format_roughly(1e30)
    ('3,000', '4', 'very many')
    """
    if n > 1e12:
        return "very many"
    whole = math.ceil(n - 1e-9)
    return f"{float(f'{whole:.2g}'):,.0f}"


SHOWN_BROKEN = 10


class Words:
    """How a loss is spoken of: regret is lost, reward is earned, in a whole run or by an event of a log."""

    def __init__(
        self, loss: Loss | str, *, replayed: bool = False, units: Units = UNNAMED, nearly: bool = False
    ) -> None:
        loss = choose_loss(loss)
        self.loss, self.lost, self.sign = loss, loss.is_lost, loss.sign
        self.replayed, self.units = replayed, units
        self.verb = f"{'nearly ' if nearly else ''}{'minimises' if self.lost else 'maximises'}"
        self.measure = units.measure(f"mean {loss.measure_per_event if replayed else loss.measure}") + loss.where

    def format(self, loss: float) -> str:
        """Return the loss, or the reward it stands for, in four digits, or as many as stand before the point.

        >>> Words("regret").format(15.756), Words("reward").format(-100123.4)
        ('15.76', '100,123')
        """
        value = self.sign * loss + 0.0
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.4g}"


def choose_words(tuned: Tuned, units: Units | None = None, *, best: float | None = None) -> Words:
    """Return how the loss of a result is spoken of, and of the `best` value, by default the least itself.

    Its units are those of the log, where nothing else is said.
    """
    best = tuned.params[tuned.parameter] if best is None else best
    return Words(
        tuned.search.loss,
        replayed=tuned.replay is not None,
        units=units or Units.infer(tuned.origin),
        nearly=best not in tuned.interval,
    )


def describe_settings(policy: type[Policy[Any]], params: Mapping[str, Any], searched: str) -> str:
    """Return the parameters besides the one that was searched, as a person would say them.

    >>> from banditune.policies.linucb.linucb import LinUCB
    >>> params = {"alpha": 0.1, "ridge": 2.0, "disjoint": True, "scaling": {"divide_by": [1.0]}}
    >>> describe_settings(LinUCB, params, "alpha")
    'ridge = 2, disjoint, scaling = features'
    """
    texts = [policy.parameters[name].describe(value) for name, value in params.items() if name != searched]
    return ", ".join(each for each in texts if each)


def format_span(interval: Interval) -> str:
    """Return an interval with as many digits as its ends need to differ, at least four.

    >>> format_span(Interval(0.123456, 0.123457)), format_span(Interval(0.0, 4.0))
    ('0.123456 to 0.123457', '0 to 4')
    """
    digits = count_digits(interval)
    return f"{interval.low:.{digits}g} to {interval.high:.{digits}g}"


def count_digits(interval: Interval) -> int:
    """Return how many significant digits the ends need to look different, at least four."""
    for digits in range(4, 17):
        if f"{interval.low:.{digits}g}" != f"{interval.high:.{digits}g}":
            return digits
    return 17


def describe_proof(proof: Proof) -> str:
    """Return how far choices are proved.

    >>> describe_proof(Proof(1200, 0.0))
    'the decisions on all of 1,200 intervals'
    >>> from banditune.tuning.results.details import Doubt
    >>> print(describe_proof(Proof(3, 2e-15, (Doubt(0.5, 0.500000000000001, 0.25),))))
    the decisions on 3 intervals; 1 place is in doubt, of width 2e-15, relative: there the loss is off by at most 0.25
    """
    if proof.unproved == 0.0:
        return f"the decisions on all of {format_count(proof.intervals, 'interval')}"
    places = format_count(len(proof.doubts), "place")
    verb = "is" if len(proof.doubts) == 1 else "are"
    rest = f"{places} {verb} in doubt, of width {proof.unproved:.2g}, relative"
    bound = f"there the loss is off by at most {proof.largest_error:.3g}"
    return f"the decisions on {format_count(proof.intervals, 'interval')}; {rest}: {bound}"


def describe_doubts(proof: Proof, parameter: str) -> str:
    """Say where choices are not proved: the widest places first.

    >>> from banditune.tuning.results.details import Doubt
    >>> describe_doubts(Proof(3, 0.3, (Doubt(0.1, 0.11, 0.25), Doubt(1.0, 1.2, 0.5))), "noise")
    'Not all decisions are proved: for noise from 1 to 1.2, and 0.1 to 0.11, the loss is off by at most 0.5.'
    """
    widest = sorted(proof.doubts, key=lambda each: each.low / each.high)
    named = [f"{each.low:.4g} to {each.high:.4g}" for each in widest[:NAMED]]
    named += [f"{len(widest) - NAMED} narrower intervals"] if len(widest) > NAMED else []
    listed = ", and ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
    off = f"the loss is off by at most {proof.largest_error:.3g}"
    return f"Not all decisions are proved: for {parameter} from {listed}, {off}."


def describe_saving(found: Improvement, words: Words) -> str:
    """Return how much better than another value the learned one is, as far as that can be promised."""
    return found.phrase() if words.lost else found.phrase(better="more", worse="less")


def describe_vacuous(found: Guarantees, words: Words) -> str:
    """Return what a bound that is no better than the worst task seen would need to say more."""
    seen = f"the {'largest loss' if words.lost else 'least reward'} seen ({words.format(found.largest)})"
    if found.needed is None:
        return f"no bound better than {seen}"
    return f"a bound better than {seen} would need about {format_roughly(found.needed)} tasks"


def describe_merging(merged: Merged) -> str:
    """Return what merging breakpoints may have changed.

    >>> describe_merging(Merged(2.0**-20, 150000, 0.002, 0.0005))
    'breakpoints within a relative 9.5e-07; the curve is off by at most 0.002; no value is better by more than 0.0005'
    """
    where = f"breakpoints within a relative {merged.resolution:.2g}"
    return (
        f"{where}; the curve is off by at most {merged.error:.2g}; no value is better by more than {merged.excess:.2g}"
    )


def describe_skipped_work(broken: Sequence[str]) -> list[str]:
    """Return what could not be worked on, a line each; of very many, the first."""
    more = [f"and {len(broken) - SHOWN_BROKEN} more skipped"] if len(broken) > SHOWN_BROKEN else []
    return [f"skipped: {each}" for each in broken[:SHOWN_BROKEN]] + more


def describe_horizon(tuned: Tuned, words: Words, *, chosen: bool) -> str:
    """Return how long runs are, and where that comes from if it was not given; and how much comes after them."""
    length = words.units.count(tuned.horizon)
    if words.loss.gaps and words.loss.later:
        length += f" and {words.units.count(int(words.loss.later))} of roll-out"
    if not chosen:
        return length
    if tuned.horizon == tuned.policy_class.usual_rounds:
        return f"{length}, as many as {tuned.policy_class.name} usually has"
    return f"{length}, the median length of the recorded tasks"


def describe_rollout(found: Rollout | None, words: Words) -> list[tuple[str, str]]:
    """List what the test costs and the roll-out earns, in pairs of label and text; none without a roll-out.

    >>> describe_rollout(Rollout(5000, 4.1, 12.34, 9.0, 11.0, 85.0), Words("regret", units=Units("clicks", "views")))
    ... # doctest: +NORMALIZE_WHITESPACE
    [('test', 'costs 4.1 clicks a task; equal split 9'),
     ('roll-out', 'loses 12.34 clicks over 5,000 views, equal split 11; earns 72.66 more than an arm at random')]
    """
    if found is None:
        return []
    unit = words.units.reward or "of reward"
    after = f"loses {words.format(found.after)} {unit} over {words.units.count(found.rounds)}"
    earned = f"earns {words.format(found.earned)} more than an arm at random"
    return [
        ("test", f"costs {words.format(found.test)} {unit} a task; equal split {words.format(found.split_test)}"),
        ("roll-out", f"{after}, equal split {words.format(found.split_after)}; {earned}"),
    ]


def describe_draws(tuned: Tuned) -> str:
    """Return how often what is not recorded was drawn, and what that adds to the error; empty if nothing was drawn."""
    if tuned.draw_error == 0.0 or tuned.replay is not None:
        return ""
    drawn, why = "stream", "not every order or length is recorded"
    if tuned.policy_class.is_randomised:
        drawn, why = "draw", "choices are drawn"
    what = f"for each task, as {why}"
    if math.isnan(tuned.draw_error):
        often = "once" if tuned.draws == 1 else f"{tuned.draws} times"
        return f"{often} {what}"
    share = f"{tuned.draw_error:.0%}" if tuned.draw_error >= 0.005 else "under 1%"
    known = f"{format_count(tuned.draws, drawn)} {what}: {share} of the squared standard error"
    return known if tuned.draw_error < SHARE + 0.005 else f"{known}, above the target of {SHARE:.0%} (--draws)"


def describe_racing(tuned: Tuned) -> str:
    """Return how the range was narrowed while tasks were swept; empty if it was not."""
    if tuned.racing is None:
        return ""
    beyond = "values beyond were worse by more than 4 standard errors on some of the tasks"
    cut = "; the range within one standard error ends where racing cut it, and may be wider"
    return f"{tuned.racing}; {beyond}{cut if tuned.racing.is_cut_at(tuned.within_one_se) else ''}"


def is_at_an_end(tuned: Tuned) -> bool:
    """Tell whether a wider range might hold something better. Below 0 there is nothing."""
    low, high = tuned.interval
    if tuned.curve.n_pieces == 1:
        return False
    return high == tuned.searched.high or (low == tuned.searched.low and low > 0.0)


def describe_outside(what: str, recommended: float | None, within: Interval) -> str:
    """Say what is known of values outside a range, also where the recommended one is among them.

    >>> describe_outside("value", 0.2, Interval(0.1, 0.3))
    'every value outside is worse by more than one standard error'
    """
    text = f"every {what} outside is worse by more than one standard error"
    if recommended is None or recommended in within:
        return text
    return f"{text} on these tasks; so is the recommended one, as the minimum is a narrow dip that is largely noise"
