"""UCB: pull the arm with the highest mean + sqrt(alpha log t / pulls), Algorithm 1 of the paper; other schedules."""

import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from banditune.errors import ParameterError
from banditune.kernels.lines.bonus_run import next_arm_by_bonus
from banditune.kernels.lines.index import SCHEDULES
from banditune.kernels.lines.run import next_arm
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.rules import UCB as UCB_RULE
from banditune.kernels.simulator.state import State, state_after
from banditune.kernels.simulator.ucb_rule import set_expectation
from banditune.policies.base import Bundled
from banditune.policies.batches import Terms, batch_streams, of_kind
from banditune.policies.counting_policy import CountingPolicy
from banditune.policies.exports import Export
from banditune.policies.parameters import Setting, round_up
from banditune.policies.piece_bounds import ComplexityBound, TaskSize, bound_categories, bound_lines
from banditune.policies.ucb.exports import EXPORTS, check_convertible
from banditune.policies.ucb.priors import is_range, means_of
from banditune.policies.ucb.settings import BUNDLED, SETTINGS
from banditune.policies.ucb.sweep import (
    LazyCounts,
    Tasks,
    count_histories,
    delay_rewards,
    make_bonus,
    run_alpha,
    sweep_alphas,
)
from banditune.policies.updates import UPDATES, Updates, read_feedback
from banditune.tasks.archive import facts_of
from banditune.tasks.arrays import LARGEST, check_totals
from banditune.tasks.task import Task
from banditune.validation import LONGEST_GAME, whole_number


class UCB(CountingPolicy[Tasks]):
    """UCB with exploration parameter `alpha` (Algorithm 1 of the paper).

    Round t pulls the arm with the largest index, ties going to the lowest arm::

        mean + sqrt(alpha ln t / pulls)

    where `mean` is the average reward of the arm and `pulls` how often it was pulled. The first rounds pull every arm
    once. With `prior_means` there are no such rounds: an arm starts from its prior mean, which counts for
    `prior_weight` pulls. Another `schedule` puts something else in the place of ln t: 1, or ln((T + 1) / t) for runs of
    T rounds, which explores less as fewer rounds remain.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    alpha : float, default 1.0
        The exploration parameter, at least 0. The paper's theory sets 1, UCB1 sets 2; `bt.tune` learns it.
    prior_means : sequence or mapping of float, optional
        A prior mean for each arm, by position or by arm.
    prior_weight : float, default 1.0
        The number of pulls that a prior mean counts for.
    schedule : {"log", "constant", "remaining"}, default "log"
        How exploration goes with the round: alpha times ln t, 1, or ln((T + 1) / t).
    horizon : int, optional
        The number of rounds T that will be run, for the schedule "remaining". After them it explores as in round T.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Attributes
    ----------
    counts : ndarray of int, shape (n_arms,)
        How often each arm was pulled.
    means : ndarray of float, shape (n_arms,)
        The mean reward of each arm; nan for an arm that was not pulled yet.

    Examples
    --------
    >>> policy = UCB(2, alpha=0.1)
    >>> for reward in (0.0, 1.0, 1.0):
    ...     policy.update(policy.select(), reward)
    >>> policy.counts
    array([1, 2])
    >>> policy
    UCB(n_arms=2, alpha=0.1, pulls=3)
    """

    name: ClassVar[str] = "ucb"
    index: ClassVar[str] = "mean + sqrt(alpha ln t / pulls)"
    parameters: ClassVar[Mapping[str, Setting]] = SETTINGS
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"remaining": {"schedule": "remaining"}}

    knowledge: ClassVar[str] = "alpha"
    cheap_draws: ClassVar[int] = 100
    per_arm: ClassVar[tuple[str, ...]] = ("counts", "_sums")
    priors: ClassVar[tuple[str, ...]] = ("prior_means", "prior_weight")
    with_priors: ClassVar[str | None] = "gaussianucb"
    bundled: ClassVar[Mapping[str, Bundled]] = BUNDLED
    exports: ClassVar[Mapping[str, Export]] = EXPORTS

    def __init__(
        self,
        n_arms: int,
        *,
        alpha: float = 1.0,
        prior_means: Mapping[Any, float] | Sequence[float] | None = None,
        prior_weight: float = 1.0,
        schedule: str = "log",
        horizon: int | None = None,
        updates: Updates | None = None,
    ) -> None:
        super().__init__(n_arms, updates)
        self.alpha = self.parameters["alpha"].value(alpha)
        self.prior_weight = self.parameters["prior_weight"].value(prior_weight)
        priors = self.parameters["prior_means"].value(prior_means)
        self.prior_means = None if priors is None else means_of(priors, range(self.n_arms))
        self.schedule = self.parameters["schedule"].value(schedule)
        self.horizon = None if horizon is None else whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        if self.horizon is None and self.uses_horizon({"schedule": schedule}):
            raise ParameterError('schedule="remaining" needs the horizon, the number of rounds to be run; got None')

    def __repr__(self) -> str:
        schedule = "" if self.schedule == "log" else f", schedule={self.schedule!r}"
        horizon = f", horizon={self.horizon}" if self.uses_horizon({"schedule": self.schedule}) else ""
        return f"UCB(n_arms={self.n_arms}, alpha={self.alpha:.6g}{schedule}{horizon}, pulls={self.counts.sum()})"

    def select(self) -> int:
        """Return the arm to pull next, a number from 0. It changes nothing."""
        priors, weight = np.zeros(self.n_arms), 0.0
        if self.prior_means is not None:
            priors, weight = self.prior_means, self.prior_weight
        late = self._late
        if late is not None:
            known = self.counts, self.pending, self._sums, np.zeros((self.n_arms, 2))
            how: tuple[Any, ...] = make_bonus(self.schedule, self.horizon), late, np.uint64(0), priors, weight
            return next_arm_by_bonus(*known, math.sqrt(self.alpha), *how)
        return next_arm(self.counts, self._sums, math.sqrt(self.alpha), priors, weight, *self._schedule)

    @property
    def _schedule(self) -> tuple[int, float]:
        """The schedule and its horizon, as kernels take them."""
        return SCHEDULES.index(self.schedule), 0.0 if self.horizon is None else float(self.horizon)

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        priors = None if self.prior_means is None else self.prior_means.tolist()
        made = {"policy": self.name, "alpha": self.alpha, "prior_means": priors, "prior_weight": self.prior_weight}
        made |= {"schedule": self.schedule, "horizon": self.horizon, UPDATES.name: UPDATES.plain(self.updates)}
        known = {"counts": self.counts.tolist(), "sums": self._sums.tolist()}
        return json.dumps({**made, **known, **self._state_of_updates()})

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "UCB":
        """Return the policy from what `to_json` wrote."""
        counts, sums = check_totals(state["counts"], state["sums"], LARGEST)
        may_have = ("prior_means", "prior_weight", "schedule", "horizon", UPDATES.name)  # earlier versions wrote fewer
        also = {name: state[name] for name in may_have if name in state}
        policy = cls(counts.size, alpha=state["alpha"], **also)
        policy.counts[:], policy._sums[:] = counts, sums
        policy._restore_pending(state)
        return policy

    @classmethod
    def searches_priors(cls, given: Mapping[str, Any]) -> bool:
        """Tell whether a range of prior means is given."""
        return is_range(given.get("prior_means"))

    @classmethod
    def list_fixed_settings(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the priors, if there are any, and the schedule, if it is not the usual one."""
        usual = {"schedule"} if fixed["schedule"] == "log" else set()
        usual |= set(cls.priors) if fixed["prior_means"] is None else set()
        usual |= {UPDATES.name} if fixed[UPDATES.name] is None else set()
        return {name: value for name, value in fixed.items() if name not in usual}

    @classmethod
    def describe_index(cls, params: Mapping[str, Any]) -> str:
        """Return the index with what the schedule puts in the place of ln t."""
        by_schedule = {"constant": "alpha", "remaining": "alpha ln((T + 1) / t)"}
        return cls.index.replace("alpha ln t", by_schedule.get(params.get("schedule", "log"), "alpha ln t"))

    @classmethod
    def for_arms(cls, params: Mapping[str, Any], arms: Sequence[Hashable] | None) -> dict[str, Any]:
        """Return priors that were learned by name, in the order of the arms."""
        priors = params.get("prior_means")
        if not isinstance(priors, Mapping):
            return dict(params)
        if arms is None and any(not isinstance(arm, int) for arm in priors):
            raise ParameterError("priors were learned by the arms' names: give arms=[...], not n_arms")
        return {**params, "prior_means": priors if arms is None else means_of(priors, arms).tolist()}

    @classmethod
    def spread(cls, tasks: Iterable[Task]) -> float:
        """Return the largest spread of the rewards of an arm, or of the arms' means, in any task."""
        known = facts_of(tasks).spread  # of a log, which need not make its tasks for that
        return max(float(task.spread) for task in of_kind(tasks, Task)) if known is None else float(known)

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return the range from 0 to 4 squared spreads, rounded up to a digit: for rewards in [0, 1] at most 4."""
        return 0.0, 4.0 * round_up(spread) ** 2

    def simulator_state(self) -> State | None:
        """Return the state from which the compiled simulator goes on; none where rewards are late."""
        if self.updates is not None:
            return None
        state = state_after(UCB_RULE, self.counts, self._sums)
        state.own[at.THETA], (state.own[at.SCHEDULE], state.own[at.HORIZON]) = math.sqrt(self.alpha), self._schedule
        if self.prior_means is not None:
            state.own[at.WEIGHT] = self.prior_weight
            state.arms[:, at.EXTRA] = self.prior_means
            for arm in range(self.n_arms):
                set_expectation(state.arms, state.own, arm)
        return state

    @classmethod
    def check_settings(cls, given: Mapping[str, Any]) -> None:
        """Reject a weight of priors without priors."""
        if "prior_weight" in given and "prior_means" not in given:
            raise ParameterError("prior_weight needs prior_means=, or the range in which they are learned")

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> Tasks:
        """Lay out tasks of rewards, with the schedule and with what the settings expect of their arms."""
        batch, settings = batch_streams(tasks, terms), terms.settings
        batch = batch._replace(schedule=SCHEDULES.index(settings["schedule"]))
        if settings["prior_means"] is not None:
            priors = np.concatenate([means_of(settings["prior_means"], task.arms) for task in tasks])
            batch = batch._replace(priors=priors, weight=settings["prior_weight"])
        feedback = read_feedback(settings, tasks, is_randomised=False)
        return batch if feedback is None else delay_rewards(batch, feedback, settings["schedule"], terms.horizon)

    run = staticmethod(run_alpha)
    sweep = staticmethod(sweep_alphas)
    count_histories = staticmethod(count_histories)
    check_export = staticmethod(check_convertible)

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.1, and 7.2 where rewards take few values: see `Policy.bound_pieces`."""
        has_priors = settings.get("prior_means") is not None
        lines, paper = bound_lines(size, starts_with_each=not has_priors), size.horizon**size.n_arms
        if size.n_values is None or has_priors:
            return ComplexityBound(lines, paper, "7.1")
        categories = min(paper, size.n_values**2 * size.horizon**7)
        return ComplexityBound(min(lines, bound_categories(size)), categories, "7.2")

    @classmethod
    def sweep_lazily(
        cls, batch: Tasks, horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> LazyCounts:
        """Begin the runs for every alpha in [low, high]: see `Policy.sweep_lazily`."""
        return LazyCounts(batch, low, high)
