"""Tasks: what happened in past bandit problems."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.kernels.lines.prefix_sums import segment_means
from banditune.tasks.arrays import (
    arm_label,
    arm_rows,
    check_arms,
    check_limits,
    check_means,
    check_points,
    even_starts,
    pack_rewards,
    shift_limits,
    where_in,
)
from banditune.tasks.base import PastTask, set_fields
from banditune.tasks.draws import Draw, Rows, draw_streams, resample_streams
from banditune.validation import LONGEST_GAME, whole_number

if TYPE_CHECKING:
    from banditune.tasks.summary import SummaryTask

ZERO_ONE = Interval(0.0, 1.0)


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
    draw: Draw | None  # which draw it is of what is not recorded; None: the first

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
        expected = None if means is None else check_means(means, len(rows), where)
        places = None if points is None else check_points(points, len(rows), where)
        stated = None if limits is None else check_limits(limits, flat, where)
        known = {"flat": flat, "starts": starts, "given_arms": names, "given_means": expected, "points": places}
        set_fields(self, {**known, "name": name, "limits": stated})

    @classmethod
    def of_arrays(cls, flat: NDArray[np.float64], starts: NDArray[np.int64], **further: Any) -> Self:
        """Return the task that has these arrays, and whatever else is said of it by field, all checked before."""
        flat.setflags(write=False)
        starts.setflags(write=False)
        task = object.__new__(cls)
        further["flat"], further["starts"] = flat, starts
        set_fields(task, further)
        return task

    @classmethod
    def from_counts(
        cls,
        pulls: Sequence[int],
        successes: Sequence[int],
        *,
        arms: Sequence[Hashable] | None = None,
        name: str | None = None,
    ) -> "SummaryTask":
        """Make a task of 0/1 rewards from totals, such as those of an A/B test.

        The order of the rewards is not data: it is drawn whenever the task is run, and `bt.tune` averages over several
        draws.

        Parameters
        ----------
        pulls, successes : sequence of int, length n_arms
            How often each arm was pulled, and with success.
        arms, name
            As in `bt.Task`.

        Examples
        --------
        >>> Task.from_counts([1000, 1000], [31, 44]).means
        array([0.031, 0.044])
        """
        from banditune.tasks.summary import summarize_counts

        return summarize_counts(pulls, successes, arms, name)

    @classmethod
    def from_summary(
        cls,
        pulls: Sequence[int],
        means: ArrayLike,
        sds: ArrayLike,
        *,
        arms: Sequence[Hashable] | None = None,
        name: str | None = None,
    ) -> "SummaryTask":
        """Make a task from the mean and the standard deviation of each arm's rewards, as A/B platforms export them.

        Runs draw normal rewards with these moments.

        Parameters
        ----------
        pulls : sequence of int, length n_arms
            How often each arm was pulled.
        means, sds : array_like, shape (n_arms,)
            The mean and the standard deviation of its rewards.
        arms, name
            As in `bt.Task`.

        Examples
        --------
        >>> Task.from_summary([1000, 1000], means=[2.10, 2.25], sds=[7.4, 8.1])
        Task(name=None, n_arms=2, pulls=2000)
        """
        from banditune.tasks.summary import summarize_moments

        return summarize_moments(pulls, means, sds, arms, name)

    def net(self, costs: Mapping[Hashable, float] | Sequence[float]) -> "Task":
        """Return the task net of what a pull of each arm costs, by the arms' names or one number for each in order.

        Rewards, means and limits are less by that; arms that are not named cost nothing.

        >>> Task([[1.0, 0.0], [1.0, 1.0]], arms=["call", "letter"]).net({"call": 0.25}).means
        array([0.25, 1.  ])
        """
        from banditune.tasks.costs import check_costs, list_costs

        return self.subtract(list_costs(self, check_costs(costs)))

    def subtract(self, costs: NDArray[np.float64]) -> "Task":
        """Return the task with rewards and means less costs (n_arms,)."""
        known = {field: getattr(self, field) for field in ("given_arms", "points", "name", "draw")}
        known["given_means"] = None if self.given_means is None else self.given_means - costs
        known["limits"] = None if self.limits is None else shift_limits(self.limits, costs)
        return Task.of_arrays(self.flat - np.repeat(costs, np.diff(self.starts)), self.starts, **known)

    @property
    def n_arms(self) -> int:
        """How many arms the task has."""
        return int(self.starts.size) - 1

    @property
    def rounds(self) -> int:
        """How many rewards are recorded in all."""
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

    @property
    def variances(self) -> NDArray[np.float64]:
        """The variance of each arm's recorded rewards: (n_arms,)."""
        return np.array([row.var() for row in self.rewards])

    @property
    def reward_range(self) -> Interval:
        """The least and the largest recorded reward."""
        return Interval(float(self.flat.min()), float(self.flat.max()))

    @property
    def spread(self) -> float:
        """The largest spread of the rewards of an arm, or of the arms' means."""
        begins = self.starts[:-1][np.diff(self.starts) > 0]
        spreads = np.maximum.reduceat(self.flat, begins) - np.minimum.reduceat(self.flat, begins)
        return float(max(spreads.max(), np.ptp(self.means)))

    @property
    def content(self) -> bytes:
        """The recorded rewards."""
        return self.flat.tobytes()

    def needs_draws(self, horizon: int) -> bool:
        """Tell whether an arm has fewer recorded rewards than a run has rounds."""
        arms = self.starts.size - 1
        if self.starts.item(-1) < horizon * arms:  # of all arms together: then some arm has too few
            return True
        return self.starts is not even_starts(arms, horizon) and bool(self.lengths.min() < horizon)

    @classmethod
    def fill_streams(cls, tasks: Sequence[Any], rows: Rows, streams: NDArray[np.float64]) -> None:
        """Write the streams of some tasks: what is recorded, then rewards resampled with replacement."""
        resample_streams([task.flat for task in tasks], [task.starts for task in tasks], rows, streams)

    def split_loss(self, horizon: int, loss: str) -> float | None:
        """Return the expected loss of giving every arm the same share of the rounds, as most A/B tests do."""
        mean = float(np.add.reduce(means := self.means) / means.size)  # what `means.mean()` is, in half the time
        return {"regret": horizon * (float(means.max()) - mean), "reward": -horizon * mean}.get(loss)

    def extend(self, horizon: int, *, seed: int = 0) -> "Task":
        """Return a task with exactly `horizon` rewards of each arm: the observed ones, then resampled ones.

        Rewards are resampled with replacement from the arm's own; of a task known by totals, all are drawn. What is
        drawn depends on the seed, on what is recorded and on the task's name; a longer extension begins with the
        shorter one. The means do not change.

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
        if not self.needs_draws(horizon) and (self.lengths == horizon).all():
            return self
        return Task(
            draw_streams([self], horizon, seed),
            arms=self.given_arms,
            means=self.means,
            points=self.points,
            name=self.name,
            limits=self.limits,
        )

    def arm_label(self, arm: int) -> str:
        """Return how an error message calls an arm."""
        return arm_label(self.given_arms, arm)

    def __repr__(self) -> str:
        return f"Task(name={self.name!r}, n_arms={self.n_arms}, rewards={self.n_rewards})"
