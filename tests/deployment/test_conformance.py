"""Every registered policy in production, used one decision at a time: what it does on its own."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.deployment import Deployment, MemoryStore, deploy, deployment_from_json
from tests.policies.cases import Case, Problem
from tests.policies.test_conformance import CASES, play
from tests.strategies import share

each_case = pytest.mark.parametrize("case", CASES, ids=str)
NAMES = [*"abcdefghij", "é", "12", *"klmnop"]


def put_out(case: Case, problem: Problem, value: float, **named: Any) -> Deployment:
    """Deploy a policy for a task, with arms by name."""
    task, needs = problem.task, case.policy.needs
    told = {need: getattr(task, need) for need in needs if need in ("dim", "points")}
    settings = problem.fixed | case.given(value)
    return deploy(case.policy, arms=NAMES[: task.n_arms], horizon=problem.horizon, **told, **settings, **named)


def contexts_of(task: Any, t: int) -> dict[str, Any]:
    if not isinstance(task, bt.ContextualTask):
        return {}
    return {"contexts": task.contexts[t] if task.contexts.shape[1] == task.n_arms else task.contexts[t, 0]}


def run(
    deployment: Deployment, task: Any, rounds: range, pulls: list[int], updates: bt.Updates | None = None
) -> list[int]:
    """Choose in some rounds, and learn rewards when they become known."""
    decisions: list[Any] = []
    when = updates or bt.Updates()
    for t in rounds:
        decisions.append(deployment.choose(**contexts_of(task, t)))
        for late in range(when.count_known(t), when.count_known(t + 1)):
            settled = decisions[late - rounds[0]]
            arm, is_contextual = NAMES.index(str(settled.arm)), isinstance(task, bt.ContextualTask)
            deployment.reward(settled, task.rewards[late, arm] if is_contextual else task.rewards[arm][pulls[arm]])
            pulls[arm] += 1
    return [NAMES.index(str(decision.arm)) for decision in decisions]


@each_case
def test_deployment_used_in_sequence_chooses_as_the_run_does(case: Case) -> None:
    @share(min(case.examples, 20))
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        problem = data.draw(case.problems())
        value = data.draw(case.values(problem))
        deployment = put_out(case, problem, value, propensity_draws=1)
        pulls = [0] * problem.task.n_arms
        arms = run(deployment, problem.task, range(problem.horizon), pulls, problem.fixed.get("updates"))
        if not case.policy.is_randomised:
            assert arms == play(case, problem, value).arms.tolist()
        assert sum(pulls) == sum(each.pulls for each in deployment.table())

    holds()


def sample(case: Case) -> Problem:
    return Problem(case.sample(np.random.default_rng(0)), 10, dict(case.always))


@each_case
def test_decisions_are_the_same_in_another_process_and_when_replayed(case: Case) -> None:
    problem = sample(case)
    value = case.bounds[0] + 0.3 * (case.bounds[1] - case.bounds[0])
    one = put_out(case, problem, value, seed=5, propensity_draws=20)
    pulls = [0] * problem.task.n_arms
    run(one, problem.task, range(5), pulls)
    other = deployment_from_json(one.to_json(), store=MemoryStore())
    assert run(one, problem.task, range(5, 10), pulls.copy()) == run(other, problem.task, range(5, 10), pulls.copy())
    for row in one.log().to_pylist():
        replayed = one.replay(row["decision"])
        assert (str(replayed.arm), replayed.propensity) == (row["arm"], row["propensity"])
        assert 0.0 < row["propensity"] <= 1.0
        assert case.policy.is_randomised or row["propensity"] == 1.0


@each_case
def test_arms_join_and_leave(case: Case) -> None:
    problem = sample(case)
    n_arms, task = problem.task.n_arms, problem.task
    deployment = put_out(case, problem, case.bounds[1], propensity_draws=1)
    run(deployment, task, range(6), [0] * n_arms)
    before = {each.arm: (each.pulls, each.total) for each in deployment.table()}
    told = {"points": [[0.5, 0.5]]} if "points" in case.policy.needs else {}
    deployment.add_arms(["new"], **told)
    deployment.remove_arms([NAMES[0]])
    assert deployment.arms == [*NAMES[1:n_arms], "new"]
    seen = {each.arm: (each.pulls, each.total) for each in deployment.table()}
    assert seen == before | {"new": (0, 0.0)}
    for t in range(4):
        decision = deployment.choose(**contexts_of(task, t))
        assert decision.arm in deployment.arms
        deployment.reward(decision, 0.5)
    inner = json.loads(deployment._cache._inner.to_json())  # type: ignore[union-attr]
    if "counts" in inner:
        known = {each.arm: each.pulls for each in deployment.table()}
        assert inner["counts"] == [known[arm] for arm in deployment.arms]


@each_case
def test_rewards_in_batches_and_in_any_order_are_learned(case: Case) -> None:
    problem = sample(case)
    deployment = put_out(case, problem, case.bounds[1], propensity_draws=1)
    contexts = [contexts_of(problem.task, t).get("contexts") for t in range(10)]
    decisions = deployment.choose(10, contexts=None if contexts[0] is None else contexts)
    assert deployment.reward_many((each, 0.1 * each.number) for each in reversed(decisions)) == [True] * 10
    assert sum(each.pulls for each in deployment.table()) == 10
    assert deployment.pending == 0
