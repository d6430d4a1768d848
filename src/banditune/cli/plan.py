"""banditune plan: how many tasks are enough?"""

import json
import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from banditune.cli.log_options import LogOptions
from banditune.cli.option_groups import with_options
from banditune.cli.options import AsJson, Bound, Unit, Workers, example_option, out_option, read_workers
from banditune.cli.question_options import QuestionOptions
from banditune.policies.registry import find_tunable_policies


# Optional is what Typer reads best.
@with_options
def plan(
    epsilon: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            metavar="E",
            help="Acceptable excess loss of a new task over the best value of the parameter.",
            show_default="a tenth of the mean loss",
        ),
    ] = None,
    delta: Annotated[float, typer.Option(metavar="D", help="Probability that a bound fails.")] = 0.05,
    bound: Bound = None,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help=f"Policy to tune: {', '.join(find_tunable_policies())}.")
    ] = "ucb",
    *,
    asked: QuestionOptions,
    workers: Workers = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("plan.json, plan.html and the figure plan.svg"),
    ] = None,
    theory: Annotated[
        bool,
        typer.Option(
            "--theory", help="Also show the (much larger) numbers of tasks that theory needs for a guarantee."
        ),
    ] = False,
    unit: Unit = None,
    example: Annotated[
        Optional[str],  # noqa: UP045
        example_option("lcdb"),
    ] = None,
    as_json: AsJson = False,
    reading: LogOptions,
) -> None:
    """Estimate how many tasks are needed, from a few pilot tasks.

    The learning curve of the pilot tasks is extrapolated to the tasks needed for an excess loss of epsilon. With
    --theory, bounds say how many tasks guarantee it with probability at least 1 - delta.

    Example: banditune plan pilots.csv --task test --arm headline --pulls views --successes clicks --epsilon 0.5
    """
    from functools import partial

    from banditune.cli.output import LOADING, progress_bar, reject_file, say, share_bar
    from banditune.cli.past_tasks import read_past_tasks
    from banditune.cli.plan_output import print_plan, summarize_plan, write_plan
    from banditune.evaluation.certificate import check_delta, loss_limits
    from banditune.evaluation.sample_size import check_epsilon
    from banditune.interruption import Threads
    from banditune.io.files import make_folder
    from banditune.policies.registry import find_tunable
    from banditune.report.wording import choose_words
    from banditune.tuning.tune import tune

    started = time.perf_counter()
    # invalid options fail before a log is read
    chosen = find_tunable(policy)
    question = asked.ask(chosen)
    question.check()
    question.check_is_single("a plan")
    check_delta(delta, "--delta")
    if epsilon is not None:
        check_epsilon(epsilon, "--epsilon")
    if bound is not None:
        loss_limits(bound, None, loss=question.loss, horizon=1)
    n_threads = read_workers(workers)
    if out is not None:
        reject_file(out)
    past = read_past_tasks(chosen, reading, example)
    settled = asked.settle(question, past)
    bar = progress_bar("Sweeping past tasks", len(past.tasks), LOADING)
    with bar as progress, Threads(n_threads) as pool:
        tuned = tune(
            chosen,
            past.tasks,
            horizon=settled.horizon,
            loss=settled.loss.name,
            **asked.objective.terms,
            seed=asked.seed,
            draws=asked.draws,
            executor=pool,
            progress=progress,
            racing=False,  # a plan needs every task over the whole range
            **settled.parameters,
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
