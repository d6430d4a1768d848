"""Tuning on partitions by a Dask cluster: workers read, sweep and add up; the driver holds sums, and no tasks."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from banditune.checkpoints.folder import Checkpoint
from banditune.curves.curve_set import scale_of
from banditune.curves.exact_sum import Floats, Merged, next_place, next_places
from banditune.curves.step_function import Interval
from banditune.distributed.cluster import check_workers
from banditune.distributed.consistency import check_agreement, reject_divided_tasks
from banditune.distributed.defaults import Progress, prescan_partitions
from banditune.distributed.files import TOKEN, describe_partitions, partitions_of
from banditune.distributed.partition import FILES, Job, second_sums
from banditune.distributed.retries import Attempts
from banditune.distributed.sample import Sample
from banditune.distributed.sums import FirstSums, Known, SecondSums
from banditune.distributed.sweep import Sweep
from banditune.errors import ParameterError
from banditune.kernels.numerics.step_sums import find_span_within_one_se
from banditune.logs.account import Account
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.policies.base import Policy
from banditune.policies.parameters import Parameter
from banditune.tasks.task import ZERO_ONE
from banditune.tuning.result import Tuned
from banditune.tuning.search import Search
from banditune.validation import LONGEST_DEFAULT, format_names, whole_number

ROUNDED_UP = 1.0 + 1e-9


def best_of(search: Search, sums: FirstSums) -> float:
    """The value that loses least: inside the best piece, and where breakpoints are merged where that piece is exact."""
    low, high = sums.losses.mean().argmin()
    if sums.losses.level == 0:
        return search.searched.inside(low, high)
    exact_from = next_place(low, sums.losses.level)
    return search.searched.inside(exact_from, high) if exact_from < high else math.nextafter(high, low)


def answer(
    search: Search,
    first: FirstSums,
    second: SecondSums,
    *,
    origin: Mapping[str, object] | None = None,
    left_out: tuple[str, ...] = (),
) -> Tuned:
    """What the search finds: the same, to the last bit, as if it had all the curves."""
    mean = first.losses.mean()
    interval = mean.argmin()
    best = best_of(search, first)
    low, high = _find_within_one_se(first, second)
    count = first.losses.count
    loss = mean(best) if second.rises is None else float(second.at_best.totals()[0]) / count
    return Tuned(
        policy_class=search.policy,
        params={search.parameter: search.searched.as_run(best), **search.policy.list_fixed(search.fixed)},
        interval=interval,
        within_one_se=Interval(min(low, best), max(high, best)),
        curve=mean,
        loss=loss,
        loss_name=search.loss,
        parameter=search.parameter,
        n_tasks=count,
        horizon=search.horizons[-1],
        complexity=first.pieces / count,
        histories=first.histories / count,
        seed=search.seed,
        origin=origin,
        merged=_describe_merging(first, second, loss),
        left_out=left_out,
    )


def _find_within_one_se(first: FirstSums, second: SecondSums) -> tuple[float, float]:
    """From the first to the last value that may be as good as the best.

    In a cell of merged breakpoints, that is judged by the lowest sum of differences there can be, which is that at the
    right end less all rises, and by the largest of squares, which is that at the left end and all rises.
    """
    differences = first.losses - second.at_best
    edges, totals, squares = differences.edges(), differences.totals(), second.squares.totals()
    if second.rises is not None and second.square_rises is not None:
        ends = np.minimum(next_places(differences.places, first.losses.level), differences.high)
        lowest = totals[1:] - ROUNDED_UP * second.rises.jumps()
        largest = squares[:-1] + ROUNDED_UP * second.square_rises.jumps()
        edges = _alternating(edges[0], differences.places, ends)
        totals, squares = _alternating(totals[0], lowest, totals[1:]), _alternating(squares[0], largest, squares[1:])
    return find_span_within_one_se(edges, totals, squares, scale_of(first.largest), differences.high)


def _alternating(first: float, within: Floats, after: Floats) -> Floats:
    """What is so at first, then for each cell what is within it and what is after it."""
    return np.append(first, np.column_stack((within, after)))


def _describe_merging(first: FirstSums, second: SecondSums, loss: float) -> Merged | None:
    """What merging breakpoints can have changed; None if none were merged.

    In a cell of merged breakpoints the curve is exact at the right end. From there to the left it can be lower by no
    more than the tasks' curves rise in the cell together, and higher by no more than they fall.
    """
    if second.rises is None:
        return None
    count = first.losses.count
    at_ends, rises = first.losses.totals()[1:] / count, second.rises.jumps() / count
    falls = rises - first.losses.jumps() / count
    least = min(float(first.losses.totals()[0]) / count, float((at_ends - rises).min(initial=np.inf)))
    return Merged(
        resolution=2.0 ** (first.losses.level - 52),
        breakpoints=int(first.losses.places.size),
        error=ROUNDED_UP * float(np.maximum(rises, falls).max(initial=0.0)),
        excess=ROUNDED_UP * max(0.0, loss - least),
    )


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
    policy: type[Policy[Any]],
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
    reject_policy(policy)
    breakpoints = whole_number("breakpoints", breakpoints, least=1_000)
    parameter = _find_searched(policy, limits)
    reading = How.parse(Columns(), None, seed=seed) if how is None else how
    asking: dict[str, Any] = {"loss": loss, "seed": seed, "extend": True}
    given = limits or {parameter: policy.range_for(parameter, 0.0)}
    search = Search.of(policy, [1 if horizon is None else horizon], given, **asking)
    partitions, unreadable = partitions_of(sources, None if resume is None else Path(resume))
    asked = {"policy": policy.name, "horizon": horizon, "loss": loss, "seed": seed, parameter: limits.get(parameter)}
    asked |= {**_describe_reading(reading), "partitions": describe_partitions(partitions)}
    with _open_checkpoint(resume, asked) as checkpoint:
        holds = f"{FILES}|{re.escape(TOKEN)}"
        folder = None if checkpoint is None else checkpoint.folder("partitions", holds).absolute()
        check_workers(client, folder)
        attempts = Attempts(client, skip_broken, keep_going=folder is not None)
        jobs = [Job(partition, reading, search, memory, folder, skip_broken) for partition in partitions]
        if horizon is None or not limits:
            looked = prescan_partitions(attempts, jobs, checkpoint, progress)
            chosen = horizon or min(looked.median_rounds(), LONGEST_DEFAULT)
            given = limits or {parameter: policy.range_for(parameter, looked.spread)}
            search = Search.of(policy, [chosen], given, **asking)
            jobs = [replace(job, search=search) for job in jobs if job.partition.path not in attempts.failed]
        return replace(_learn(Sweep(attempts, breakpoints), jobs, unreadable, progress), chose_range=not limits)


def reject_policy(policy: type[Policy[Any]]) -> None:
    """Reject policies that are tuned on what all tasks have in common, and not on one after the other."""
    if policy.contextual or "points" in policy.needs:
        raise ParameterError(
            f"--cluster tunes policies of rewards such as ucb; {policy.name} needs all tasks in one place: "
            "bt.tune(..., executor=client.get_executor()) sends them to the workers"
        )


def _learn(sweep: Sweep, jobs: Sequence[Job], unreadable: tuple[str, ...], progress: Progress | None) -> Partitioned:
    """What the sweep of partitions finds: the sums, the best value, and the sums that need it."""
    search, n_partitions = jobs[0].search, len(jobs) + len(sweep.attempts.failed)

    def swept(n_done: int, n_tasks: int) -> None:
        if progress:
            progress(f"Sweeping partitions, {n_tasks:,} tasks done", n_done, n_partitions)

    swept(0, 0)
    first = check_agreement(sweep, jobs, sweep.run(jobs, swept))
    reject_divided_tasks(sweep, jobs)
    best, known = best_of(search, first), Known(first.losses.level, first.largest)
    if progress:
        progress("Comparing with the best value", n_partitions, n_partitions)
    second = sweep.add_up(SecondSums.merge, second_sums, best, known)
    summaries = sweep.summarize(jobs)
    account = replace(Account.add([each.account for each in summaries]), left_out=unreadable)
    left_out = (*(task for each in summaries for task in each.left_out), *sweep.attempts.failed.values())
    how, form = jobs[0].how, next(each.form for each in summaries if each.n_tasks)
    origin = {"form": form, "columns": how.columns.used(form), **account.to_json()}
    limits = ZERO_ONE if form == "totals" else None if how.limits is None else Interval(*how.limits)
    tuned = replace(answer(search, first, second, origin=origin, left_out=left_out), reward_limits=limits)
    return Partitioned(tuned, first.sample, account, chose_range=False)


@contextmanager
def _open_checkpoint(resume: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> Iterator[Checkpoint | None]:
    if resume is None:
        yield None
        return
    with Checkpoint(resume, asked) as checkpoint:
        yield checkpoint


def _find_searched(policy: type[Policy[Any]], limits: Mapping[str, Any]) -> str:
    """The parameter that is searched; if none is named, the first that can be."""
    if len(limits) > 1:
        raise ParameterError(f"one parameter is searched on a cluster, given as a range; got {format_names(limits)}")
    first, *_ = [*limits, *(name for name, known in policy.parameters.items() if isinstance(known, Parameter))]
    return first


def _describe_reading(how: How) -> dict[str, Any]:
    """How partitions are read, in plain data by the names of what a person gives."""
    read = {"delimiter": how.delimiter, "reward_range": how.limits, "strict": how.strict, "seed of totals": how.seed}
    return asdict(how.columns) | read
