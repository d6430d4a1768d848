"""banditune tune: from past tasks to the exploration with the least loss on them."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.cluster import ClusterOptions
from banditune.cli.log_options import LogOptions
from banditune.cli.option_groups import with_options
from banditune.cli.options import AsJson, Bound, Unit, Workers, example_option, out_option, read_workers
from banditune.cli.question_options import QuestionOptions
from banditune.errors import ParameterError
from banditune.policies.registry import find_tunable, find_tunable_policies

if TYPE_CHECKING:
    from banditune.policies.base import Policy


# Optional is what Typer reads best.
@with_options
def tune(
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Policy to tune: {', '.join(find_tunable_policies())}; linucb is for a log with features, gpucb for "
            "configurations. all: compare every policy that uses rewards alone.",
        ),
    ] = "ucb",
    *,
    asked: QuestionOptions,
    priors: Annotated[
        bool,
        typer.Option(
            "--priors",
            help="Arms recur from task to task: also learn a Gaussian prior over them. Tunes gaussianucb.",
        ),
    ] = False,
    current: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="VALUE",
            help="Value of the searched parameter that you use today: a baseline on held-out tasks.",
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
            help="Racing: search the whole range on a few tasks, then only the values that may still be best.",
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
    from banditune.cli.past_tasks import read_past_tasks
    from banditune.cli.signals import tell_resumption
    from banditune.cli.tune_output import print_study
    from banditune.evaluation.guarantees import check_guarantee
    from banditune.tasks.units import Units
    from banditune.tuning.families import ALL
    from banditune.tuning.held_out_baselines import Current
    from banditune.tuning.study import study

    started = time.perf_counter()
    # invalid options fail before a log is read
    every = policy == ALL
    single = {"--priors": priors, "--current": current is not None, "--certify": certify is not None}
    chosen = choose_policy(policy, priors=priors, single={**single, **asked.name_settings()})
    columns = reading.columns_for(chosen)
    question = asked.ask(chosen)
    n_workers = read_workers(workers)
    of_all_tasks = {
        "--policy all": every,
        "--cost": asked.objective.terms["costs"] is not None,
        "--certify": certify is not None,
        "--racing": bool(racing),
        "--query": reading.query is not None,
    }
    needed = [name for name, is_given in of_all_tasks.items() if is_given]
    partitioned = cluster.reads_partitions(question, reading.logs, columns, needed)
    today = None if current is None else {question.parameter: current}
    if today is not None:
        Current.of(question, today)
    check_guarantee(question, certify, bound, racing)
    for path in (out, resume):
        if path is not None:
            reject_file(path)
    question.check()
    if columns.get("features") is not None and asked.objective.name is not None and not question.loss.fits_logs:
        raise ParameterError(
            "off-policy replay of a log with features estimates rewards only: leave out --loss, or give --loss reward"
        )
    if partitioned:
        how: dict[str, Any] = {"n_workers": n_workers, "resume": resume}
        found = study_partitions(question, cluster, reading, columns, today, **how)
        found = replace(found, chose_horizon=asked.horizon is None, units=Units.infer(found.tuned.origin, unit))
    else:
        compile_aside()
        past = read_past_tasks(chosen, reading, example)
        settled = asked.settle(question, past)
        notes = past.notes(settled.horizon)
        for _, note in notes:
            say(f"Note: {note}.")
        bar = stage_bar(LOADING, n_workers if cluster.address is None else None)
        draws_own = every or chosen.is_randomised or question.loss.later  # what is drawn of bundled tasks will not do
        with tell_resumption(resume), cluster.executor(n_workers) as executor, bar as progress:
            found = study(
                ALL if every else chosen,
                past.tasks,
                horizon=asked.horizon if past.log is not None else settled.horizon,
                current=today,
                loss=settled.loss.name,
                **asked.objective.terms,
                seed=asked.seed,
                draws=asked.draws or (None if draws_own else past.draws),
                executor=executor,
                progress=progress,
                resume=resume,
                racing=racing,
                certify=certify,
                bound=bound,
                **(asked.shared if every else question.parameters),
            )
        found = replace(found, notes=(*past.source, *notes), units=past.name_units(unit))
    found = replace(found, seconds=time.perf_counter() - started)
    if out is not None:
        with share_bar("Writing the report") as share:
            written = found.report(out, progress=partial(share, "Learning from fewer tasks"))
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(found.summary(), indent=2))
    else:
        print_study(found)


def choose_policy(name: str, *, priors: bool, single: Mapping[str, bool]) -> "type[Policy[Any]]":
    """Return the policy to tune; of all, the first, which runs on the same tasks as the others do.

    `priors` asks for the one like it that fits a prior of arms; `single` says which options were given that are for
    one policy alone.
    """
    from banditune.tuning.families import ALL, FIRST

    if name == ALL:
        for option in (option for option, is_given in single.items() if is_given):
            raise ParameterError(f"{option} is for a single policy; --policy all searches the default range of each")
    chosen = find_tunable(FIRST if name == ALL else name, ALL)
    if priors and chosen.with_priors is not None:
        chosen = find_tunable(chosen.with_priors)
    if priors and not chosen.fits_prior({}):
        raise ParameterError(f"--priors needs a policy with priors over arms, such as ucb; got {name}")
    return chosen


def _list_indices() -> str:
    """List every policy with its index, indented lines."""
    return "\n      ".join(f"{policy.__name__}: {policy.index}" for policy in find_tunable_policies().values())


tune.__doc__ = (tune.__doc__ or "").replace("INDICES", _list_indices())
