"""What the page says of learned priors: of prior means beside alpha, and of a Gaussian prior with its pictures."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from banditune.policies.gaussian.prior import GaussianPrior
from banditune.report.findings import Findings
from banditune.report.markup import chart, clip, paragraphs, place_figure, plain, section, table
from banditune.report.prior_figure import MOST_ARMS, draw_correlation, draw_means
from banditune.report.wording import Words, format_interval, format_number
from banditune.tuning.priors.fitted_prior import ALONE, FittedPrior
from banditune.tuning.priors.line_search import PriorFindings
from banditune.validation import format_count

SE, SD = "within one standard error", "standard deviation over tasks"
NO_PRIOR = "no prior helps on these tasks: chosen"
MEANS = (
    "An arm starts from its prior mean (dot) instead of one initial pull. Outside the bar, a value is worse by more "
    "than one standard error, all else being equal; diamonds are the arms' mean observed rewards. Only the order and "
    "the distances matter: arms that are rarely best may lie anywhere below those that are tried first. An arm that "
    "no past task had starts from the highest prior mean."
)
CORRELATION = (
    "Arms that go together stand side by side. Where an arm does worse in a task than expected, those that go with it "
    "are expected to do worse, too, without being pulled. Prior and observed means differ where the tasks that lack an "
    "arm were easier or harder than others."
)


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
    return "\n".join((paragraphs(_describe_selection(priors)), table("Ways to learn", head, rows, kind="numbers")))


def _describe_selection(priors: PriorFindings) -> str:
    """Return how a way to learn was chosen."""
    if priors.n_folds == 0:
        return "No cross-validation: there were too few tasks, or too little time."
    ended = "" if priors.finished else " The search was interrupted; this is the best result so far."
    return (
        "With one prior mean per arm, overfitting is possible. So each way to learn was evaluated by "
        f"cross-validation ({format_count(priors.n_folds, 'part')}); the best one was selected and fitted to all "
        f"tasks. {priors.n_lines:,} lines were searched exactly.{ended}"
    )


def write_prior_means(found: Findings) -> str:
    """Return what was learned of each arm; empty if nothing was."""
    if found.priors is None or not found.priors.arms:
        return ""
    content = "\n".join(
        (
            paragraphs(MEANS),
            f"<figure>{chart('priors', 'prior means of the arms with the ranges within one standard error')}</figure>",
            _write_arms(found.priors.arms, SE, lambda each: plain(format_interval(each.within_one_se))),
        )
    )
    return section("Learned priors", content)


def write_prior(fitted: FittedPrior, prior: GaussianPrior, words: Words) -> str:
    """Return the section on a Gaussian prior: what was compared, what is expected of arms, which go together."""
    parts = [paragraphs(_describe_choice(fitted)), _write_structures(fitted, words)]
    if fitted.arms:
        few = "" if len(fitted.arms) <= MOST_ARMS else f" {MOST_ARMS} of {len(fitted.arms):,} are drawn."
        parts += [paragraphs(_describe_arms(fitted, prior) + few), place_figure(draw_means(fitted.arms))]
        if prior.structure not in ("independent", "exchangeable") and len(fitted.arms) > 1:
            parts += [place_figure(draw_correlation(prior)), paragraphs(CORRELATION, kind="note")]
        parts.append(_write_arms(fitted.arms, SD, lambda each: format_number(each.sd)))
    return section("What to expect of arms", "\n".join(parts))


def _describe_choice(fitted: FittedPrior) -> str:
    how = (
        f"The tasks were divided into {fitted.n_folds} folds. For each structure of the prior and five levels of the "
        "noise, the prior was fitted to all folds but one, and every theta was tried on that one. "
    )
    if not fitted.helps:
        return how + "None of them is better than alpha alone: nothing is expected of arms."
    return how + f"The {fitted.chosen} prior loses least on held-out tasks; it was then fitted to all tasks."


def _write_structures(fitted: FittedPrior, words: Words) -> str:
    head = ["", f"{words.measure}, held-out tasks", "standard error", "theta", "noise times", ""]
    rows = []
    for each in fitted.candidates:
        chosen = each.name == fitted.chosen
        alone = each.name == ALONE
        rows.append(
            [
                plain(f"alpha alone, {format_number(fitted.alpha)}" if alone else f"{each.name} prior"),
                "not measured" if math.isnan(each.held_out) else format_number(words.sign * each.held_out),
                "" if math.isnan(each.error) else format_number(each.error),
                "" if alone else format_number(each.theta),
                "" if alone else format_number(each.noise_factor),
                (NO_PRIOR if alone else "chosen") if chosen else "",
            ]
        )
    return table("Structures of the prior", head, rows, kind="numbers")


def _describe_arms(fitted: FittedPrior, prior: GaussianPrior) -> str:
    best = max(fitted.arms, key=lambda each: each.mean)
    population = prior.population
    return (
        f"{best.arm} is expected to give most, {format_number(best.mean)} give or take {format_number(best.sd)}. An "
        f"arm that no past task had is expected to give {format_number(population.mean)} give or take "
        f"{format_number(math.sqrt(population.variance))}."
    )


def _write_arms(arms: Iterable[Any], title: str, describe: Callable[[Any], str]) -> str:
    """Return what was learned of each arm; one of the columns is described under a title."""
    head = ["", "prior mean", title, "mean observed reward", "number of tasks"]
    rows = [
        [
            clip(str(each.arm)),
            format_number(each.mean),
            describe(each),
            format_number(each.observed),
            f"{each.n_tasks:,}",
        ]
        for each in sorted(arms, key=lambda each: -each.mean)
    ]
    return table("Arms, highest prior mean first", head, rows, kind="numbers")
