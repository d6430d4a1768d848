"""Contextual policies in production: decisions whose rewards are still to come count by their contexts."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.deployment import MemoryStore, deploy, open_deployment
from tests.strategies import share

ARMS = ["a", "b", "c", "d"]
HOW: dict[str, Any] = {"alpha": 0.4, "disjoint": True}


def choose_afresh(
    arms: list[str], learned: list[tuple[str, float, np.ndarray]], waiting: list[tuple[str, np.ndarray]], x: np.ndarray
) -> str:
    """What a policy chooses that is made anew: first it learns all rewards, then it is told of what is pending."""
    policy = bt.LinUCB(len(arms), x.size, **HOW)
    for arm, reward, context in learned:
        if arm in arms:
            policy.update(arms.index(arm), reward, context)
    for arm, context in waiting:
        if arm in arms:
            policy.expect(arms.index(arm), context)
    return arms[policy.select(x)]


steps = st.lists(st.sampled_from(["choose", "choose", "reward", "drop", "arms", "open"]), min_size=5, max_size=30)


@share(30)
@given(st.integers(0, 2**32), steps)
def test_deployment_chooses_as_a_policy_made_afresh(seed: int, done: list[str]) -> None:
    rng, store = np.random.default_rng(seed), MemoryStore()
    deployment, arms = deploy(bt.LinUCB, arms=ARMS[:2], dim=3, store=store, **HOW), ARMS[:2]
    learned: list[tuple[str, float, np.ndarray]] = []
    waiting: dict[str, tuple[str, np.ndarray]] = {}
    for step in done:
        some = sorted(waiting)[int(rng.integers(len(waiting)))] if waiting else None
        if step == "choose":
            x = rng.normal(size=3)
            decision = deployment.choose(contexts=x)
            assert decision.arm == choose_afresh(arms, learned, list(waiting.values()), x)
            waiting[decision.id] = str(decision.arm), x
        elif step == "reward" and some is not None:
            arm, x = waiting.pop(some)
            reward = float(rng.normal())
            deployment.reward(some, reward)
            if arm in arms:
                learned.append((arm, reward, x))
        elif step == "drop" and some is not None:
            waiting.pop(some)
            deployment.drop(some)
        elif step == "arms":
            arm = ARMS[int(rng.integers(4))]
            if arm not in arms:
                deployment.add_arms([arm])
                arms = [*arms, arm]
            elif len(arms) > 1:
                deployment.remove_arms([arm])
                arms = [each for each in arms if each != arm]
                learned = [each for each in learned if each[0] != arm]
        else:
            deployment = open_deployment(store)


def test_several_decisions_at_once_are_spread_over_arms() -> None:
    deployment = deploy(bt.LinUCB, arms=ARMS, dim=1, alpha=1.0, disjoint=True)
    chosen = [decision.arm for decision in deployment.choose(4, contexts=[[1.0]] * 4)]
    assert sorted(map(str, chosen)) == ARMS
