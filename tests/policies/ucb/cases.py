"""How UCB is held to the contract of all policies."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from tests.naive import lines as naive_lines
from tests.naive.ucb import naive_arms, naive_crossing, naive_prior_arms
from tests.policies.case import SCHEDULES, Case, Problem
from tests.strategies import tasks

CLOSE = 1e-12  # calls closer than this may be decided by rounding


class UCBCase(Case):
    policy = bt.UCB
    parameter = "alpha"
    bounds = (0.0, 4.0)
    longest = 40

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return tasks(most_arms=8)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.just({})

    def range_of(self, problem: Problem) -> tuple[float, float]:
        scale = max(abs(row).max() for row in problem.task.rewards)
        return 0.0, 4.0 * max(scale, 1e-149) ** 2

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        """Zero, and values over forty powers of ten for rewards of this size: what 50 digits can tell apart."""
        _, high = self.range_of(problem)
        small = st.floats(1e-10, 1.0).map(lambda x: x**4)
        return st.one_of(st.just(0.0), st.floats(0.01, 1.0), small).map(high.__mul__)

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        rows = [row.tolist() for row in problem.task.rewards]
        if "updates" in problem.fixed:
            naive_lines.UCB(rows, problem.horizon, **problem.fixed).check_arms(math.sqrt(value), arms)
        else:
            self.check_prompt_run(problem, value, arms)

    def check_prompt_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        """The same where rewards are known at once."""
        rows = [row.tolist() for row in problem.task.rewards]
        assert arms == naive_arms(rows, problem.horizon, value, **problem.fixed)


class UCBScheduleCase(UCBCase):
    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"schedule": st.sampled_from(SCHEDULES[1:])})

    def is_decided(self, problem: Problem, value: float) -> bool:
        """Without a logarithm, lines may cross at a float: there a run may be like those of neither side."""
        rows = [row.tolist() for row in problem.task.rewards]
        return problem.fixed["schedule"] != "constant" or not naive_crossing(rows, problem.horizon, value)


@st.composite
def reward_tasks(draw: st.DrawFn) -> bt.Task:
    """Rewards that are uniform, 0 or 1, or normal and large beside their priors."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 20))
    rewards = {
        "uniform": rng.random(shape),
        "bernoulli": rng.integers(2, size=shape).astype(float),
        "gaussian": 10.0 * rng.normal(size=shape),
    }
    return bt.Task(rewards[draw(st.sampled_from(sorted(rewards)))])


WEIGHTS = [0.1, 0.3, 1 / 3, 2.5, 1e-3, 1e6]
TENTHS = [k / 10 for k in range(10)]


@st.composite
def tied_problems(draw: st.DrawFn) -> Problem:
    """Tenths, where arms are equal or as good as was expected; weights that are no short binary numbers."""
    few = st.sampled_from(draw(st.lists(st.sampled_from(TENTHS), min_size=1, max_size=3)))
    n_arms, rounds = draw(st.integers(2, 4)), draw(st.integers(1, 20))
    row = st.one_of(few.map(lambda mean: [mean] * rounds), st.lists(few, min_size=rounds, max_size=rounds))
    rows = draw(st.lists(row, min_size=1, max_size=2))
    which = st.lists(st.sampled_from(rows), min_size=n_arms, max_size=n_arms)
    priors = draw(st.one_of(few.map(lambda mean: [mean] * n_arms), st.lists(few, min_size=n_arms, max_size=n_arms)))
    fixed = {"prior_means": priors, "prior_weight": draw(st.sampled_from(WEIGHTS)), "schedule": "log"}
    return Problem(bt.Task(draw(which)), rounds, fixed)


class UCBWithPriorsCase(UCBCase):
    longest = 20

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return reward_tasks()

    def problems(self) -> st.SearchStrategy[Problem]:
        return st.one_of(super().problems(), tied_problems())

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        means = st.lists(
            st.floats(0.0, 1.0).map(lambda mean: round(mean, 12)), min_size=task.n_arms, max_size=task.n_arms
        )
        return st.fixed_dictionaries(
            {
                "prior_means": means,
                "prior_weight": st.sampled_from([0.01, 0.5, 1.0, 3.7, 100.0]),
                "schedule": st.sampled_from(SCHEDULES),
            }
        )

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds

    def check_prompt_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        rows = [row.tolist() for row in problem.task.rewards]
        priors, weight, schedule = (problem.fixed[name] for name in ("prior_means", "prior_weight", "schedule"))
        expected, closest = naive_prior_arms(rows, problem.horizon, value, priors, weight, schedule)
        assert arms == expected or closest < CLOSE


CASES = (UCBCase(), UCBScheduleCase(), UCBWithPriorsCase())
