"""banditune tune: from past tasks to the exploration that would have lost least."""

import json
import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from banditune.cli.numbers import pair, whole

OF_A_LOG = "How to read a log"


def log_option(*names: str, shown_as: str, help_text: str, default: str | None = None) -> Any:
    """An option of reading a log."""
    return typer.Option(
        *names, metavar=shown_as, help=help_text, show_default=default or False, rich_help_panel=OF_A_LOG
    )


def column_option(wanted: str, *names: str, help_text: str) -> Any:
    """The option that names a column."""
    return log_option(*names, shown_as="COLUMN", help_text=help_text, default=wanted)


# Optional is what Typer reads best.
def tune(
    logs: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="LOG", help="Files, patterns or folders of past tasks. None: bundled ones."),
    ] = None,
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
    seed: Annotated[int, typer.Option(parser=whole, metavar="N", help="Where the random numbers start.")] = 0,
    workers: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(parser=whole, metavar="N", help="Threads to work with.", show_default="one for each core"),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="Write tuned.json, report.html and the figure curve.svg to this folder."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    task: Annotated[Optional[str], column_option("task", help_text="The task of a row.")] = None,  # noqa: UP045
    arm: Annotated[Optional[str], column_option("arm", help_text="The arm of a row.")] = None,  # noqa: UP045
    reward: Annotated[Optional[str], column_option("reward", help_text="What the pull gave.")] = None,  # noqa: UP045
    order: Annotated[
        Optional[str],  # noqa: UP045
        column_option("as the rows stand", "--time", help_text="When it was: the order of the rewards."),
    ] = None,
    pulls: Annotated[
        Optional[str],  # noqa: UP045
        column_option("pulls", help_text="Of totals: how often the arm was pulled."),
    ] = None,
    successes: Annotated[
        Optional[str],  # noqa: UP045
        column_option("successes", help_text="Of totals: how often that was a success."),
    ] = None,
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
    like: Annotated[
        Optional[Path],  # noqa: UP045
        log_option(shown_as="TUNED", help_text="Take the columns from an earlier tuned.json."),
    ] = None,
    delimiter: Annotated[
        Optional[str],  # noqa: UP045
        log_option(shown_as="C", help_text="What separates the fields of a text file.", default="found out"),
    ] = None,
    reward_range: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        log_option(shown_as="LOW HIGH", help_text="Refuse rewards outside this range."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Make anything odd in the log an error.", rich_help_panel=OF_A_LOG)
    ] = False,
    memory: Annotated[
        Optional[str],  # noqa: UP045
        log_option(shown_as="SIZE", help_text="What sorting may hold, such as 2GB.", default="most of the machine's"),
    ] = None,
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
    from banditune.checks import whole_number
    from banditune.cli.answer import answer, summary
    from banditune.cli.learning import Asked, learn
    from banditune.cli.output import folder, refuse_file, say
    from banditune.cli.past_tasks import columns_like, past_tasks
    from banditune.cli.results import write_results
    from banditune.cores import n_cores
    from banditune.policies import policy_named

    started = time.perf_counter()
    chosen = policy_named(policy)
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
    named: dict[str, Any] = {
        "task": task,
        "arm": arm,
        "reward": reward,
        "time": order,
        "pulls": pulls,
        "successes": successes,
    }
    named |= {"features": features, "propensity": propensity, "parameters": parameter}
    # mistakes are told before a log is read
    if out is not None:
        refuse_file(out)
    columns = columns_like(like, named)
    asked.check(logs or [], columns)
    past = past_tasks(
        chosen,
        logs or [],
        columns,
        delimiter=delimiter,
        reward_range=None if reward_range is None else pair("--reward-range", reward_range),
        strict=strict,
        memory=memory,
        seed=seed,
    )
    target = None if out is None else folder(out)
    found = learn(asked, past, started)
    if target is not None:
        say(f"wrote {', '.join(map(str, write_results(target, found, past)))}")
    if as_json:
        typer.echo(json.dumps(summary(found), indent=2))
    else:
        answer(found)
