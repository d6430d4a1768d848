"""What the page says in words."""

import numpy as np

from banditune.curves.step_function import Interval
from banditune.evaluation.certificate import Certificate
from banditune.evaluation.intervals import Estimate
from banditune.evaluation.learning_curve import LEAST_TASKS, LearningCurve
from banditune.report.findings import Findings
from banditune.report.held_out import Against, Comparison
from banditune.report.wording import Words, describe_proof, from_to, merging, numeral
from banditune.tuning.prior_search import PriorFindings
from banditune.validation import format_count

SMALL = 0.02  # a gain below this share of what is at stake is not worth more data


def headline(found: Findings) -> str:
    """The answer in a line."""
    if found.n_pieces == 1:
        return f"On these tasks, every {found.parameter} does equally well"
    return f"{found.parameter} = {numeral(found.learned)} {found.words.verb}"


def answer(found: Findings) -> list[str]:
    """The answer in a few sentences."""
    words, name = found.words, found.parameter
    policy = f"{found.policy} with {name} = {numeral(found.learned)}" + (f" ({found.settings})" * bool(found.settings))
    result = (
        f"{how_played(found)}, {policy} has a {words.measure} of {numeral(words.sign * found.loss)}. "
        f"Every {name} from {from_to(found.interval)} does as well."
    )
    return [result, how_sure(found), how_proved(found), against_defaults(found), end_of_range(found)]


def how_played(found: Findings) -> str:
    """What the policy was tried on."""
    each = "each of " if found.n_tasks > 1 else ""
    if found.replay is None:
        return f"Played for {format_count(found.horizon, 'round')} on {each}{format_count(found.n_tasks, 'past task')}"
    return f"Replayed on {format_count(found.replay.events, 'event')} of {format_count(found.n_tasks, 'log')}"


def how_chosen(priors: PriorFindings) -> str:
    """How a way to learn was chosen."""
    if priors.n_folds == 0:
        return "There were too few tasks, or too little time, to measure on tasks that were not learned from."
    ended = "" if priors.finished else " The search was interrupted; this is the best found by then."
    return (
        "Priors are as many numbers as there are arms, and could fit noise. So the tasks were divided into "
        f"{format_count(priors.n_folds, 'part')}, and each way to learn was measured on every part with what it "
        "learned "
        f"from the others. The best was taken, and learned from all tasks. {priors.n_lines:,} lines were searched"
        f" exactly.{ended}"
    )


def how_priors_read(found: Findings) -> str:
    """How to read what was learned of arms."""
    return (
        "An arm begins with its prior mean (dot) instead of being pulled once. Beyond the bar, other values do "
        "worse by over one standard error, all else being equal; diamonds are the arms' mean rewards. What counts is "
        "the order and the distance: arms that are seldom best may stand anywhere below those that are tried first. An "
        "arm that no past task had begins with the highest of them."
    )


def each_played(found: Findings) -> str:
    """What was done with each task."""
    if found.replay is None:
        return f"each is played for {format_count(found.horizon, 'round')}"
    return f"of each, at most {format_count(found.horizon, 'event')} are replayed"


def how_sure(found: Findings) -> str:
    """How far the replay of logs can be trusted."""
    if found.replay is None:
        return ""
    matched, sign = found.replay.matched, found.words.sign
    ends = sorted(sign * end for end in found.replay.interval)
    return (
        f"{format_count(matched, 'event')} matched and count. The 95% interval is {from_to(Interval(*ends))}, "
        "not counting that the value was chosen for doing best."
    )


def how_proved(found: Findings) -> str:
    """How far choices are proved, and how several parameters were searched."""
    told = []
    if found.steps:
        told.append(
            f"{len(found.steps)} exact searches, over one parameter after the other, led there; then none helped any "
            "more."
        )
    if found.proof is not None:
        told.append(f"Which point is chosen is proved, not sampled: {describe_proof(found.proof)}.")
    return " ".join(told)


def how_matched(found: Findings) -> str:
    """What the chart of matched events shows."""
    return (
        "An event of a log counts if the policy chooses the arm that was chosen; what the others would have given is "
        "not known. The fewer events count, the less the curve above can be trusted there."
    )


def against_defaults(found: Findings) -> str:
    """How the learned value does on unseen tasks beside the first default."""
    if found.priors is not None:
        return ""
    if found.comparison is None and found.n_tasks > 1:
        return on_these_tasks(found)
    if found.comparison is None:
        only = "log: give the column of its tasks, such as days or campaigns" if found.replay else "task"
        return f"There is only one {only}, so nothing can be said about tasks it did not learn from."
    if not found.comparison.against:
        return ""
    words, first = found.words, found.comparison.against[0]
    learned, other = (numeral(words.sign * mean) for mean in (found.comparison.learned.mean, first.loss.mean))
    return (
        f"On tasks it did not learn from, the learned value has a {words.measure} of {learned}, "
        f"{found.parameter} = {numeral(first.value)} one of {other}: {verdict(found.comparison, first, words)}."
    )


def verdict(compared: Comparison, against: Against, words: Words) -> str:
    """How a fixed value does beside the learned one."""
    learned, other = compared.learned.mean, against.loss.mean
    if against.extra.low <= 0.0 <= against.extra.high:
        return "these tasks do not tell the two apart"
    if other < learned:
        return "here the fixed value does better"
    if words.lost and learned > 0.0:
        return f"{other / learned:,.1f} times as much"
    return f"{numeral(other - learned)} {'more is lost' if words.lost else 'less is earned'}"


def end_of_range(found: Findings) -> str:
    """A warning where a wider range might hold something better."""
    if not found.at_an_end or found.n_pieces == 1:
        return ""
    return f"The best lies at an end of the range that was searched; a wider one (--{found.parameter}) may do better."


def meaning(words: Words) -> str:
    """What is measured."""
    if words.lost:
        return (
            "Regret is what a game loses against always choosing the best arm of its task: "
            "summed over the rounds, the best arm's mean reward less that of the arm chosen. Less is better."
        )
    if words.replayed:
        return "The mean reward of an event is what the policy would receive each time it chooses. More is better."
    return "The total reward is the sum of all rewards received in a game. More is better."


def on_these_tasks(found: Findings) -> str:
    """How the values that people use do on the tasks that were learned from, where others were not measured on."""
    words = found.words
    if not found.defaults:
        return ""
    listed = ", ".join(
        f"with {found.parameter} = {numeral(value)} it is {numeral(words.sign * loss)}"
        for value, loss in found.defaults.items()
    )
    return f"On the tasks it was learned from, the {words.measure} is {numeral(words.sign * found.loss)}; {listed}."


def range_searched(found: Findings) -> str:
    """Which values were searched, and which of them are plausible."""
    chosen = ", a range chosen to fit the scale of the rewards" if found.chose_range else ""
    exactly = "exactly" if found.merged is None else "with breakpoints merged where they are very close"
    text = f"Every {found.parameter} from {from_to(found.searched)} was searched, {exactly}{chosen}."
    if found.merged is not None:
        text += f" Merged: {merging(found.merged)}."
    if found.plausible == found.searched:
        return f"{text} These tasks rule none of them out."
    return (
        f"{text} Outside the shaded range, {from_to(found.plausible)}, every value does worse than the best by over "
        "one standard error."
    )


def defaults_outside(found: Findings) -> str:
    """What values people use cost where the chart does not reach them."""
    words = found.words
    outside = [
        f"{found.parameter} = {numeral(value)} has a {words.measure} of {numeral(words.sign * loss)}"
        for value, loss in found.defaults.items()
        if value not in found.searched
    ]
    return f"Outside of the searched range, and so not in the chart: {'; '.join(outside)}." if outside else ""


def promise(certificate: Certificate, parameter: str, words: Words) -> list[str]:
    """What the certificate says, and what it takes to be true."""
    chance = f"but for a chance of {numeral(certificate.delta)} that these tasks mislead"
    if certificate.says_something:
        side, other = ("at most", "more") if words.lost else ("at least", "less")
        bound = numeral(words.sign * certificate.loss_bound)
        says = (
            f"The {words.measure} of new tasks is {side} {bound}, and at most {numeral(certificate.excess_bound)} "
            f"{other} than with the best of all {parameter} ({certificate.method}, {chance})."
        )
    else:
        says = f"So few tasks promise nothing about new ones ({certificate.method}, {chance})."
    return [says, f"That takes for granted that {' and that '.join(certificate.assumptions)}."]


def how_drawn(found: Findings) -> str:
    """What the chart leaves out."""
    lines = [line for line in (found.linear, found.log) if line is not None]
    drawn = f"The curve has {format_count(found.n_pieces, 'piece')}"
    if any(line.thinned for line in lines):
        most = max(line.x.size for line in lines)
        drawn += (
            f", of which the chart draws {most:,}: the lowest, the highest and the last within each narrow strip, "
            "and the best"
        )
    zero = ""
    if found.log is not None and found.searched.low <= 0.0:
        zero = f" 0 is not on a log axis: there the curve starts at {numeral(float(found.log.x[0]))}."
    return f"{drawn}.{zero} Point at the curve to read it; drag to zoom, double-click to return."


def enough_tasks(found: Findings) -> str:
    """Whether more tasks would help."""
    learning, words = found.learning, found.words
    if learning is None and found.n_tasks >= LEAST_TASKS:
        return (
            f"This was not measured here: what goes with {found.parameter} was learned from all tasks together, and so "
            "none is left to try fewer on."
        )
    if learning is None:
        there = "there is 1" if found.n_tasks == 1 else f"there are {found.n_tasks}"
        return f"To say whether more tasks would help takes at least {LEAST_TASKS} of them; {there}."
    step = f"going from {learning.half:,} to {format_count(learning.sizes[-1], 'task')}"
    at_stake = abs(learning.losses[-1].mean) if words.lost else float(np.ptp(found.linear.y))  # rewards have no zero
    gain, worth = learning.gain, SMALL * at_stake
    if gain.low > 0.0 and gain.mean > worth:
        change = "lowered" if words.lost else "raised"
        by = f"the {words.measure} by {numeral(gain.mean, 2)}"
        return f"More tasks would probably help: {step} still {change} {by}."
    if abs(gain.mean) <= worth:
        of_what = "" if words.lost else f" of all that {found.parameter} can change"
        change = f"changed the {words.measure} by less than {100 * SMALL:.0f}%{of_what}"
        return f"More tasks like these would hardly help: {step} {change}."
    return f"More tasks like these would probably help little: {step} did not improve the result by more than chance."


def how_learned(learning: LearningCurve, n_tasks: int) -> str:
    """How the learning curve was made."""
    sample = f" of a random {learning.n_tasks:,} of the {n_tasks:,} tasks" if learning.n_tasks < n_tasks else ""
    return (
        f"In each of {learning.n_draws} random draws{sample}, {format_count(learning.n_set_aside, 'task')} "
        f"{'was' if learning.n_set_aside == 1 else 'were'} set aside to measure on, and more and more of the others "
        "learned from. The band is the 95% interval of the average over the draws, not counting that some draws set "
        "harder tasks aside than others."
    )


def ninety_five(estimate: Estimate) -> str:
    """A 95% interval."""
    if estimate.high - estimate.low == float("inf"):
        return "not known"
    return from_to(Interval(estimate.low, estimate.high)) if estimate.low < estimate.high else numeral(estimate.mean)
