"""The page of a comparison: one file that opens offline and asks the network for nothing."""

from collections.abc import Sequence

from banditune.report.comparison_figure import NARROW, draw_comparison
from banditune.report.gains import MUCH_LONGER
from banditune.report.markup import clip, fold, paragraphs, place_figure, plain, section, table
from banditune.report.static_page import write_static_page
from banditune.report.wording import format_interval, format_number
from banditune.simulation.comparison_result import Comparison, Standing
from banditune.tasks.units import THOUSAND
from banditune.validation import format_count

ALIKE = 0.995  # from here on a ratio is 1 in two digits
MOST_NAMES = 5  # in a sentence


def describe_standing(standing: Standing) -> str:
    """Return the interval of what a policy lost more than the reference."""
    return f"{standing.interval.low:+.3g} to {standing.interval.high:+.3g}"


def shows_rates(compared: Comparison) -> bool:
    """Tell whether runs are so long that what is lost in a thousand rounds says more than what is lost in a run."""
    return not compared.loss.later and compared.horizon >= MUCH_LONGER * THOUSAND


def rate_of(standing: Standing, compared: Comparison) -> float:
    """Return what a policy lost in a thousand rounds."""
    return standing.regret * THOUSAND / compared.horizon


def advise(compared: Comparison) -> str:
    """Return which policy to use."""
    reference, first = compared.of(compared.reference), compared.standings[0]
    others = [each for each in compared.standings if each.name != compared.reference]
    better = [each for each in others if each.interval.high < 0.0]
    worse = [each for each in others if each.interval.low > 0.0 and not each.is_level]
    level = [each for each in compared.standings if each.is_level]
    text = f"{first.name} has the least {compared.level}: {first.regret:.4g}"
    if first.name != reference.name and reference.regret > 0.0:
        ratio = first.regret / reference.regret
        text += f", {'hardly below' if ratio > ALIKE else f'{ratio:.2g} times'} that of {reference.name}"
    text += "."
    if first.name == reference.name and first.regret > 0.0 and worse:
        times = f"{worse[0].regret / first.regret:.2g} times as high"
        text += f" The best policy that it clearly beats, {worse[0].name}, has a regret {times}."
    if better and better != [first] and not reference.is_level:
        text += f" Clearly better than {reference.name}: {_name_standings(better)}."
    if len(level) > 1:
        text += f" {_name_standings(level)} show no clear difference"
        text += f": take {compared.simplest}, the simplest of them to run." if compared.simplest is not None else "."
    return text


def _name_standings(standings: list[Standing]) -> str:
    """Return some names in a row; of very many, the first."""
    names = [standing.name for standing in standings]
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return names[0] if len(names) == 1 else f"{'; '.join(names[:-1])} and {names[-1]}"


def describe_knowledge(compared: Comparison) -> dict[str, list[str]]:
    """Return what policies know beforehand, and which of them."""
    found: dict[str, list[str]] = {}
    for standing in compared.standings:
        found.setdefault(standing.knowledge, []).append(standing.name)
    return found


def write_comparison_page(compared: Comparison, reading: Sequence[tuple[str, str]], seconds: float) -> str:
    """Return a comparison as a self-contained HTML document; `reading` says how the tasks were read."""
    drawn = place_figure(draw_comparison(compared), draw_comparison(compared, NARROW))
    knowledge = [[plain(what), clip("; ".join(names), 400)] for what, names in describe_knowledge(compared).items()]
    return write_static_page(
        kicker="Policies on held-out tasks",
        headline=_write_headline(compared),
        answer=paragraphs(advise(compared), _write_settings(compared), kind="lead"),
        sections=(
            section("Regret of every policy", f"{drawn}\n{_write_standings(compared)}"),
            fold("Prior knowledge", table("Prior knowledge", ["knows", "policies"], knowledge)),
        ),
        reading=reading,
        made=f"in {seconds:.1f} s, random seed {compared.seed}",
    )


def _write_headline(compared: Comparison) -> str:
    best = compared.standings[0]
    return f"{best.name} has the least {compared.level}: {format_number(best.regret)}"


def _write_settings(compared: Comparison) -> str:
    return (
        f"{format_count(compared.n_tasks, 'task')}, cross-validation with {format_count(compared.n_folds, 'fold')}: "
        f"on each fold, {compared.reference} uses what was learned from the other folds"
        f"{_describe_learned_range(compared)}. "
        f"Every policy has {format_count(compared.repetitions, 'run')} of {compared.units.count(compared.horizon)} "
        "on each task, with the same rewards."
    )


def _describe_learned_range(compared: Comparison) -> str:
    """Return between which values the parameter of the reference was learned."""
    name = compared.searched[compared.reference].parameter
    values = [each[name] for each in compared.learned[compared.reference]]
    return f", {name} from {format_number(min(values))} to {format_number(max(values))}"


def _write_standings(compared: Comparison) -> str:
    rate = [compared.units.per_thousand] if shows_rates(compared) else []
    head = [
        "",
        f"mean {compared.loss.measure}",
        *rate,
        "extra",
        "95% interval",
        "tasks: worse / equal / better",
        "mean rank",
    ]
    rows = [_write_standing(standing, compared) for standing in compared.standings]
    how = (
        "Equal split gives every arm the same share of the rounds, as most A/B tests do; its loss is computed, not "
        f"simulated. Extra is a policy's regret minus that of {compared.reference} on the same task, averaged over "
        "tasks; where its interval is above 0, the latter is better. Rank 1 is the best on a task. A policy that is "
        "given the horizon or bounds on the rewards knows more than one that is not; bounds are taken from all tasks."
    )
    return f"{table('Results', head, rows, kind='numbers')}\n{paragraphs(how, kind='note')}"


def _write_standing(standing: Standing, compared: Comparison) -> list[str]:
    if standing.name == compared.reference:
        extra, interval, counts = "", "", ""
    else:
        extra, interval = format_number(standing.extra), plain(format_interval(standing.interval))
        equal = compared.n_tasks - standing.worse - standing.better
        counts = f"{standing.worse:,} / {equal:,} / {standing.better:,}"
    rate = [format_number(rate_of(standing, compared))] if shows_rates(compared) else []
    return [
        clip(standing.name),
        format_number(standing.regret),
        *rate,
        extra,
        interval,
        counts,
        format_number(standing.rank),
    ]
