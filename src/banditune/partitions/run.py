"""Tuning on partitions by a Dask cluster: workers read, sweep and add up; the driver holds sums, and no tasks."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from banditune.checkpoints.folder import Checkpoint
from banditune.checks import LONGEST_DEFAULT, listed, whole_number
from banditune.errors import ParameterError
from banditune.logs.account import Account
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.partitions.agreement import agreed, refuse_divided_tasks
from banditune.partitions.answer import answer, best_of
from banditune.partitions.choosing import Progress, looked_at
from banditune.partitions.cluster import check_workers
from banditune.partitions.files import TOKEN, described, partitions_of
from banditune.partitions.sample import Sample
from banditune.partitions.sums import Known, SecondSums
from banditune.partitions.sweeping import Sweep
from banditune.partitions.trying import Attempts
from banditune.partitions.work import FILES, Job, second_sums
from banditune.policies.parameter import Parameter
from banditune.policies.policy import Policy
from banditune.search import Search
from banditune.step_function import Interval
from banditune.tasks import ZERO_ONE
from banditune.tuned import Tuned

MOST_BREAKPOINTS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Partitioned:
    """What was learned from partitions, and what is known of their tasks."""

    tuned: Tuned
    sample: Sample
    account: Account
    chose_range: bool


def tune_partitions(
    client: Any,
    policy: type[Policy],
    sources: Any,
    *,
    how: How | None = None,
    horizon: int | None = None,
    loss: str = "regret",
    seed: int = 0,
    breakpoints: int = MOST_BREAKPOINTS,
    resume: str | os.PathLike[str] | None = None,
    skip_broken: bool = False,
    memory: str | None = None,
    progress: Progress | None = None,
    **limits: Any,
) -> Partitioned:
    """Tune on a log in partitions, by the workers of a Dask client: the bits of `bt.tune` on the whole log.

    `sources` are a path, a pattern, a folder as `bt.read_log` takes them, an address in a store of files, or several of
    these; each file is a partition. All rows of a task must be in one: that is checked. `how` says how to read them.
    The range of the parameter is given as in `bt.tune`; where it or the horizon is not, partitions are read once more
    to choose.

    The mean curve has at most so many `breakpoints`; beyond that they are merged, and `tuned.merged` says what that can
    have changed. Finished partitions are kept in the folder `resume`, which all workers must see. With skip_broken,
    what cannot be worked on is left out, and named in `tuned.left_out`.
    """
    refuse_policy(policy)
    breakpoints = whole_number("breakpoints", breakpoints, least=1_000)
    parameter = _searched(policy, limits)
    reading = How.checked(Columns(), None, seed=seed) if how is None else how
    asking: dict[str, Any] = {"loss": loss, "seed": seed, "extend": True}
    given = limits or {parameter: policy.range_for(parameter, 0.0)}
    search = Search.of(policy, [1 if horizon is None else horizon], given, **asking)
    partitions, unreadable = partitions_of(sources, None if resume is None else Path(resume))
    asked = {"policy": policy.name, "horizon": horizon, "loss": loss, "seed": seed, parameter: limits.get(parameter)}
    asked |= {**_told(reading), "partitions": described(partitions)}
    with _kept(resume, asked) as checkpoint:
        holds = f"{FILES}|{re.escape(TOKEN)}"
        folder = None if checkpoint is None else checkpoint.folder("partitions", holds).absolute()
        check_workers(client, folder)
        attempts = Attempts(client, skip_broken, keep_going=folder is not None)
        jobs = [Job(partition, reading, search, memory, folder, skip_broken) for partition in partitions]
        if horizon is None or not limits:
            looked = looked_at(attempts, jobs, checkpoint, progress)
            chosen = horizon or min(looked.median_rounds(), LONGEST_DEFAULT)
            given = limits or {parameter: policy.range_for(parameter, looked.spread)}
            search = Search.of(policy, [chosen], given, **asking)
            jobs = [replace(job, search=search) for job in jobs if job.partition.path not in attempts.failed]
        return replace(_learned(Sweep(attempts, breakpoints), jobs, unreadable, progress), chose_range=not limits)


def refuse_policy(policy: type[Policy]) -> None:
    """Refuse policies that are tuned on what all tasks have in common, and not on one after the other."""
    if policy.contextual or "points" in policy.made_for:
        raise ParameterError(
            f"partitions are tuned on for policies of rewards such as ucb; {policy.name} needs all tasks in one place: "
            "bt.tune(..., executor=client.get_executor()) sends them to the workers"
        )


def _learned(sweep: Sweep, jobs: Sequence[Job], unreadable: tuple[str, ...], progress: Progress | None) -> Partitioned:
    """What the sweep of partitions finds: the sums, the best value, and the sums that need it."""
    search, n_partitions = jobs[0].search, len(jobs) + len(sweep.attempts.failed)

    def swept(n_done: int, n_tasks: int) -> None:
        if progress:
            progress(f"Sweeping partitions, {n_tasks:,} tasks done", n_done, n_partitions)

    swept(0, 0)
    first = agreed(sweep, jobs, sweep.run(jobs, swept))
    refuse_divided_tasks(sweep, jobs)
    best, known = best_of(search, first), Known(first.losses.level, first.largest)
    if progress:
        progress("Comparing with the best", n_partitions, n_partitions)
    second = sweep.added_up(SecondSums.merged, second_sums, best, known)
    told = sweep.told_of(jobs)
    account = replace(Account.added([each.account for each in told]), left_out=unreadable)
    left_out = (*(task for each in told for task in each.left_out), *sweep.attempts.failed.values())
    how, form = jobs[0].how, next(each.form for each in told if each.n_tasks)
    origin = {"form": form, "columns": how.columns.used(form), **account.to_json()}
    limits = ZERO_ONE if form == "totals" else None if how.limits is None else Interval(*how.limits)
    tuned = replace(answer(search, first, second, origin=origin, left_out=left_out), reward_limits=limits)
    return Partitioned(tuned, first.sample, account, chose_range=False)


@contextmanager
def _kept(resume: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> Iterator[Checkpoint | None]:
    if resume is None:
        yield None
        return
    with Checkpoint(resume, asked) as checkpoint:
        yield checkpoint


def _searched(policy: type[Policy], limits: Mapping[str, Any]) -> str:
    """The parameter that is searched; if none is named, the first that can be."""
    if len(limits) > 1:
        raise ParameterError(f"partitions are searched for one parameter, given as a range; got {listed(limits)}")
    first, *_ = [*limits, *(name for name, known in policy.parameters.items() if isinstance(known, Parameter))]
    return first


def _told(how: How) -> dict[str, Any]:
    """How partitions are read, in plain data by the names of what a person gives."""
    read = {"delimiter": how.delimiter, "reward_range": how.limits, "strict": how.strict, "seed of totals": how.seed}
    return asdict(how.columns) | read
