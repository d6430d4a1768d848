"""banditune compare: which policy should I use?"""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.log_options import LogOptions, reads_logs
from banditune.cli.loss_options import LossOptions, takes_loss
from banditune.cli.options import (
    AlphaRange,
    AsJson,
    Horizon,
    Logs,
    Seed,
    Unit,
    Workers,
    out_option,
    pair,
    read_workers,
    whole_option,
)
from banditune.cli.update_options import takes_updates
from banditune.evaluation.folds import N_FOLDS

if TYPE_CHECKING:
    from banditune.policies.base import Policy
    from banditune.policies.updates import Updates


@takes_updates
@takes_loss("loss", "rollout", "recommend")
@reads_logs
def compare(
    logs: Logs = None,
    policy: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            help="Policy to tune, for tasks of rewards; repeat it to compare several.",
            show_default="every policy that chooses by rewards alone",
        ),
    ] = None,
    horizon: Horizon = None,
    alpha: AlphaRange = None,
    prior_means: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH",
            help="Also learn a prior mean for each arm of ucb, in this range, by a search along lines.",
            show_default=False,
        ),
    ] = None,
    no_priors: Annotated[
        bool, typer.Option("--no-priors", help="Learn no priors, even if tasks share their arms.")
    ] = False,
    repetitions: Annotated[int, whole_option("Simulated runs of each policy on each task.", True)] = 1,
    folds: Annotated[
        int, whole_option("Folds of the cross-validation; priors are fitted anew for each.", True)
    ] = N_FOLDS,
    seed: Seed = 0,
    workers: Workers = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("compared.json, compared.html and the figure compared.svg"),
    ] = None,
    as_json: AsJson = False,
    unit: Unit = None,
    *,
    updates: "Updates | None",
    objective: LossOptions,
    reading: LogOptions,
) -> None:
    """Compare tuned policies with baselines on held-out tasks.

    By cross-validation: on each fold, every policy (or what --policy names) runs with what was learned from the other
    folds, along with the same policies as their textbooks have them, equal split, corrals, policies that tune alpha
    online, and more, all on the same rewards.

    Example: banditune compare headlines.csv --task test --arm headline --reward clicked --out results
    """
    from banditune.cli.compare_output import print_comparison, summarize_comparison, write_comparison
    from banditune.cli.output import LOADING, reject_file, say, stage_bar
    from banditune.cli.past_tasks import past_tasks
    from banditune.errors import ParameterError
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.policies.comparison_entries import is_prompt
    from banditune.policies.registry import find_policies, find_tunable
    from banditune.simulation.compare import compare as compare_policies
    from banditune.tuning.families import FIRST, list_families
    from banditune.tuning.question import Question
    from banditune.validation import whole_number

    started = time.perf_counter()
    if no_priors and prior_means is not None:
        raise ParameterError("--prior-means and --no-priors contradict each other; give only one")
    # invalid options fail before a log is read
    measured = objective.choose()
    if not measured.is_lost:
        raise ParameterError(f"--loss must be regret, simple or rollout in a comparison, got '{objective.loss}'")
    chosen = [find_tunable(name) for name in policy or [FIRST]]
    given: dict[str, Any] = {} if alpha is None else {"alpha": pair("--alpha", alpha)}
    shared: dict[str, Any] = {} if updates is None else {"updates": updates}
    priors = None if prior_means is None else pair("--prior-means", prior_means)
    for each in chosen:
        further = {each.priors[0]: priors} if each.priors and priors is not None else {}
        for asked in (given, {**given, **further}):
            Question.of(each, {**shared, **asked}, horizon=horizon, loss=measured, seed=seed, extend=True).check()
    n_repetitions = whole_number("--repetitions", repetitions, least=1)
    n_folds = whole_number("--folds", folds, least=2)
    n_threads = read_workers(workers)
    if out is not None:
        reject_file(out)
    past = past_tasks(chosen[0], logs or [], reading.columns(), **reading.how, memory=reading.memory)
    rounds = past.horizon if horizon is None else horizon
    learners: list[tuple[type[Policy[Any]], Mapping[str, Any]]] = [(each, given) for each in chosen]
    learners += [(each, {**given, each.priors[0]: priors}) for each in chosen if each.priors and priors is not None]
    if policy is None and not given and priors is None:  # which belong to ucb
        families, slow = list_families(past.tasks, rounds, shared, measured)
        learners = [(each.policy, each.settings) for each in families if not (no_priors and each.policy.fits_prior({}))]
        if slow:
            names = ", ".join(f"--policy {each.policy.name}" for each in slow)
            say(f"Left out, as each takes minutes here: {names}.")
    if updates is not None:
        prompt = [each.label for each in find_policies().values() if is_prompt(each)]
        say(f"Left out, as they learn after every reward: {', '.join(prompt)}.")
    bar = stage_bar(LOADING)
    with bar as progress, Threads(n_threads) as pool:
        compared = compare_policies(
            past.tasks,
            learners,
            horizon=rounds,
            repetitions=n_repetitions,
            folds=n_folds,
            seed=seed,
            loss=measured.name,
            **objective.terms,
            updates=updates,
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
