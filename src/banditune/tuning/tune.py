"""Tuning: the mean of the tasks' step functions, and its least piece. Algorithm 2 of the paper, over the continuum."""

import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import nullcontext
from typing import Any

from banditune.checkpoints.folder import Checkpoint
from banditune.errors import ReplayWarning
from banditune.policies.base import Policy
from banditune.tasks.scan import TaskScan
from banditune.tuning.alternation import tune_alternately
from banditune.tuning.executor import iterate_tasks, sweep_tasks
from banditune.tuning.joint import tune_jointly
from banditune.tuning.question import Question
from banditune.tuning.result import Tuned
from banditune.tuning.selection import choose_best


def tune(
    policy: type[Policy[Any]],
    tasks: Iterable[Any],
    *,
    horizon: int | None = None,
    loss: str = "regret",
    seed: int = 0,
    extend: bool = True,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
    resume: str | os.PathLike[str] | None = None,
    **parameters: object,
) -> Tuned:
    """The value of a policy's parameter that loses least on past tasks, found exactly over its whole range.

    The parameter to learn is given as (low, high), others as values; where one without a range is given as a list, each
    value is tried with its own exact search, and the best taken. `tasks` may be a generator: it is consumed in
    chunks. The chunks go through `executor`, by default a thread on each of this machine's cores; the answer is the
    same to the last bit whatever the executor. `progress` is called with the number of tasks done,
    where they take long with a fraction for those under way.

    What is finished is kept in the folder `resume`, if one is given: a run that was killed goes on there when it is
    asked the same again, with the same result. Other tasks, another question or another version are rejected.

    With prior_means=(low, high), UCB's priors are searched together with alpha; a range of prior_weight is then tried
    at some values. `tuned.priors` tells what was compared. Ctrl-C ends that search with the best found so far.

    Several parameters given as ranges, as noise and beta of GP-UCB, are searched in turn, each exactly, until none
    helps; `tuned.steps` tells how that went, and `tuned.curve` is that of the first with the others as found.

    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10], seed=k) for k in range(20)]
    >>> tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0))
    >>> tuned.alpha in tuned.interval and tuned.loss == tuned.curve(tuned.alpha)
    True
    """
    asked = Question.of(policy, parameters, horizon=horizon, loss=loss, seed=seed, extend=extend)
    question = asked.settle(tasks)
    with nullcontext() if resume is None else Checkpoint(resume, question.describe()) as checkpoint:
        tuned = _tune(question, tasks, executor, progress, checkpoint)
    for doubt in () if tuned.replay is None else tuned.replay.warnings:
        warnings.warn(doubt, ReplayWarning, stacklevel=2)
    return tuned


def _tune(
    question: Question,
    tasks: Iterable[Any],
    executor: Executor | None,
    progress: Callable[[float], None] | None,
    checkpoint: Checkpoint | None,
) -> Tuned:
    """Search in the way that the question asks for."""
    if question.wants_priors:
        return tune_jointly(question.search_alone(), tasks, question.priors, executor, progress, checkpoint)
    if question.alternates:
        return tune_alternately(question, tasks, executor, progress, checkpoint)
    searches = [search.fit(tasks) for search in question.searches()]
    scan = TaskScan()
    swept = sweep_tasks(searches, scan.passing(iterate_tasks(tasks)), executor, progress, checkpoint)
    return choose_best(searches, swept, scan, origin=getattr(tasks, "origin", None))
