"""How each policy is held to the contract of all: the tasks and settings to draw, and the slow version that is right.

A new policy gets a subclass of `Case` here, and test_conformance.py does the rest.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.base import Policy
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.policies.gpucb.covariance import covariances
from banditune.policies.gpucb.learned_covariance import LearnedCovariance
from banditune.policies.gpucb.mean import MeanFunction
from tests.naive import lines as naive_lines
from tests.naive.gaussian import NaiveGaussian
from tests.naive.gpucb import naive_points, schedule
from tests.naive.linucb import NaiveLinTS, NaiveLinUCB
from tests.naive.linucb import naive_arms as naive_linear_arms
from tests.naive.recommended_arm import naive_recommended
from tests.naive.ucb import naive_arms, naive_crossing, naive_prior_arms
from tests.strategies import tasks

SCHEDULES = ("log", "constant", "remaining")
LATE_NOISE = 1e-3  # of GP-UCB while rewards are pending, at least
CLOSE = 1e-12  # calls closer than this may be decided by rounding


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


@st.composite
def contextual_tasks(draw: st.DrawFn) -> bt.ContextualTask:
    """Tasks with a linear truth; some contexts are zero, equal or shared by all arms, some rewards are tenths."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rounds, n_arms, dim = draw(st.integers(1, 25)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    contexts = rng.normal(size=(rounds, n_arms, dim)) * draw(st.sampled_from([1e-3, 1.0, 1e3]))
    rewards = contexts @ rng.normal(size=dim) + rng.normal(size=(rounds, n_arms))
    kind = draw(st.sampled_from(["plain", "tenths", "zero", "equal", "shared"]))
    if kind == "tenths":
        rewards = rewards.round(1)
    elif kind == "zero":
        contexts[rng.random((rounds, n_arms)) < 0.3] = 0.0
    elif kind == "equal":
        contexts[:] = contexts[:, :1]
    elif kind == "shared":
        contexts = contexts[:, 0]
    return bt.ContextualTask(contexts, rewards)


class LinUCBCase(Case):
    policy = bt.LinUCB
    parameter = "alpha"
    bounds = (0.0, 2.0)
    longest = 25

    def tasks(self) -> st.SearchStrategy[bt.ContextualTask]:
        return contextual_tasks()

    def sample(self, rng: np.random.Generator) -> bt.ContextualTask:
        return bt.ContextualTask(rng.normal(size=(10, 4, 3)), rng.random((10, 4)))

    def settings(self, task: bt.ContextualTask) -> st.SearchStrategy[dict[str, Any]]:
        has_own_contexts = task.contexts.shape[1] == task.n_arms  # else one regression cannot tell the arms apart
        disjoint = st.booleans() if has_own_contexts else st.just(True)
        return st.fixed_dictionaries({"ridge": st.sampled_from([0.01, 1.0, 7.0]), "disjoint": disjoint})

    def is_decided(self, problem: Problem, value: float) -> bool:
        return value == 0.0 or value >= 1e-290  # below, products vanish

    def total(self, rewards: Sequence[float]) -> float:
        return -float(np.cumsum(np.negative(rewards))[-1])

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        task, fixed = problem.task, problem.fixed
        contexts = np.broadcast_to(task.contexts, (len(task), task.n_arms, task.dim))
        expected = naive_linear_arms(contexts, task.rewards, value, **fixed)
        if arms == expected:
            return
        # allowed only where two indices tie but for rounding
        first = next(t for t, (one, other) in enumerate(zip(arms, expected, strict=True)) if one != other)
        until_then = NaiveLinUCB(task.n_arms, value, **fixed)
        for t, arm in enumerate(expected[:first]):
            until_then.learn(arm, contexts[t, arm], task.rewards[t, arm])
        until_then.check_arm(arms[first], contexts[first], 1e-9)

    def run_online(self, policy: Any, task: bt.ContextualTask, rounds: range, before: list[int]) -> list[int]:
        arms, updates = before.copy(), policy.updates or bt.Updates()
        shown = task.contexts if task.contexts.shape[1] == task.n_arms else task.contexts[:, 0]
        for t in rounds:
            arms.append(policy.select(shown[t]))
            if updates.pending:
                policy.expect(arms[t], shown[t])
            for late in range(updates.count_known(t), updates.count_known(t + 1)):
                policy.update(arms[late], task.rewards[late, arms[late]], shown[late])
        return arms


class LinTSCase(LinUCBCase):
    policy = bt.LinTS
    parameter = "scale"
    examples = 30

    def tasks(self) -> st.SearchStrategy[bt.ContextualTask]:
        """Contexts of which regressions have a root in plain floats."""
        return contextual_tasks().filter(lambda task: np.abs(task.contexts).max() < 100.0)

    def start(self, task: Any, horizon: int | None = None, **settings: Any) -> Any:
        coins = {} if horizon is None else {"seed": task.address.key(0)}  # as the run on this task has them
        return super().start(task, horizon, **coins, **settings)

    def check_run(self, problem: Problem, value: float, arms: list[int]) -> None:
        task, fixed = problem.task, problem.fixed
        contexts = np.broadcast_to(task.contexts, (len(task), task.n_arms, task.dim))
        naive = NaiveLinTS(task.n_arms, value, key=task.address.key(0), **fixed)
        for t, arm in enumerate(arms):
            naive.check_arm(arm, contexts[t], 1e-7)
            naive.learn(arm, contexts[t, arm], task.rewards[t, arm])


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


CASES: tuple[Case, ...] = (
    UCBCase(),
    UCBScheduleCase(),
    UCBWithPriorsCase(),
    LinUCBCase(),
    LinTSCase(),
    GPUCBNoiseCase(),
    GPUCBBetaCase(),
    GaussianUCBCase(),
    GaussianTSCase(),
)
