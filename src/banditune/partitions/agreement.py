"""What partitions must agree about, so that they mean the same as the whole log."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from banditune.errors import FileError
from banditune.partitions.done import Hashes
from banditune.partitions.sums import FirstSums
from banditune.partitions.sweeping import Sweep
from banditune.partitions.work import Job, hashes_of, names_with

MOST_HASHES = 20_000_000  # that one worker compares


def agreed(sweep: Sweep, jobs: Sequence[Job], sums: FirstSums) -> FirstSums:
    """The sums, once all partitions have been read alike; what cannot be is refused.

    In a whole log, arms are in the order of numbers only if all are called by numbers. So where some partition has
    other names, those that have only numbers are swept again, in the order of text.
    """
    there = [told for told in sweep.told.values() if told.n_tasks]
    for told in there:
        for what, this, first in (
            ("hold", told.form, there[0].form),
            ("have times of the same kind, read as", told.order, there[0].order),
        ):
            if this != first:
                raise FileError(f"{told.path} must {what} {first} as {there[0].path} does, got {this}")
    numbers = {told.path for told in there if told.numbers_for_arms}
    if not numbers or len(numbers) == len(there):
        return sums
    again = [replace(job, how=replace(job.how, text_order=True)) for job in jobs if job.partition.path in numbers]
    sweep.run(again)
    anew: FirstSums = sweep.add_again()
    return anew


def refuse_divided_tasks(sweep: Sweep, jobs: Sequence[Job]) -> None:
    """Refuse tasks with rows in more than one partition: they would count as several tasks."""
    n_tasks = sum(told.n_tasks for told in sweep.told.values())
    shares = 1 + n_tasks // MOST_HASHES
    paths = list(sweep.done)
    for share in range(shares):
        found = sweep.found(partial(_compared, sweep, paths, share, shares))
        if found is not None:
            value, one, other = found
            (job,) = (job for job in jobs if job.partition.path == paths[one])
            name = sweep.found(partial(sweep.client.submit, names_with, job, value, pure=False))
            raise FileError(
                f"all rows of a task must be in one partition, but those of task {name!r} are in {paths[one]} and in "
                f"{paths[other]}"
            )


def _compared(sweep: Sweep, paths: Sequence[str], share: int, shares: int) -> Any:
    """The future of what `repeated` finds in a share of all hashes."""
    parts = [sweep.client.submit(hashes_of, sweep.done[path], share, shares, pure=False) for path in paths]
    return sweep.client.submit(repeated, parts, pure=False)


def repeated(parts: Sequence[Hashes]) -> tuple[int, int, int] | None:
    """A hash that is in two of some arrays, each of which has none twice, and in which ones; None if there is none."""
    together = np.concatenate(parts)
    whose = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    order = np.argsort(together, kind="stable")
    same = np.flatnonzero(together[order][1:] == together[order][:-1])
    if same.size == 0:
        return None
    one, other = order[same[0]], order[same[0] + 1]
    return int(together[one]), int(whose[one]), int(whose[other])
