"""banditune tune: from past tasks to the exploration that would have lost least."""

import json
import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from banditune.cli.numbers import pair, whole

DEFAULTS = (1.0, 2.0)  # what people use: the paper's theory says 1, UCB1 says 2


def tune(
    policy: Annotated[str, typer.Option(help="The policy to tune: ucb.")] = "ucb",
    horizon: Annotated[int, typer.Option(parser=whole, metavar="T", help="Rounds of a game.")] = 200,
    alpha: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045  # what Typer reads best
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
        typer.Option(metavar="DIR", help="Write tuned.json and the figure curve.svg to this folder."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Learn the exploration that would have lost least on past tasks.

    The tasks are 160 bundled model-selection problems: which of 20 learners is the most accurate on a data set?

    Example: banditune tune --horizon 400 --out results
    """
    from concurrent.futures import ThreadPoolExecutor

    from banditune.checks import whole_number
    from banditune.cli.answer import answer, summary
    from banditune.cli.output import folder, progress_bar, say
    from banditune.cores import n_cores
    from banditune.datasets import lcdb
    from banditune.files import write_text
    from banditune.guarantees.folds import losses_with, unseen_losses
    from banditune.policies import policy_named
    from banditune.report.curve_picture import curve_picture, svg
    from banditune.search import Search
    from banditune.tuning import learned, sweep_tasks

    started = time.perf_counter()
    threads = n_cores() if workers is None else whole_number("--workers", workers, least=1)
    tasks = lcdb()
    chosen = policy_named(policy)
    limits = chosen.default_range("alpha", tasks) if alpha is None else pair("--alpha", alpha)
    search = Search.of(chosen, [horizon], {"alpha": limits}, loss=loss, seed=seed, extend=True)
    target = None if out is None else folder(out)
    with progress_bar("Sweeping past tasks", len(tasks)) as progress, ThreadPoolExecutor(threads) as executor:
        curves, histories = sweep_tasks(search, tasks, executor, progress)
    tuned = learned(search, curves, histories)
    fixed = {value: losses_with(search, curves, tasks, value) for value in DEFAULTS}
    unseen = unseen_losses(search, curves, fixed)
    seconds = time.perf_counter() - started
    if target is not None:
        tuned.save(target / "tuned.json")
        defaults = {value: float(losses.mean()) for value, losses in fixed.items()}
        write_text(target / "curve.svg", svg(curve_picture(tuned, defaults)))
        say(f"wrote {target / 'tuned.json'} and {target / 'curve.svg'}")
    if as_json:
        typer.echo(json.dumps(summary(tuned, unseen, seconds), indent=2))
    else:
        answer(tuned, unseen, seconds, chose_range=alpha is None)
