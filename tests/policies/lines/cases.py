"""How policies whose index is a line in their parameter are held to the contract of all."""

from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from tests.naive import lines as naive
from tests.policies.case import Case, Problem
from tests.strategies import tasks

SHORT = 8  # rounds, where no number is given


class LineCase(Case):
    """A policy on tasks of any rewards, with the parameter in units of the largest of them."""

    parameter = "scale"
    bounds = (0.0, 2.0)
    longest = 30
    examples = 30
    most_edges = 40
    naive: ClassVar[type[naive.NaiveLines]]

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return tasks(most_arms=5)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.just({})

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        told: dict[str, Any] = {"horizon": horizon or SHORT} if self.policy.needs_horizon else {}
        if horizon is not None and self.policy.is_randomised:
            told["seed"] = task.address.key(0)  # as the run on this task has them
        return self.policy(**self.needs(task), **told, **settings)

    def range_of(self, problem: Problem) -> tuple[float, float]:
        largest = max(float(np.abs(row).max()) for row in problem.task.rewards)
        return 0.0, self.bounds[1] * max(largest, 1e-149)

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        _, high = self.range_of(problem)
        return st.one_of(st.just(0.0), st.floats(1e-6, 1.0)).map(high.__mul__)

    def is_decided(self, problem: Problem, value: float) -> bool:
        return value == 0.0 or value >= 1e-250  # below, products vanish

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        rows, key = [row.tolist() for row in problem.task.rewards], problem.task.address.key(0)
        self.naive(rows, problem.horizon, key, **problem.fixed).check_arms(value, arms)


class MOSSCase(LineCase):
    policy = bt.MOSS
    naive = naive.MOSS


class GaussianThompsonCase(LineCase):
    policy = bt.GaussianThompson
    naive = naive.GaussianThompson


class BoltzmannGumbelCase(LineCase):
    policy = bt.BoltzmannGumbel
    naive = naive.BoltzmannGumbel


class SoftmaxCase(LineCase):
    policy = bt.Softmax
    naive = naive.Softmax
    parameter = "temperature"

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"schedule": st.sampled_from(["constant", "root"])})


class UCBTunedCase(LineCase):
    policy = bt.UCBTuned
    naive = naive.UCBTuned

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        """Rewards whose squares differ."""
        return tasks(most_arms=5).filter(lambda task: 1e-30 < np.abs(task.flat).max() < 1e30)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"reward_range": st.sampled_from([0.5, 1.0, float(np.abs(task.flat).max())])})

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds


class UCBVCase(UCBTunedCase):
    policy = bt.UCBV
    naive = naive.UCBV

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        zetas = st.fixed_dictionaries({"zeta": st.sampled_from([0.3, 1.2])})
        return st.builds(lambda one, other: one | other, zetas, super().settings(task))


class EpsilonGreedyCase(LineCase):
    policy = bt.EpsilonGreedy
    naive = naive.EpsilonGreedy
    parameter = "epsilon"
    bounds = (0.0, 1.0)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"decay": st.sampled_from([0.0, 0.5, 1.0])})

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds if problem.fixed["decay"] == 0.0 else (0.0, 20.0)


class ExploreThenCommitCase(LineCase):
    policy = bt.ExploreThenCommit
    naive = naive.ExploreThenCommit
    parameter = "pulls"
    bounds = (1.0, 12.0)

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        return st.floats(*self.bounds)


RATES = tasks(most_arms=5).filter(lambda task: task.flat.min() >= 0.0 and 1e-6 <= task.flat.max() <= 1.0)


class BetaThompsonCase(LineCase):
    policy = bt.BetaThompson
    naive = naive.BetaThompson
    parameter = "stretch"

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return st.one_of(RATES, tasks(most_arms=4))

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        priors, bounds = [(1.0, 1.0), (2.0, 50.0)], [(0.0, 1.0), (-2.0, 3.0)]
        return st.fixed_dictionaries({"prior": st.sampled_from(priors), "bounds": st.sampled_from(bounds)})

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds


class KLUCBCase(LineCase):
    policy = bt.KLUCB
    naive = naive.KLUCB
    parameter = "c"
    longest = 25

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return RATES

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        families = ["bernoulli", "gaussian", "poisson", "exponential"]
        bounds = [(0.0, 1.0), (0.0, 1.0), (0.2, 0.7), (-1.0, 3.0)]
        return st.fixed_dictionaries({"family": st.sampled_from(families), "bounds": st.sampled_from(bounds)})

    def range_of(self, problem: Problem) -> tuple[float, float]:
        return self.bounds


CASES: tuple[Case, ...] = (
    MOSSCase(),
    GaussianThompsonCase(),
    BoltzmannGumbelCase(),
    SoftmaxCase(),
    UCBTunedCase(),
    UCBVCase(),
    EpsilonGreedyCase(),
    ExploreThenCommitCase(),
    BetaThompsonCase(),
    KLUCBCase(),
)
