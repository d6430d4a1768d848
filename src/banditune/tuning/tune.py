"""Tuning: the mean of the tasks' step functions, and its least piece. Algorithm 2 of the paper, over the continuum."""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from banditune.checkpoints.folder import Checkpoint
from banditune.errors import ParameterError, ReplayWarning
from banditune.policies.grid import put_on_grid
from banditune.policies.losses import choose_loss
from banditune.policies.sweep_results import Swept
from banditune.tasks.archive import facts_of
from banditune.tasks.costs import subtract_costs
from banditune.tasks.scan import TaskScan
from banditune.tuning.coordinate_descent import tune_alternately
from banditune.tuning.draw_count import settle_draws
from banditune.tuning.parallel_sweep import Resources
from banditune.tuning.priors.cross_fitting import tune_with_prior
from banditune.tuning.priors.joint import tune_jointly
from banditune.tuning.question import Question
from banditune.tuning.racing import check_racing, sweep_or_race
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best
from banditune.validation import yes_or_no


def tune(
    policy: type[Any],
    tasks: Iterable[Any],
    *,
    horizon: int | None = None,
    loss: str = "regret",
    rollout: int | None = None,
    recommend: str | None = None,
    tail: float | None = None,
    costs: object = None,
    seed: int = 0,
    extend: bool = True,
    draws: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
    resume: str | os.PathLike[str] | None = None,
    racing: bool | None = None,
    histories: bool = False,
    grid: Mapping[str, Iterable[object]] | None = None,
    **parameters: object,
) -> Tuned:
    """Learn the value of a policy's parameter with the least mean loss on past tasks, exactly over its whole range.

    The loss of a task is a step function of the parameter; the least piece of the mean of these functions is the
    answer (Algorithm 2 of the paper, over the continuum).

    Parameters
    ----------
    policy : type
        The policy class: `bt.UCB`, `bt.LinUCB` (contextual bandit), `bt.GPUCB`, or one of your own; with `grid`, any
        class that runs.
    tasks : iterable of tasks
        The past tasks; a generator is consumed in chunks.
    horizon : int, optional
        The number of rounds of a run; of logs, the largest number of events. By default what fits the tasks: their
        median length, or all of a log.
    loss : {"regret", "reward", "simple", "rollout"}, default "regret"
        What to minimise: the regret, or minus the total reward. "simple" is the regret of one round of the arm that is
        recommended at the end of the run, "rollout" the regret of the run and of `rollout` rounds of that arm after it.
        For `bt.LoggedTask`, minus the mean reward of the matched events: off-policy evaluation by replay.
    rollout : int, optional
        With loss="rollout", the number of rounds after the run.
    recommend : {"mean", "pulls"}, default "mean"
        Which arm is recommended: the one with the highest mean of what was seen (with a Gaussian prior or process, of
        the posterior), or the one with the most pulls. Ties go to the lowest arm.
    tail : float, optional
        Count only the worst share of the tasks, such as 0.1: the mean over the worst tenth of them, at every value of
        the parameter, is minimised (the conditional value at risk, CVaR). By default the mean over all tasks is.
    costs : mapping or sequence, optional
        What a pull of an arm costs, by the arms' names (others cost nothing) or for each arm in order. Rewards and
        means are net of it: what the policy learns from, which arm is best, and all losses. See `bt.Task.net`.
    seed : int, default 0
        The random seed of all that is drawn.
    extend : bool, default True
        Whether tasks shorter than the horizon are extended, with rewards resampled with replacement; else they are an
        error.
    draws : int, optional
        How many streams of rewards are drawn for each task whose order or length is not recorded; the loss of the task
        is their mean. By default as many as bring the share of the draws in the squared standard error of the loss
        below a tenth, at most 20, and at most 4 where more would take long.
    executor : concurrent.futures.Executor, optional
        Where chunks of tasks are computed; by default, a thread per core. The result is the same to the last bit.
    progress : callable, optional
        Called with the number of tasks done.
    resume : path, optional
        A checkpoint folder: the same call resumes a run that was killed, with the same result. Checkpoints of other
        tasks, arguments or versions are an error.
    racing : bool, optional
        Whether to sweep the whole range on a few tasks only, and narrow it, on more and more of them, to what can
        still be best: values that are worse than the best by more than 4 standard errors are given up. `tuned.racing`
        then says which range was swept on all tasks; `tuned.curve` is exact there, and ends there. By default from
        10,000 tasks on, if they are in a list or a log: a generator is not raced.
    histories : bool, default False
        Whether to count the distinct runs, `tuned.histories`. For UCB that takes a sweep of all rounds, which is slow
        where they are many. Not with several ranges or a prior that is learned.
    grid : mapping, optional
        A parameter and the values to try, such as {"epsilon": [0.01, 0.1]}: for a class of yours with `select()` and
        `update(arm, reward)` whose loss has no steps that could be computed. It is run with each, which is slow.
    **parameters
        The policy's parameters. A range (low, high) is searched, a value is fixed, and of a list of values each is
        tried with its own exact search. Without any, a range that fits the rewards is searched.
        `prior="auto"` of `bt.GaussianUCB` fits a Gaussian prior over arms; it and theta are chosen by cross-fitting.
        `prior_means=(low, high)` of UCB is searched jointly with alpha (Ctrl-C ends that search with the best result so
        far), and several ranges, as noise and beta of GP-UCB, by coordinate descent.

    Returns
    -------
    Tuned
        The learned parameters, the mean curve and more.

    Raises
    ------
    InputError
        If an argument or a task is invalid.

    Examples
    --------
    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10]) for k in range(20)]
    >>> tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0))
    >>> tuned.alpha in tuned.interval and tuned.loss == tuned.curve(tuned.alpha)
    True
    """
    if grid is not None:
        policy = put_on_grid(policy, grid)
    known = tasks if costs is None else subtract_costs(tasks, costs)
    measured = choose_loss(loss, rollout, recommend, tail)
    asked = Question.of(policy, parameters, horizon=horizon, loss=measured, seed=seed, extend=extend, draws=draws)
    question = asked.settle(known)
    with nullcontext() if resume is None else Checkpoint(resume, question.describe()) as checkpoint:
        resources = Resources(executor, progress, checkpoint)
        check_racing(question, racing)
        if yes_or_no("histories", histories) and not question.is_single:
            raise ParameterError("histories=True needs one range (low, high) to search, and no prior to be learned")
        if question.fits_prior:
            tuned = tune_with_prior(question, known, resources).tuned
        elif question.wants_priors:
            tuned = tune_jointly(question, known, resources)
        elif question.alternates:
            tuned = tune_alternately(question, known, resources)
        else:
            tuned = tune_singly(question, known, racing, resources, histories=histories).tuned
    tuned = tuned.note_costs(costs)
    for warning in () if tuned.replay is None else tuned.replay.warnings:
        warnings.warn(warning, ReplayWarning, stacklevel=2)
    return tuned


@dataclass(frozen=True, slots=True, eq=False)
class SingleSearch:
    """What was found, and the curves that it was found in: one search for each combination of other values."""

    tuned: Tuned
    searches: Sequence[Search]
    swept: Sequence[Swept]

    @property
    def best(self) -> int:
        """The number of the search that found it."""
        compared = self.tuned.compared
        return [each.params for each in compared].index(self.tuned.params) if compared else 0


def tune_singly(
    question: Question,
    tasks: Iterable[Any],
    racing: bool | None,
    resources: Resources,
    *,
    histories: bool = False,
    tell: Callable[[str, float, int], None] | None = None,
) -> SingleSearch:
    """Search one parameter, and of several values of others choose the best.

    `tell` is called with how far the choice of the number of draws is.
    """
    origin = facts_of(tasks).origin
    fitted = [replace(search.fit(tasks), histories=histories) for search in question.searches()]
    searches, tasks = settle_draws(fitted, tasks, question.draws, resources, tell)
    scan = TaskScan()
    searches, swept, raced = sweep_or_race(searches, tasks, scan, racing, resources)
    return SingleSearch(choose_best(searches, swept, scan, origin=origin, racing=raced), searches, swept)
