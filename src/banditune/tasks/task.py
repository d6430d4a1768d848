"""Tasks: what happened in past bandit problems."""

import copy
import numbers
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.errors import TaskError
from banditune.kernels.lines.extension import extend_streams
from banditune.kernels.lines.prefix_sums import segment_means
from banditune.kernels.lines.urn import draw_from_urn
from banditune.rng import generator, seed_words, stable_hash
from banditune.tasks.arrays import arm_label, arm_rows, check_arms, check_numbers, even_starts, pack_rewards
from banditune.tasks.base import PastTask
from banditune.tasks.twins import alike_by, resampling_key
from banditune.validation import LONGEST_GAME, format_value, whole_number

ZERO_ONE = Interval(0.0, 1.0)
MOST_PULLS = 10**9  # of an arm given by totals
MOST_HELD = 2**20  # of them, so many become rewards in memory, in the order that is drawn


class Totals(NamedTuple):
    """What is known of a task of 0/1 rewards whose order is drawn."""

    pulls: tuple[int, ...]  # of each arm
    successes: tuple[int, ...]
    seed: int

    def rewards(self, name: str | None, twin: int) -> list[NDArray[np.float64]]:
        """The rewards of each arm in a random order; the first so many of them, where there are more than are held."""
        content = [] if name is not None else [stable_hash(repr(self[:2]).encode())]
        address = [*content, *([twin] if twin else [])]
        return [
            _draw_order(generator(self.seed, "from_counts", name or "", arm, *address), n, k)
            for arm, (n, k) in enumerate(zip(self.pulls, self.successes, strict=True))
        ]


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Task(PastTask):
    """One past multi-armed bandit problem, such as an A/B test: the rewards of each arm, in order.

    Parameters
    ----------
    rewards : sequence of 1-D array_like, or array_like of shape (n_arms, n)
        The successive rewards of each arm; lengths may differ.
    arms : sequence, optional
        The names of the arms; the same name in two tasks is the same arm.
    means : array_like, shape (n_arms,), optional
        The true means, if known; by default the averages of the rewards.
    points : array_like, shape (n_arms, d), optional
        Where the arms are, for GP-UCB.
    name : str, optional
        The name of the task.
    limits : (low, high), optional
        What no reward of such tasks can exceed, such as (0, 1) for clicks; certificates need it.

    Examples
    --------
    >>> task = Task([[0, 1, 1], [1, 0]], arms=["red", "blue"], name="monday")
    >>> task
    Task(name='monday', n_arms=2, rewards=5)
    >>> task.means
    array([0.66666667, 0.5       ])
    """

    may_lack: ClassVar[bool] = False  # whether an arm may be without rewards

    flat: NDArray[np.float64]  # the rewards of all arms end to end
    starts: NDArray[np.int64]  # (n_arms + 1,) arm i has flat[starts[i]:starts[i + 1]]
    given_arms: tuple[Hashable, ...] | None
    given_means: NDArray[np.float64] | None
    points: NDArray[np.float64] | None
    name: str | None
    limits: Interval | None
    totals: Totals | None  # what it was made of, if its order is drawn
    given_twin: int | None  # its number among tasks that are alike, if it has got one: see `twins`

    def __init__(
        self,
        rewards: ArrayLike | Sequence[ArrayLike],
        *,
        arms: Sequence[Hashable] | None = None,
        means: ArrayLike | None = None,
        points: ArrayLike | None = None,
        name: str | None = None,
        limits: Iterable[float] | None = None,
    ) -> None:
        where = where_in(name)
        rows = arm_rows(rewards, where)
        names = None if arms is None else check_arms(arms, len(rows), where)
        flat, starts = pack_rewards(rows, names, where, may_lack=self.may_lack)
        put = object.__setattr__
        put(self, "flat", flat)
        put(self, "starts", starts)
        put(self, "given_arms", names)
        put(self, "given_means", None if means is None else check_numbers(means, f"{where}means"))
        put(self, "points", None if points is None else check_numbers(points, f"{where}points"))
        put(self, "name", name)
        put(self, "limits", None if limits is None else check_limits(limits, flat, where))
        put(self, "totals", None)
        put(self, "given_twin", None)
        n_arms = starts.size - 1
        if self.given_means is not None and self.given_means.shape != (n_arms,):
            raise TaskError(f"{where}means must have shape ({n_arms},), one per arm; got {self.given_means.shape}")
        if self.points is not None and (self.points.ndim != 2 or self.points.shape[0] != n_arms):
            raise TaskError(f"{where}points must have shape ({n_arms}, d), one row per arm; got {self.points.shape}")

    @classmethod
    def of_arrays(cls, flat: NDArray[np.float64], starts: NDArray[np.int64], **further: Any) -> "Task":
        """The task that has these arrays, and whatever else is said of it by field, all checked before."""
        flat.setflags(write=False)
        starts.setflags(write=False)
        task = object.__new__(cls)
        further["flat"], further["starts"] = flat, starts
        for field, put in _setters(cls):
            put(task, further.get(field))
        return task

    @classmethod
    def from_counts(
        cls,
        pulls: Sequence[int],
        successes: Sequence[int],
        *,
        seed: int = 0,
        arms: Sequence[Hashable] | None = None,
        name: str | None = None,
    ) -> Self:
        """Make a task of 0/1 rewards from totals, such as those of an A/B test.

        Parameters
        ----------
        pulls, successes : sequence of int, length n_arms
            How often each arm was pulled, and with success.
        seed : int, default 0
            The random seed of the order of successes, together with the name, or with the totals of a task that has
            none; tasks that are tuned together have orders of their own even if they are equal.
        arms, name
            As in `bt.Task`.

        Examples
        --------
        >>> Task.from_counts([1000, 1000], [31, 44]).means
        array([0.031, 0.044])
        """
        where = where_in(name)
        seed = whole_number("seed", seed, least=0)
        try:
            pairs = list(zip(pulls, successes, strict=True))
        except (TypeError, ValueError):
            got = f"got {format_value(pulls)} and {format_value(successes)}"
            raise TaskError(f"{where}pulls and successes must be equally long lists of whole numbers, {got}") from None
        names = None if arms is None else check_arms(arms, len(pairs), where)
        for arm, (n, k) in enumerate(pairs):
            label = arm_label(names, arm)
            if not _is_count(n) or not 1 <= n <= MOST_PULLS:
                raise TaskError(
                    f"{where}{label}: pulls must be a whole number from 1 to {MOST_PULLS}, got {format_value(n)}"
                )
            if not _is_count(k) or not 0 <= k <= n:
                raise TaskError(
                    f"{where}{label}: successes must be a whole number from 0 to pulls ({n}), got {format_value(k)}"
                )
        totals = Totals(tuple(int(n) for n, _ in pairs), tuple(int(k) for _, k in pairs), seed)
        means = np.divide(totals.successes, totals.pulls) if max(totals.pulls, default=0) > MOST_HELD else None
        task = cls(totals.rewards(name, 0), arms=names, means=means, name=name, limits=ZERO_ONE)
        object.__setattr__(task, "totals", totals)
        return task

    @property
    def n_rewards(self) -> int:
        """How many rewards are known."""
        return int(self.flat.size)

    @property
    def n_arms(self) -> int:
        """How many arms the task has."""
        return int(self.starts.size) - 1

    @property
    def rounds(self) -> int:
        """How many rewards are known in all."""
        return int(self.starts[-1])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many rewards of each arm are known: (n_arms,)."""
        return np.diff(self.starts)

    @property
    def rewards(self) -> tuple[NDArray[np.float64], ...]:
        """The rewards of each arm in order."""
        return tuple(self.flat[a:b] for a, b in zip(self.starts[:-1], self.starts[1:], strict=True))

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The names of the arms; their numbers from 0 where none were given."""
        return tuple(range(self.n_arms)) if self.given_arms is None else self.given_arms

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means if they were given, else the averages of the observed rewards: (n_arms,)."""
        return segment_means(self.flat, self.starts) if self.given_means is None else self.given_means

    def extend(self, horizon: int, *, seed: int = 0) -> "Task":
        """Return a task with exactly `horizon` rewards of each arm: the observed ones, then resampled ones.

        Rewards are resampled with replacement from the arm's own. What is drawn depends on the seed, the task's
        rewards and its name, not on its place among others; a longer extension begins with the shorter one. The means
        do not change.

        Parameters
        ----------
        horizon : int
            The number of rewards of each arm.
        seed : int, default 0
            The random seed.

        Examples
        --------
        >>> [row.size for row in Task([[0.2, 0.4], [0.9]]).extend(5).rewards]
        [5, 5]
        """
        horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        seed = whole_number("seed", seed, least=0)
        if self.starts is even_starts(self.n_arms, horizon) or (self.lengths == horizon).all():
            return self
        return Task(
            Joined.of([self]).extended(horizon, seed),
            arms=self.given_arms,
            means=self.means,
            points=self.points,
            name=self.name,
            limits=self.limits,
        )

    @property
    def twin(self) -> int:
        """Its number among tasks that are alike."""
        return self.given_twin or 0

    def drawn_by(self, horizon: int) -> int | None:
        """What the draws for a run of so many rounds have in common with those of its twins; None if none are made."""
        if self.totals is not None:  # an order is drawn by the name alone, if there is one
            content = repr(self.totals.seed if self.name is not None else self.totals).encode()
            return alike_by(content, self.name)
        arms = self.starts.size - 1
        enough = self.starts.item(-1) >= horizon * arms  # of all arms together: if not, some arm has too few
        if enough and (self.starts is even_starts(arms, horizon) or self.lengths.min() >= horizon):
            return None
        return alike_by(self.flat.tobytes(), self.name)

    def with_twin(self, twin: int) -> Self:
        """The same task with that number among its twins: what is not recorded of it is drawn anew."""
        task = copy.copy(self)
        object.__setattr__(task, "given_twin", twin)
        if self.totals is not None:
            flat = np.concatenate(self.totals.rewards(self.name, twin))
            flat.flags.writeable = False
            object.__setattr__(task, "flat", flat)
        return task

    def arm_label(self, arm: int) -> str:
        """How an error message calls an arm."""
        return arm_label(self.given_arms, arm)

    def __repr__(self) -> str:
        return f"Task(name={self.name!r}, n_arms={self.n_arms}, rewards={self.flat.size})"


class Joined(NamedTuple):
    """The rewards of many tasks end to end: what is done with all of them at once costs little for each."""

    flat: NDArray[np.float64]
    begins: NDArray[np.int64]  # (all arms + 1,) arm i has flat[begins[i]:begins[i + 1]]
    tasks: NDArray[np.int64]  # (tasks + 1,) task k has the arms tasks[k]:tasks[k + 1]
    members: Sequence[Task]

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> "Joined":
        """Join tasks in their order."""
        n_arms = np.array([task.starts.size - 1 for task in tasks])
        n_rewards = np.array([task.flat.size for task in tasks])
        first = np.concatenate(([0], np.cumsum(n_rewards)))
        starts = np.concatenate([task.starts[:-1] for task in tasks]) + np.repeat(first[:-1], n_arms)
        flat = np.concatenate([task.flat for task in tasks])
        return cls(flat, np.append(starts, first[-1]), np.concatenate(([0], np.cumsum(n_arms))), tasks)

    def extended(self, horizon: int, seed: int) -> NDArray[np.float64]:
        """`horizon` rewards of each arm, as `Task.extend` has them: (all arms, horizon)."""
        short = np.minimum.reduceat(np.diff(self.begins), self.tasks[:-1]) < horizon
        keys = np.zeros(short.size, np.uint64)
        for k in np.flatnonzero(short).tolist():
            task = self.members[k]
            keys[k] = resampling_key(task.flat.tobytes(), task.name, task.twin)
        streams = np.empty((self.begins.size - 1, horizon))
        extend_streams(self.flat, self.begins, self.tasks, seed_words(seed, "extend"), keys, streams)
        return streams


@lru_cache
def _setters(kind: type[Task]) -> list[tuple[str, Callable[[Any, Any], None]]]:
    """List the fields of a kind of task with what sets them: for a million tasks, the quickest way there is."""
    return [(field, vars(kind)[field].__set__) for field in kind.__slots__]


def where_in(name: str | None) -> str:
    """How an error message begins."""
    if name is not None and not isinstance(name, str):
        raise TaskError(f"the name of a task must be text, got {format_value(name)}")
    return "" if name is None else f"task {format_value(name)}, "


def check_limits(limits: Iterable[float], flat: NDArray[np.float64], where: str) -> Interval:
    """The limits of rewards, which those observed keep to."""
    try:
        low, high = limits
        stated = Interval(low, high)
    except (TypeError, ValueError):
        raise TaskError(f"{where}limits must be (low, high) with low <= high, got {format_value(limits)}") from None
    if flat.min() < stated.low or flat.max() > stated.high:
        seen = f"rewards from {flat.min():g} to {flat.max():g}"
        raise TaskError(f"{where}limits say {stated.low:g} to {stated.high:g}, got {seen}")
    return stated


def _draw_order(random: np.random.Generator, pulls: int, successes: int) -> NDArray[np.float64]:
    """So many successes among so many pulls in a random order, from its beginning as far as rewards are held."""
    if pulls > MOST_HELD:
        return draw_from_urn(random.random(MOST_HELD), pulls, successes)
    row = np.zeros(pulls)
    row[:successes] = 1.0
    random.shuffle(row)
    return row


def _is_count(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)
