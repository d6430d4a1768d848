"""Logged tasks: what a policy that ran before saw, chose and received."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.errors import TaskError
from banditune.rng import generator, stable_hash
from banditune.tasks.arrays import check_arms, check_contexts, check_limits, check_numbers, check_responses, where_in
from banditune.tasks.base import PastTask, set_fields
from banditune.tasks.draws import Draw
from banditune.validation import format_value


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class LoggedTask(PastTask):
    """One log of a contextual bandit, for off-policy evaluation: contexts, choices and rewards of T events, in order.

    Parameters
    ----------
    contexts : array_like, shape (T, d) or (T, n_arms, d)
        One context per event, or one per arm.
    arms : array_like of int, shape (T,)
        The chosen arms, numbered from 0.
    rewards : array_like, shape (T,)
        Their rewards.
    propensities : array_like, shape (T,), optional
        The probabilities with which the logging policy chose them; by default, choices are taken as uniform.
    arm_names : sequence, optional
        The names of all arms, also of those never chosen.
    name : str, optional
        The name of the log.
    limits : (low, high), optional
        What no reward of such logs can exceed; certificates need it.

    Examples
    --------
    >>> LoggedTask([[0.2, 1.0], [0.9, 1.0]], arms=[1, 0], rewards=[0.0, 1.0], name="monday")
    LoggedTask(name='monday', events=2, n_arms=2, dim=2)
    """

    is_log: ClassVar[bool] = True

    contexts: NDArray[np.float64]
    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64] | None
    arm_names: tuple[Hashable, ...]
    name: str | None
    limits: Interval | None
    draw: Draw | None  # of the choices of a policy that draws; None: the first

    def __init__(
        self,
        contexts: ArrayLike,
        arms: ArrayLike,
        rewards: ArrayLike,
        *,
        propensities: ArrayLike | None = None,
        arm_names: Sequence[Hashable] | None = None,
        name: str | None = None,
        limits: Iterable[float] | None = None,
    ) -> None:
        where = where_in(name)
        received = check_responses(rewards, f"{where}rewards")
        if received.ndim != 1 or received.size == 0:
            raise TaskError(f"{where}rewards must have shape (T,) with at least one event, got {received.shape}")
        chosen = _whole(arms, received.size, where)
        n_arms = int(chosen.max()) + 1 if arm_names is None else len(arm_names)
        names = tuple(range(n_arms)) if arm_names is None else check_arms(arm_names, n_arms, where)
        if chosen.min() < 0 or chosen.max() >= n_arms:
            wrong = int(np.flatnonzero((chosen < 0) | (chosen >= n_arms))[0])
            raise TaskError(f"{where}arms must be from 0 to {n_arms - 1}, got {chosen[wrong]} at position {wrong}")
        if (chosen == chosen[0]).all():
            only = format_value(names[chosen[0]])
            raise TaskError(f"{where}arms must contain at least two different arms, got {only} alone")
        seen = check_contexts(contexts, f"{where}contexts")
        if seen.ndim not in (2, 3) or seen.shape[0] != received.size or (seen.ndim == 3 and seen.shape[1] != n_arms):
            wanted = f"({received.size}, d) or ({received.size}, {n_arms}, d)"
            raise TaskError(f"{where}contexts must have shape {wanted}, got {seen.shape}")
        if seen.shape[-1] == 0:
            raise TaskError(f"{where}contexts must have at least one feature, got shape {seen.shape}")
        likely = None if propensities is None else check_numbers(propensities, f"{where}propensities")
        if likely is not None and (likely.shape != received.shape or not ((likely > 0.0) & (likely <= 1.0)).all()):
            raise TaskError(f"{where}propensities must be {received.size} numbers above 0 and at most 1")
        stated = None if limits is None else check_limits(limits, received, where)
        events = {"contexts": seen, "arms": chosen, "rewards": received, "propensities": likely}
        set_fields(self, {**events, "arm_names": names, "name": name, "limits": stated})

    def thin(self, *, seed: int = 0) -> "LoggedTask":
        """Return the events left by rejection sampling, in which every arm is equally likely.

        An event is accepted with a probability inverse to its propensity, those of the smallest propensity always.
        Without propensities, the log is returned as it is.

        Examples
        --------
        >>> log = LoggedTask([[1.0]] * 4, arms=[0, 1, 0, 1], rewards=[1, 0, 1, 1], propensities=[0.8, 0.2, 0.8, 0.2])
        >>> log.thin(seed=1).arms  # both choices of arm 1, and about a quarter of those of arm 0
        array([0, 1, 1])
        """
        if self.propensities is None:
            return self
        drawn = generator(seed, "thin", stable_hash(self.rewards.tobytes())).random(len(self))
        kept = drawn * self.propensities < self.propensities.min()
        if kept.all():
            return self
        left = object.__new__(LoggedTask)  # of which the choices may be of one arm alone
        events = {"contexts": self.contexts[kept], "arms": self.arms[kept], "rewards": self.rewards[kept]}
        set_fields(left, {**events, "arm_names": self.arm_names, "name": self.name, "limits": self.limits})
        return left

    def split_loss(self, horizon: int, loss: str) -> float | None:
        """Minus the mean reward of an event, had every arm been equally likely: weighted by inverse propensities."""
        rewards = self.rewards[:horizon]
        weights = None if self.propensities is None else 1.0 / self.propensities[:horizon]
        return -float(np.average(rewards, weights=weights)) if loss == "reward" else None

    def unevenness(self) -> tuple[float, int]:
        """Return how unequally often the arms were chosen: chi-squared, and its degrees of freedom."""
        chosen = np.bincount(self.arms, minlength=self.n_arms)
        expected = len(self) / self.n_arms
        return float(np.square(chosen - expected).sum() / expected), self.n_arms - 1

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return len(self.arm_names)

    @property
    def dim(self) -> int:
        """The number of features of a context."""
        return int(self.contexts.shape[-1])

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self)

    def __len__(self) -> int:
        return int(self.rewards.size)

    def __repr__(self) -> str:
        return f"LoggedTask(name={self.name!r}, events={len(self)}, n_arms={self.n_arms}, dim={self.dim})"


def _whole(arms: ArrayLike, n_events: int, where: str) -> NDArray[np.int64]:
    """Return the chosen arms as whole numbers."""
    try:
        chosen = np.asarray(arms)
    except ValueError:
        chosen = np.empty(0)
    if chosen.shape != (n_events,) or chosen.dtype.kind not in "iu":
        raise TaskError(f"{where}arms must be the whole numbers of {n_events} chosen arms, got {format_value(arms)}")
    numbers = chosen.astype(np.int64)
    numbers.flags.writeable = False
    return numbers
