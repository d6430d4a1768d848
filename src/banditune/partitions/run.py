"""Tuning on partitions by a Dask cluster: workers read, sweep and add up; the driver holds sums, and no tasks."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from banditune.checkpoints.folder import Checkpoint
from banditune.checks import LONGEST_DEFAULT, whole_number
from banditune.errors import ParameterError
from banditune.logs.account import Account
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.partitions.agreement import agreed, refuse_divided_tasks
from banditune.partitions.answer import answer, best_of
from banditune.partitions.cluster import as_they_end, check_workers, outcome, was_killed
from banditune.partitions.files import Partition, partitions_of
from banditune.partitions.looking import Looked, look
from banditune.partitions.sample import Sample
from banditune.partitions.sums import Known, SecondSums
from banditune.partitions.sweeping import TRIES, Sweep
from banditune.partitions.work import Job, second_sums
from banditune.policies.policy import Policy
from banditune.search import Search
from banditune.step_function import Interval
from banditune.tasks import ZERO_ONE
from banditune.tuned import Tuned

MOST_BREAKPOINTS = 2_000_000

Progress = Callable[[str, int, int], None]  # what is being done, how much of it, and of how much


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
    sources: Sequence[str],
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

    `sources` are paths, patterns, folders or addresses in a store of files as `bt.read_log` takes them, each a
    partition. All rows of a task must be in one: that is checked. `how` says how to read them. The range of the
    parameter is given as in `bt.tune`; where it or the horizon is not, partitions are read once more to choose.

    The mean curve has at most so many `breakpoints`; beyond that they are merged, and `tuned.merged` says what that can
    have changed. Finished partitions are kept in the folder `resume`, which all workers must see. With skip_broken,
    what cannot be worked on is left out, and named in `tuned.left_out`.
    """
    refuse_policy(policy)
    breakpoints = whole_number("breakpoints", breakpoints, least=1_000)
    (parameter,) = limits or _searched(policy)
    partitions, unreadable = partitions_of(sources)
    reading = How.checked(Columns(), None, seed=seed) if how is None else how
    asked = {"policy": policy.name, "horizon": horizon, "loss": loss, "seed": seed, parameter: limits.get(parameter)}
    asked |= {"how": repr(reading), "partitions": _told(partitions)}
    with _kept(resume, asked) as checkpoint:
        folder = None if checkpoint is None else checkpoint.folder("partitions").absolute()
        check_workers(client, folder)
        asking: dict[str, Any] = {"loss": loss, "seed": seed, "extend": True}
        unfinished = Search.of(policy, [horizon or 1], {parameter: limits.get(parameter, (0.5, 1.0))}, **asking)
        jobs = [Job(partition, reading, unfinished, memory, folder) for partition in partitions]
        if horizon is None or not limits:
            looked = _looked(client, jobs, checkpoint, progress)
            horizon = horizon or min(looked.median_rounds(), LONGEST_DEFAULT)
            search = Search.of(policy, [horizon], {parameter: limits.get(parameter, looked.limits)}, **asking)
            jobs = [replace(job, search=search) for job in jobs]
        sweep = Sweep(client, breakpoints, skip_broken, keep_going=folder is not None)
        return replace(_learned(sweep, jobs, unreadable, progress), chose_range=not limits)


def refuse_policy(policy: type[Policy]) -> None:
    """Refuse policies that are tuned on what all tasks have in common, and not on one after the other."""
    if policy.contextual or "points" in policy.made_for:
        raise ParameterError(
            f"partitions are tuned on for policies of rewards such as ucb; {policy.name} needs all tasks in one place: "
            "bt.tune(..., executor=client.get_executor()) sends them to the workers"
        )


def _learned(sweep: Sweep, jobs: Sequence[Job], unreadable: tuple[str, ...], progress: Progress | None) -> Partitioned:
    """What the sweep of partitions finds: the sums, the best value, and the sums that need it."""
    search, n_partitions = jobs[0].search, len(jobs)

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
    told = [sweep.told[job.partition.path] for job in jobs if job.partition.path in sweep.told]
    account = replace(Account.added([each.account for each in told]), left_out=unreadable)
    left_out = (*(task for each in told for task in each.left_out), *sweep.failed.values())
    how, form = jobs[0].how, told[0].form
    origin = {"form": form, "columns": how.columns.used(form), **account.to_json()}
    limits = ZERO_ONE if form == "totals" else None if how.limits is None else Interval(*how.limits)
    tuned = replace(answer(search, first, second, origin=origin, left_out=left_out), reward_limits=limits)
    return Partitioned(tuned, first.sample, account, chose_range=False)


def _looked(client: Any, jobs: Sequence[Job], checkpoint: Checkpoint | None, progress: Progress | None) -> Looked:
    """A look at all partitions, unless that was done before."""
    known = None if checkpoint is None else checkpoint.noted("looked")
    if known is not None:
        return Looked.from_json(known)
    parts: list[Looked] = []
    under_way = {client.submit(look, job, pure=False): (job, TRIES) for job in jobs}
    for future in as_they_end(client, under_way):
        job, tries = under_way.pop(future)
        seen, failure = outcome(future)
        if failure is not None and not (was_killed(failure) and tries):
            raise failure
        if failure is not None:
            under_way[client.submit(look, job, pure=False)] = job, tries - 1
            continue
        parts.append(seen)
        if progress:
            progress("Looking at the rewards", len(parts), len(jobs))
    looked = Looked.merged(parts)
    if checkpoint is not None:
        checkpoint.note("looked", looked.to_json())
    return looked


@contextmanager
def _kept(resume: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> Iterator[Checkpoint | None]:
    if resume is None:
        yield None
        return
    with Checkpoint(resume, asked) as checkpoint:
        yield checkpoint


def _searched(policy: type[Policy]) -> list[str]:
    """The parameter that is searched if none is named: the first that can be."""
    return [next(name for name in policy.parameters if hasattr(policy.parameters[name], "range"))]


def _told(partitions: Sequence[Partition]) -> str:
    """The partitions in a few words that differ for others."""
    paths = "\n".join(each.path for each in partitions).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(paths, digest_size=4).hexdigest()
    return f"{len(partitions)} files ({digest}) from {os.path.basename(partitions[0].path)} on"
