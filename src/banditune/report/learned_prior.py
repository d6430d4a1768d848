"""The section of the page on a Gaussian prior: what was compared, what is expected of arms, which go together."""

import math

from banditune.policies.gaussian.prior import GaussianPrior
from banditune.report.markup import clip, paragraphs, place_figure, plain, section, table
from banditune.report.prior_figure import MOST_ARMS, draw_correlation, draw_means
from banditune.report.wording import Words, format_number
from banditune.tuning.priors.fitted_prior import ALONE, FittedPrior

NO_PRIOR = "no prior helps on these tasks: chosen"


def write_prior(fitted: FittedPrior, prior: GaussianPrior, words: Words) -> str:
    """Return the section as HTML."""
    parts = [paragraphs(_describe_choice(fitted)), _write_structures(fitted, words)]
    if fitted.arms:
        few = "" if len(fitted.arms) <= MOST_ARMS else f" {MOST_ARMS} of {len(fitted.arms):,} are drawn."
        parts += [paragraphs(_describe_arms(fitted, prior) + few), place_figure(draw_means(fitted.arms))]
        if prior.structure not in ("independent", "exchangeable") and len(fitted.arms) > 1:
            parts += [place_figure(draw_correlation(prior)), paragraphs(_describe_correlation(prior), kind="note")]
        parts.append(_write_arms(fitted))
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


def _describe_correlation(prior: GaussianPrior) -> str:
    return (
        "Arms that go together stand side by side. Where an arm does worse in a task than expected, those that go with "
        "it are expected to do worse, too, without being pulled. Prior and observed means differ where the tasks that "
        "lack an arm were easier or harder than others."
    )


def _write_arms(fitted: FittedPrior) -> str:
    head = ["", "prior mean", "standard deviation over tasks", "mean observed reward", "number of tasks"]
    rows = [
        [
            clip(str(each.arm)),
            format_number(each.mean),
            format_number(each.sd),
            format_number(each.observed),
            f"{each.n_tasks:,}",
        ]
        for each in sorted(fitted.arms, key=lambda each: -each.mean)
    ]
    return table("Arms, highest prior mean first", head, rows, kind="numbers")
