"""banditune stop: when to end a test."""

import json
import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from banditune.cli.log_options import RewardLogOptions
from banditune.cli.option_groups import with_options
from banditune.cli.options import AsJson, Seed, Unit, draws_option, example_option, out_option, whole_option


@with_options
def stop(
    rollout: Annotated[
        Optional[int],  # noqa: UP045
        whole_option(
            "Rounds after the longest test, all given to the arm that leads at its end.", "ten times the horizon", "M"
        ),
    ] = None,
    horizon: Annotated[
        Optional[int],  # noqa: UP045
        whole_option("Rounds of the longest test.", "the median length of the tests", "T"),
    ] = None,
    statistic: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Statistic compared with the threshold: the expected loss of choosing the leader (loss), the "
            "probability that it is the best arm (probability), or its gap to the closest arm (gap).",
        ),
    ] = "loss",
    every: Annotated[
        Optional[int],  # noqa: UP045
        whole_option("Rounds between checks of the test.", "a fiftieth of the horizon"),
    ] = None,
    least: Annotated[
        Optional[int],  # noqa: UP045
        whole_option("Rounds before the first check.", "as for --every"),
    ] = None,
    draws: Annotated[
        Optional[int],  # noqa: UP045
        draws_option("Orders drawn for each test", "8"),
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        out_option("stop.json, stop.html and the figure stop.svg"),
    ] = None,
    unit: Unit = None,
    example: Annotated[
        Optional[str],  # noqa: UP045
        example_option("headlines"),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: RewardLogOptions,
) -> None:
    """Learn from past tests when to stop a test and roll out its leader.

    A test gives every arm the same share and is checked from time to time. It ends once its leader leads by more than
    a threshold, and the leader gets all rounds after that. The threshold with the least regret of test and roll-out is
    found exactly, and compared on held-out tests with the best fixed length, Test & Roll's and 95%.

    Example: banditune stop tests.csv --task test --arm headline --pulls views --successes clicks --rollout 100000
    """
    from dataclasses import replace

    from banditune.cli.output import reject_file, say, share_bar
    from banditune.cli.past_tasks import read_past_tasks
    from banditune.cli.stop_output import print_stopping, summarize_stopping, write_stopping
    from banditune.io.files import make_folder
    from banditune.policies.ucb.ucb import UCB
    from banditune.stopping.rule import STATISTICS
    from banditune.stopping.threshold import learn_threshold
    from banditune.validation import one_of, whole_number

    started = time.perf_counter()
    one_of("--statistic", statistic, STATISTICS)  # invalid options fail before a log is read
    for name, given in (("--rollout", rollout), ("--horizon", horizon), ("--every", every), ("--least", least)):
        if given is not None:
            whole_number(name, given, least=0 if name == "--rollout" else 1)
    if out is not None:
        reject_file(out)
    past = read_past_tasks(UCB, reading, example or (None if reading.logs else "headlines"))
    rounds = past.horizon if horizon is None else horizon
    with share_bar("Running past tests") as share:
        found = learn_threshold(
            past.tasks,
            rollout=10 * rounds if rollout is None else rollout,
            horizon=rounds,
            statistic=statistic,
            check_every=every,
            least=least,
            draws=draws,
            seed=seed,
            progress=lambda done: share("Running past tests", done),
        )
    found = replace(found, units=past.name_units(unit))
    seconds = time.perf_counter() - started
    if out is not None:
        written = write_stopping(make_folder(out), found, past.reading, seconds)
        say(f"wrote {', '.join(map(str, written))}")
    if as_json:
        typer.echo(json.dumps(summarize_stopping(found, seconds), indent=2))
    else:
        print_stopping(found, seconds)
