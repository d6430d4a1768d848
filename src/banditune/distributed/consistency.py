"""What partitions must agree about, so that they mean the same as the whole log."""

from collections.abc import Sequence
from dataclasses import replace

from banditune.distributed.partition import Job
from banditune.distributed.sums import FirstSums
from banditune.distributed.sweep import Sweep
from banditune.errors import FileError


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
