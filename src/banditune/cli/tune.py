"""banditune tune: from past tasks to the exploration that would have lost least."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from banditune.cli.log_options import LogOptions, log_option, reads_logs
from banditune.cli.options import AsJson, Bound, Logs, Seed, Workers, pair, whole

ON_A_CLUSTER = "On a cluster"


# Optional is what Typer reads best.
@reads_logs
def tune(
    logs: Logs = None,
    policy: Annotated[
        str, typer.Option(help="The policy to tune: ucb, linucb for a log with features, gpucb for configurations.")
    ] = "ucb",
    horizon: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="T",
            help="Rounds of a game; with features, events of a log.",
            show_default="fits the tasks, at most 1000; gpucb: 20; whole logs",
        ),
    ] = None,
    alpha: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH",
            help="Of ucb and linucb: the range to search.",
            show_default="fits the scale of the rewards",
        ),
    ] = None,
    noise: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH",
            help="Of gpucb: the range of the noise to search, in units of the rewards' squared spread.",
            show_default="0.0001 100",
        ),
    ] = None,
    beta: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH",
            help="Of gpucb: search the bonus, in multiples of the schedule; with --noise, both in turn.",
            show_default="the schedule",
        ),
    ] = None,
    kernel: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="NAME",
            help="Of gpucb: rbf, matern12, matern32 or matern52; given several times, the best is taken.",
            show_default="rbf",
        ),
    ] = None,
    length_scale: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(
            metavar="L",
            help="Of gpucb: how far points are alike, with parameters laid out from 0 to 1; several as above.",
            show_default="0.1, 0.2, 0.5 and 1",
        ),
    ] = None,
    bonus: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Of gpucb: std, or variance as the paper prints it.", show_default="std"),
    ] = None,
    loss: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="What to keep low: regret, or reward (minus the total).", show_default="regret; with features, reward"
        ),
    ] = None,
    prior_means: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH", help="Of ucb: learn a prior mean for each arm in this range too.", show_default=False
        ),
    ] = None,
    prior_weight: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(
            metavar="LOW HIGH", help="For how many pulls priors count, to be tried from LOW to HIGH.", show_default="1"
        ),
    ] = None,
    ridge: Annotated[
        Optional[list[float]],  # noqa: UP045
        typer.Option(metavar="R", help="Of linucb; given several times, the best is taken.", show_default="1"),
    ] = None,
    scaling: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="HOW",
            help="Of linucb: features as they are (none), divided by their size over all tasks (features), or each "
            "context by its length (contexts); given several times, the best is taken.",
            show_default="none",
        ),
    ] = None,
    certify: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="D",
            help="Say what can be promised of new tasks, but for this chance of being wrong, such as 0.05.",
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
            help="Keep finished work in this folder; killed and started again, go on from there.",
            show_default=False,
        ),
    ] = None,
    cluster: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="ADDRESS",
            help="Work on the Dask cluster whose scheduler is there, or start one here: local. Each file of the LOG is "
            "a partition; all rows of a task must be in one.",
            show_default=False,
            rich_help_panel=ON_A_CLUSTER,
        ),
    ] = None,
    skip_broken: Annotated[
        bool,
        typer.Option(
            "--skip-broken",
            help="Go on without files that cannot be read and tasks that workers die of, and say so.",
            rich_help_panel=ON_A_CLUSTER,
        ),
    ] = False,
    breakpoints: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="N",
            help="Where the mean curve has more breakpoints, merge them and say what that can change.",
            show_default="2,000,000",
            rich_help_panel=ON_A_CLUSTER,
        ),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="Write tuned.json, report.html and the figure curve.svg to this folder."),
    ] = None,
    as_json: AsJson = False,
    features: Annotated[
        Optional[str],  # noqa: UP045
        log_option(shown_as="PREFIX", help_text="What the names of feature columns begin with: a log of contexts."),
    ] = None,
    propensity: Annotated[
        Optional[str],  # noqa: UP045
        log_option(shown_as="COLUMN", help_text="How likely the arm was to be chosen.", default="all arms alike"),
    ] = None,
    parameter: Annotated[
        Optional[list[str]],  # noqa: UP045
        log_option(
            shown_as="NAME[:KIND]",
            help_text="Once for each parameter of a configuration, instead of --arm: its column and, if it is not what "
            "its values look like, linear, log or category.",
        ),
    ] = None,
    *,
    reading: LogOptions,
) -> None:
    """Learn the exploration that would have lost least on past tasks.

    A log has a row for each pull (columns task, arm, reward) or totals (task, arm, pulls, successes), as CSV, Parquet
    or JSON lines. Without one, 160 bundled model-selection tasks are used.

    Example: banditune tune headlines.csv --task test --arm headline --reward clicked --out results

    A log of choices made at random, with features of whom they were made for, tunes LinUCB by replay:
    banditune tune mails.csv --policy linucb --arm mail --reward visited --features x_

    A table of configurations and results tunes GP-UCB (without a table, a bundled one):
    banditune tune runs.csv --policy gpucb --task dataset --reward accuracy --parameter lr:log --parameter depth
    """
    from banditune.cli.cluster import Distributed, learn_on_cluster
    from banditune.cli.learning import Asked, learn
    from banditune.cli.output import folder, reject_file, say
    from banditune.cli.past_tasks import past_tasks
    from banditune.cli.results import write_results
    from banditune.cli.tune_output import answer, summary
    from banditune.errors import ParameterError
    from banditune.evaluation.certificate import check_delta
    from banditune.evaluation.limits import loss_limits
    from banditune.policies.registry import find_policy
    from banditune.report.guarantees import promises
    from banditune.tuning.executor import n_cores
    from banditune.validation import whole_number

    started = time.perf_counter()
    chosen = find_policy(policy)
    ranges = {"alpha": ("--alpha", alpha), "noise": ("--noise", noise), "beta": ("--beta", beta)}
    ranges |= {"prior_means": ("--prior-means", prior_means), "prior_weight": ("--prior-weight", prior_weight)}
    further: dict[str, Any] = {
        name: None if given is None else pair(option, given) for name, (option, given) in ranges.items()
    }
    further |= {"ridge": ridge, "scaling": scaling, "kernel": kernel, "length_scale": length_scale, "bonus": bonus}
    asked = Asked.of(
        chosen,
        {name: given for name, given in further.items() if given},
        horizon=horizon,
        loss=loss,
        seed=seed,
        threads=n_cores() if workers is None else whole_number("--workers", workers, least=1),
    )
    # mistakes are told before a log is read
    if certify is not None and cluster is not None:
        raise ParameterError("--certify needs the curves of all tasks here, which --cluster leaves with the workers")
    if certify is not None:
        check_delta(certify, "--certify")
        asked.check_certificate()
    elif bound is not None:
        raise ParameterError("--bound is for --certify, which was not given")
    if out is not None:
        reject_file(out)
    if resume is not None:
        reject_file(resume)
    columns = reading.columns(features=features, propensity=propensity, parameters=parameter)
    asked.check(logs or [], columns)
    if cluster is None and (skip_broken or breakpoints is not None):
        raise ParameterError("--skip-broken and --breakpoints are for work on a cluster; name one with --cluster")
    past: Any = None
    if cluster is None:
        past = past_tasks(chosen, logs or [], columns, **reading.how, memory=reading.memory, seed=seed)
        if certify is not None:
            loss_limits(bound, past.reward_limits, loss=asked.loss_on(past), horizon=1)
    target = None if out is None else folder(out)
    if cluster is None:
        found = learn(asked, past, started, resume)
    else:
        where = Distributed(cluster, workers, resume, skip_broken, breakpoints, reading.memory)
        found, past = learn_on_cluster(asked, where, logs or [], reading.how | {"columns": columns}, started)
    if certify is not None:
        found = replace(found, promises=promises(found.tuned, found.fixed, delta=certify, bound=bound))
    if target is not None:
        say(f"wrote {', '.join(map(str, write_results(target, found, past)))}")
    if as_json:
        typer.echo(json.dumps(summary(found), indent=2))
    else:
        answer(found)
