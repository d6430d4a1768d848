"""What is drawn for tasks whose order or length is not recorded, by address: no two tasks share a draw by accident.

A draw's address is the task itself, by its name and content, whatever its partition or the number of workers. Tasks
with the same name and content are twins: they are numbered in the order in which they come, and the number is part of
the address. So is the number of the draw, as many can be made for one task.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from banditune.rng import stable_hash


class Draw(NamedTuple):
    """The address of one draw."""

    identity: int  # of the task: its name and content
    twin: int = 0  # its number among tasks that are alike
    number: int = 0  # of the draws for this task

    def key(self, seed: int) -> int:
        """Return 64 bits to draw by."""
        return stable_hash(struct.pack("<4Q", stable_hash(b"%d" % seed), *self))


def identify(content: bytes, name: str | None) -> int:
    """Return what twins have in common, and no other tasks."""
    return stable_hash(content + b"\0" + (name or "").encode("utf-8", "surrogatepass"))


def number_twins(tasks: Iterable[Any], horizon: int, start: int = 0, *, always: bool = False) -> Iterator[Any]:
    """Yield the tasks, those for which a run of so many rounds needs draws with numbers from `start` among their twins.

    A number that a task has already is kept if it can be. What is no task passes as it is. `always`: a policy that
    draws needs draws for any task.
    """
    following: dict[int, int] = {}  # identity -> the number of the next twin
    for task in tasks:
        if not hasattr(task, "needs_draws") or not (task.needs_draws(horizon) or (always and hasattr(task, "draw"))):
            yield task
            continue
        draw = task.address
        twin = max(draw.twin, following.get(draw.identity, start))
        following[draw.identity] = twin + 1
        yield task if twin == draw.twin else task.with_draw(draw._replace(twin=twin))


def list_draws(task: Any, horizon: int, n_draws: int, *, always: bool = False) -> list[Any]:
    """Return the task as often as it is drawn: once if a run of so many rounds needs no draws."""
    if n_draws == 1 or not (always or task.needs_draws(horizon)):
        return [task]
    draw = task.address
    return [task.with_draw(draw._replace(number=number)) for number in range(n_draws)]
