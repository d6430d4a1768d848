"""banditune tune: from past tasks to the exploration that would have lost least."""

import json
import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from banditune.cli.numbers import pair, whole

DEFAULTS = (1.0, 2.0)  # what people use: the paper's theory says 1, UCB1 says 2
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
    policy: Annotated[str, typer.Option(help="The policy to tune: ucb.")] = "ucb",
    horizon: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(parser=whole, metavar="T", help="Rounds of a game.", show_default="fits the tasks, at most 1000"),
    ] = None,
    alpha: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(metavar="LOW HIGH", help="The range to search.", show_default="fits the scale of the rewards"),
    ] = None,
    loss: Annotated[str, typer.Option(help="What to keep low: regret, or reward (minus the total).")] = "regret",
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
    """
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    from banditune.checks import whole_number
    from banditune.cli.answer import answer, summary
    from banditune.cli.output import folder, progress_bar, refuse_file, say, tracked
    from banditune.cli.past_tasks import past_tasks
    from banditune.cli.results import write_results
    from banditune.cores import n_cores
    from banditune.guarantees.folds import N_FOLDS, losses_with, unseen_losses
    from banditune.policies import policy_named
    from banditune.search import Search
    from banditune.tuning import learned, sweep_tasks

    started = time.perf_counter()
    threads = n_cores() if workers is None else whole_number("--workers", workers, least=1)
    chosen = policy_named(policy)
    limits = None if alpha is None else pair("--alpha", alpha)
    asked = partial(Search.of, chosen, loss=loss, seed=seed, extend=True)
    # mistakes are told before a log is read
    if out is not None:
        refuse_file(out)
    asked([1 if horizon is None else horizon], {"alpha": limits or (0.0, 1.0)})
    past = past_tasks(
        logs or [],
        {"task": task, "arm": arm, "reward": reward, "time": order, "pulls": pulls, "successes": successes},
        like=like,
        delimiter=delimiter,
        reward_range=None if reward_range is None else pair("--reward-range", reward_range),
        strict=strict,
        memory=memory,
        seed=seed,
    )
    limits = limits or chosen.default_range("alpha", tracked("Looking at the rewards", past.tasks))
    search = asked([past.horizon if horizon is None else horizon], {"alpha": limits})
    target = None if out is None else folder(out)
    bar = progress_bar("Sweeping past tasks", len(past.tasks), "Loading kernels (compiled the first time: some 20 s)")
    with bar as progress, ThreadPoolExecutor(threads) as executor:
        curves, histories = sweep_tasks(search, past.tasks, executor, progress)
    tuned = learned(search, curves, histories, origin=past.origin)
    fixed = {
        value: losses_with(search, curves, tracked(f"Playing alpha = {value:g}", past.tasks), value)
        for value in DEFAULTS
    }
    with progress_bar("Measuring on unseen tasks", N_FOLDS) as progress:
        unseen = unseen_losses(search, curves, fixed, progress=progress)
    seconds = time.perf_counter() - started
    if target is not None:
        written = write_results(target, tuned, curves, past, unseen, fixed, seconds, chose_range=alpha is None)
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(summary(tuned, unseen, seconds), indent=2))
    else:
        answer(tuned, unseen, seconds, chose_range=alpha is None)
