"""The threshold at which to stop a test, learned from past tests and judged on held-out ones."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import ParameterError, TaskError
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.evaluation.recommended_value import learn_value, recommend
from banditune.kernels.stopping.lead import sweep_thresholds
from banditune.policies.batches import of_kind
from banditune.policies.parameters import Parameter
from banditune.policies.sweep_results import Run
from banditune.policies.ucb.ucb import UCB
from banditune.stopping.result import FIXED, FULL, ROLL, USUAL, Stopping
from banditune.stopping.rule import LOSS, PROBABILITY, STATISTICS, StoppingRule, to_threshold
from banditune.stopping.test_and_roll import estimate_spread, find_test_size
from banditune.tasks.archive import facts_of
from banditune.tasks.draws import draw_streams, list_draws, number_twins
from banditune.tasks.task import Task
from banditune.tasks.units import Units
from banditune.tuning.parallel_sweep import iterate_tasks
from banditune.tuning.question import choose_horizon
from banditune.tuning.results.tuned import Tuned
from banditune.validation import LONGEST_GAME, format_value, one_of, whole_number

HIGHEST = 16.0  # the highest threshold of any statistic: more standard errors are never needed

Floats = NDArray[np.float64]
N_CHECKS = 50  # where it is not said how often to look
DRAWS = 8  # of a test whose order or length is not recorded
THRESHOLD = Parameter("threshold", default=to_threshold(0.95), least=0.0, most=HIGHEST)


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


def learn_threshold(
    tasks: Iterable[Task],
    *,
    rollout: int,
    horizon: int | None = None,
    statistic: str = LOSS,
    check_every: int | None = None,
    least: int | None = None,
    policy: Tuned | None = None,
    folds: int = N_FOLDS,
    draws: int | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Stopping:
    """Learn when to stop tests of this kind: the threshold with the least regret of test and roll-out on past tests.

    A test gives every arm the same share of its rounds and is looked at now and then. It ends once its leader is ahead
    by more than the threshold, and the leader gets all rounds after that: what is left of the horizon, and `rollout`
    more. The round in which it ends is a step function of the threshold, and so is what it loses: the least of the mean
    is found exactly.

    Parameters
    ----------
    tasks : iterable of Task
        Past tests.
    rollout : int
        Rounds after the longest test.
    horizon : int, optional
        Rounds of the longest test; by default the median length of the tasks.
    statistic : {"loss", "probability", "gap"}
        What is held against the threshold: what the leader is expected to be behind the best arm, the probability that
        it is the best, or how far it is ahead of the closest arm; with normal posteriors and a common variance.
    check_every : int, optional
        Rounds from one look to the next; by default a fiftieth of the horizon.
    least : int, optional
        Rounds before the first look; by default as many.
    policy : Tuned, optional
        A tuned policy that assigns the arms instead of an equal split.
    folds, seed : int
        Of the cross-validation, and the random seed.
    draws : int, optional
        Orders drawn of a test whose order or length is not recorded; by default 8.
    progress : callable, optional
        Called with the share of the tests done.

    Returns
    -------
    Stopping
        `.threshold`, `.probability`, `.interval`, `.curve`, `.held_out` beside a fixed length, 95% and Test & Roll,
        `.verdict`, and `.rule` to stop the next test with.

    Examples
    --------
    >>> import banditune as bt
    >>> tests = [bt.Task.from_counts([500, 500], [50, 40 + k]) for k in range(20)]
    >>> found = bt.stopping.learn_threshold(tests, horizon=1000, rollout=20_000)
    >>> found.curve(found.threshold) >= found.curve.minimum(), found.rule.most
    (True, 1000)
    """
    known: list[Task] = list(of_kind(iterate_tasks(tasks), Task))
    units = Units.of(facts_of(tasks).origin, known)
    if not known:
        raise TaskError("tasks must hold at least one task, got none")
    if policy is not None and not isinstance(policy, Tuned):
        raise ParameterError(f"policy must be what bt.tune returns, got {format_value(policy)}")
    if policy is not None and horizon is not None and horizon != policy.horizon:
        raise ParameterError(f"horizon must be that of the tuned policy, {policy.horizon}; got {horizon}")
    given = choose_horizon(UCB, known) if horizon is None else horizon
    rounds = whole_number("horizon", given if policy is None else policy.horizon, least=1, most=LONGEST_GAME)
    every = max(1, rounds // N_CHECKS) if check_every is None else check_every
    first = every if least is None else least
    plan = TestPlan(
        horizon=rounds,
        rollout=whole_number("rollout", rollout, least=0, most=LONGEST_GAME),
        check_every=whole_number("check_every", every, least=1, most=rounds),
        least=whole_number("least", first, least=1, most=rounds),
        statistic=one_of("statistic", statistic, STATISTICS),
        draws=DRAWS if draws is None else whole_number("draws", draws, least=1, most=10_000),
        seed=whole_number("seed", seed, least=0),
        policy=policy,
    )
    curves = sweep_tests(known, plan, progress)
    mean = curves.losses.mean()
    threshold = recommend(THRESHOLD, mean, len(known), draws=plan.draws)
    by_probability = curves if statistic == PROBABILITY else sweep_tests(known, replace(plan, statistic=PROBABILITY))
    usual = by_probability.stop_at(to_threshold(0.95))
    held_out, lengths = _hold_out(known, curves, usual, plan, whole_number("folds", folds, least=2))
    return Stopping(
        threshold=threshold,
        interval=mean.argmin(),
        within_one_se=curves.losses.find_within_one_se(THRESHOLD.inside(*mean.argmin())),
        curve=mean,
        rule=StoppingRule(threshold, statistic, plan.check_every, plan.least, plan.horizon),
        rollout=plan.rollout,
        n_tasks=len(known),
        draws=plan.draws,
        assigned_by=None if policy is None else policy.policy_class.label,
        held_out=held_out,
        lengths=lengths,
        units=units,
        seed=seed,
    )


def _hold_out(
    tasks: list[Task], curves: TestCurves, usual: Floats, plan: TestPlan, folds: int
) -> tuple[HeldOutLosses | None, dict[str, float]]:
    """Measure each fold with what is learned from the others: thresholds, fixed lengths and Test & Roll's sizes.

    Return what is lost, None where there is only one test, and how long tests are on average.
    """
    n_tasks = len(tasks)
    n_folds = min(folds, n_tasks)
    fold = assign_folds(n_tasks, n_folds, plan.seed)
    values, n_arms = np.empty(n_folds), np.array([task.n_arms for task in tasks])
    learned, fixed, rolled = np.empty((3, 2, n_tasks))  # of each the losses and the lengths
    for k in range(n_folds):
        held = fold == k
        seen = ~held if n_folds > 1 else held
        values[k] = learn_value(THRESHOLD, curves.losses, seen, plan.draws)
        learned[:, held] = curves.stop_at(values[k])[:, held]
        best = curves.checks[int(curves.fixed[seen].mean(axis=0).argmin())]
        fixed[:, held] = curves.fix_length(float(best))[:, held]
        size = find_test_size(plan.horizon + plan.rollout, *estimate_spread([tasks[j] for j in np.flatnonzero(seen)]))
        rolled[:, held] = curves.fix_length(size * n_arms)[:, held]
    others: dict[str, Floats] = {FIXED: fixed, ROLL: rolled, USUAL: usual, FULL: curves.fix_length(plan.horizon)}
    lengths = {name: float(each[1].mean()) for name, each in {"learned": learned, **others}.items()}
    if n_folds < 2:
        return None, lengths
    losses = {name: each[0] for name, each in others.items()}
    return HeldOutLosses(n_folds, fold, values, learned[0], {}, THRESHOLD.name, losses), lengths


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
