"""The parts of the page as HTML."""

from banditune.evaluation.guarantees import Guarantees
from banditune.report import sentences
from banditune.report.curve_figure import draw_curve
from banditune.report.findings import Findings
from banditune.report.gains import LEVELS, has_rate, list_gains
from banditune.report.learned_prior import write_prior
from banditune.report.markup import chart, clip, facts, fold, paragraphs, place_figure, plain, section, table
from banditune.report.measures import explain_measure
from banditune.report.tables import write_families, write_horizons
from banditune.report.task_table import TaskRow
from banditune.report.usage import write_usage
from banditune.report.wording import Words, describe_saving, format_interval, format_number
from banditune.tasks.units import THOUSAND
from banditune.tuning.priors.line_search import PriorFindings


def write_sections(found: Findings) -> list[str]:
    """Return the parts of the page in their order; what only few want to know is folded."""
    name, measure = found.parameter, found.words.measure
    parts = [
        section("Which policy?", write_families(found.families, found.words)) if found.families is not None else "",
        section("Held-out tasks", write_held_out(found)),
        section(f"{measure[:1].upper()}{measure[1:]} for every {name}", write_curve(found)),
        section("Horizon", write_horizons(found)) if found.horizons else "",
        write_arms(found),
        write_prior(found.fitted, found.prior, found.words) if found.fitted and found.prior else "",
        section("Use the result", write_usage(found)),
        fold("Guarantees", write_guarantees(found.promises, found)) if found.promises is not None else "",
        fold("Are there enough tasks?", write_learning(found)),
        fold("How it was searched", write_search(found)),
        fold("Task by task", write_tasks(found)),
        fold("How the data was read", write_reading(found)) if found.reading or found.n_rejected else "",
    ]
    return [part for part in parts if part]


def write_answer(found: Findings) -> str:
    """Return why the headline says so, the answer in words, and the numbers to remember."""
    words = found.words
    tiles = [(f"learned {found.parameter}", format_number(found.learned))]
    level = found.loss
    if found.held_out is not None:
        level = found.held_out.learned.mean
        noun = "regret" if words.lost else "reward"
        gains = list_gains(found.held_out.rows, words, found.horizon)[1:]
        tiles += [(f"{noun} with {gain.name}", gain.remark if words.lost else gain.difference) for gain in gains]
    where = "" if found.held_out is None else ", held-out tasks"
    tiles.append((f"{words.measure}{where}", format_number(words.sign * level)))
    if has_rate(words, found.horizon):
        tiles.append((words.units.per_thousand, format_number(words.sign * level * THOUSAND / found.horizon)))
    tiles.append(("training tasks", f"{found.n_tasks:,}"))
    shown = "\n".join(f"<div><dt>{plain(label)}</dt><dd>{plain(value)}</dd></div>" for label, value in tiles)
    lead = paragraphs(sentences.describe_reason(found), kind="why") + paragraphs(
        *sentences.describe_answer(found), kind="lead"
    )
    if found.replay is not None:
        lead += paragraphs(*(f"Caution: {doubt}." for doubt in found.replay.warnings), kind="caution")
    return f'{lead}\n<dl class="tiles">\n{shown}\n</dl>\n{paragraphs(explain_measure(words), kind="note")}'


def write_curve(found: Findings) -> str:
    """Return the mean loss for every value."""
    name, words = plain(found.parameter), found.words
    buttons = ""
    if found.log is not None:
        buttons = (
            f'<div class="scales" role="group" aria-label="Scale of the {name} axis">'
            '<button type="button" data-scale="linear" aria-pressed="false">Linear</button>'
            '<button type="button" data-scale="log" aria-pressed="false">Log</button></div>'
        )
    label = f"{words.measure} for every {found.parameter}; best at {format_number(found.learned)}"
    return "\n".join(
        (
            paragraphs(sentences.describe_range(found), sentences.list_defaults_outside(found)),
            f"<noscript>{place_figure(draw_curve(found.picture))}</noscript>",
            f"<figure>{buttons}{chart('curve', label)}",
            f"<figcaption>{plain(sentences.describe_chart(found))}</figcaption></figure>",
            write_matched_events(found),
            write_combinations(found),
        )
    )


def write_matched_events(found: Findings) -> str:
    """Return how many events of the logs counted, beneath the curve; empty if the tasks were no logs."""
    if found.replay is None:
        return ""
    label = f"matched events for every {found.parameter}; {found.replay.matched:,} at {format_number(found.learned)}"
    how = plain(sentences.describe_matching(found))
    return f"<h3>Matched events</h3>\n<figure>{chart('matched', label)}<figcaption>{how}</figcaption></figure>"


def write_combinations(found: Findings) -> str:
    """Return the combinations of other parameters that were tried; empty if there was only one."""
    if not found.compared:
        return ""
    head = ["", f"best {found.parameter}", found.words.measure]
    rows = [
        [plain(settings), format_number(value), format_number(found.words.sign * loss)]
        for settings, value, loss in found.compared
    ]
    return table("Settings compared", head, rows, kind="numbers")


def write_held_out(found: Findings) -> str:
    """Return the learned value against those that people use, on held-out tasks."""
    compared, words = found.held_out, found.words
    if found.priors is not None:
        return write_ways_to_learn(found, found.priors)
    if compared is None and found.n_tasks > 1:
        return paragraphs(f"No cross-validation here. {sentences.compare_on_training_tasks(found)}".rstrip())
    if compared is None:
        return paragraphs("Cross-validation needs at least two tasks.")
    extra = "extra regret" if words.lost else "reward missed"
    rates = [words.units.per_thousand] if has_rate(words, found.horizon) else []
    rows = []
    for row, gain in zip(compared.rows, list_gains(compared.rows, words, found.horizon), strict=True):
        counts = f"{row.n_worse:,} / {row.n_equal:,} / {row.n_better:,}" if gain.difference else ""
        levels = [
            gain.level,
            *([gain.rate] if rates else []),
            plain(sentences.format_estimate(row.loss.flip(words.sign))),
        ]
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
    if compared.against:
        charts += chart("extra", f"{extra} of baselines, with 95% intervals")
    figure = f'<figure class="pair">{charts}</figure>'
    standing = table("Held-out tasks", head, rows, kind="numbers")
    caveat = LEVELS if words.lost else ""
    return "\n".join((figure, standing, paragraphs(caveat, how, kind="note")))


def write_guarantees(promises: Guarantees, found: Findings) -> str:
    """Return what can be promised of new tasks, as far as it says something."""
    words = found.words
    rows = [
        [
            f"{plain(found.parameter)} = {format_number(each.over)}",
            plain(describe_saving(each, words)),
            format_number(each.value),
            f"{each.n_tasks:,}",
        ]
        for each in promises.telling
    ]
    learned = "recommended" if found.is_smoothed else "learned"
    head = ["against", f"{words.measure}, {learned}", f"{found.parameter} {learned} of the other half", "tasks"]
    said = paragraphs(*sentences.describe_certificate(promises, found.parameter, words))
    return f"{said}\n{table('On a held-out half of the tasks', head, rows, kind='numbers')}" if rows else said


def write_ways_to_learn(found: Findings, priors: PriorFindings) -> str:
    """Alpha alone, priors by means, priors and alpha together: on held-out tasks."""
    words = found.words
    head = ["", f"{words.measure}, held-out tasks", "standard error", f"{words.measure}, training tasks", ""]
    rows = [
        [
            plain(each.name),
            format_number(words.sign * each.held_out) if priors.n_folds else "not measured",
            format_number(each.error) if priors.n_folds else "",
            format_number(words.sign * each.loss),
            "chosen" if each.name == priors.chosen else "",
        ]
        for each in priors.candidates
    ]
    return "\n".join(
        (paragraphs(sentences.describe_selection(priors)), table("Ways to learn", head, rows, kind="numbers"))
    )


def write_arms(found: Findings) -> str:
    """Return what was learned of each arm; empty if nothing was."""
    if found.priors is None or not found.priors.arms:
        return ""
    rows = [
        [
            clip(str(each.arm)),
            format_number(each.mean),
            plain(format_interval(each.within_one_se)),
            format_number(each.observed),
            f"{each.n_tasks:,}",
        ]
        for each in sorted(found.priors.arms, key=lambda each: -each.mean)
    ]
    head = ["", "prior mean", "within one standard error", "mean observed reward", "number of tasks"]
    content = "\n".join(
        (
            paragraphs(sentences.describe_priors(found)),
            f"<figure>{chart('priors', 'prior means of the arms with the ranges within one standard error')}</figure>",
            table("Arms, highest prior mean first", head, rows, kind="numbers"),
        )
    )
    return section("Learned priors", content)


def write_learning(found: Findings) -> str:
    """Tell whether there are enough tasks."""
    text = paragraphs(sentences.judge_number_of_tasks(found))
    if found.learning is None:
        return text
    label = f"{found.words.measure} on held-out tasks by number of training tasks"
    how = plain(sentences.describe_learning_curve(found.learning, found.n_tasks))
    return f"{text}\n<figure>{chart('learning', label)}<figcaption>{how}</figcaption></figure>"


def write_search(found: Findings) -> str:
    """Return how the range was searched, and how many pieces the tasks have."""
    name = found.parameter
    every = f"Every {name} from {format_interval(found.interval)} has the same, the least loss on these tasks."
    if found.is_smoothed:
        every += (
            f" So narrow a piece owes much to chance. Recommended is {name} = {format_number(found.learned)}, because "
            "there the loss is least on average over a neighbourhood."
        )
    text = (
        f"Between two breakpoints of its loss, a task has the same run for every {name}. The number of pieces is the "
        f"number of different outcomes: 1 means that {name} makes no difference. "
        f"The average is {format_number(found.mean_pieces)} per task."
    )
    said = paragraphs(every, sentences.describe_search(found), text)
    return f"{said}\n<figure>{chart('pieces', 'number of tasks by number of pieces')}</figure>"


def write_tasks(found: Findings) -> str:
    """Return the tasks one by one, in a table that sorts."""
    words = found.words
    noun = "Regret" if words.lost else "Reward"
    head = ["Task", "Arms", "Rewards recorded", f"{noun}, learned"]
    if found.usual:
        head.append(f"{noun}, {found.parameter} = {format_number(next(iter(found.usual)))}")
    head += [f"{'Least' if words.lost else 'Most'} with any {found.parameter}", "Pieces"]
    titles = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{plain(title)}</button></th>' for title in head
    )
    body = "\n".join(_write_task(row, words) for row in found.rows)
    caption = f"{len(found.rows):,} of {found.n_tasks:,} tasks" if len(found.rows) < found.n_tasks else "all tasks"
    even = (", drawn at random" if found.sampled else ", evenly spaced") if len(found.rows) < found.n_tasks else ""
    return "\n".join(
        (
            paragraphs(
                f"Shown: {caption}{even}. Click a column title to sort. These are the training tasks; "
                f"{sentences.describe_each_run(found)}."
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


def write_reading(found: Findings) -> str:
    """Return how the data was read."""
    parts = [facts(found.reading)]
    if found.n_rejected:
        few = len(found.rejected) < found.n_rejected
        caption = f"Rejected rows: {(f'the first {len(found.rejected):,} of ' if few else '')}{found.n_rejected:,}"
        rows = [
            [clip(file), clip(line), clip(reason, 200), clip(value)] for file, line, reason, value in found.rejected
        ]
        parts.append(table(caption, ["File", "Line", "Reason", "Value"], rows))
    return "\n".join(parts)
