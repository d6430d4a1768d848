"""The parts of the page as HTML."""

from banditune.evaluation.guarantees import Guarantees
from banditune.report import sentences
from banditune.report.curve_figure import draw_curve
from banditune.report.findings import Findings
from banditune.report.gains import has_rate, list_gains
from banditune.report.learned_prior import write_prior, write_prior_means
from banditune.report.markup import chart, clip, facts, fold, paragraphs, place_figure, plain, section, table
from banditune.report.tables import write_families, write_held_out, write_horizons, write_tasks
from banditune.report.wording import describe_saving, describe_settings, format_interval, format_number
from banditune.tasks.units import THOUSAND
from banditune.tuning.priors.fitted_prior import FittedPrior

MOST_CODE = 4_000  # characters of an example


def write_sections(found: Findings) -> list[str]:
    """Return the parts of the page in their order; what only few want to know is folded."""
    name, measure, study = found.parameter, found.words.measure, found.study
    fitted = found.tuned.find(FittedPrior)
    parts = [
        section("Which policy?", write_families(study.families, found.words)) if study.families is not None else "",
        section("Held-out tasks", write_held_out(found)),
        section(f"{measure[:1].upper()}{measure[1:]} for every {name}", write_curve(found)),
        section("Horizon", write_horizons(found)) if found.horizons else "",
        write_prior_means(found),
        write_prior(fitted, found.tuned.params["prior"], found.words) if fitted is not None else "",
        section("Use the result", write_usage(found)),
        fold("Guarantees", write_guarantees(study.guarantees, found)) if study.guarantees is not None else "",
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
    if found.held_out:
        level = found.held_out[0].loss.mean
        noun = "regret" if words.lost else "reward"
        gains = list_gains(found.held_out, words, found.tuned.horizon)[1:]
        tiles += [(f"{noun} with {gain.name}", gain.remark if words.lost else gain.difference) for gain in gains]
    where = ", held-out tasks" if found.held_out else ""
    tiles.append((f"{words.measure}{where}", format_number(words.sign * level)))
    if has_rate(words, found.tuned.horizon):
        tiles.append((words.units.per_thousand, format_number(words.sign * level * THOUSAND / found.tuned.horizon)))
    tiles.append(("training tasks", f"{found.n_tasks:,}"))
    shown = "\n".join(f"<div><dt>{plain(label)}</dt><dd>{plain(value)}</dd></div>" for label, value in tiles)
    lead = paragraphs(sentences.describe_reason(found), kind="why") + paragraphs(
        *sentences.describe_answer(found), kind="lead"
    )
    if found.tuned.replay is not None:
        lead += paragraphs(*(f"Caution: {doubt}." for doubt in found.tuned.replay.warnings), kind="caution")
    return f'{lead}\n<dl class="tiles">\n{shown}\n</dl>\n{paragraphs(sentences.explain_measure(words), kind="note")}'


def write_curve(found: Findings) -> str:
    """Return the mean loss for every value."""
    name, words = plain(found.parameter), found.words
    buttons = ""
    if found.curve.log is not None:
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
    if found.matched is None:
        return ""
    label = f"matched events for every {found.parameter}; {found.n_matched:,} at {format_number(found.learned)}"
    how = f"<figcaption>{plain(sentences.MATCHING)}</figcaption>"
    return f"<h3>Matched events</h3>\n<figure>{chart('matched', label)}{how}</figure>"


def write_combinations(found: Findings) -> str:
    """Return the combinations of other parameters that were tried; empty if there was only one."""
    tuned, name = found.tuned, found.parameter
    if not tuned.compared:
        return ""
    head = ["", f"best {name}", found.words.measure]
    rows = [
        [
            plain(describe_settings(tuned.policy_class, each.params, name)),
            format_number(each.params[name]),
            format_number(found.words.sign * each.loss),
        ]
        for each in tuned.compared
    ]
    return table("Settings compared", head, rows, kind="numbers")


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
    learned = "recommended" if found.tuned.smoothed is not None else "learned"
    head = ["against", f"{words.measure}, {learned}", f"{found.parameter} {learned} of the other half", "tasks"]
    said = paragraphs(*sentences.describe_certificate(promises, found.parameter, words))
    return f"{said}\n{table('On a held-out half of the tasks', head, rows, kind='numbers')}" if rows else said


def write_usage(found: Findings) -> str:
    """Code that runs the result; of other libraries, one at a time where scripts run, else all."""
    policy, seen = found.tuned.policy_class, "contexts" if found.tuned.policy_class.contextual else ""
    if found.tuned.encoding is not None:
        new_task = "configurations=[...]"
    else:
        known = {"points": "points", "n_arms": found.rows[0].n_arms, "arms": "names"}
        known |= {"dim": found.study.tasks[0].dim} if policy.contextual else {}
        new_task = ", ".join(f"{name}={known[name]}" for name in policy.needs)
    lines = (
        "import banditune as bt\n\n"
        f'policy = bt.load("tuned.json").policy({new_task})  # of the new task\n'
        f"arm = policy.select({seen})  # which arm to play\n"
        f"policy.update(arm, reward{f', {seen}' * bool(seen)})  # what it gave\n"
    )
    parts = [paragraphs("The result is in tuned.json, next to this page."), _write_code(lines)]
    if found.libraries:
        panels = "\n".join(
            f'<div id="library-{k}"><h3>{clip(library)}</h3>\n{_write_code(lines)}\n'
            f"{paragraphs(remark[:MOST_CODE], kind='note')}</div>"
            for k, (library, lines, remark) in enumerate(found.libraries)
        )
        parts += [
            paragraphs("The same exploration in the parameters of other libraries:"),
            f'<div class="tabs">\n{panels}\n</div>',
        ]
    return "\n".join(parts)


def _write_code(lines: str) -> str:
    """Return some lines of code, which can be copied where scripts run."""
    shown = "\n".join(plain(line) for line in lines[:MOST_CODE].splitlines())
    return f'<div class="code"><pre><code>{shown}</code></pre></div>'


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
    every = f"Every {name} from {format_interval(found.tuned.interval)} has the same, the least loss on these tasks."
    if found.tuned.smoothed is not None:
        every += (
            f" Such a narrow minimum is largely noise. Recommended is {name} = {format_number(found.learned)}: "
            "there, the loss averaged over a neighbourhood is least."
        )
    counted = "task" if found.tuned.draws == 1 else "drawn run"
    text = (
        f"Between two breakpoints of its loss, a task has the same run for every {name}. The number of pieces is the "
        f"number of different outcomes: 1 means that {name} makes no difference. "
        f"The average is {format_number(found.tuned.complexity)} per {counted}."
    )
    if found.tuned.draws > 1:
        text += " A task has about as many as all of its drawn runs together, as its loss is their mean."
    said = paragraphs(every, sentences.describe_search(found), text)
    return f"{said}\n<figure>{chart('pieces', 'number of tasks by number of pieces')}</figure>"


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
