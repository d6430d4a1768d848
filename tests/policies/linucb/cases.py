"""How LinUCB and LinTS are held to the contract of all policies."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from tests.naive.linucb import NaiveLinTS, NaiveLinUCB, naive_arms
from tests.policies.case import Case, Problem


@st.composite
def contextual_tasks(draw: st.DrawFn) -> bt.ContextualTask:
    """Tasks with a linear truth; some contexts are zero, equal or shared by all arms, some rewards are tenths."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rounds, n_arms, dim = draw(st.integers(1, 25)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    contexts = rng.normal(size=(rounds, n_arms, dim)) * draw(st.sampled_from([1e-3, 1.0, 1e3]))
    rewards = contexts @ rng.normal(size=dim) + rng.normal(size=(rounds, n_arms))
    kind = draw(st.sampled_from(["plain", "tenths", "zero", "equal", "shared"]))
    if kind == "tenths":
        rewards = rewards.round(1)
    elif kind == "zero":
        contexts[rng.random((rounds, n_arms)) < 0.3] = 0.0
    elif kind == "equal":
        contexts[:] = contexts[:, :1]
    elif kind == "shared":
        contexts = contexts[:, 0]
    return bt.ContextualTask(contexts, rewards)


class LinUCBCase(Case):
    policy = bt.LinUCB
    parameter = "alpha"
    bounds = (0.0, 2.0)
    longest = 25

    def tasks(self) -> st.SearchStrategy[bt.ContextualTask]:
        return contextual_tasks()

    def sample(self, rng: np.random.Generator) -> bt.ContextualTask:
        return bt.ContextualTask(rng.normal(size=(10, 4, 3)), rng.random((10, 4)))

    def settings(self, task: bt.ContextualTask) -> st.SearchStrategy[dict[str, Any]]:
        has_own_contexts = task.contexts.shape[1] == task.n_arms  # else one regression cannot tell the arms apart
        disjoint = st.booleans() if has_own_contexts else st.just(True)
        return st.fixed_dictionaries({"ridge": st.sampled_from([0.01, 1.0, 7.0]), "disjoint": disjoint})

    def is_decided(self, problem: Problem, value: float) -> bool:
        return value == 0.0 or value >= 1e-290  # below, products vanish

    def total(self, rewards: Sequence[float]) -> float:
        return -float(np.cumsum(np.negative(rewards))[-1])

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        task, fixed = problem.task, problem.fixed
        contexts = np.broadcast_to(task.contexts, (len(task), task.n_arms, task.dim))
        expected = naive_arms(contexts, task.rewards, value, **fixed)
        if arms == expected:
            return
        # allowed only where two indices tie but for rounding
        first = next(t for t, (one, other) in enumerate(zip(arms, expected, strict=True)) if one != other)
        until_then = NaiveLinUCB(task.n_arms, value, **fixed)
        for t, arm in enumerate(expected[:first]):
            until_then.learn(arm, contexts[t, arm], task.rewards[t, arm])
        until_then.check_arm(arms[first], contexts[first], 1e-9)

    def run_online(self, policy: Any, task: bt.ContextualTask, rounds: range, before: list[int]) -> list[int]:
        arms, updates = before.copy(), policy.updates or bt.Updates()
        shown = task.contexts if task.contexts.shape[1] == task.n_arms else task.contexts[:, 0]
        for t in rounds:
            arms.append(policy.select(shown[t]))
            if updates.pending:
                policy.expect(arms[t], shown[t])
            for late in range(updates.count_known(t), updates.count_known(t + 1)):
                policy.update(arms[late], task.rewards[late, arms[late]], shown[late])
        return arms


class LinTSCase(LinUCBCase):
    policy = bt.LinTS
    parameter = "scale"
    examples = 30

    def tasks(self) -> st.SearchStrategy[bt.ContextualTask]:
        """Contexts of which regressions have a root in plain floats."""
        return contextual_tasks().filter(lambda task: np.abs(task.contexts).max() < 100.0)

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        coins = {} if horizon is None else {"seed": task.address.key(0)}  # as the run on this task has them
        return super().start(task, horizon, **coins, **settings)

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        task, fixed = problem.task, problem.fixed
        contexts = np.broadcast_to(task.contexts, (len(task), task.n_arms, task.dim))
        naive = NaiveLinTS(task.n_arms, value, key=task.address.key(0), **fixed)
        for t, arm in enumerate(arms):
            naive.check_arm(arm, contexts[t], 1e-7)
            naive.learn(arm, contexts[t, arm], task.rewards[t, arm])


CASES = (LinUCBCase(), LinTSCase())
