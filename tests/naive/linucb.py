"""LinUCB by the book: the normal equations are solved afresh in each round. Algorithm 4 of the paper."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def naive_arms(contexts: Array, rewards: Array, alpha: float, *, ridge: float, disjoint: bool) -> list[int]:
    """The arms LinUCB chooses, given contexts (T, n, d) and the rewards (T, n) that each arm would give."""
    horizon, n_arms, dim = contexts.shape
    seen: list[list[tuple[Array, float]]] = [[] for _ in range(n_arms if disjoint else 1)]
    arms = []
    for t in range(horizon):
        indices = []
        for arm in range(n_arms):
            known = seen[arm if disjoint else 0]
            moments = ridge * np.eye(dim) + sum((np.outer(x, x) for x, _ in known), np.zeros((dim, dim)))
            sums = sum((reward * x for x, reward in known), np.zeros(dim))
            x = contexts[t, arm]
            mean = x @ np.linalg.solve(moments, sums)
            indices.append(mean + alpha * np.sqrt(x @ np.linalg.solve(moments, x)))
        arm = int(np.argmax(indices))
        arms.append(arm)
        seen[arm if disjoint else 0].append((contexts[t, arm], rewards[t, arm]))
    return arms
