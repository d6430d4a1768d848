"""What was learned: the parameter, how sure, and a policy ready for the next task."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval
from banditune.errors import InputError, ParameterError
from banditune.evaluation.certificate import (
    HOLDOUT,
    Certificate,
    certify,
    check_delta,
    check_losses,
    check_method,
    loss_limits,
)
from banditune.evaluation.certificate_bounds import Learned
from banditune.evaluation.holdout import HeldOut, Improvement, bound_improvement, certify_held_out, hold_out
from banditune.evaluation.plan import Plan, make_plan
from banditune.evaluation.recommended_value import recommend
from banditune.tuning.replay import Replay
from banditune.tuning.results.details import Racing
from banditune.tuning.results.runnable_result import RunnableResult
from banditune.validation import finite_number


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuned(RunnableResult):
    """The value of a parameter with the least mean loss on past tasks; what `bt.tune` returns.

    The learned parameters are also attributes, as in `tuned.alpha`.

    Attributes
    ----------
    params : dict
        The parameters with the least mean loss.
    recommended : dict
        The parameters to run the policy with, as `policy` does: `params`; where a study found this, with the value that
        it recommends, whose neighbourhood has the least mean loss (see `bt.study`).
    interval : Interval
        Every value in it has the least mean loss.
    within_one_se : Interval
        Outside it, every value is worse than the best by more than one standard error of the paired difference.
    curve : StepFunction
        The exact mean loss for every value; where tasks were raced, of the range that was swept on all of them.
    loss : float
        The least mean loss.
    n_tasks, horizon : int
        The number of tasks and of rounds.
    draws : int
        How many streams of rewards were drawn for each task whose order or length is not recorded.
    draw_error : float
        The share of the draws in the squared standard error of the loss; nan if that is not known.
    complexity : float
        The mean number of pieces of a task's loss, for each draw; an estimate of Q_D (Definition 1 of the paper).

    Examples
    --------
    >>> import banditune as bt
    >>> tasks = [bt.Task.from_counts([20, 20], [k, 10]) for k in range(20)]
    >>> tuned = bt.tune(bt.UCB, tasks, horizon=50, alpha=(0.0, 4.0))
    >>> tuned
    Tuned(UCB, alpha=0.1466, loss=1.423, within_one_se=(0.1461, 0.1729), n_tasks=20, horizon=50)
    >>> policy = tuned.policy(n_arms=2)
    """

    def certificate(
        self,
        delta: float = 0.05,
        bound: object = None,
        *,
        method: str | None = None,
        tasks: Iterable[Any] | None = None,
    ) -> Certificate:
        """Bound the expected loss of a new task, with probability at least 1 - delta.

        Parameters
        ----------
        delta : float, default 0.05
            The probability that the bound may fail.
        bound : float or (low, high), optional
            The largest possible loss, or the limits of losses; by default, it follows from the limits of the rewards.
        method : str, optional
            To be chosen beforehand: "compression" (the default), "rademacher", "massart" or "paper" (Theorem 6.2)
            certify the value with the least mean loss, `params`, also where a study recommends another one; "holdout"
            what is recommended of half of the tasks, evaluated on the others; "best" the best of several, with delta
            shared among them. `Certificate.value` is the value it is about.
        tasks : iterable of tasks, optional
            Held-out tasks on which to evaluate the recommended value.

        Returns
        -------
        Certificate
        """
        self._check_mean()
        risk = check_delta(delta)
        method = check_method(("compression" if tasks is None else HOLDOUT) if method is None else method)
        limits = self._limits(bound)
        n_compared = max(1, len(self.compared))
        if tasks is not None:
            if method != HOLDOUT:
                raise ParameterError(f"with held-out tasks, the method is {HOLDOUT}; got {method}")
            everyone = None if self.curves is None else (self.loss, self.n_tasks)
            return certify_held_out(self._run_tasks(tasks, limits), limits, risk, everyone=everyone)
        curves = self._independent_curves(limits)
        if method == HOLDOUT:
            held = hold_out(curves, self.search.free_parameter, self.seed, draws=self.smoothing_draws)
            return certify_held_out(held, limits, risk, n_compared, (self.loss, self.n_tasks))
        learned = Learned(curves, self.interval, self._searched_value, limits, self.seed)
        return certify(learned, risk, method, n_compared)

    def improvement(
        self, over: float, delta: float = 0.05, bound: object = None, *, tasks: Iterable[Any] | None = None
    ) -> Improvement:
        """Bound how much less the learned value loses than the value `over`, with probability at least 1 - delta.

        Parameters
        ----------
        over : float
            The other value; without `tasks`, it has to lie in the searched range.
        delta, bound
            As in `certificate`.
        tasks : iterable of tasks, optional
            Held-out tasks to compare on, with the recommended value; by default half of the tasks, with what the
            other half recommends.

        Returns
        -------
        Improvement
        """
        self._check_mean()
        risk, limits = check_delta(delta), self._limits(bound)
        other = finite_number("over", over)
        if tasks is not None:
            listed = list(tasks)
            return bound_improvement(self._run_tasks(listed, limits), other, self._losses(listed, other), limits, risk)
        curves = self._independent_curves(limits)
        held = hold_out(curves, self.search.free_parameter, self.seed, draws=self.smoothing_draws)
        return bound_improvement(held, other, curves.at(other)[held.numbers], limits, risk / max(1, len(self.compared)))

    def plan(
        self,
        epsilon: float | None = None,
        delta: float = 0.05,
        bound: object = None,
        *,
        progress: Callable[[float], None] | None = None,
    ) -> Plan:
        """Estimate how many tasks are needed for a loss within epsilon of the best value's; these are the pilot.

        Of a study's result, the learning curve is that of the recommended value; else that of the least of the mean.

        Parameters
        ----------
        epsilon : float, optional
            The excess loss; by default a tenth of the mean loss.
        delta, bound
            As in `certificate`, for the bounds in `Plan.theory`.
        progress : callable, optional
            Called with the share done.

        Returns
        -------
        Plan
        """
        self._check_mean()
        known = bound is not None or self.source.reward_limits is not None
        limits = self._limits(bound) if known else None
        return make_plan(
            self._independent_curves(limits),
            self.search.free_parameter,
            epsilon=epsilon,
            delta=check_delta(delta),
            limits=limits,
            seed=self.seed,
            draws=self.smoothing_draws,
            progress=progress,
        )

    def smooth(self) -> "Tuned":
        """Return the same result with what a study recommends: see `recommended`."""
        return replace(self, smoothed=recommend(self.search.free_parameter, self.curve, self.n_tasks, draws=self.draws))

    def _limits(self, bound: object) -> Interval:
        rewards, averaged = self.source.reward_limits, self.find(Replay) is not None
        return loss_limits(bound, rewards, loss=self.search.loss, horizon=self.horizon, averaged=averaged)

    def _check_mean(self) -> None:
        """Reject what is proved for the mean over all tasks alone."""
        if self.search.loss.tail is not None:
            raise InputError(
                "certificates, improvements and plans bound the mean loss of a new task; of the mean over the worst "
                "tasks no bound is known here. Tune without tail="
            )

    def _independent_curves(self, limits: Interval | None) -> CurveSet:
        if self.find(Racing) is not None:
            raise InputError(
                "racing narrowed the range by all tasks, so that certificates, plans and improvements would be wrong. "
                "Tune with racing=False, or give held-out tasks: tasks=..."
            )
        if self.curves is None:
            raise InputError(
                "the loss curves of single tasks are not available: the result was loaded or computed on a cluster, or "
                "learned from all tasks together (priors, several parameters, units). Give held-out tasks: tasks=..."
            )
        if limits is not None:
            check_losses(self.curves.at(self._searched_value), limits)
        return self.curves

    def _run_tasks(self, tasks: Iterable[Any], limits: Interval) -> HeldOut:
        """Return what new tasks lose with the recommended parameters."""
        value = self._searched_value if self.smoothed is None else self.smoothed
        check_losses(losses := self._losses(tasks, value), limits)
        return HeldOut(value, losses, np.arange(losses.size))

    def _losses(self, tasks: Iterable[Any], value: float) -> NDArray[np.float64]:
        """Return what tasks lose with that value of what was searched, and the rest as learned: (tasks,)."""
        return replace(self.search, extend=True).losses_at(tasks, value, self.n_tasks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a JSON file, and its curves beside it: of tuned.json, to tuned.curve.npz.

        `bt.load` restores it, the mean curve bit for bit; without the file of the curves, all else.
        """
        from banditune.tuning.results.saved_result import write_result  # which also reads results, and makes them anew

        write_result(self, path)
