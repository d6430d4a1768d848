"""LinUCB by the book: the normal equations are solved afresh in each round. Algorithm 4 of the paper."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class NaiveLinUCB:
    """What was seen of each regression, and nothing else."""

    def __init__(self, n_arms: int, alpha: float, *, ridge: float, disjoint: bool) -> None:
        self.alpha, self.ridge, self.disjoint = alpha, ridge, disjoint
        self.seen: list[list[tuple[Array, float]]] = [[] for _ in range(n_arms if disjoint else 1)]

    def indices(self, contexts: Array) -> list[float]:
        """The index of every arm, given its context (n, d)."""
        found = []
        for arm, x in enumerate(contexts):
            known = self.seen[arm if self.disjoint else 0]
            moments = self.ridge * np.eye(x.size) + sum((np.outer(y, y) for y, _ in known), np.zeros((x.size, x.size)))
            sums = sum((reward * y for y, reward in known), np.zeros(x.size))
            mean = x @ np.linalg.solve(moments, sums)
            found.append(float(mean + self.alpha * np.sqrt(x @ np.linalg.solve(moments, x))))
        return found

    def learn(self, arm: int, x: Array, reward: float) -> None:
        """Remember what an arm gave."""
        self.seen[arm if self.disjoint else 0].append((x, reward))


def naive_arms(contexts: Array, rewards: Array, alpha: float, *, ridge: float, disjoint: bool) -> list[int]:
    """The arms LinUCB chooses, given contexts (T, n, d) and the rewards (T, n) that each arm would give."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, ridge=ridge, disjoint=disjoint)
    arms = []
    for seen, received in zip(contexts, rewards, strict=True):
        arms.append(int(np.argmax(policy.indices(seen))))
        policy.learn(arms[-1], seen[arms[-1]], received[arms[-1]])
    return arms


def naive_replay(
    contexts: Array, logged: NDArray[np.int64], rewards: Array, alpha: float, *, ridge: float, disjoint: bool
) -> tuple[list[int], float]:
    """The events that match in a log of contexts (T, n, d), choices and rewards (T,); and how close the calls were."""
    policy = NaiveLinUCB(contexts.shape[1], alpha, ridge=ridge, disjoint=disjoint)
    matched, closest = [], np.inf
    for t, (seen, arm, reward) in enumerate(zip(contexts, logged, rewards, strict=True)):
        indices = np.array(policy.indices(seen))
        others = np.delete(indices, arm)
        closest = min(closest, float(np.abs(indices[arm] - others).min() / np.abs(indices).max(initial=1e-300)))
        if int(np.argmax(indices)) == arm:
            matched.append(t)
            policy.learn(arm, seen[arm], reward)
    return matched, closest
