"""What partitions must agree about, so that they mean the same as the whole log."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from banditune.distributed.partition import Job, hashes_of, name_with
from banditune.distributed.partition_result import Hashes
from banditune.distributed.sums import FirstSums
from banditune.distributed.sweep import Sweep
from banditune.errors import FileError

MOST_HASHES = 20_000_000  # that one worker compares
MOST_REPEATED = 100  # that are looked into


def check_agreement(sweep: Sweep, jobs: Sequence[Job], sums: FirstSums) -> FirstSums:
    """The sums, once all partitions have been read alike; what cannot be is rejected.

    In a whole log, arms are in the order of numbers only if all are called by numbers. So where some partition has
    other names, those that have only numbers are swept again, in the order of text.
    """
    there = [each for each in sweep.summarize(jobs) if each.n_tasks]
    for each in there:
        if each.form != there[0].form:
            raise FileError(f"{each.path} must hold {there[0].form} as {there[0].path} does, got {each.form}")
        if each.order != there[0].order:
            raise FileError(
                f"{each.path} must have times of the same kind as {there[0].path}: {there[0].order}s, got {each.order}s"
            )
    numbers = {each.path for each in there if each.numbers_for_arms}
    if not numbers or len(numbers) == len(there):
        return sums
    again = [replace(job, how=replace(job.how, text_order=True)) for job in jobs if job.partition.path in numbers]
    sweep.run(again)
    anew: FirstSums = sweep.add_again()
    return anew


def reject_divided_tasks(sweep: Sweep, jobs: Sequence[Job]) -> None:
    """Reject tasks with rows in more than one partition: they would count as several tasks."""
    n_tasks = sum(each.n_tasks for each in sweep.summaries.values())
    shares = 1 + n_tasks // MOST_HASHES
    paths = list(sweep.done)
    for share in range(shares):
        for value, *places in sweep.wait_for(partial(_compare_hashes, sweep, paths, share, shares)):
            here = [job for place in places for job in jobs if job.partition.path == paths[place]]
            one, other = (
                sweep.wait_for(partial(sweep.client.submit, name_with, job, value, pure=False)) for job in here
            )
            if one == other:  # else two names happen to have one hash
                raise FileError(
                    f"all rows of a task must be in one partition, but those of task {one!r} are in "
                    f"{paths[places[0]]} and in {paths[places[1]]}"
                )


def _compare_hashes(sweep: Sweep, paths: Sequence[str], share: int, shares: int) -> Any:
    """The future of what `repeated` finds in a share of all hashes."""
    parts = [sweep.client.submit(hashes_of, sweep.done[path], share, shares, pure=False) for path in paths]
    return sweep.client.submit(find_repeated, parts, pure=False)


def find_repeated(parts: Sequence[Hashes]) -> list[tuple[int, int, int]]:
    """Hashes that are in two of some arrays, and in which ones; of many, the first.

    >>> find_repeated([np.array([3, 5], np.uint64), np.array([7], np.uint64), np.array([5, 8], np.uint64)])
    [(5, 0, 2)]
    """
    together = np.concatenate(parts)
    whose = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    order = np.argsort(together, kind="stable")
    equal = (together[order][1:] == together[order][:-1]) & (whose[order][1:] != whose[order][:-1])
    same = np.flatnonzero(equal)[:MOST_REPEATED]
    return [(int(together[order[k]]), int(whose[order[k]]), int(whose[order[k + 1]])) for k in same]
