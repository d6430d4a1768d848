"""What is drawn for tasks whose order or length is not recorded, by address: no two tasks share a draw by accident.

A draw's address is the task itself, by its name and content, whatever its partition or the number of workers. Tasks
with the same name and content are twins: they are numbered in the order in which they come, and the number is part of
the address. So is the number of the draw, as many can be made for one task.

The rewards that runs on tasks see are what is recorded, then what is drawn for each arm.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.lines.reward_draws import resample_rewards
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


class Rows(NamedTuple):
    """The arms of some tasks end to end, as rows of the streams that are drawn for them; task k has starts[k] on."""

    starts: NDArray[np.int64]  # (tasks + 1,)
    keys: NDArray[np.uint64]  # (all arms,) of the task
    arms: NDArray[np.int64]  # (all arms,) the arm's number in its task
    rows: NDArray[np.int64]  # (all arms,) where its stream is written

    def take(self, tasks: Sequence[int]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """Return keys, arms and rows of some of the tasks."""
        if len(tasks) == self.starts.size - 1:
            return self.keys, self.arms, self.rows
        chosen = np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in tasks])
        return self.keys[chosen], self.arms[chosen], self.rows[chosen]


def draw_streams(tasks: Sequence[Any], horizon: int, seed: int) -> NDArray[np.float64]:
    """Return `horizon` rewards of each arm, all tasks end to end, as `Task.extend` has them: (all arms, horizon)."""
    n_arms = np.array([task.n_arms for task in tasks])
    starts = np.append(0, np.cumsum(n_arms))
    keys = [task.address.key(seed) if task.needs_draws(horizon) else 0 for task in tasks]
    rows = np.arange(starts[-1])
    every = Rows(starts, np.repeat(np.array(keys, np.uint64), n_arms), rows - np.repeat(starts[:-1], n_arms), rows)
    streams = np.empty((int(starts[-1]), horizon))
    for kind in dict.fromkeys(type(task) for task in tasks):
        mine = [k for k, task in enumerate(tasks) if type(task) is kind]
        chosen = Rows(np.append(0, np.cumsum(n_arms[mine])), *every.take(mine))
        kind.fill_streams([tasks[k] for k in mine], chosen, streams)
    return streams


def resample_streams(
    rewards: Sequence[NDArray[np.float64]],
    starts: Sequence[NDArray[np.int64]],
    rows: Rows,
    streams: NDArray[np.float64],
) -> None:
    """Write the streams of some tasks: their rewards, then such as are resampled with replacement from the arm's own.

    Task k has rewards[k], those of its arms end to end; starts[k] (n_arms + 1,) is where each arm's begin.
    """
    flat = np.concatenate(rewards)
    first = np.append(0, np.cumsum([each.size for each in rewards]))
    begins = np.concatenate([each[:-1] + at for each, at in zip(starts, first[:-1], strict=True)])
    own = np.column_stack([begins, np.append(begins[1:], flat.size)])
    whole = np.repeat(np.column_stack([first[:-1], first[1:]]), np.diff(rows.starts), axis=0)
    pools = np.where((own[:, 1] > own[:, 0])[:, None], own, whole)  # an arm without rewards draws from all
    resample_rewards(flat, own, pools, rows.keys, rows.arms, rows.rows, streams)
