"""`banditune tune --cluster`: the same study, by the workers of a Dask cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.options import whole, with_options
from banditune.errors import ParameterError

if TYPE_CHECKING:
    from banditune.distributed.tune import Partitioned
    from banditune.tuning.question import Question
    from banditune.tuning.study import Study

ON_A_CLUSTER = "On a cluster"
OPTIONS: dict[str, Any] = {
    "cluster": Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="ADDRESS",
            help="Address of a Dask scheduler, or local to start a cluster here. Each file of the LOG is a "
            "partition; all rows of a task must be in one.",
            show_default=False,
            rich_help_panel=ON_A_CLUSTER,
        ),
    ],
    "skip_broken": Annotated[
        bool,
        typer.Option(
            "--skip-broken",
            help="Skip files that cannot be read and tasks on which workers fail, and list them.",
            rich_help_panel=ON_A_CLUSTER,
        ),
    ],
    "breakpoints": Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            parser=whole,
            metavar="N",
            help="Merge breakpoints if the mean curve has more, and bound the resulting error.",
            show_default="2,000,000",
            rich_help_panel=ON_A_CLUSTER,
        ),
    ],
}


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How to work on a cluster, if at all."""

    address: str | None
    skip_broken: bool
    breakpoints: int | None

    @classmethod
    def of(cls, cluster: str | None, **others: Any) -> "ClusterOptions":
        """Make them of the options as they were given."""
        return cls(cluster, **others)

    def check_unused(self) -> None:
        """Reject options of a cluster where there is none."""
        if self.skip_broken or self.breakpoints is not None:
            raise ParameterError("--skip-broken and --breakpoints need --cluster")


may_use_a_cluster = with_options("cluster", lambda taken: OPTIONS, ClusterOptions.of)  # a command gets them together


def study_on_cluster(
    question: "Question",
    options: ClusterOptions,
    logs: Sequence[str],
    how: Mapping[str, Any],
    *,
    n_workers: int | None,
    resume: Path | None,
) -> "Study":
    """Tune on a cluster, with progress on the terminal; `how` says how the logs are read."""
    from banditune.cli.output import say, stage_bar
    from banditune.distributed.cluster import connect
    from banditune.distributed.tune import MOST_BREAKPOINTS, reject_policy, tune_partitions
    from banditune.logs.columns import Columns
    from banditune.logs.reading import How

    if not logs:
        raise ParameterError("--cluster needs a LOG: files, glob patterns or folders; each file is a partition")
    reject_policy(question.policy)
    given = dict(question.parameters)
    limits = {question.parameter: given.pop(question.parameter)} if question.has_range else {}
    if given:
        raise ParameterError(f"--cluster searches one parameter of a log; {', '.join(given)} cannot be given")
    reading = How.parse(Columns(**how["columns"]), how["delimiter"], how["reward_range"], how["strict"], question.seed)
    assert options.address is not None
    with connect(options.address, n_workers) as client:
        say(f"Dashboard: {client.dashboard_link}")
        with stage_bar("Connecting to the workers") as progress:
            found = tune_partitions(
                client,
                question.policy,
                logs,
                how=reading,
                horizon=question.horizon,
                loss=question.loss,
                seed=question.seed,
                breakpoints=MOST_BREAKPOINTS if options.breakpoints is None else options.breakpoints,
                resume=resume,
                skip_broken=options.skip_broken,
                memory=how["memory"],
                progress=progress,
                **limits,
            )
    for line in found.account.lines():
        say(line)
    return make_study(found)


def make_study(found: "Partitioned") -> "Study":
    """Return what was found on a cluster as a study: single tasks are those of a sample, and nothing was held out."""
    from banditune.tuning.search import searchable
    from banditune.tuning.study import Study

    tuned, sample = found.tuned, found.sample
    usual = searchable(tuned.policy_class, tuned.parameter).usual
    inside = [value for value in usual if tuned.curve.low <= value <= tuned.curve.high]
    return Study(
        tuned,
        sample.curves,
        sample.tasks,
        held_out=None,
        usual={value: sample.curves.at(value) for value in inside},
        chose_range=found.chose_range,
        seconds=0.0,
        mean_losses={value: float(tuned.curve(value)) for value in inside},
        account=found.account,
        notes=tuple(("Note", note) for note in _list_notes(found)),
    )


def _list_notes(found: "Partitioned") -> list[str]:
    from banditune.report.wording import describe_skipped, merging
    from banditune.validation import format_count

    tuned, n_sampled = found.tuned, len(found.sample.tasks)
    notes = [] if tuned.merged is None else [f"merged: {merging(tuned.merged)}"]
    notes += describe_skipped(tuned.left_out)
    if n_sampled < tuned.n_tasks:
        size = format_count(n_sampled, "task")
        notes.append(f"single tasks, their numbers of pieces and the learning curve are of {size} drawn at random")
    return notes
