"""How policies with a Gaussian prior are held to the contract of all policies."""

from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.gaussian.prior import GaussianPrior
from tests.naive.gaussian import NaiveGaussian
from tests.policies.case import SCHEDULES, Case, Problem, some_updates
from tests.strategies import tasks


@st.composite
def gaussian_problems(draw: st.DrawFn, case: "GaussianUCBCase") -> Problem:
    """Tasks with priors of every kind: arms that are alike, that go together, one known from another, or flat."""
    horizon = draw(st.integers(1, case.longest))
    task = draw(tasks(most_arms=5).filter(lambda each: 1e-30 < np.abs(each.flat).max() < 1e30))
    n, scale = task.n_arms, float(np.abs(task.flat).max())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mean = draw(st.sampled_from([np.full(n, 0.5), rng.random(n), rng.integers(0, 3, n) / 4]))
    kinds = {
        "alike": np.full((n, n), 0.03) + 0.01 * np.eye(n),
        "independent": np.diag(rng.integers(1, 4, n) / 16),
        "free": (lambda a: a @ a.T / 10)(rng.normal(size=(n, n))),
        "same": np.full((n, n), 0.25),
        "known": np.zeros((n, n)),
    }
    cov = kinds[draw(st.sampled_from(case.kinds))] * scale**2
    noise = scale**2 * draw(st.sampled_from([1e-3, 0.04, 1.0]))
    fixed: dict[str, Any] = {"schedule": draw(st.sampled_from(SCHEDULES))}
    if draw(st.integers(0, 5)) == 0:
        fixed["prior"] = GaussianPrior.flat(noise)
    else:
        fixed |= {"prior_mean": (mean * scale).tolist(), "prior_cov": cov.tolist(), "noise": noise}
    fixed |= draw(some_updates(n))
    return Problem(task.extend(horizon), horizon, fixed)


class GaussianUCBCase(Case):
    policy = bt.GaussianUCB
    parameter = "theta"
    bounds = (0.0, 3.0)
    longest = 15
    examples = 60
    most_edges = 20
    always: ClassVar[dict[str, Any]] = {"prior_mean": 0.5, "prior_cov": 0.04, "noise": 0.01}
    kinds: ClassVar[tuple[str, ...]] = ("alike", "independent", "free", "same", "known")

    def tasks(self) -> st.SearchStrategy[bt.Task]:
        return tasks(most_arms=5)

    def settings(self, task: bt.Task) -> st.SearchStrategy[dict[str, Any]]:
        return st.just(self.always)

    def problems(self) -> st.SearchStrategy[Problem]:
        return gaussian_problems(self)

    def values(self, problem: Problem) -> st.SearchStrategy[float]:
        return st.one_of(st.just(0.0), st.floats(1e-6, self.bounds[1]))  # what 50 digits can tell apart

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        given = settings if {"prior", "prior_mean"} & set(settings) else self.always | settings
        told = {"horizon": horizon} if self.policy.uses_horizon(settings) else {}
        return self.policy(**self.needs(task), **told, **given)

    def naive(self, problem: Problem, value: float) -> NaiveGaussian:
        return NaiveGaussian(problem.task, problem.horizon, value, **problem.fixed)

    def is_decided(self, problem: Problem, value: float) -> bool:
        """Without a logarithm, lines may cross at a float: there a run may be like those of neither side."""
        crosses = problem.fixed["schedule"] == "constant" and self.naive(problem, value).has_crossing()
        return value >= 1e-250 and not crosses  # below, products vanish

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        self.naive(problem, value).check_arms(arms)

    def check_recommended(self, problem: Problem, value: float, played: bt.Trajectory) -> None:
        """The highest mean of the posterior; where nothing is expected, of what was seen."""
        if "prior" in problem.fixed:
            super().check_recommended(problem, value, played)
            return
        fixed = {name: given for name, given in problem.fixed.items() if name != "updates"}  # at the end all is known
        naive = NaiveGaussian(problem.task, problem.horizon, value, **fixed)
        assert played.recommended is not None
        naive.check_recommended(played.arms.tolist(), played.recommended)


class GaussianTSCase(GaussianUCBCase):
    policy = bt.GaussianTS
    kinds: ClassVar[tuple[str, ...]] = ("alike", "independent", "free")  # those that have a root in 50 digits

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        coins = {} if horizon is None else {"seed": task.address.key(0)}  # as the run on this task has them
        return super().start(task, horizon, **coins, **settings)

    def naive(self, problem: Problem, value: float) -> NaiveGaussian:
        return NaiveGaussian(problem.task, problem.horizon, value, **problem.fixed, key=problem.task.address.key(0))


CASES = (GaussianUCBCase(), GaussianTSCase())
