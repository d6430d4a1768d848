"""Tasks: what happened in past bandit problems."""

import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.checks import shown, whole_number
from banditune.errors import TaskError
from banditune.kernels.prefix import segment_means
from banditune.randomness import generator, stable_hash

LARGEST_REWARD = 1e150  # alpha is a squared reward: beyond this it cannot be represented


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Task:
    """One past bandit problem: the rewards that each arm gave, in order.

    `rewards` is one 1-D array per arm (lengths may differ) or one 2-D array (n_arms, rewards). `arms` names the arms;
    the same name in two tasks is the same arm. `means` (n_arms,) are the true means if they are known; otherwise the
    averages of the observed rewards stand for them. `points` (n_arms, d) says where the arms sit, for policies that use
    it.

    >>> task = Task([[0, 1, 1], [1, 0]], arms=["red", "blue"], name="monday")
    >>> task
    Task(name='monday', n_arms=2, rewards=5)
    >>> task.means
    array([0.66666667, 0.5       ])
    """

    _flat: NDArray[np.float64]
    _starts: NDArray[np.int64]
    _arms: tuple[Hashable, ...] | None
    _means: NDArray[np.float64] | None
    points: NDArray[np.float64] | None
    name: str | None

    def __init__(
        self,
        rewards: ArrayLike | Sequence[ArrayLike],
        *,
        arms: Sequence[Hashable] | None = None,
        means: ArrayLike | None = None,
        points: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        where = "" if name is None else f"task {shown(name)}, "
        flat, starts = _packed(rewards, arms, where)
        n_arms = starts.size - 1
        checked_means = checked_points = None
        if means is not None:
            checked_means = _numbers(means, f"{where}means")
            if checked_means.shape != (n_arms,):
                raise TaskError(
                    f"{where}means must have shape ({n_arms},), one for each arm; got {checked_means.shape}"
                )
        if points is not None:
            checked_points = _numbers(points, f"{where}points")
            if checked_points.ndim != 2 or checked_points.shape[0] != n_arms:
                raise TaskError(
                    f"{where}points must have shape ({n_arms}, d), a row for each arm; got {checked_points.shape}"
                )
        for field, value in (
            ("_flat", flat),
            ("_starts", starts),
            ("_arms", None if arms is None else tuple(arms)),
            ("_means", checked_means),
            ("points", checked_points),
            ("name", name),
        ):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, field, value)

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
        """A task of 0/1 rewards from totals: how often each arm was pulled, and how often that was a success.

        The order of an arm's successes is drawn from the seed (and the task's name).

        >>> Task.from_counts([1000, 1000], [31, 44]).means
        array([0.031, 0.044])
        """
        where = "" if name is None else f"task {shown(name)}, "
        if len(pulls) != len(successes):
            raise TaskError(f"{where}pulls and successes must be equally long, got {len(pulls)} and {len(successes)}")
        rewards = []
        for arm, (n, k) in enumerate(zip(pulls, successes, strict=True)):
            label = _arm_label(arms, arm)
            if not _is_count(n) or n < 1:
                raise TaskError(f"{where}{label}: pulls must be a whole number of at least 1, got {shown(n)}")
            if not _is_count(k) or not 0 <= k <= n:
                raise TaskError(
                    f"{where}{label}: successes must be a whole number from 0 to pulls ({n}), got {shown(k)}"
                )
            row = np.zeros(int(n))
            row[: int(k)] = 1.0
            generator(seed, "from_counts", name or "", arm).shuffle(row)
            rewards.append(row)
        return cls(rewards, arms=arms, name=name)

    @property
    def n_arms(self) -> int:
        """How many arms the task has."""
        return int(self._starts.size) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many rewards of each arm are known: (n_arms,)."""
        return np.diff(self._starts)

    @property
    def rewards(self) -> tuple[NDArray[np.float64], ...]:
        """The rewards of each arm in order."""
        return tuple(self._flat[a:b] for a, b in zip(self._starts[:-1], self._starts[1:], strict=True))

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The names of the arms; their numbers from 0 where none were given."""
        return tuple(range(self.n_arms)) if self._arms is None else self._arms

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means if they were given, else the averages of the observed rewards: (n_arms,)."""
        return segment_means(self._flat, self._starts) if self._means is None else self._means

    def extend(self, horizon: int, *, seed: int = 0) -> "Task":
        """A task whose every arm has exactly `horizon` rewards: the observed ones first, then draws from them.

        Draws are with replacement from the arm's own observed rewards. They depend on the seed, the arm's number and
        the task's rewards, not on the task's place among others; a longer extension begins with the shorter one. The
        means stay what they were.

        >>> [row.size for row in Task([[0.2, 0.4], [0.9]]).extend(5).rewards]
        [5, 5]
        """
        whole_number("horizon", horizon, least=1)
        whole_number("seed", seed, least=0)
        if (self.lengths == horizon).all():
            return self
        rows = np.empty((self.n_arms, horizon))
        content = stable_hash(self._flat.tobytes())
        for arm, observed in enumerate(self.rewards):
            known = min(observed.size, horizon)
            rows[arm, :known] = observed[:known]
            if known < horizon:
                drawn = generator(seed, "extend", content, arm).integers(0, observed.size, horizon - known)
                rows[arm, known:] = observed[drawn]
        return Task(rows, arms=self._arms, means=self.means, points=self.points, name=self.name)

    def arm_label(self, arm: int) -> str:
        """How an error message calls an arm."""
        return _arm_label(self._arms, arm)

    def __repr__(self) -> str:
        return f"Task(name={self.name!r}, n_arms={self.n_arms}, rewards={self._flat.size})"


def _arm_label(arms: Sequence[Hashable] | None, arm: int) -> str:
    return f"arm {arm}" if arms is None else f'arm "{str(arms[arm])[:80]}"'


def _is_count(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _packed(
    rewards: ArrayLike | Sequence[ArrayLike], arms: Sequence[Hashable] | None, where: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The rewards of all arms end to end, and where each arm's begin."""
    rows = _rows(rewards, where)
    if len(rows) == 0:
        raise TaskError(f"{where}rewards must hold at least one arm, got none")
    if arms is not None:
        if isinstance(arms, str) or len(arms) != len(rows):
            raise TaskError(f"{where}arms must name the {len(rows)} arms, got {shown(arms)}")
        if len(set(arms)) != len(arms):
            raise TaskError(f"{where}arms must be different names, got {shown(arms)}")
    if isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.shape[1] > 0:
        flat = np.array(rows, order="C").reshape(-1)
        starts = np.arange(0, flat.size + 1, rows.shape[1])
    else:
        parts = [_arm_rewards(row, f"{where}{_arm_label(arms, arm)}") for arm, row in enumerate(rows)]
        flat = np.concatenate(parts)
        starts = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([part.size for part in parts], out=starts[1:])
    if not np.abs(flat).max() <= LARGEST_REWARD:
        bad = int(np.flatnonzero(~(np.abs(flat) <= LARGEST_REWARD))[0])
        arm = int(np.searchsorted(starts, bad, side="right")) - 1
        wanted = "finite" if not np.isfinite(flat[bad]) else f"at most {LARGEST_REWARD:g} in size"
        label = _arm_label(arms, arm)
        raise TaskError(f"{where}{label}: rewards must be {wanted}, got {flat[bad]} at position {bad - starts[arm]}")
    return flat, starts


def _rows(rewards: ArrayLike | Sequence[ArrayLike], where: str) -> NDArray[np.float64] | list[ArrayLike]:
    """The arms one by one: a 2-D array as it is, anything else as a list."""
    needed = "one 1-D array of rewards for each arm, or one array of shape (n_arms, rewards)"
    if isinstance(rewards, np.ndarray) and rewards.dtype != object:
        if rewards.ndim != 2:
            raise TaskError(f"{where}rewards must be {needed}; got an array of shape {rewards.shape}")
        return rewards
    if isinstance(rewards, str | bytes | dict | set):
        raise TaskError(f"{where}rewards must be {needed}; got {shown(rewards)}")
    try:
        return list(rewards)  # type: ignore[arg-type]  # what cannot be listed raises TypeError
    except TypeError:
        raise TaskError(f"{where}rewards must be {needed}; got {shown(rewards)}") from None


def _arm_rewards(row: ArrayLike, where: str) -> NDArray[np.float64]:
    """One arm's rewards as floats."""
    values = _numbers(row, f"{where}: rewards", finite=False)
    if values.ndim != 1:
        raise TaskError(f"{where}: rewards must be a 1-D array, got shape {values.shape}")
    if values.size == 0:
        raise TaskError(f"{where}: rewards must not be empty; leave out an arm that was never pulled")
    return values


def _numbers(values: ArrayLike, what: str, *, finite: bool = True) -> NDArray[np.float64]:
    """An array of floats; text, dates and complex numbers are refused, not converted."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise TaskError(f"{what} must be numbers in a regular array, got {shown(values)}") from None
    if array.dtype.kind == "O":
        for position, value in enumerate(array.reshape(-1)):
            if not isinstance(value, numbers.Real):
                raise TaskError(f"{what} must be numbers, got {shown(value)} at position {position}")
    elif array.dtype.kind not in "biuf":
        first = array.reshape(-1)[0] if array.size else values
        raise TaskError(f"{what} must be numbers, got {shown(first)} at position 0 (type {array.dtype})")
    floats = np.array(array, dtype=np.float64)
    if finite and not np.isfinite(floats).all():
        position = int(np.flatnonzero(~np.isfinite(floats.reshape(-1)))[0])
        raise TaskError(f"{what} must be finite, got {floats.reshape(-1)[position]} at position {position}")
    return floats
