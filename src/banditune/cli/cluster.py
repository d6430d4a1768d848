"""`banditune tune --cluster`: the same study, by the workers of a Dask cluster."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.option_groups import Group
from banditune.cli.options import panel_option, whole
from banditune.errors import ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from banditune.cli.log_options import Reading
    from banditune.tuning.question import Question
    from banditune.tuning.results.study_result import Study


PANEL = "On a cluster"
_option = partial(panel_option, PANEL)


# Optional is what Typer reads best.
@dataclass(frozen=True, slots=True)
class Cluster:
    """How to work on a cluster, if at all."""

    address: str | None
    skip_broken: bool
    breakpoints: int | None

    @classmethod
    def read(
        cls,
        cluster: Annotated[
            Optional[str],  # noqa: UP045
            _option(
                "ADDRESS",
                "Address of a Dask scheduler, or local to start a cluster here. For one parameter of ucb, each file of "
                "the LOG is a partition that a worker reads; all rows of a task must be in one.",
            ),
        ] = None,
        skip_broken: Annotated[
            bool,
            typer.Option(
                "--skip-broken",
                help="Skip files that cannot be read and tasks on which workers fail, and list them.",
                rich_help_panel=PANEL,
            ),
        ] = False,
        breakpoints: Annotated[
            Optional[int],  # noqa: UP045
            _option(
                "N",
                "Merge breakpoints if the mean curve has more, and bound the resulting error.",
                default="2,000,000",
                parser=whole,
            ),
        ] = None,
    ) -> "Cluster":
        """Read the options."""
        return cls(cluster, skip_broken, breakpoints)

    def reads_partitions(
        self, question: "Question", logs: Sequence[str], columns: Mapping[str, Any], of_all_tasks: Sequence[str]
    ) -> bool:
        """Tell whether the workers read the log, each file by itself; options that are for that alone are checked.

        `of_all_tasks` names what else was asked for and needs all tasks in one place.
        """
        if self.address is not None and logs and columns.get("parameters") is None:  # those need all files together
            from banditune.cli.output import say
            from banditune.distributed.tune import can_be_partitioned

            if "-" not in logs and can_be_partitioned(question):
                if not of_all_tasks:
                    return True
                say(f"Note: the log is read here, not by the workers: {of_all_tasks[0]} needs all tasks in one place.")
        if self.skip_broken or self.breakpoints is not None:
            raise ParameterError(
                "--skip-broken and --breakpoints need --cluster and a LOG that workers read file by file, which is for "
                "a search of one parameter of a policy such as ucb"
            )
        return False

    @contextmanager
    def client(self, n_workers: int) -> Iterator[Any]:
        """Reach the cluster."""
        from banditune.cli.output import say
        from banditune.distributed.cluster import connect

        assert self.address is not None
        with connect(self.address, n_workers) as client:
            say(f"Dashboard: {client.dashboard_link}")
            yield client

    @contextmanager
    def executor(self, n_workers: int) -> "Iterator[Executor]":
        """Open what sweeps tasks that are sent from here: threads, or the workers of the cluster."""
        from banditune.distributed.cluster import open_executor
        from banditune.interruption import Threads

        if self.address is None:
            with Threads(n_workers) as threads:
                yield threads
            return
        with self.client(n_workers) as client, open_executor(client) as executor:
            yield executor


ClusterOptions = Annotated[Cluster, Group(Cluster.read)]


def study_partitions(
    question: "Question",
    options: Cluster,
    reading: "Reading",
    columns: Mapping[str, Any],
    current: Mapping[str, object] | None,
    *,
    n_workers: int,
    resume: Path | None,
) -> "Study":
    """Have workers read and sweep the logs, with progress on the terminal."""
    from banditune.cli.output import say, stage_bar
    from banditune.distributed.tune import MOST_BREAKPOINTS, tune_partitions
    from banditune.logs.columns import Columns
    from banditune.logs.reading import How

    how = How.parse(
        Columns(**columns),
        reading.delimiter,
        reading.reward_range,
        reading.strict,
        reading.format,
        reading.only or None,
    )
    with options.client(n_workers) as client, stage_bar("Connecting to the workers") as progress:
        found = tune_partitions(
            client,
            question.policy,
            reading.logs,
            how=how,
            horizon=question.horizon,
            current=current,
            loss=question.loss,
            seed=question.seed,
            draws=question.draws,
            breakpoints=MOST_BREAKPOINTS if options.breakpoints is None else options.breakpoints,
            resume=resume,
            skip_broken=options.skip_broken,
            memory=reading.memory,
            progress=progress,
            **question.parameters,
        )
    assert found.account is not None
    for line in found.account.lines():
        say(line)
    return found
