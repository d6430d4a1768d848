"""The threshold at which to stop a test, learned from past tests and judged on held-out ones."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from banditune.errors import ParameterError, TaskError
from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.folds import N_FOLDS, assign_folds
from banditune.evaluation.recommended_value import learn_value, recommend
from banditune.policies.batches import of_kind
from banditune.policies.parameters import Parameter
from banditune.policies.ucb.ucb import UCB
from banditune.stopping.curves import HIGHEST, Floats, TestCurves, TestPlan, sweep_tests
from banditune.stopping.result import FIXED, FULL, ROLL, USUAL, Stopping
from banditune.stopping.rule import LOSS, PROBABILITY, STATISTICS, StoppingRule, to_threshold
from banditune.stopping.test_and_roll import estimate_spread, find_test_size
from banditune.tasks.archive import facts_of
from banditune.tasks.task import Task
from banditune.tasks.units import Units
from banditune.tuning.parallel_sweep import iterate_tasks
from banditune.tuning.question import choose_horizon
from banditune.tuning.results.tuned import Tuned
from banditune.validation import LONGEST_GAME, format_value, one_of, whole_number

N_CHECKS = 50  # where it is not said how often to look
DRAWS = 8  # of a test whose order or length is not recorded
THRESHOLD = Parameter("threshold", default=to_threshold(0.95), least=0.0, most=HIGHEST)


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
    plan = _make_plan(known, rollout, horizon, statistic, check_every, least, policy, draws, seed)
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


def _make_plan(
    tasks: list[Task],
    rollout: object,
    horizon: int | None,
    statistic: object,
    check_every: object,
    least: object,
    policy: object,
    draws: object,
    seed: object,
) -> TestPlan:
    if policy is not None and not isinstance(policy, Tuned):
        raise ParameterError(f"policy must be what bt.tune returns, got {format_value(policy)}")
    if policy is not None and horizon is not None and horizon != policy.horizon:
        raise ParameterError(f"horizon must be that of the tuned policy, {policy.horizon}; got {horizon}")
    given = choose_horizon(UCB, tasks) if horizon is None else horizon
    rounds = whole_number("horizon", given if policy is None else policy.horizon, least=1, most=LONGEST_GAME)
    every = max(1, rounds // N_CHECKS) if check_every is None else check_every
    first = every if least is None else least
    return TestPlan(
        horizon=rounds,
        rollout=whole_number("rollout", rollout, least=0, most=LONGEST_GAME),
        check_every=whole_number("check_every", every, least=1, most=rounds),
        least=whole_number("least", first, least=1, most=rounds),
        statistic=one_of("statistic", statistic, STATISTICS),
        draws=DRAWS if draws is None else whole_number("draws", draws, least=1, most=10_000),
        seed=whole_number("seed", seed, least=0),
        policy=policy,
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
