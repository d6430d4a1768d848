"""`banditune tune --cluster`: the same question, answered by the workers of a Dask cluster."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banditune.cli.learning import Asked, Outcome
from banditune.cli.output import say, stage_bar
from banditune.cli.past_tasks import describe_reading, list_rejected_rows
from banditune.distributed.cluster import connect
from banditune.distributed.tune import MOST_BREAKPOINTS, Partitioned, reject_policy, tune_partitions
from banditune.errors import ParameterError
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.report.wording import describe_left_out, merging
from banditune.tuning.question import searchable
from banditune.validation import format_count


@dataclass(frozen=True, slots=True)
class Distributed:
    """How to work on a cluster."""

    address: str
    n_workers: int | None  # of a cluster that is started here
    resume: Path | None
    skip_broken: bool
    breakpoints: int | None
    memory: str | None


@dataclass(frozen=True, slots=True)
class SampledTasks:
    """Some tasks of very many, and how all were read."""

    tasks: Sequence[Any]
    found: Partitioned

    @property
    def reading(self) -> list[tuple[str, str]]:
        """How the tasks were read: what, and a text."""
        tuned = self.found.tuned
        origin: Any = tuned.origin
        notes = [] if tuned.merged is None else [f"merged: {merging(tuned.merged)}"]
        notes += describe_left_out(tuned.left_out)
        if len(self.tasks) < tuned.n_tasks:
            size = format_count(len(self.tasks), "task")
            notes.append(f"single tasks, their numbers of pieces and the learning curve are of {size} drawn at random")
        return [*describe_reading(self.found.account, origin["columns"]), *(("Note", note) for note in notes)]

    @property
    def n_rejected(self) -> int:
        """How many rows were rejected."""
        return self.found.account.rows_rejected

    @property
    def rejected(self) -> list[tuple[str, str, str, str]]:
        """The first rows that were rejected: file, place, reason, value."""
        return list_rejected_rows(self.found.account)


def learn_on_cluster(
    asked: Asked, where: Distributed, logs: Sequence[str], how: Mapping[str, Any], started: float
) -> tuple[Outcome, SampledTasks]:
    """Search on a cluster, with progress on the terminal; `how` says how the logs are read."""
    if not logs:
        raise ParameterError("a cluster needs a LOG: files, patterns or folders, each file a partition")
    reject_policy(asked.policy)
    if asked.wants_priors or asked.alternates or asked.settings:
        further = ", ".join(asked.settings)
        raise ParameterError(f"a cluster searches one parameter of a log in partitions; {further} cannot be given")
    columns = Columns(**how["columns"])
    reading = How.parse(columns, how["delimiter"], how["reward_range"], how["strict"], asked.seed)
    with connect(where.address, where.n_workers) as client:
        say(f"Dashboard: {client.dashboard_link}")
        with stage_bar("Reaching the workers") as progress:
            found = tune_partitions(
                client,
                asked.policy,
                logs,
                how=reading,
                horizon=asked.horizon,
                loss=asked.loss or "regret",
                seed=asked.seed,
                breakpoints=MOST_BREAKPOINTS if where.breakpoints is None else where.breakpoints,
                resume=where.resume,
                skip_broken=where.skip_broken,
                memory=where.memory,
                progress=progress,
                **({} if asked.limits is None else {asked.parameter: asked.limits}),
            )
    for line in found.account.lines():
        say(line)
    tuned, sample = found.tuned, found.sample
    usual = [value for value in searchable(asked.policy, asked.parameter).usual if value <= tuned.curve.high]
    fixed = {value: sample.curves.at(value) for value in usual if value >= tuned.curve.low}
    means = {value: float(tuned.curve(value)) for value in fixed}
    seconds = time.perf_counter() - started
    outcome = Outcome(tuned, sample.curves, None, fixed, found.chose_range, seconds, known_means=means)
    return outcome, SampledTasks(sample.tasks, found)
