"""banditune compare: which policy should I use?"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.log_options import RewardLogOptions
from banditune.cli.option_groups import with_options
from banditune.cli.options import AsJson, Unit, Workers, out_option, read_workers, whole_option
from banditune.cli.question_options import Asked, ComparisonOptions, name_setting, read_settings
from banditune.errors import ParameterError
from banditune.evaluation.folds import N_FOLDS

if TYPE_CHECKING:
    from banditune.policies.base import Policy

    Learner = tuple[type[Policy[Any]], Mapping[str, Any]]


# Optional is what Typer reads best.
@with_options
def compare(
    policy: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            help="Policy to tune, for tasks of rewards; repeat it to compare several.",
            show_default="every policy that chooses by rewards alone",
        ),
    ] = None,
    *,
    asked: ComparisonOptions,
    no_priors: Annotated[
        bool, typer.Option("--no-priors", help="Learn no priors, even if tasks share their arms.")
    ] = False,
    repetitions: Annotated[int, whole_option("Simulated runs of each policy on each task.", True)] = 1,
    folds: Annotated[
        int, whole_option("Folds of the cross-validation; priors are fitted anew for each.", True)
    ] = N_FOLDS,
    workers: Workers = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("compared.json, compared.html and the figure compared.svg"),
    ] = None,
    as_json: AsJson = False,
    unit: Unit = None,
    reading: RewardLogOptions,
) -> None:
    """Compare tuned policies with baselines on held-out tasks.

    By cross-validation: on each fold, every policy (or what --policy names) runs with what was learned from the other
    folds, along with the same policies as their textbooks have them, equal split, corrals, policies that tune alpha
    online, and more, all on the same rewards.

    Example: banditune compare headlines.csv --task test --arm headline --reward clicked --out results
    """
    from banditune.cli.compare_output import print_comparison, summarize_comparison, write_comparison
    from banditune.cli.output import LOADING, reject_file, say, stage_bar
    from banditune.cli.past_tasks import read_past_tasks
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.policies.comparison_entries import is_prompt
    from banditune.policies.registry import find_policies, find_tunable
    from banditune.simulation.compare import check_learner
    from banditune.simulation.compare import compare as compare_policies
    from banditune.tuning.families import FIRST, list_families
    from banditune.validation import whole_number

    started = time.perf_counter()
    # invalid options fail before a log is read
    measured = asked.objective.choose()
    if not measured.is_lost:
        raise ParameterError(f"--loss must be regret, simple or rollout in a comparison, got '{asked.objective.loss}'")
    chosen = [find_tunable(name) for name in policy or [FIRST]]
    learners = list_learners(chosen, asked, no_priors=no_priors)
    for each, settings in learners:
        check_learner((each, settings))
        asked.ask_with(each, settings).check()
    n_repetitions = whole_number("--repetitions", repetitions, least=1)
    n_folds = whole_number("--folds", folds, least=2)
    n_threads = read_workers(workers)
    if out is not None:
        reject_file(out)
    past = read_past_tasks(chosen[0], reading)
    rounds = past.horizon if asked.horizon is None else asked.horizon
    if policy is None and not any(asked.name_settings().values()):
        families, slow = list_families(past.tasks, rounds, asked.shared, measured)
        learners = [(each.policy, each.settings) for each in families if not (no_priors and each.policy.fits_prior({}))]
        if slow:
            names = ", ".join(f"--policy {each.policy.name}" for each in slow)
            say(f"Left out, as each takes minutes here: {names}.")
    if asked.updates is not None:
        prompt = [each.label for each in find_policies().values() if is_prompt(each)]
        say(f"Left out, as they learn after every reward: {', '.join(prompt)}.")
    with stage_bar(LOADING, n_threads) as progress, Threads(n_threads) as pool:
        compared = compare_policies(
            past.tasks,
            learners,
            horizon=rounds,
            repetitions=n_repetitions,
            folds=n_folds,
            seed=asked.seed,
            loss=measured.name,
            rollout=asked.objective.terms["rollout"],
            recommend=asked.objective.terms["recommend"],
            updates=asked.updates,
            executor=pool,
            progress=progress,
        )
    compared = replace(compared, units=past.name_units(unit))
    seconds = time.perf_counter() - started
    if out is not None:
        written = write_comparison(make_folder(out), compared, past.reading, seconds)
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(summarize_comparison(compared, seconds), indent=2))
    else:
        print_comparison(compared, seconds)


def list_learners(chosen: "Sequence[type[Policy[Any]]]", asked: Asked, *, no_priors: bool) -> "list[Learner]":
    """Return the policies to tune, each with those of the settings that it has; then those with prior means again."""
    given = {option: value for option, value in asked.settings.items() if value is not None}
    for option in given:
        if not any(name_setting(policy, option) in policy.parameters for policy in chosen):
            names = ", ".join(policy.name for policy in chosen)
            raise ParameterError(f"--{option.replace('_', '-')} is no option of {names}: give --policy, too")
    learners: list[Learner] = []
    with_priors: list[Learner] = []
    for policy in chosen:
        own = {option: value for option, value in given.items() if name_setting(policy, option) in policy.parameters}
        settings = read_settings(policy, own)
        priors = {name: settings[name] for name in policy.priors if name in settings}
        learners.append((policy, {name: value for name, value in settings.items() if name not in priors}))
        if no_priors and (priors or policy.fits_prior(settings)):
            option = f"--{next(iter(priors)).replace('_', '-')}" if priors else f"--policy {policy.name}"
            raise ParameterError(f"{option} and --no-priors contradict each other; give only one")
        with_priors += [(policy, settings)] * bool(priors)
    return learners + with_priors
