"""Every registered policy in production, with rewards at once, in batches or late: what it does on its own."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.deployment import Decision, Deployment, MemoryStore, deploy, deployment_from_json
from tests.policies.case import Case, Problem
from tests.policies.cases import CASES
from tests.policies.test_conformance import play
from tests.strategies import share

each_case = pytest.mark.parametrize("case", CASES, ids=str)
NAMES = [*"abcdefghij", "é", "12"]


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


def run(deployment: Deployment, task: Any, rounds: range, made: list[Decision]) -> list[Decision]:
    """Choose and reward in some rounds, after these decisions; rewards come when the policy is told that they do."""
    updates, decisions = deployment._definition.recipe.params.get("updates") or bt.Updates(), made.copy()
    arms = [NAMES.index(str(decision.arm)) for decision in made]
    for t in rounds:
        decisions.append(deployment.choose(**contexts_of(task, t)))
        arms.append(NAMES.index(str(decisions[-1].arm)))
        for late in range(updates.count_known(t), updates.count_known(t + 1)):
            arm = arms[late]
            is_contextual = isinstance(task, bt.ContextualTask)
            reward = task.rewards[late, arm] if is_contextual else task.rewards[arm][arms[:late].count(arm)]
            assert deployment.reward(decisions[late], reward)
    return decisions


def number_arms(decisions: list[Decision]) -> list[int]:
    return [NAMES.index(str(decision.arm)) for decision in decisions]


@each_case
def test_deployment_used_in_sequence_chooses_as_the_run_does(case: Case) -> None:
    @share(min(case.examples, 20))
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        problem = data.draw(case.problems())
        value = data.draw(case.values(problem))
        deployment = put_out(case, problem, value, propensity_draws=1)
        decisions = run(deployment, problem.task, range(problem.horizon), [])
        if not case.policy.is_randomised:
            assert number_arms(decisions) == play(case, problem, value).arms.tolist()
        assert len(decisions) == sum(each.pulls + each.pending for each in deployment.table())

    holds()


def sample(case: Case) -> Problem:
    return Problem(case.sample(np.random.default_rng(0)), 10, dict(case.always))


@each_case
def test_decisions_are_the_same_in_another_process_and_when_replayed(case: Case) -> None:
    problem = sample(case)
    value = case.bounds[0] + 0.3 * (case.bounds[1] - case.bounds[0])
    one = put_out(case, problem, value, seed=5, propensity_draws=20)
    made = run(one, problem.task, range(5), [])
    other = deployment_from_json(one.to_json(), store=MemoryStore())
    assert run(one, problem.task, range(5, 10), made) == run(other, problem.task, range(5, 10), made)
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
    run(deployment, task, range(6), [])
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
    inner = json.loads(deployment._cache.policy.to_json())  # type: ignore[union-attr]
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
