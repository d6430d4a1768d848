"""What was learned: the parameter, how sure, and a policy ready for the next task."""

import json
import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.exact_sum import Merged
from banditune.curves.step_function import Interval, StepFunction, curve_to_json
from banditune.errors import InputError, ParameterError
from banditune.evaluation.bounds import Learned
from banditune.evaluation.certificate import HOLDOUT, Certificate, certify, check_delta, check_method
from banditune.evaluation.holdout import HeldOut, Improvement, hold_out, holdout_certificate, improvement
from banditune.evaluation.limits import check_losses, loss_limits
from banditune.evaluation.plan import Plan, make_plan
from banditune.io import write_text
from banditune.policies.base import Policy
from banditune.policies.exports import Conversion, convert
from banditune.tasks.encoding import Encoding
from banditune.tuning.prior_search import PriorFindings
from banditune.tuning.proof import Proof
from banditune.tuning.replay import Replay
from banditune.tuning.search import Search, searchable
from banditune.validation import finite_number, format_value

FORMAT = "banditune.tuned/1"


class Compared(NamedTuple):
    """The best that was found with one combination of fixed parameters."""

    params: dict[str, Any]
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The value of a parameter that loses least on past tasks.

    Also `tuned.alpha` and the like, by the parameter's name.
    """

    policy_class: type[Policy[Any]]
    params: dict[str, Any]  # what to run the policy with
    interval: Interval  # every value in it has the least mean loss
    plausible: Interval  # outside it, every value does worse than the best by over one standard error
    curve: StepFunction  # the mean loss for every value
    loss: float  # the least mean loss
    loss_name: str  # "regret" or "reward"
    parameter: str  # which parameter was searched
    n_tasks: int
    horizon: int
    complexity: float  # the mean number of pieces of the tasks' loss functions: an estimate of Q_D
    histories: float  # the mean number of games the range was cut into: what a search without merging would visit
    seed: int
    origin: Mapping[str, object] | None = None  # how the log was read that the tasks came from: columns, files, rows
    compared: tuple[Compared, ...] = ()  # the best with each of the values that were compared, if any were
    replay: Replay | None = None  # how far to trust it, where the tasks were logs
    priors: PriorFindings | None = None  # what was compared and learned, where priors were searched for
    proof: Proof | None = None  # how far the pieces are proved, where that takes a proof
    steps: tuple[Compared, ...] = ()  # what each exact search found, where several parameters were searched in turn
    reward_limits: Interval | None = None  # between which the tasks' rewards are known to lie, if they are
    curves: CurveSet | None = None  # of the tasks, where each was made without looking at others; not saved
    merged: Merged | None = None  # what merging breakpoints may have changed, where there were too many to hold
    left_out: tuple[str, ...] = ()  # tasks or files that could not be worked on, and why

    def __getattr__(self, name: str) -> Any:
        if name != "params" and name in self.params:  # "params" itself is not there yet while unpickling
            return self.params[name]
        raise AttributeError(f"a Tuned has no attribute {name!r}")

    def policy(
        self,
        n_arms: int | None = None,
        *,
        arms: Sequence[Hashable] | None = None,
        dim: int | None = None,
        points: ArrayLike | None = None,
        configurations: Sequence[Any] | None = None,
    ) -> Policy[Any]:
        """The tuned policy for a new task: of that many arms, or these, and `dim` features if any; or of points.

        Where past tasks were configurations, new `configurations` are encoded as those were.
        """
        if configurations is not None:
            if self.encoding is None or points is not None:
                raise ParameterError("configurations are for a result learned from them, instead of points")
            points = self.encoding.points(configurations)
        if arms is not None and (n_arms is not None or not isinstance(arms, Sequence) or isinstance(arms, str)):
            came = format_value(arms) if n_arms is None else "both"
            raise ParameterError(f"policy() needs n_arms or arms, a list of names; got {came}")
        count = n_arms if arms is None else len(arms)
        given = {"n_arms": count, "dim": dim, "points": points}
        made_for = {name: value for name, value in given.items() if value is not None}
        if set(made_for) != set(self.policy_class.needs):
            needed = " and ".join(self.policy_class.needs).replace("n_arms", "n_arms or arms")
            came = " and ".join(made_for) or "nothing"
            raise ParameterError(f"policy() of a tuned {self.policy_class.__name__} needs {needed}, got {came}")
        return self.policy_class(**made_for, **self.policy_class.for_arms(self.params, arms))

    @property
    def encoding(self) -> Encoding | None:
        """How configurations become points, where past tasks were read as such."""
        saved = None if self.origin is None else self.origin.get("encoding")
        return None if saved is None else Encoding.from_json(saved)

    def certificate(
        self,
        delta: float = 0.05,
        bound: object = None,
        *,
        method: str | None = None,
        tasks: Iterable[Any] | None = None,
    ) -> Certificate:
        """What a new task can be expected to lose, but for a chance of at most delta that these tasks mislead.

        `bound` is the largest loss possible (or the limits of losses); without it, it follows from the rewards' limits
        if the tasks stated them. The method is chosen beforehand: "compression", which is the default, "rademacher",
        "massart" or "paper" speak of the learned value; "holdout" of the value learned from half of the tasks, measured
        on the others; "best" tries several and pays for it. With `tasks` that were not learned from, the learned value
        is measured on them.
        """
        risk = check_delta(delta)
        method = check_method(("compression" if tasks is None else HOLDOUT) if method is None else method)
        limits = self._limits(bound)
        n_compared = max(1, len(self.compared))
        if tasks is not None:
            if method != HOLDOUT:
                raise ParameterError(f"with tasks that were not learned from, the method is {HOLDOUT}; got {method}")
            everyone = None if self.curves is None else (self.loss, self.n_tasks)
            return holdout_certificate(self._run_tasks(tasks, limits), limits, risk, everyone=everyone)
        curves = self._independent_curves(limits)
        if method == HOLDOUT:
            held = hold_out(curves, searchable(self.policy_class, self.parameter), self.seed)
            return holdout_certificate(held, limits, risk, n_compared, (self.loss, self.n_tasks))
        learned = Learned(curves, self.interval, self._searched_value, limits, self.seed)
        return certify(learned, risk, method, n_compared)

    def improvement(
        self, over: float, delta: float = 0.05, bound: object = None, *, tasks: Iterable[Any] | None = None
    ) -> Improvement:
        """How much less is lost with what was learned than with the value `over`, but for a chance of at most delta.

        Measured on `tasks` that were not learned from; without them, on half of the tasks learned from, with the value
        learned from the other half, where `over` has to lie in the range that was searched.
        """
        risk, limits = check_delta(delta), self._limits(bound)
        other = finite_number("over", over)
        if tasks is not None:
            listed = list(tasks)
            return improvement(self._run_tasks(listed, limits), other, self._losses(listed, other), limits, risk)
        curves = self._independent_curves(limits)
        held = hold_out(curves, searchable(self.policy_class, self.parameter), self.seed)
        return improvement(held, other, curves.at(other)[held.numbers], limits, risk / max(1, len(self.compared)))

    def plan(
        self,
        epsilon: float | None = None,
        delta: float = 0.05,
        bound: object = None,
        *,
        progress: Callable[[float], None] | None = None,
    ) -> Plan:
        """How many tasks it would take to lose at most epsilon more than the best value, judged by these as pilots.

        Without epsilon, a tenth of what is lost now. `progress` is called with the share done.
        """
        known = bound is not None or self.reward_limits is not None
        limits = self._limits(bound) if known else None
        return make_plan(
            self._independent_curves(limits),
            searchable(self.policy_class, self.parameter),
            epsilon=epsilon,
            delta=check_delta(delta),
            limits=limits,
            seed=self.seed,
            progress=progress,
        )

    @property
    def _searched_value(self) -> float:
        """The learned value as a point of the curve."""
        return searchable(self.policy_class, self.parameter).inside(*self.interval)

    def _limits(self, bound: object) -> Interval:
        averaged = self.replay is not None
        return loss_limits(bound, self.reward_limits, loss=self.loss_name, horizon=self.horizon, averaged=averaged)

    def _independent_curves(self, limits: Interval | None) -> CurveSet:
        if self.curves is None:
            raise InputError(
                "there are no curves of single tasks to judge by: it was read from a file or made on a cluster, "
                "or what was learned looked at all tasks together (priors, several parameters in turn, units of the "
                "rewards). certificate and improvement take tasks that were not learned from: tasks=..."
            )
        if limits is not None:
            check_losses(self.curves.at(self._searched_value), limits)
        return self.curves

    def _run_tasks(self, tasks: Iterable[Any], limits: Interval) -> HeldOut:
        """What new tasks lose with the learned parameters."""
        losses = self._losses(tasks, self._searched_value)
        check_losses(losses, limits)
        return HeldOut(self._searched_value, losses, np.arange(losses.size), self.n_tasks)

    def _losses(self, tasks: Iterable[Any], value: float) -> NDArray[np.float64]:
        """What tasks lose with that value of what was searched, and the rest as learned: (tasks,)."""
        span = (self.curve.low, self.curve.high)
        how: dict[str, Any] = {"horizons": [self.horizon], "loss": self.loss_name, "seed": self.seed, "extend": True}
        search = Search.of(self.policy_class, parameters={**self.params, self.parameter: span}, **how)
        return search.losses_at(tasks, value, self.n_tasks)

    def to(self, library: str) -> Conversion:
        """The same exploration in the parameters of another library, such as "mabwiser" or "river"."""
        return convert(self.policy_class, self.params, library)

    def summary(self) -> dict[str, object]:
        """The result in plain numbers, without the curve."""
        return {
            "policy": self.policy_class.name,
            "params": self._plain(self.params),
            "interval": list(self.interval),
            "plausible": list(self.plausible),
            "loss": self.loss,
            "loss_name": self.loss_name,
            "parameter": self.parameter,
            "range": [self.curve.low, self.curve.high],
            "n_tasks": self.n_tasks,
            "horizon": self.horizon,
            "complexity": self.complexity,
            "histories": self.histories,
            "seed": self.seed,
            "reward_limits": None if self.reward_limits is None else list(self.reward_limits),
            "log": self.origin,
            "compared": [{"params": self._plain(each.params), "loss": each.loss} for each in self.compared],
            "replay": None if self.replay is None else self._replay_summary(self.replay),
            "priors": None if self.priors is None else _plain_findings(self.priors),
            "proof": None if self.proof is None else asdict(self.proof),
            "steps": [{"params": self._plain(each.params), "loss": each.loss} for each in self.steps],
            "merged": None if self.merged is None else asdict(self.merged),
            "left_out": list(self.left_out),
        }

    def _plain(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters as JSON can hold them."""
        return {name: self.policy_class.parameters[name].plain(value) for name, value in params.items()}

    def _replay_summary(self, replay: Replay) -> dict[str, object]:
        return {
            "events": replay.events,
            "matched": int(replay.matched(self.params[self.parameter])),
            "interval": list(replay.interval),
            "warnings": list(replay.warnings),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON; `load` gives it back with every bit of the mean curve."""
        curves = {"curve": curve_to_json(self.curve)}
        if self.replay is not None:
            curves["matched"] = curve_to_json(self.replay.matched)
        write_text(path, json.dumps({"format": FORMAT} | self.summary() | curves, indent=1) + "\n")


def _plain_findings(found: PriorFindings) -> dict[str, Any]:
    known = asdict(found)
    for candidate in known["candidates"]:
        candidate |= {name: None for name in ("unseen", "error") if math.isnan(candidate[name])}
    return known
