"""Contextual tasks: what every arm would have given in each round, and what was known beforehand."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import TaskError
from banditune.rng import generator
from banditune.tasks.arrays import check_contexts, check_numbers, check_responses, where_in
from banditune.tasks.base import PastTask, set_fields
from banditune.tasks.draws import Draw
from banditune.validation import LONGEST_GAME, whole_number


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class ContextualTask(PastTask):
    """One past contextual bandit problem with full information: the rewards of all arms in T rounds.

    Parameters
    ----------
    contexts : array_like, shape (T, n_arms, d) or (T, d)
        A context for each arm, or one that all arms share.
    rewards : array_like, shape (T, n_arms)
        The reward of each arm in each round.
    means : array_like, shape (T, n_arms), optional
        The expected rewards, if known; by default the rewards, so that regret is against the best arm of each round in
        hindsight.
    name : str, optional
        The name of the task.

    Examples
    --------
    >>> ContextualTask([[0.2, 1.0], [0.9, 1.0]], rewards=[[0.0, 1.0], [1.0, 0.0]])
    ContextualTask(name=None, rounds=2, n_arms=2, dim=2)
    """

    contexts: NDArray[np.float64]  # (T, n_arms, d), or (T, 1, d) where the arms share them
    rewards: NDArray[np.float64]
    given_means: NDArray[np.float64] | None
    name: str | None
    draw: Draw | None  # which draw it is of the rounds that are not recorded; None: the first

    def __init__(
        self, contexts: ArrayLike, rewards: ArrayLike, *, means: ArrayLike | None = None, name: str | None = None
    ) -> None:
        where = where_in(name)
        received = check_responses(rewards, f"{where}rewards")
        if received.ndim != 2 or received.size == 0:
            raise TaskError(f"{where}rewards must have shape (T, n_arms), one row per round; got {received.shape}")
        seen = check_contexts(contexts, f"{where}contexts")
        if seen.ndim == 2:
            seen = seen[:, None, :]
        if seen.ndim != 3 or seen.shape[0] != received.shape[0] or seen.shape[1] not in (1, received.shape[1]):
            rounds, n_arms = received.shape
            wanted = f"({rounds}, {n_arms}, d) or ({rounds}, d)"
            raise TaskError(f"{where}contexts must have shape {wanted}, got {np.shape(contexts)}")
        if seen.shape[2] == 0:
            raise TaskError(f"{where}contexts must have at least one feature, got shape {np.shape(contexts)}")
        expected = None if means is None else check_numbers(means, f"{where}means")
        if expected is not None and expected.shape != received.shape:
            raise TaskError(f"{where}means must have the shape of the rewards, {received.shape}; got {expected.shape}")
        set_fields(self, {"contexts": seen, "rewards": received, "given_means": expected, "name": name})

    @property
    def n_rewards(self) -> int:
        """How many rewards are known."""
        return int(self.rewards.size)

    @property
    def n_arms(self) -> int:
        """How many arms the task has."""
        return int(self.rewards.shape[1])

    @property
    def dim(self) -> int:
        """The number of features of a context."""
        return int(self.contexts.shape[2])

    @property
    def means(self) -> NDArray[np.float64]:
        """The expected rewards if they were given, else the rewards: (T, n_arms)."""
        return self.rewards if self.given_means is None else self.given_means

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self)

    def __len__(self) -> int:
        return int(self.rewards.shape[0])

    def split_loss(self, horizon: int, loss: str) -> float | None:
        """Return the expected loss of choosing arms equally often; beyond what is recorded, of a mean round."""
        if loss not in ("regret", "reward"):
            return None
        chosen = self.means.max(axis=1) - self.means.mean(axis=1) if loss == "regret" else -self.rewards.mean(axis=1)
        beyond = max(horizon - len(self), 0)
        return float(chosen[:horizon].sum() + beyond * chosen.mean())

    def extend(self, horizon: int, *, seed: int = 0) -> "ContextualTask":
        """Return a task of exactly `horizon` rounds: the observed ones, then rounds resampled with replacement.

        Examples
        --------
        >>> len(ContextualTask([[1.0]], rewards=[[0.5, 0.7]]).extend(3))
        3
        """
        horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        seed = whole_number("seed", seed, least=0)
        if len(self) == horizon:
            return self
        rounds = np.arange(min(len(self), horizon))
        if len(self) < horizon:
            drawn = generator(self.address.key(seed)).random(horizon - len(self))
            rounds = np.append(rounds, (drawn * len(self)).astype(np.int64))
        means = None if self.given_means is None else self.given_means[rounds]
        return ContextualTask(self.contexts[rounds], self.rewards[rounds], means=means, name=self.name)

    @property
    def content(self) -> bytes:
        """The rewards."""
        return self.rewards.tobytes()

    def needs_draws(self, horizon: int) -> bool:
        """Tell whether a run has more rounds than are recorded."""
        return len(self) < horizon

    def __repr__(self) -> str:
        return f"ContextualTask(name={self.name!r}, rounds={len(self)}, n_arms={self.n_arms}, dim={self.dim})"
