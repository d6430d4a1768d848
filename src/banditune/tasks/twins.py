"""Tasks that are alike, numbered, so that what is drawn for one says nothing about what is drawn for another.

Where the order or the length of a task is not recorded, rewards are drawn, and what they are drawn by is the task
itself: its name and its content, on any number of workers, in any partition. Two tasks with the same name and content
are twins: they are numbered in the order in which they come, and the number is part of what they are drawn by.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from banditune.rng import stable_hash


def number_twins(tasks: Iterable[Any], horizon: int, start: int = 0) -> Iterator[Any]:
    """The tasks, those for which a run of so many rounds needs draws with numbers from `start` among their twins.

    A number that a task has already is kept if it can be. What knows no twins passes as it is.
    """
    following: dict[int, int] = {}  # by what twins have in common: the number of the next of them
    for task in tasks:
        alike = task.drawn_by(horizon) if hasattr(task, "drawn_by") else None
        if alike is None:
            yield task
        else:
            twin = max(task.twin, following.get(alike, start))
            following[alike] = twin + 1
            yield task if twin == task.twin else task.with_twin(twin)


def resampling_key(content: bytes, name: str | None, twin: int) -> int:
    """What further rewards of a task are drawn by, from those observed."""
    return stable_hash(content) if name is None and not twin else stable_hash(b"%d\0" % twin + _join(content, name))


def alike_by(content: bytes, name: str | None) -> int:
    """What twins have in common, and no other tasks."""
    return stable_hash(_join(content, name))


def _join(content: bytes, name: str | None) -> bytes:
    return content + b"\0" + (name or "").encode("utf-8", "surrogatepass")
