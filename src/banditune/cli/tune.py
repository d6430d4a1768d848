"""banditune tune: from past tasks to the exploration with the least loss on them."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.cluster import ClusterOptions, may_use_a_cluster
from banditune.cli.log_options import LogOptions, reads_any_log
from banditune.cli.loss_options import LossOptions, takes_loss
from banditune.cli.options import (
    AsJson,
    Bound,
    Logs,
    Seed,
    Unit,
    Workers,
    draws_option,
    example_option,
    out_option,
    read_workers,
    whole_option,
    with_options,
)
from banditune.cli.policy_options import policy_options, read_settings
from banditune.cli.update_options import takes_updates
from banditune.policies.registry import find_tunable_policies

if TYPE_CHECKING:
    from banditune.policies.updates import Updates
    from banditune.tuning.question import Question


# Optional is what Typer reads best.
@with_options("settings", policy_options, dict)
@takes_updates
@takes_loss()
@may_use_a_cluster
@reads_any_log
def tune(
    logs: Logs = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Policy to tune: {', '.join(find_tunable_policies())}; linucb is for a log with features, gpucb for "
            "configurations. all: every policy that chooses by rewards alone, to find out which.",
        ),
    ] = "ucb",
    horizon: Annotated[
        Optional[int],  # noqa: UP045
        whole_option(
            "Rounds of a run; with features, events of a log.",
            "the median length of the tasks; gpucb: 20; whole logs",
            "T",
        ),
    ] = None,
    priors: Annotated[
        bool,
        typer.Option(
            "--priors",
            help="Arms come back in task after task: learn what to expect of them, too. Tunes gaussianucb.",
        ),
    ] = False,
    draws: Annotated[
        Optional[int],  # noqa: UP045
        draws_option("Streams drawn for each task", "as many as it takes, at most 20"),
    ] = None,
    current: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="VALUE",
            help="Value of the searched parameter that is used today, to compare with on held-out tasks.",
            show_default=False,
        ),
    ] = None,
    certify: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="D",
            help="Bound the loss on new tasks with probability at least 1 - D, such as 0.05.",
            show_default=False,
        ),
    ] = None,
    bound: Bound = None,
    seed: Seed = 0,
    workers: Workers = None,
    resume: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="DIR",
            help="Checkpoint folder: rerun the same command to resume a killed run.",
            show_default=False,
        ),
    ] = None,
    racing: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option(
            "--racing/--no-racing",
            help="Sweep the whole range on a few tasks, and on further ones only what can still be best.",
            show_default="from 10,000 tasks on, without --certify",
        ),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("tuned.json (its curves beside it), report.html and the figure curve.svg"),
    ] = None,
    as_json: AsJson = False,
    unit: Unit = None,
    example: Annotated[
        Optional[str],  # noqa: UP045
        example_option("lcdb"),
    ] = None,
    *,
    settings: Mapping[str, Any],
    updates: "Updates | None",
    objective: LossOptions,
    cluster: ClusterOptions,
    reading: LogOptions,
) -> None:
    """Learn the exploration parameter with the least mean loss on past tasks, exactly.

    A log has one row per pull (columns task, arm, reward) or totals such as those of A/B tests (task, arm, pulls,
    successes), as CSV, Parquet or JSON lines. Without a log, 160 bundled model-selection tasks are used.

    A policy pulls the arm with the largest index, in which the searched parameter scales the exploration:

      INDICES

    Example: banditune tune headlines.csv --task test --arm headline --reward clicked --out results

    A contextual bandit: a log of randomised choices with features tunes LinUCB by off-policy evaluation (replay):
    banditune tune mails.csv --policy linucb --arm mail --reward visited --features x_

    Bayesian optimisation: a table of configurations and results tunes GP-UCB (without a table, a bundled one):
    banditune tune runs.csv --policy gpucb --task dataset --reward accuracy --parameter lr:log --parameter depth
    """
    from banditune.cli.cluster import study_partitions
    from banditune.cli.first_run import compile_aside
    from banditune.cli.output import LOADING, reject_file, say, share_bar, stage_bar
    from banditune.cli.past_tasks import check_columns, past_tasks
    from banditune.cli.signals import tell_resumption
    from banditune.cli.tune_output import print_study
    from banditune.errors import ParameterError
    from banditune.evaluation.certificate import check_delta, loss_limits
    from banditune.evaluation.guarantees import guarantee
    from banditune.policies.losses import LOSSES
    from banditune.policies.registry import find_tunable
    from banditune.tasks.units import Units
    from banditune.tuning.families import ALL, FIRST
    from banditune.tuning.held_out_baselines import Current
    from banditune.tuning.question import Question
    from banditune.tuning.study import study

    started = time.perf_counter()
    every = policy == ALL
    chosen = find_tunable(FIRST if every else policy, ALL)  # all of them run on tasks as the first does
    if every:
        named = {"--priors": priors, "--current": current is not None, "--certify": certify is not None}
        named |= {f"--{name.replace('_', '-')}": bool(given) for name, given in settings.items()}
        for name in (name for name, is_given in named.items() if is_given):
            raise ParameterError(f"{name} is for a single policy; --policy all searches the own range of each")
    if priors and chosen.with_priors is not None:
        chosen = find_tunable(chosen.with_priors)
    if priors and not chosen.fits_prior({}):
        raise ParameterError(f"--priors needs a policy that learns what to expect of arms, as ucb does; got {policy}")
    columns = reading.columns()
    shared = {} if updates is None else {"updates": updates}
    parameters = {**chosen.usual_settings, **read_settings(chosen, settings), **shared}
    measured, costs = objective.choose(), objective.terms["costs"]
    question = Question.of(chosen, parameters, horizon=horizon, loss=measured, seed=seed, extend=True, draws=draws)
    # invalid options fail before a log is read
    n_workers = read_workers(workers)
    of_all_tasks = {
        "--policy all": every,
        "--cost": costs is not None,
        "--certify": certify is not None,
        "--racing": bool(racing),
        "--query": reading.query is not None,
    }
    needed = [name for name, is_given in of_all_tasks.items() if is_given]
    partitioned = cluster.reads_partitions(question, logs or [], columns, needed)
    today = None if current is None else {question.parameter: current}
    if today is not None:
        Current.of(question, today)
    if certify is not None:
        check_delta(certify, "--certify")
        check_certificate(question, racing=racing)
        racing = False
    elif bound is not None:
        raise ParameterError("--bound needs --certify")
    for path in (out, resume):
        if path is not None:
            reject_file(path)
    question.check()
    if logs or columns or not chosen.bundled:
        check_columns(chosen, columns)
    if columns.get("features") is not None and objective.name is not None and not measured.fits_logs:
        raise ParameterError(
            "off-policy replay of a log with features estimates rewards only: leave out --loss, or give --loss reward"
        )
    if not partitioned:
        compile_aside()
        past = past_tasks(chosen, logs or [], columns, **reading.how, memory=reading.memory, example=example)
        by = measured if objective.name is not None else replace(LOSSES[past.loss], tail=measured.tail)
        settled = replace(question, horizon=past.horizon if horizon is None else horizon, loss=by)
        if certify is not None:
            loss_limits(bound, past.reward_limits, loss=settled.loss, horizon=1)
        notes = past.notes(settled.horizon)
        for _, note in notes:
            say(f"Note: {note}.")
        bar = stage_bar(LOADING, n_workers if cluster.address is None else None)
        with tell_resumption(resume), cluster.executor(n_workers) as executor, bar as progress:
            found = study(
                ALL if every else chosen,
                past.tasks,
                horizon=horizon if past.log is not None else settled.horizon,
                current=today,
                loss=settled.loss.name,
                **objective.terms,
                seed=seed,
                draws=draws or (None if every or chosen.is_randomised or measured.later else past.draws),
                executor=executor,
                progress=progress,
                resume=resume,
                racing=racing,
                **(shared if every else parameters),
            )
        found = replace(found, notes=(*past.source, *notes), units=past.name_units(unit))
    else:
        read = reading.how | {"columns": columns, "memory": reading.memory}
        found = study_partitions(question, cluster, logs or [], read, today, n_workers=n_workers, resume=resume)
        found = replace(found, chose_horizon=horizon is None, units=Units.infer(found.tuned.origin, unit))
    found = replace(found, seconds=time.perf_counter() - started)
    if certify is not None:
        found = replace(found, guarantees=guarantee(found.tuned, found.usual, delta=certify, bound=bound))
    if out is not None:
        with share_bar("Writing the report") as share:
            written = found.report(out, progress=partial(share, "Learning from fewer tasks"))
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(found.summary(), indent=2))
    else:
        print_study(found)


def check_certificate(question: "Question", *, racing: bool | None) -> None:
    """Check before the work whether a certificate is possible: it needs tasks that nothing was learned from."""
    from banditune.errors import ParameterError

    if racing:
        raise ParameterError("--certify needs every task over the whole range: leave out --racing")
    if question.loss.tail is not None:
        raise ParameterError("--certify bounds the mean over all tasks: leave out --tail")
    known = question.policy.parameters
    together = (
        ["a prior"] * question.fits_prior
        + ["prior means"] * question.wants_priors
        + ["several parameters in turn"] * question.alternates
    )
    given: Any
    for name, given in question.parameters.items():
        values = known[name].values(given) if known[name].are_several(given) else (given,)
        together += [known[name].describe(value) for value in values if known[name].needs_tasks(value)]
    if together:
        raise ParameterError(
            f"--certify needs a single searched parameter: {together[0]} would be learned from all tasks together, so "
            "none is held out. In Python, tuned.certificate(tasks=...) takes held-out tasks"
        )


def _list_indices() -> str:
    """List every policy with its index, indented lines."""
    return "\n      ".join(f"{policy.__name__}: {policy.index}" for policy in find_tunable_policies().values())


tune.__doc__ = (tune.__doc__ or "").replace("INDICES", _list_indices())
