"""What was learned goes into production as it is: parameters, priors by name, points, horizons."""

from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.deployment import MemoryStore
from tests.policies.case import Case
from tests.policies.cases import CASES

NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tuned_policy_is_deployed_as_it_would_be_made(case: Case) -> None:
    rng = np.random.default_rng(0)
    tasks = [case.sample(rng) for _ in range(3)]
    tuned = bt.tune(case.policy, tasks, horizon=8, draws=1, **{case.parameter: case.bounds}, **case.always)
    told = {need: getattr(tasks[0], need) for need in case.policy.needs if need in ("dim", "points")}
    deployment = tuned.deploy(NAMES, **told, propensity_draws=1)
    bare: Any = tuned.policy(arms=NAMES, **told)
    contexts = {"contexts": tasks[0].contexts[0]} if case.policy.contextual else {}
    for reward in (0.1, 0.7, 0.2, 0.5, 0.9, 0.3):
        decision = deployment.choose(**contexts)
        if not case.policy.is_randomised:
            assert decision.arm == bare.select(*contexts.values())
        bare.update(decision.arm, reward, *contexts.values())
        deployment.reward(decision, reward)


def test_priors_are_those_of_the_names_also_of_arms_that_join() -> None:
    tasks = [bt.Task([[0.2, 0.3], [0.8, 0.9]], arms=["low", "high"]) for _ in range(5)]
    tuned = bt.tune(bt.GaussianUCB, tasks, horizon=10, theta=(0.0, 1.0), prior="independent")
    store = MemoryStore()
    deployment = tuned.deploy(["low"], store=store)
    assert deployment.choose().arm == "low"
    deployment.add_arms(["high", "never seen"])
    assert deployment.choose().arm == "high"
    assert tuned.deploy(["low"], store=store).arms == ["low", "high", "never seen"]


def test_configurations_become_points() -> None:
    tuned = bt.tune(bt.GPUCB, [bt.Task([[0.1], [0.9]], points=[[0.0], [1.0]])], horizon=3, noise=(0.1, 1.0))
    with pytest.raises(bt.ParameterError, match="configurations needs a result tuned on configurations"):
        tuned.deploy(["a"], configurations=[{"x": 1}])
    assert tuned.deploy(["a", "b"], points=[[0.0], [1.0]]).choose().arm == "a"
