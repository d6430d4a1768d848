"""The tables of the page: held-out tasks, what is learned by the length of runs and by family, the tasks one by one."""

from banditune.evaluation.horizons import MOST_DRAWS, MOST_TASKS, AtHorizon
from banditune.report.findings import Findings, TaskRow
from banditune.report.gains import LEVELS, describe_difference, describe_ratio, has_rate, list_gains
from banditune.report.learned_prior import write_ways_to_learn
from banditune.report.markup import chart, clip, paragraphs, plain, table
from banditune.report.sentences import compare_on_training_tasks, describe_each_run
from banditune.report.wording import Words, describe_draws, format_estimate, format_number
from banditune.tuning.families import Families

MOST = 0.5  # of the tasks: if fewer are as long as a run, its end is mostly made up


def write_held_out(found: Findings) -> str:
    """Return the learned value against those that people use, on held-out tasks."""
    compared, words = found.study.held_out, found.words
    if found.priors is not None:
        return write_ways_to_learn(found, found.priors)
    if compared is None and found.n_tasks > 1:
        return paragraphs(f"No cross-validation here. {compare_on_training_tasks(found)}".rstrip())
    if compared is None:
        return paragraphs("Cross-validation needs at least two tasks.")
    extra = "extra regret" if words.lost else "reward missed"
    rates = [words.units.per_thousand] if has_rate(words, found.tuned.horizon) else []
    rows = []
    for row, gain in zip(found.held_out, list_gains(found.held_out, words, found.tuned.horizon), strict=True):
        counts = f"{row.n_worse:,} / {row.n_equal:,} / {row.n_better:,}" if gain.difference else ""
        levels = [gain.level, *([gain.rate] if rates else []), plain(format_estimate(row.loss.flip(words.sign)))]
        rows.append([plain(gain.name), plain(gain.remark), plain(gain.difference), *levels, counts])
    head = [
        "",
        "against learned",
        "difference (95% interval)",
        words.measure,
        *rates,
        "95% interval",
        "tasks: worse / equal / better",
    ]
    how = (
        f"Cross-validation with {compared.n_folds} folds: each fold is evaluated with the value learned from the "
        f"others. The {extra} is the difference between a baseline and the learned value on the same task, averaged "
        "over tasks; where its interval is above 0, the learned value is better. Equal split gives every arm the same "
        "number of rounds."
    )
    charts = chart("means", f"{words.measure} on held-out tasks")
    if found.held_out[1:]:
        charts += chart("extra", f"{extra} of baselines, with 95% intervals")
    figure = f'<figure class="pair">{charts}</figure>'
    standing = table("Held-out tasks", head, rows, kind="numbers")
    caveat = LEVELS if words.lost else ""
    return "\n".join((figure, standing, paragraphs(caveat, how, kind="note")))


def list_horizons(found: Findings) -> list[tuple[str, ...]]:
    """Put into words how long runs are, what is learned from them, with what loss and gain, and what warns of it."""
    words = found.words
    return [
        (
            words.units.count(each.horizon),
            format_number(each.value),
            words.format(each.loss),
            _describe_gain(each, found.parameter, words),
            _warn(each, found.tuned.horizon),
        )
        for each in found.horizons
    ]


def _describe_gain(at: AtHorizon, parameter: str, words: Words) -> str:
    """Return how much less is lost than with the first of the usual values, by its ratio where losses have a zero."""
    if not at.usual:
        return ""
    value, loss = at.usual[0]
    other = f"{parameter} = {value:g}"
    if not words.lost:
        return f"{format_number(loss - at.loss, 3)} more than {other}"
    return f"{describe_ratio(at.loss / loss)} than {other}" if loss > 0.0 else ""


def _warn(at: AtHorizon, horizon: int) -> str:
    if at.recorded >= MOST:
        return "the horizon above" if at.horizon == horizon else ""
    share = "no task" if at.recorded == 0.0 else f"only {at.recorded:.0%} of the tasks"
    return f"longer than recorded: {share} had so many"


def write_horizons(found: Findings) -> str:
    """Return the table of horizons, and how it was made."""
    words = found.words
    head = ["run", f"learned {found.parameter}", words.measure, "gain", ""]
    rows = [[plain(cell) for cell in row] for row in list_horizons(found)]
    some = f"{MOST_TASKS} of the tasks" if found.n_tasks > MOST_TASKS else "the tasks"
    drawn = (
        f" with at most {MOST_DRAWS} draws each, so that its values differ a little from those above"
        if describe_draws(found.tuned)
        else ""
    )
    how = (
        f"The best exploration depends on the length of a run. This table uses {some}{drawn}, swept once for all "
        "lengths. It is measured on the training tasks, so gains on new tasks are slightly smaller."
    )
    lengths = table("What is learned from shorter and longer runs", head, rows, kind="numbers remarked")
    return f"{paragraphs(how)}\n{lengths}"


def write_families(families: Families, words: Words) -> str:
    """Return all policies that were tuned, on the same held-out tasks."""
    rows = []
    for row in families.rows:
        name = f"{row.name} (chosen)" if row.name == families.chosen else row.name
        extra = describe_difference(row.extra, words) if row is not families.rows[0] else ""
        level = "yes" if row.is_level else "no"
        rows.append([plain(name), plain(row.learned), words.format(row.loss.mean), plain(extra), level])
    head = ["", "learned", words.measure, "difference from the first (interval)", "level with it"]
    how = (
        "Each policy was tuned on the same tasks and folds, and is measured with what was learned from other folds. "
        "Intervals are paired by task and corrected for the number of policies, together 95%. Policies before "
        "the first that is clearly worse than one above it are level with the best. Of these, the simplest is chosen."
    )
    standing = table("Policies on held-out tasks", head, rows, kind="numbers")
    return "\n".join((paragraphs(families.text), standing, paragraphs(how, kind="note")))


def write_tasks(found: Findings) -> str:
    """Return the tasks one by one, in a table that sorts."""
    words = found.words
    noun = "Regret" if words.lost else "Reward"
    head = ["Task", "Arms", "Rewards recorded", f"{noun}, learned"]
    if usual := found.study.usual_losses:
        head.append(f"{noun}, {found.parameter} = {format_number(next(iter(usual)))}")
    head += [f"{'Least' if words.lost else 'Most'} with any {found.parameter}", "Pieces"]
    titles = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{plain(title)}</button></th>' for title in head
    )
    body = "\n".join(_write_task(row, words) for row in found.rows)
    caption = f"{len(found.rows):,} of {found.n_tasks:,} tasks" if len(found.rows) < found.n_tasks else "all tasks"
    sampled = len(found.study.curves) < found.n_tasks
    even = (", drawn at random" if sampled else ", evenly spaced") if len(found.rows) < found.n_tasks else ""
    return "\n".join(
        (
            paragraphs(
                f"Shown: {caption}{even}. Click a column title to sort. These are the training tasks; "
                f"{describe_each_run(found)}."
            ),
            f'<div class="scroll tall" tabindex="0" role="region" aria-label="Task by task, {caption}">',
            f'<table class="numbers sortable" id="tasks"><caption>Task by task: {caption}</caption>',
            f"<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>",
            paragraphs("In print: the first 40 rows.", kind="in-print") if len(found.rows) > 40 else "",
        )
    )


def _write_task(row: TaskRow, words: Words) -> str:
    losses = [loss for loss in (row.learned, row.default, row.least) if loss is not None]
    numbers: list[float] = [row.n_arms, row.n_rewards, *(words.sign * loss + 0.0 for loss in losses), row.n_pieces]
    cells = "".join(f'<td data-value="{number!r}">{format_number(number)}</td>' for number in numbers)
    return f'<tr><th scope="row">{clip(row.name)}</th>{cells}</tr>'
