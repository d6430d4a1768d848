"""All partitions looked at by the workers of a cluster, to choose what was not given: the horizon, the range."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from banditune.checkpoints.folder import Checkpoint
from banditune.distributed.files import states_digest
from banditune.distributed.isolation import prescan_isolated
from banditune.distributed.partition import Job
from banditune.distributed.prescan import Prescan, look
from banditune.distributed.retries import Attempts
from banditune.errors import FileError
from banditune.logs.reading import nothing_usable

Progress = Callable[[str, int, int], None]  # what is being done, how much of it, and of how much
NOTE = "looked"


class SeenBefore(NamedTuple):
    """What an earlier run saw."""

    states: str  # of the partitions then
    seen: Prescan
    failed: dict[str, str]  # path -> why it could not be looked at


def prescan_partitions(
    attempts: Attempts, jobs: Sequence[Job], checkpoint: Checkpoint | None, progress: Progress | None
) -> Prescan:
    """What is seen in all partitions, unless it was seen before and none has changed; there is at least one task."""
    states = states_digest([job.partition for job in jobs])
    known: SeenBefore | None = None if checkpoint is None else checkpoint.read(NOTE, _read)
    if known is not None and known.states == states and (attempts.skip or not known.failed):
        attempts.failed |= known.failed
        return known.seen
    looked = _prescan(attempts, jobs, progress)
    if not looked.rounds:
        if len(attempts.failed) == len(jobs):
            attempts.end()
        first = next(job.partition.path for job in jobs if job.partition.path not in attempts.failed)
        raise FileError(*nothing_usable(first, looked.n_rows, looked.rejected))
    if checkpoint is not None:
        checkpoint.write(NOTE, {"partitions": states, "seen": looked.to_json(), "failed": attempts.failed})
    return looked


def _prescan(attempts: Attempts, jobs: Sequence[Job], progress: Progress | None) -> Prescan:
    """A look at all partitions."""
    begin = partial(attempts.client.submit, look, pure=False)
    with_care = partial(attempts.client.submit, prescan_isolated, pure=False)
    parts: dict[str, Prescan | None] = {}
    for job, seen in attempts.each(jobs, begin, with_care):
        parts[job.partition.path] = seen
        if progress:
            progress("Scanning the rewards", len(parts), len(jobs))
    in_order = (parts[job.partition.path] for job in jobs)
    return Prescan.merge([seen for seen in in_order if seen is not None])


def _read(kept: Any) -> SeenBefore:
    return SeenBefore(kept["partitions"], Prescan.from_json(kept["seen"]), dict(kept["failed"]))
