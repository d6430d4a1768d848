"""The parts of the page as HTML."""

from banditune.report import sentences
from banditune.report.findings import Findings
from banditune.report.markup import chart, clip, paragraphs, plain, table
from banditune.report.task_table import TaskRow
from banditune.report.wording import Words, describe_saving, from_to, numeral
from banditune.tuning.prior_search import PriorFindings

MOST_CODE = 4_000  # characters


def answer(found: Findings) -> str:
    """The answer in words, and the numbers to remember."""
    words = found.words
    tiles = [(f"learned {found.parameter}", numeral(found.learned))]
    if found.comparison is None:
        tiles.append((words.measure, numeral(words.sign * found.loss)))
    else:
        tiles.append((f"{words.measure}, held-out tasks", numeral(words.sign * found.comparison.learned.mean)))
        tiles += [
            (f"with {against.name}", numeral(words.sign * against.loss.mean)) for against in found.comparison.against
        ]
    tiles.append(("training tasks", f"{found.n_tasks:,}"))
    shown = "\n".join(f"<div><dt>{plain(label)}</dt><dd>{plain(value)}</dd></div>" for label, value in tiles)
    lead = paragraphs(*sentences.answer(found), kind="lead")
    if found.replay is not None:
        lead += paragraphs(*(f"Caution: {doubt}." for doubt in found.replay.warnings), kind="caution")
    return f'{lead}\n<dl class="tiles">\n{shown}\n</dl>\n{paragraphs(sentences.meaning(words), kind="note")}'


def curve(found: Findings) -> str:
    """The mean loss for every value."""
    name, words = plain(found.parameter), found.words
    buttons = ""
    if found.log is not None:
        buttons = (
            f'<div class="scales" role="group" aria-label="Scale of the {name} axis">'
            '<button type="button" data-scale="linear" aria-pressed="false">Linear</button>'
            '<button type="button" data-scale="log" aria-pressed="false">Log</button></div>'
        )
    label = f"{words.measure} for every {found.parameter}; best at {numeral(found.learned)}"
    return "\n".join(
        (
            paragraphs(sentences.describe_range(found), sentences.defaults_outside(found)),
            f"<figure>{buttons}{chart('curve', label)}",
            f"<figcaption>{plain(sentences.describe_chart(found))}</figcaption></figure>",
            matched_events(found),
            combinations(found),
        )
    )


def matched_events(found: Findings) -> str:
    """How many events of the logs counted, beneath the curve; empty if the tasks were no logs."""
    if found.replay is None:
        return ""
    label = f"matched events for every {found.parameter}; {found.replay.matched:,} at {numeral(found.learned)}"
    how = plain(sentences.describe_matching(found))
    return f"<h3>Matched events</h3>\n<figure>{chart('matched', label)}<figcaption>{how}</figcaption></figure>"


def combinations(found: Findings) -> str:
    """The combinations of other parameters that were tried; empty if there was only one."""
    if not found.compared:
        return ""
    head = ["", f"best {found.parameter}", found.words.measure]
    rows = [
        [plain(settings), numeral(value), numeral(found.words.sign * loss)] for settings, value, loss in found.compared
    ]
    return table("Settings compared", head, rows, kind="numbers")


def held_out(found: Findings) -> str:
    """The learned value against those that people use, on held-out tasks."""
    compared, words = found.comparison, found.words
    if found.priors is not None:
        return ways_to_learn(found, found.priors)
    if compared is None and found.n_tasks > 1:
        return paragraphs(f"No cross-validation here. {sentences.on_these_tasks(found)}".rstrip())
    if compared is None:
        return paragraphs("Cross-validation needs at least two tasks.")
    extra = "extra regret" if words.lost else "reward missed"
    learned = compared.learned.flip(words.sign)
    rows = [["learned", numeral(learned.mean), plain(sentences.ninety_five(learned)), "", "", ""]]
    for against in compared.against:
        loss = against.loss.flip(words.sign)
        rows.append(
            [
                plain(against.name + " (current)" * against.is_current),
                numeral(loss.mean),
                plain(sentences.ninety_five(loss)),
                numeral(against.extra.mean),
                plain(sentences.ninety_five(against.extra)),
                f"{against.n_worse:,} / {against.n_equal:,} / {against.n_better:,}",
            ]
        )
    head = ["", words.measure, "95% interval", extra, "95% interval", "tasks: worse / equal / better"]
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
    return "\n".join((paragraphs(how), figure, standing, guarantees(found)))


def guarantees(found: Findings) -> str:
    """What can be promised of new tasks; empty if that was not asked for."""
    if found.promises is None:
        return ""
    certificate, words = found.promises.certificate, found.words
    rows = [
        [
            f"{plain(found.parameter)} = {numeral(each.over)}",
            plain(describe_saving(each, words)),
            numeral(each.value),
            f"{each.n_tasks:,}",
        ]
        for each in found.promises.improvements
    ]
    head = ["against", f"{words.measure}, learned", f"{found.parameter} learned on the other half", "tasks"]
    return "\n".join(
        (
            "<h3>Guarantees</h3>",
            paragraphs(*sentences.promise(certificate, found.parameter, words)),
            table("On a held-out half of the tasks", head, rows, kind="numbers"),
        )
    )


def ways_to_learn(found: Findings, priors: PriorFindings) -> str:
    """Alpha alone, priors by means, priors and alpha together: on held-out tasks."""
    words = found.words
    head = ["", f"{words.measure}, held-out tasks", "standard error", f"{words.measure}, training tasks", ""]
    rows = [
        [
            plain(each.name),
            numeral(words.sign * each.held_out) if priors.n_folds else "not measured",
            numeral(each.error) if priors.n_folds else "",
            numeral(words.sign * each.loss),
            "chosen" if each.name == priors.chosen else "",
        ]
        for each in priors.candidates
    ]
    return "\n".join(
        (paragraphs(sentences.describe_selection(priors)), table("Ways to learn", head, rows, kind="numbers"))
    )


def arms(found: Findings) -> str:
    """What was learned of each arm; empty if nothing was."""
    if found.priors is None or not found.priors.arms:
        return ""
    rows = [
        [
            clip(str(each.arm)),
            numeral(each.mean),
            plain(from_to(each.within_one_se)),
            numeral(each.observed),
            f"{each.n_tasks:,}",
        ]
        for each in sorted(found.priors.arms, key=lambda each: -each.mean)
    ]
    head = ["", "prior mean", "within one standard error", "mean observed reward", "number of tasks"]
    return "\n".join(
        (
            "<section>",
            "<h2>Learned priors</h2>",
            paragraphs(sentences.describe_priors(found)),
            f"<figure>{chart('priors', 'prior means of the arms with the ranges within one standard error')}</figure>",
            table("Arms, highest prior mean first", head, rows, kind="numbers"),
            "</section>",
        )
    )


def learning(found: Findings) -> str:
    """Whether there are enough tasks."""
    text = paragraphs(sentences.enough_tasks(found))
    if found.learning is None:
        return text
    label = f"{found.words.measure} on held-out tasks by number of training tasks"
    how = plain(sentences.describe_learning_curve(found.learning, found.n_tasks))
    return f"{text}\n<figure>{chart('learning', label)}<figcaption>{how}</figcaption></figure>"


def pieces(found: Findings) -> str:
    """How many pieces the tasks have."""
    name = found.parameter
    text = (
        f"Between two breakpoints of its loss, a task has the same run for every {name}. The number of pieces is the "
        f"number of different outcomes: 1 means that {name} makes no difference. "
        f"The average is {numeral(found.mean_pieces)} per task."
    )
    if found.raced:
        text += " That is over the whole range, of the first tasks raced; the chart counts the range swept on all."
    return f"{paragraphs(text)}\n<figure>{chart('pieces', 'number of tasks by number of pieces')}</figure>"


def tasks(found: Findings) -> str:
    """The tasks one by one, in a table that sorts."""
    words = found.words
    noun = "Regret" if words.lost else "Reward"
    head = ["Task", "Arms", "Rewards recorded", f"{noun}, learned"]
    if found.usual:
        head.append(f"{noun}, {found.parameter} = {numeral(next(iter(found.usual)))}")
    head += [f"{'Least' if words.lost else 'Most'} with any {found.parameter}", "Pieces"]
    titles = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{plain(title)}</button></th>' for title in head
    )
    body = "\n".join(_task_row(row, words) for row in found.rows)
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


def _task_row(row: TaskRow, words: Words) -> str:
    losses = [loss for loss in (row.learned, row.default, row.least) if loss is not None]
    numbers: list[float] = [row.n_arms, row.n_rewards, *(words.sign * loss + 0.0 for loss in losses), row.n_pieces]
    cells = "".join(f'<td data-value="{number!r}">{numeral(number)}</td>' for number in numbers)
    return f'<tr><th scope="row">{clip(row.name)}</th>{cells}</tr>'


def reading(found: Findings) -> str:
    """How the data was read; empty if nothing is known about it."""
    labelled = "".join(f"<div><dt>{clip(label)}</dt><dd>{clip(text, 600)}</dd></div>" for label, text in found.reading)
    parts = [f'<dl class="facts">{labelled}</dl>'] if labelled else []
    if found.n_rejected:
        few = len(found.rejected) < found.n_rejected
        caption = f"Rejected rows: {(f'the first {len(found.rejected):,} of ' if few else '')}{found.n_rejected:,}"
        rows = [
            [clip(file), clip(line), clip(reason, 200), clip(value)] for file, line, reason, value in found.rejected
        ]
        parts.append(table(caption, ["File", "Line", "Reason", "Value"], rows))
    if not parts:
        return ""
    return "\n".join(("<section>", "<h2>How the data was read</h2>", *parts, "</section>"))


def use(found: Findings) -> str:
    """How to run what was learned."""
    seen = "contexts" if found.contextual else ""
    code = (
        "import banditune as bt\n\n"
        f'policy = bt.load("tuned.json").policy({found.made_for})  # of the new task\n'
        f"arm = policy.select({seen})  # which arm to play\n"
        f"policy.update(arm, reward{f', {seen}' * bool(seen)})  # what it gave\n"
    )
    parts = [
        paragraphs("The result is in tuned.json, next to this page."),
        f"<pre><code>{plain_lines(code)}</code></pre>",
    ]
    if found.libraries:
        parts.append(paragraphs("The same exploration in the parameters of other libraries:"))
    for library, lines, remark in found.libraries:
        parts.append(f"<h3>{clip(library)}</h3>\n<pre><code>{plain_lines(lines[:MOST_CODE])}</code></pre>")
        parts.append(paragraphs(remark[:MOST_CODE], kind="note"))
    return "\n".join(parts)


def plain_lines(text: str) -> str:
    """Several lines of text as HTML."""
    return "\n".join(plain(line) for line in text.splitlines())
