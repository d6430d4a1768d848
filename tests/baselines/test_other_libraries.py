"""The baselines beside the same algorithms in river and MABWiser.

Both are imported in the tests that need them: each takes a second or two in every process of the tests.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune import baselines

ROUNDS = 150


def share_of_best(select: Callable[[], int], update: Callable[[int, float], None], seed: int) -> float:
    """How often the better of two Bernoulli arms is pulled."""
    rng, best = np.random.default_rng(seed), 0
    for _ in range(ROUNDS):
        arm = select()
        update(arm, float(rng.random() < (0.3, 0.6)[arm]))
        best += arm
    return best / ROUNDS


def ours(name: str, seed: int) -> baselines.Baseline:
    return bt.BetaThompson(2, seed=seed) if name == "thompson" else bt.EpsilonGreedy(2, epsilon=0.2, seed=seed)


def assert_alike(theirs: list[float], mine: list[float]) -> None:
    """The means of two samples differ by no more than chance does."""
    error = math.sqrt((np.var(theirs) + np.var(mine)) / len(mine))
    assert abs(np.mean(theirs) - np.mean(mine)) < 3.0 * error


@pytest.mark.parametrize("name", ["thompson", "epsilon"])
def test_river_finds_the_better_arm_as_often(name: str) -> None:
    bandit, proba = pytest.importorskip("river.bandit"), pytest.importorskip("river.proba")
    theirs, mine = [], []
    for seed in range(100):
        library: Any = bandit.ThompsonSampling(reward_obj=proba.Beta(alpha=1, beta=1), seed=seed)
        if name == "epsilon":
            library = bandit.EpsilonGreedy(epsilon=0.2, burn_in=1, seed=seed)  # every arm once
        policy = ours(name, seed)
        theirs.append(share_of_best(lambda library=library: library.pull([0, 1]), library.update, seed))
        mine.append(share_of_best(policy.select, policy.update, seed))
    assert_alike(theirs, mine)


@pytest.mark.parametrize("name", ["thompson", "epsilon"])
def test_mabwiser_finds_the_better_arm_as_often(name: str) -> None:
    library = pytest.importorskip("mabwiser.mab")
    policies = library.LearningPolicy
    learning = policies.ThompsonSampling() if name == "thompson" else policies.EpsilonGreedy(epsilon=0.2)
    theirs, mine = [], []
    for seed in range(30):
        mab, policy = library.MAB([0, 1], learning, seed=seed), ours(name, seed)
        mab.fit([0, 1], [0, 1])
        policy.update(0, 0.0)
        policy.update(1, 1.0)

        def learn(arm: int, reward: float, mab: Any = mab) -> None:
            mab.partial_fit([arm], [reward])

        theirs.append(share_of_best(mab.predict, learn, seed))
        mine.append(share_of_best(policy.select, policy.update, seed))
    assert_alike(theirs, mine)


def test_exp3_has_the_probabilities_that_river_has() -> None:
    bandit = pytest.importorskip("river.bandit")
    rng = np.random.default_rng(0)
    library, policy = bandit.Exp3(gamma=0.1, seed=0), baselines.EXP3(4, gamma=0.1)
    for _ in range(300):
        library.pull([0, 1, 2, 3])  # sets its probabilities
        assert policy.probabilities == pytest.approx(list(library._probabilities.values()), rel=1e-9)
        arm, reward = policy.select(), float(rng.random())
        library.update(arm, reward)
        policy.update(arm, reward)
