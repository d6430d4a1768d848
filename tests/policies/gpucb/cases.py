"""How GP-UCB is held to the contract of all policies."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.gpucb.covariance import covariances
from banditune.policies.gpucb.learned_covariance import LearnedCovariance
from banditune.policies.gpucb.mean import MeanFunction
from tests.naive.gpucb import naive_points, schedule
from tests.policies.case import Case, Problem

LATE_NOISE = 1e-3  # while rewards are pending, at least


@st.composite
def point_tasks(draw: st.DrawFn) -> bt.Task:
    """Points at random, on a grid, on a line or coinciding; rewards at random, in tenths or all the same."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["random", "grid", "line", "coinciding"]))
    if kind == "grid":
        axis = np.linspace(0.0, 1.0, draw(st.integers(1, 4)))
        points = np.array([(x, y) for x in axis for y in axis])
    else:
        points = rng.random((draw(st.integers(1, 12)), draw(st.integers(1, 3))))
        points = np.linspace(0.0, 1.0, len(points))[:, None] if kind == "line" else points
        if kind == "coinciding":
            points = points[rng.integers(len(points), size=len(points))]
    shape = (len(points), 8)
    rewards = {
        "random": rng.normal(size=shape),
        "tenths": rng.integers(0, 10, shape) / 10,
        "constant": np.full(shape, 0.3),
        "smooth": np.sin(3.0 * points.sum(axis=1))[:, None] + 0.1 * rng.normal(size=shape),
    }
    return bt.Task(rewards[draw(st.sampled_from(sorted(rewards)))], points=points)


class GPUCBNoiseCase(Case):
    policy = bt.GPUCB
    parameter = "noise"
    bounds = (1e-6, 10.0)
    longest = 8
    examples = 60
    most_edges = 10

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return point_tasks()

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries(
            {
                "kernel": st.sampled_from(["rbf", "matern12", "matern32", "matern52"]),
                "length_scale": st.sampled_from([0.1, 0.3, 1.0]),
                "beta": st.sampled_from([None, 2.0, {"of_schedule": 0.2}]),
                "bonus": st.sampled_from(["std", "variance"]),
                "mean_function": st.sampled_from(["zero", "zero", past_means(task)]),
                "covariance": st.sampled_from(["kernel", "kernel", past_covariances(task)]),
            }
        )

    def range_of(self, problem: Problem) -> tuple[float, float]:
        """With pending pulls, spreads that differ by a tie decide: of those, 32 digits prove less the less noise."""
        low, high = self.bounds
        return (LATE_NOISE, high) if "updates" in problem.fixed else (low, high)

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        low, high = self.range_of(problem)
        return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        assert arms == naive_gpucb_arms(problem.task, problem.horizon, **problem.fixed, **self.given(value))

    def check_recommended(self, problem: Problem, value: float, played: bt.Trajectory) -> None:
        """The highest posterior mean is what would be chosen next without a bonus."""
        longer = bt.Task([np.append(row, 0.0) for row in problem.task.rewards], points=problem.task.points)
        asked = {**problem.fixed, **self.given(value)}
        arms = naive_gpucb_arms(longer, problem.horizon, **asked, then_greedy=True)
        assert [*played.arms.tolist(), played.recommended] == arms


class GPUCBBetaCase(GPUCBNoiseCase):
    parameter = "beta"
    bounds = (0.0, 2.0)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        noises = st.floats(math.log(1e-6), math.log(10.0)).map(math.exp)
        others = super().settings(task).map(lambda fixed: {name: fixed[name] for name in fixed if name != "beta"})
        return st.builds(lambda fixed, noise: fixed | {"noise": noise}, others, noises)

    def problems(self) -> st.SearchStrategy[Problem]:
        return super().problems().map(self._raise_noise)

    def _raise_noise(self, problem: Problem) -> Problem:
        """As in `GPUCBNoiseCase.range_of`."""
        noise = problem.fixed["noise"]
        return problem._replace(
            fixed=problem.fixed | {"noise": max(noise, LATE_NOISE) if "updates" in problem.fixed else noise}
        )

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        return st.floats(*self.bounds)


def past_means(task: bt.Task) -> MeanFunction:
    """What two other tasks gave at some of a task's points, and at one beside them."""
    return MeanFunction.of_tasks(past_tasks(task))


def past_covariances(task: bt.Task) -> LearnedCovariance:
    """How far these went together."""
    return LearnedCovariance.of_tasks(0.5, past_tasks(task))


def past_tasks(task: bt.Task) -> list[bt.Task]:
    """Two other tasks with some of a task's points, and one beside them."""
    assert task.points is not None
    points = np.concatenate([task.points[::2], task.points[:1] + 0.25])
    return [bt.Task(np.full((len(points), 1), each), points=points) for each in (0.5, 1.0)]


def naive_gpucb_arms(
    task: bt.Task,
    horizon: int,
    *,
    noise: float,
    kernel: str,
    length_scale: float,
    beta: Any,
    bonus: str,
    mean_function: Any = "zero",
    covariance: Any = "kernel",
    updates: bt.Updates | None = None,
    then_greedy: bool = False,
) -> list[int]:
    """The points that GP-UCB tries, by the slow and obvious version."""
    assert task.points is not None
    size = updates.size if isinstance(updates, bt.Batches) else 1
    betas = [schedule(task.n_arms, math.ceil(t / size) * size) for t in range(1, horizon + 1)]
    beta = bt.GPUCB.parameters["beta"].plain(beta)  # None, a number, or {"of_schedule": a number}
    if isinstance(beta, dict):
        betas = [beta["of_schedule"] * each for each in betas]
    elif beta is not None:
        betas = [beta] * horizon
    made = covariances(kernel, task.points, length_scale)
    means = np.zeros(task.n_arms) if isinstance(mean_function, str) else mean_function.at(task.points, length_scale)
    if not isinstance(covariance, str):
        made = covariance.at(task.points, made, means, length_scale)
    seen = [(row - expected).tolist() for row, expected in zip(task.rewards, means, strict=True)]
    asked = {"squared": bonus == "variance", "means": means.tolist(), "updates": updates}
    return naive_points(made, seen, noise, betas, then_greedy=then_greedy, **asked)


CASES = (GPUCBNoiseCase(), GPUCBBetaCase())
