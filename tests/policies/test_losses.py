"""Losses: what they cost, by their definitions, and between which limits they lie."""

from collections.abc import Callable

import numpy as np
import pytest

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.policies.losses import LOSSES

MEANS, REWARDS = np.array([0.25, 0.75, 0.5]), np.array([1.0, 0.0, 0.5])
DEFINITIONS: dict[str, Callable[[float, float, float], float]] = {  # best mean, mean of the arm, reward
    "regret": lambda best, mean, reward: best - mean,
    "reward": lambda best, mean, reward: -reward,
}


def test_every_loss_has_a_definition_here() -> None:
    assert set(DEFINITIONS) == set(LOSSES)


@pytest.mark.parametrize("name", LOSSES)
def test_costs_are_those_of_the_definition(name: str) -> None:
    loss, best = LOSSES[name], MEANS.max()
    expected = [DEFINITIONS[name](best, mean, reward) for mean, reward in zip(MEANS, REWARDS, strict=True)]
    assert loss.cost_rounds(MEANS[None], REWARDS[None]).tolist() == [expected]
    two_tasks, starts = np.append(MEANS, 2.0 * MEANS), np.array([0, 3, 6])
    if loss.gaps:
        assert (loss.cost_arms(two_tasks, starts) - loss.rewards * np.tile(REWARDS, 2)).tolist() == [
            *expected,
            *(DEFINITIONS[name](2.0 * best, 2.0 * mean, reward) for mean, reward in zip(MEANS, REWARDS, strict=True)),
        ]


@pytest.mark.parametrize("name", LOSSES)
def test_no_cost_lies_outside_the_limits_and_the_worst_and_best_reach_them(name: str) -> None:
    low, high, rounds = -1.0, 3.0, 7
    costs = [DEFINITIONS[name](best, mean, mean) for best in (low, high) for mean in (low, high) if mean <= best]
    assert LOSSES[name].find_limits(Interval(low, high), rounds) == Interval(rounds * min(costs), rounds * max(costs))


@pytest.mark.parametrize("name", LOSSES)
def test_curves_are_the_sums_of_costs_over_single_runs(name: str) -> None:
    rng = np.random.default_rng(5)
    task = bt.Task(rng.integers(0, 8, (3, 30)) / 8.0)
    curve = bt.loss_curve(bt.UCB, task, horizon=30, alpha=(0.0, 2.0), loss=name)
    for value in (0.03, 0.4, 1.7):
        run = bt.play(bt.UCB, task, horizon=30, alpha=value)
        pulls = zip(task.means[run.arms], run.rewards, strict=True)
        expected = sum(DEFINITIONS[name](task.means.max(), mean, reward) for mean, reward in pulls)
        assert curve(value) == pytest.approx(expected, abs=1e-12)
