"""Compiled games of baselines against online ones: small enough to be run uncompiled as well."""

import numpy as np
import pytest

import banditune as bt
from banditune import baselines, problems
from banditune.kernels.simulator.run import regrets
from banditune.simulation.simulate import online_pulls, pulls_of
from tests.baselines.registered import BASELINES

ROUNDS = np.array([1, 7, 25])


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("kind", ["bernoulli", "gaussian", "beta"])
def test_baseline_plays_the_same_game_online(baseline: type[baselines.Baseline], kind: str) -> None:
    source = getattr(problems, kind)(3).bandit(0).source()
    policy = baselines.entry(baseline).start(3, 25, 1)
    compiled, online = pulls_of(policy, source, ROUNDS), np.zeros((3, 3), np.int64)
    online_pulls(policy, source, ROUNDS, online)
    assert compiled.tolist() == online.tolist()
    assert compiled.sum(axis=1).tolist() == ROUNDS.tolist()


@pytest.mark.parametrize("corral", [bt.Corral, bt.StochasticCorral])
@pytest.mark.parametrize("feedback", ["own", "importance"])
def test_corral_plays_the_same_game_online(corral: type[bt.Corral], feedback: str) -> None:
    source = problems.bernoulli(2).bandit(0).source()
    policy = corral([bt.UCB(2, alpha=alpha) for alpha in (0.1, 10.0)], 25, feedback=feedback)
    compiled, online = pulls_of(policy, source, ROUNDS), np.zeros((3, 2), np.int64)
    online_pulls(policy, source, ROUNDS, online)
    assert compiled.tolist() == online.tolist()


def test_regret_is_what_the_pulls_cost() -> None:
    lost = np.empty(2)
    regrets(np.array([[3, 1, 0], [5, 2, 10]]), np.array([0.0, 0.1, 0.2]), lost)
    assert lost.tolist() == [0.1, 2.2]
