"""Tasks that are alike, numbered, so that what is drawn for one says nothing about what is drawn for another.

Where the order or the length of a task is not recorded, rewards are drawn, and what they are drawn by is the task
itself: its name and its content, on any number of workers, in any partition. Two tasks with the same name and content
are twins: they are numbered in the order in which they come, and the number is part of what they are drawn by.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from banditune.randomness import generator, stable_hash


def number_twins(tasks: Iterable[Any], horizon: int, start: int = 0) -> Iterator[Any]:
    """The tasks, those for which a game of so many rounds needs draws with numbers from `start` among their twins.

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
            yield task if twin == task.twin else task.numbered(twin)


def resampling(seed: int, content: bytes, name: str | None, twin: int) -> np.random.Generator:
    """What draws further rewards of a task from those observed."""
    address: list[str | int] = ["extend", stable_hash(content)]
    return generator(seed, *address, *([] if name is None else [name]), *([twin] if twin else []))


def alike_by(content: bytes, name: str | None) -> int:
    """What twins have in common, and no other tasks."""
    return stable_hash(content + b"\0" + (name or "").encode("utf-8", "surrogatepass"))
