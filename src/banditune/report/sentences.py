"""What the page says in words."""

import numpy as np

from banditune.curves.step_function import Interval
from banditune.evaluation.guarantees import Guarantees
from banditune.evaluation.learning_curve import LEAST_TASKS, LearningCurve
from banditune.policies.losses import MEAN
from banditune.report.findings import Findings
from banditune.report.gains import describe_remark
from banditune.report.wording import (
    Words,
    describe_doubts,
    describe_draws,
    describe_horizon,
    describe_merging,
    describe_proof,
    describe_racing,
    describe_rollout,
    describe_settings,
    describe_vacuous,
    format_interval,
    format_number,
    is_at_an_end,
)
from banditune.tasks.costs import describe_costs
from banditune.tuning.results.study_result import describe_unseen
from banditune.validation import format_count

MATCHING = (  # what the chart of matched events shows
    "An event counts if the policy chooses the logged arm; the rewards of the other arms are unknown. Where few events "
    "match, the curve above is unreliable."
)
SMALL = 0.02  # a gain below this share of what is at stake is not worth more data


def write_headline(found: Findings) -> str:
    """Return the verdict in a line."""
    if found.tuned.curve.n_pieces == 1:
        return f"On these tasks, every {found.parameter} has the same loss"
    if found.verdict.against is not None:
        families = found.study.families
        return found.verdict.headline if families is None else f"{families.chosen}: {found.verdict.headline}"
    return f"{found.parameter} = {format_number(found.learned)} {found.words.verb} the {found.words.measure}"


def describe_reason(found: Findings) -> str:
    """Return what the verdict rests on; empty if nothing was compared."""
    has_reason = found.tuned.curve.n_pieces > 1 and found.verdict.against is not None
    reason = found.verdict.reason if has_reason else describe_unseen(found.tuned)
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def describe_answer(found: Findings) -> list[str]:
    """Return the answer in a few sentences."""
    words, tuned = found.words, found.tuned
    settings = describe_settings(tuned.policy_class, tuned.params, tuned.parameter)
    policy = f"{tuned.policy_class.__name__} with {tuned.parameter} = {format_number(found.learned)}"
    policy += f" ({settings})" * bool(settings)
    result = f"{describe_runs(found)}, {policy} has a {words.measure} of {format_number(words.sign * found.loss)}."
    drawn = f"What is not recorded was drawn: {draws}." if (draws := describe_draws(tuned)) else ""
    compared = compare_with_usual(found) if found.verdict.against is None else ""
    after = [f"The {label} {text}." for label, text in describe_rollout(found.study.rollout, words)]
    after += [] if tuned.source.costs is None else [f"Rewards are net of costs: {describe_costs(tuned.source.costs)}."]
    return [result, " ".join(after), describe_uncertainty(found), drawn, compared, warn_of_end(found)]


def explain_measure(words: Words) -> str:
    """Return what is measured, and on which of the tasks."""
    if words.loss.tail is None:
        return _explain_loss(words)
    worst = f"The mean is over the worst {100.0 * words.loss.tail:.3g}% of the tasks at each value"
    return f"{_explain_loss(words)} {worst} (conditional value at risk, CVaR)."


def _explain_loss(words: Words) -> str:
    if words.loss.later:
        return _explain_recommendation(words)
    if words.lost:
        return (
            "Regret is the loss against always pulling the best arm of the task: the sum over the rounds of the "
            "best arm's mean reward minus that of the pulled arm. Lower is better."
        )
    if words.replayed:
        return (
            "The mean reward per event is an off-policy estimate of what the policy would earn at each decision. "
            "Higher is better."
        )
    return "The total reward is the sum of the rewards of a run. Higher is better."


def _explain_recommendation(words: Words) -> str:
    """Return what is measured where an arm is recommended at the end of a run."""
    best = "with the highest mean" if words.loss.recommend == MEAN else "pulled most often"
    arm = f"the arm {best} at the end of the run"
    if not words.loss.gaps:
        return f"Simple regret is the best arm's mean reward minus that of {arm}. Lower is better."
    return (
        "What is counted is the regret of the test, the loss against always pulling the best arm of the task, and that "
        f"of {words.units.count(int(words.loss.later))} after it, all given to {arm}. Lower is better."
    )


def describe_runs(found: Findings) -> str:
    """Return what the policy was tried on."""
    each = "each of " if found.n_tasks > 1 else ""
    if found.tuned.replay is None:
        tasks = f"{each}{format_count(found.n_tasks, 'past task')}"
        length = describe_horizon(found.tuned, found.words, chosen=found.study.chose_horizon)
        length, _, source = length.partition(", ")
        return f"In runs of {length}{f' ({source})' * bool(source)} on {tasks}"
    return (
        f"In an off-policy evaluation (replay) of {format_count(found.tuned.replay.events, 'event')} from "
        f"{format_count(found.n_tasks, 'log')}"
    )


def describe_each_run(found: Findings) -> str:
    """Return what was done with each task."""
    if found.tuned.replay is None:
        return f"each run has {format_count(found.tuned.horizon, 'round')}"
    return f"at most {format_count(found.tuned.horizon, 'event')} of each are replayed"


def describe_uncertainty(found: Findings) -> str:
    """Return how far the replay of logs can be trusted."""
    if found.tuned.replay is None:
        return ""
    matched, sign = found.n_matched, found.words.sign
    ends = sorted(sign * end for end in found.tuned.replay.interval)
    return (
        f"{format_count(matched, 'event')} matched. The 95% interval is {format_interval(Interval(*ends))}; it does "
        "not account for the selection of the best value."
    )


def describe_search(found: Findings) -> str:
    """Return how far choices are proved, and how several parameters were searched."""
    sentences = []
    if found.tuned.steps:
        sentences.append(
            f"Coordinate descent over the parameters took {len(found.tuned.steps)} exact searches, until none improved."
        )
    if found.tuned.proof is not None:
        sentences.append(f"The chosen points are proved, not sampled: {describe_proof(found.tuned.proof)}.")
        if not found.tuned.proof.holds:
            sentences.append(describe_doubts(found.tuned.proof, found.parameter))
    return " ".join(sentences)


def compare_with_usual(found: Findings) -> str:
    """Return how the learned value does on held-out tasks beside the first default."""
    if found.priors is not None:
        return ""
    if not found.held_out and found.n_tasks > 1:
        return compare_on_training_tasks(found)
    if not found.held_out:
        only = "log: give the column of its tasks, such as days or campaigns" if found.tuned.replay else "task"
        return f"There is only one {only}, so cross-validation is not possible."
    if len(found.held_out) == 1:
        return ""
    words, best, first = found.words, found.held_out[0].loss.mean, found.held_out[1]
    learned, other = (format_number(words.sign * mean) for mean in (best, first.loss.mean))
    return (
        f"On held-out tasks, the learned value has a {words.measure} of {learned}, {first.name} one of {other}: "
        f"{describe_remark(best, first, words)}."
    )


def warn_of_end(found: Findings) -> str:
    """Return a warning where a wider range might hold something better."""
    if not is_at_an_end(found.tuned) or found.tuned.curve.n_pieces == 1:
        return ""
    return f"The best value is at an end of the range; a wider range (--{found.parameter}) may do better."


def compare_on_training_tasks(found: Findings) -> str:
    """Return how the usual values do on the tasks that were learned from, where others were not measured on."""
    words = found.words
    if not found.study.usual_losses:
        return ""
    listed = ", ".join(
        f"with {found.parameter} = {format_number(value)} it is {format_number(words.sign * loss)}"
        for value, loss in found.study.usual_losses.items()
    )
    return f"On the training tasks, the {words.measure} is {format_number(words.sign * found.loss)}; {listed}."


def describe_range(found: Findings) -> str:
    """Return which values were searched, and which of them are within one standard error of the best."""
    tuned = found.tuned
    chosen = "; the range was chosen to fit the scale of the rewards" if found.study.chose_range else ""
    exactly = "exactly" if tuned.merged is None else "with breakpoints merged where they are very close"
    text = f"Every {tuned.parameter} from {format_interval(tuned.searched)} was searched, {exactly}{chosen}."
    if tuned.merged is not None:
        text += f" Merged: {describe_merging(tuned.merged)}."
    if raced := describe_racing(tuned):
        text += f" Tasks were raced: {raced}. The chart shows what was swept on all."
    if tuned.within_one_se == tuned.searched:
        return f"{text} These tasks do not rule out any value."
    return (
        f"{text} Shaded: {format_interval(tuned.within_one_se)}, the range within one standard error; every value "
        "outside is worse than the best by more."
    )


def list_defaults_outside(found: Findings) -> str:
    """Return what usual values cost where the chart does not reach them."""
    words, charted = found.words, Interval(found.tuned.curve.low, found.tuned.curve.high)
    outside = [
        f"{found.parameter} = {format_number(value)} has a {words.measure} of {format_number(words.sign * loss)}"
        for value, loss in found.study.usual_losses.items()
        if value not in charted
    ]
    where = "range of the chart" if found.tuned.racing is not None else "searched range, and so not in the chart"
    return f"Outside the {where}: {'; '.join(outside)}." if outside else ""


def describe_certificate(found: Guarantees, parameter: str, words: Words) -> list[str]:
    """Return what the certificate says, and what it takes to be true; of a vacuous one, what it would need."""
    certificate = found.certificate
    chance = f"with probability at least {format_number(1.0 - certificate.delta)}"
    if found.is_vacuous:
        bound = describe_vacuous(found, words)
        return [f"On new tasks, {bound} ({certificate.method}, {chance})."]
    side, other = ("at most", "more") if words.lost else ("at least", "less")
    level = format_number(words.sign * certificate.loss_bound)
    says = (
        f"With {parameter} = {format_number(certificate.value)}, the least on these tasks, the {words.measure} on new "
        f"tasks is {side} {level}, and at most {format_number(certificate.excess_bound)} {other} than with the best "
        f"{parameter} ({certificate.method}, {chance})."
    )
    return [says, f"This assumes that {' and that '.join(certificate.assumptions)}."]


def describe_chart(found: Findings) -> str:
    """Return what the chart leaves out."""
    lines = [line for line in found.curve if line is not None]
    drawn = f"The curve has {format_count(found.tuned.curve.n_pieces, 'piece')}"
    if any(line.thinned for line in lines):
        most = max(line.x.size for line in lines)
        drawn += (
            f"; the chart draws {most:,} points: the lowest, the highest and the last of each narrow strip, and the "
            "best"
        )
    zero = ""
    if found.curve.log is not None and found.tuned.curve.low <= 0.0:
        zero = f" 0 is not on a log axis: the curve starts at {format_number(float(found.curve.log.x[0]))}."
    return f"{drawn}.{zero} Hover over the curve to read it; drag to zoom."


def judge_number_of_tasks(found: Findings) -> str:
    """Tell whether more tasks would help."""
    learning, words = found.learning, found.words
    if found.tuned.racing is not None:
        return "Not measured: racing narrowed the range by all tasks, so none is held out (--no-racing)."
    if found.tuned.search.loss.tail is not None:
        return "Not measured: a learning curve is of the mean over all tasks, and here only the worst are counted."
    if learning is None and found.n_tasks >= LEAST_TASKS:
        return (
            f"Not measured: the parameters besides {found.parameter} were learned from all tasks together, so none "
            "is held out."
        )
    if learning is None:
        there = "there is 1" if found.n_tasks == 1 else f"there are {found.n_tasks}"
        return f"A learning curve needs at least {LEAST_TASKS} tasks; {there}."
    step = f"going from {learning.half:,} to {format_count(learning.sizes[-1], 'task')}"
    line = found.curve.linear.y
    at_stake = abs(learning.losses[-1].mean) if words.lost else float(np.ptp(line))  # rewards have no zero
    gain, worth = learning.gain, SMALL * at_stake
    if gain.low > 0.0 and gain.mean > worth:
        change = "lowered" if words.lost else "raised"
        by = f"the {words.measure} by {format_number(gain.mean, 2)}"
        return f"More tasks would probably help: {step} still {change} {by}."
    if abs(gain.mean) <= worth:
        of_what = "" if words.lost else " of the range of its values"
        change = f"changed the {words.measure} by less than {100 * SMALL:.0f}%{of_what}"
        return f"More tasks of this kind would hardly help: {step} {change}."
    return f"More tasks of this kind would probably help little: {step} made no significant difference."


def describe_learning_curve(learning: LearningCurve, n_tasks: int) -> str:
    """Return how the learning curve was made."""
    what = f"each point evaluates the {'recommended value' if learning.smooth else 'minimiser'} learned from a subset"
    sample = f" of a random {learning.n_tasks:,} of the {n_tasks:,} tasks" if learning.n_tasks < n_tasks else ""
    return (
        f"In each of {learning.n_splits} random splits{sample}, {format_count(learning.n_set_aside, 'task')} "
        f"{('was' if learning.n_set_aside == 1 else 'were')} held out for evaluation, and growing subsets of the "
        f"others were used for training; {what}. The band is the 95% interval of the average over the splits; it does "
        "not account for the variance between held-out sets."
    )
