"""banditune plan: how many tasks are enough?"""

import json
import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from banditune.cli.log_options import LogOptions, reads_logs
from banditune.cli.options import (
    AlphaRange,
    AsJson,
    Bound,
    Horizon,
    Logs,
    Seed,
    Unit,
    Workers,
    out_option,
    pair,
    read_workers,
)


@reads_logs
def plan(
    logs: Logs = None,
    epsilon: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="E",
            help="Acceptable excess loss of a new task over the best alpha.",
            show_default="a tenth of the mean loss",
        ),
    ] = None,
    delta: Annotated[float, typer.Option(metavar="D", help="Probability that a bound fails.")] = 0.05,
    bound: Bound = None,
    horizon: Horizon = None,
    alpha: AlphaRange = None,
    seed: Seed = 0,
    workers: Workers = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("plan.json, plan.html and the figure plan.svg"),
    ] = None,
    theory: Annotated[
        bool, typer.Option("--theory", help="Also say how many tasks bounds need for a guarantee: very many.")
    ] = False,
    unit: Unit = None,
    as_json: AsJson = False,
    *,
    reading: LogOptions,
) -> None:
    """Estimate how many tasks are needed, from a few pilot tasks.

    The learning curve of the pilot tasks is extrapolated to the tasks needed for an excess loss of epsilon. With
    --theory, bounds say how many tasks guarantee it with probability at least 1 - delta.

    Example: banditune plan pilots.csv --task test --arm headline --pulls views --successes clicks --epsilon 0.5
    """
    from functools import partial

    from banditune.cli.output import LOADING, progress_bar, reject_file, say, share_bar
    from banditune.cli.past_tasks import past_tasks
    from banditune.cli.plan_output import print_plan, summarize_plan, write_plan
    from banditune.evaluation.certificate import check_delta, loss_limits
    from banditune.evaluation.sample_size import check_epsilon
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.policies.ucb.ucb import UCB
    from banditune.report.wording import choose_words
    from banditune.tuning.question import Question
    from banditune.tuning.tune import tune

    started = time.perf_counter()
    # invalid options fail before a log is read
    limits = None if alpha is None else pair("--alpha", alpha)
    given = {} if limits is None else {"alpha": limits}
    Question.of(UCB, given, horizon=horizon, loss="regret", seed=seed, extend=True).check()
    check_delta(delta, "--delta")
    if epsilon is not None:
        check_epsilon(epsilon, "--epsilon")
    if bound is not None:
        loss_limits(bound, None, loss="regret", horizon=1)
    n_threads = read_workers(workers)
    if out is not None:
        reject_file(out)
    past = past_tasks(UCB, logs or [], reading.columns(), **reading.how, memory=reading.memory)
    bar = progress_bar("Sweeping past tasks", len(past.tasks), LOADING)
    with bar as progress, Threads(n_threads) as pool:
        tuned = tune(
            UCB,
            past.tasks,
            horizon=past.horizon if horizon is None else horizon,
            alpha=limits or UCB.default_range("alpha", past.tasks),
            seed=seed,
            executor=pool,
            progress=progress,
        )
    tuned = tuned.smooth()  # what is planned for is what a study would recommend
    with share_bar("Planning") as shared:
        found = tuned.plan(epsilon, delta, bound, progress=partial(shared, "Computing the learning curve"))
    seconds = time.perf_counter() - started
    words = choose_words(tuned, past.name_units(unit))
    if out is not None:
        written = write_plan(make_folder(out), found, tuned, words, past.reading, seconds, theory=theory)
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(summarize_plan(found, tuned, seconds), indent=2))
    else:
        print_plan(found, tuned, words, seconds, theory=theory)
