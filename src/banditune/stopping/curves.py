"""What past tests lose for every threshold of a stopping rule, exactly, and for every fixed length."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.kernels.stopping.lead import sweep_thresholds
from banditune.policies.sweeps import Run
from banditune.stopping.rule import STATISTICS
from banditune.tasks.draws import draw_streams, list_draws, number_twins
from banditune.tasks.task import Task
from banditune.tuning.results.tuned import Tuned

HIGHEST = 16.0  # the highest threshold of any statistic: more standard errors are never needed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TestPlan:
    """How tests are run, and what comes after them."""

    __test__ = False  # for pytest, which would take it for a test

    horizon: int  # rounds at most
    rollout: int  # rounds after the longest test
    check_every: int
    least: int
    statistic: str
    draws: int
    seed: int
    policy: Tuned | None = None  # that assigns the arms; None: an equal split

    @property
    def checks(self) -> NDArray[np.int64]:
        """The rounds after which a test may end; the last is the horizon."""
        return np.append(np.arange(self.least, self.horizon, self.check_every), self.horizon).astype(np.int64)

    @property
    def is_randomised(self) -> bool:
        """Whether arms are assigned by a policy that draws, so that every task has draws."""
        return self.policy is not None and self.policy.policy_class.is_randomised

    def run(self, task: Task) -> Iterator[Run]:
        """Run the whole test on each draw of a task."""
        if self.policy is not None:
            value = float(self.policy.recommended[self.policy.parameter])
            for each in list_draws(task, self.horizon, self.draws, always=self.is_randomised):
                yield self.policy.search.run_at(each, value)
            return
        rounds, t = -(-self.horizon // task.n_arms), np.arange(self.horizon)
        for each in list_draws(task, rounds, self.draws):
            streams, arms = draw_streams([each], rounds, self.seed), t % task.n_arms
            rewards = streams[arms, t // task.n_arms]
            yield Run(arms, rewards, rewards, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class TestCurves:
    """What each test loses, and how long it is, for every threshold; and its loss for every fixed length."""

    __test__ = False

    losses: CurveSet
    lengths: CurveSet
    fixed: Floats  # (tasks, checks)
    checks: NDArray[np.int64]

    def stop_at(self, threshold: float) -> Floats:
        """Return what each test loses with a threshold, and how long it is: (2, tasks)."""
        return np.stack([self.losses.at(threshold), self.lengths.at(threshold)])

    def fix_length(self, rounds: float | Floats) -> Floats:
        """Return what each test loses that ends at the first check from so many rounds on, and then: (2, tasks)."""
        n_tasks = self.fixed.shape[0]
        k = np.minimum(np.searchsorted(self.checks, np.broadcast_to(rounds, n_tasks)), self.checks.size - 1)
        return np.stack([self.fixed[np.arange(n_tasks), k], self.checks[k]])


def sweep_tests(tasks: Sequence[Task], plan: TestPlan, progress: Callable[[float], None] | None = None) -> TestCurves:
    """Compute what tests lose for every threshold, the mean over the draws of each."""
    checks, losses, lengths, fixed = plan.checks, [], [], []
    for k, task in enumerate(number_twins(tasks, plan.horizon, always=plan.is_randomised)):
        gaps = task.means.max() - task.means
        each = [_sweep(run, gaps, plan, checks) for run in plan.run(task)]
        losses.append(_average([(left, values) for left, values, _, _ in each]))
        lengths.append(_average([(left, values) for left, _, values, _ in each]))
        fixed.append(np.mean([values for *_, values in each], axis=0))
        if progress:
            progress((k + 1) / len(tasks))
    return TestCurves(CurveSet.concatenate(losses), CurveSet.concatenate(lengths), np.array(fixed), checks)


def _sweep(run: Run, gaps: Floats, plan: TestPlan, checks: NDArray[np.int64]) -> tuple[Floats, Floats, Floats, Floats]:
    left, losses, lengths = np.empty((3, checks.size))
    fixed = np.empty(checks.size)
    arms, later = run.arms.astype(np.int64), float(plan.rollout)
    room = left, losses, lengths, fixed
    used = sweep_thresholds(arms, run.rewards, gaps, checks, later, STATISTICS.index(plan.statistic), HIGHEST, *room)
    return left[:used].copy(), losses[:used].copy(), lengths[:used].copy(), fixed


def _average(draws: Sequence[tuple[Floats, Floats]]) -> CurveSet:
    """Return the mean of the curves of some draws, as a set of one."""
    return CurveSet.average([CurveSet.of_pieces(0.0, HIGHEST, [each]) for each in draws])
