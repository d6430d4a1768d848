"""How a policy is held to the contract of all: the tasks and settings to draw, and the slow version that is right."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.base import Policy
from tests.naive.recommended_arm import naive_recommended

SCHEDULES = ("log", "constant", "remaining")


class Problem(NamedTuple):
    """What a policy is run on."""

    task: Any  # with as many rewards as the horizon asks for
    horizon: int
    fixed: dict[str, Any]  # the settings that are not searched


class Case(ABC):
    """One parameter of a policy that can be searched, and how examples of it are drawn and judged."""

    policy: ClassVar[type[Policy[Any]]]
    parameter: ClassVar[str]
    bounds: ClassVar[tuple[float, float]]  # a range to search
    longest: ClassVar[int]  # rounds of a run
    examples: ClassVar[int] = 100  # of a hundred that other tests draw: fewer where the slow version is very slow
    most_edges: ClassVar[int] = 1_000  # of a curve, that are looked at from both sides
    always: ClassVar[dict[str, Any]] = {}  # settings that the policy cannot do without

    @abstractmethod
    def tasks(self) -> st.SearchStrategy[Any]:
        """Tasks of any kind that the policy runs on."""

    @abstractmethod
    def settings(self, task: Any) -> st.SearchStrategy[dict[str, Any]]:
        """Settings that are not searched, for such a task."""

    @abstractmethod
    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        """Assert that these are the arms chosen, by the slow and obvious version."""

    def check_recommended(self, problem: Problem, value: float, played: bt.Trajectory) -> None:
        """Assert that the arm recommended at the end is the right one, by the slow and obvious version."""
        assert played.recommended == naive_recommended(played.arms.tolist(), played.rewards.tolist())

    def sample(self, rng: np.random.Generator) -> Any:
        """A simple task, where any would do: four arms and ten rounds."""
        return bt.Task(rng.random((4, 10)), points=rng.random((4, 2)))

    def needs(self, task: Any) -> dict[str, Any]:
        """What the policy has to be told of a task."""
        return {need: getattr(task, need) for need in self.policy.needs}

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        """The policy for an online run on a task."""
        told = {"horizon": horizon} if self.policy.uses_horizon(settings) else {}
        return self.policy(**self.needs(task), **told, **(self.always | settings))

    def problems(self) -> st.SearchStrategy[Problem]:
        """Tasks, long enough, with settings for them."""
        return draw_problem(self)

    def range_of(self, problem: Problem) -> tuple[float, float]:
        """The range to search for a task."""
        return self.bounds

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        """Values in that range that the slow version can judge."""
        return st.floats(*self.range_of(problem))

    def is_decided(self, problem: Problem, value: float) -> bool:
        """Whether the policy can compute with a value that is next to another, and it is no edge of runs."""
        return True

    def total(self, rewards: Sequence[float]) -> float:
        """The sum of the rewards of a run, with the rounding that the policy promises."""
        return math.fsum(rewards)

    def run_online(self, policy: Any, task: Any, rounds: range, before: list[int]) -> list[int]:
        """Let a policy choose and learn in some rounds, after it has pulled some arms; return these and its choices."""
        arms, updates = before.copy(), getattr(policy, "updates", None) or bt.Updates()
        for t in rounds:
            arm = policy.select()
            arms.append(arm)
            if updates.pending:
                policy.expect(arm)
            for late in range(updates.count_known(t), updates.count_known(t + 1)):
                settled = arms[late]
                policy.update(settled, task.rewards[settled][arms[:late].count(settled)])
        return arms

    def given(self, value: float) -> dict[str, Any]:
        """A value of the searched range as a policy is given it."""
        return {self.parameter: self.policy.parameters[self.parameter].as_run(value)}  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return type(self).__name__


@st.composite
def draw_problem(draw: st.DrawFn, case: Case) -> Problem:
    """A task, long enough, with settings for it."""
    horizon, task = draw(st.integers(1, case.longest)), draw(case.tasks())
    fixed = draw(case.settings(task))
    if "updates" in case.policy.parameters and fixed.get("schedule") != "constant":
        fixed |= draw(some_updates(task.n_arms))
    return Problem(task.extend(horizon), horizon, fixed)


def some_updates(n_arms: int) -> st.SearchStrategy[dict[str, Any]]:
    """Rewards that are known at once, as they are usually, in batches or late; arms that are owed pulls."""
    owed = {"burn_in": st.integers(0, 3), "floor": st.sampled_from([0.0, 0.0, 0.1 / n_arms, 1.0 / n_arms])}
    batches = st.builds(bt.Batches, st.integers(1, 7), whole=st.booleans(), **owed)
    late = st.one_of(batches, st.builds(bt.Delay, st.integers(0, 6), **owed), st.builds(bt.Updates, **owed))
    return st.one_of(st.just({}), late.map(lambda updates: {"updates": updates}))
