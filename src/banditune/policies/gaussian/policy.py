"""What GaussianUCB and GaussianTS have in common: the prior, what was learned since, arms that join, batches, runs."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import ParameterError
from banditune.interruption import call_with_watch
from banditune.kernels.gaussian.batch import GaussianBatch
from banditune.kernels.gaussian.run import find_posterior, next_arm, play_first_task, recommend_after_run
from banditune.kernels.gaussian.sweep import sweep_batch
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.lines.index import SCHEDULES
from banditune.policies.base import Bundled
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.counting_policy import CountingPolicy
from banditune.policies.gaussian.prior import FLAT, GaussianPrior
from banditune.policies.gaussian.settings import read_prior
from banditune.policies.piece_bounds import ComplexityBound, TaskSize, bound_lines
from banditune.policies.sweep_results import Run, Swept
from banditune.policies.ucb.ucb import UCB
from banditune.policies.updates import UPDATES, Updates, read_feedback
from banditune.tasks.arrays import LARGEST_RESPONSE, check_arms, check_totals
from banditune.validation import LONGEST_GAME, format_names, format_value, whole_number

MOST_ARMS = 5_000  # whose covariances are held: 200 MB
WIDEST = 3.0  # the scale that is searched up to, where no range is given: posterior standard deviations


class GaussianPolicy(CountingPolicy[GaussianBatch]):
    """A policy that knows its arms by a Gaussian prior, and learns about all of them from each reward."""

    samples: ClassVar[bool]  # whether it chooses by a sample of the posterior
    needs: ClassVar[tuple[str, ...]] = ("arms",)
    shown: ClassVar[tuple[str, ...]] = ("sds", "add_arms")
    per_arm: ClassVar[tuple[str, ...]] = ("counts", "_sums")
    bundled: ClassVar[Mapping[str, Bundled]] = UCB.bundled

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        *,
        prior_mean: ArrayLike | Mapping[Any, float] | None = None,
        prior_cov: ArrayLike | None = None,
        noise: float | None = None,
        theta: float = 1.0,
        schedule: str | None = None,
        horizon: int | None = None,
        prior: GaussianPrior | None = None,
        updates: Updates | None = None,
    ) -> None:
        is_number = isinstance(arms, int | np.integer)
        names = range(whole_number("arms", arms, least=1, most=MOST_ARMS)) if is_number else arms
        self.arms = check_arms(names, len(names), "")  # type: ignore[arg-type]
        if not 1 <= len(self.arms) <= MOST_ARMS:
            raise ParameterError(f"arms must be from 1 to {MOST_ARMS}, got {len(self.arms)}")
        super().__init__(len(self.arms), updates)
        known, given = self.parameters, {"prior_mean": prior_mean, "prior_cov": prior_cov, "noise": noise}
        checked = {name: known[name].value(value) for name, value in (given | {"prior": prior}).items()}
        self.prior = read_prior(checked, self.arms)
        self.theta: float = known["theta"].value(theta)
        self.schedule: str = known["schedule"].value(known["schedule"].default if schedule is None else schedule)
        self.horizon = None if horizon is None else whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        if self.horizon is None and self.uses_horizon({"schedule": self.schedule}):
            raise ParameterError('schedule="remaining" needs the horizon, the number of rounds to be run; got None')
        self._look_up_arms()

    def _look_up_arms(self) -> None:
        """Look up what the prior says of the arms."""
        self._numbers = {arm: number for number, arm in enumerate(self.arms)}
        self._mean, self._cov = self.prior.for_arms(self.arms)

    @property
    def noise(self) -> float:
        """The variance of a reward around its arm's mean."""
        return self.prior.noise

    @property
    def prior_mean(self) -> NDArray[np.float64]:
        """The prior mean of each arm: (n_arms,)."""
        return self._mean.copy()

    @property
    def prior_cov(self) -> NDArray[np.float64]:
        """The prior covariances of the arms: (n_arms, n_arms)."""
        return self._cov.copy()

    @property
    def means(self) -> NDArray[np.float64]:
        """The posterior mean of each arm: (n_arms,)."""
        return find_posterior(self.counts, *self._list_known())[0]

    @property
    def sds(self) -> NDArray[np.float64]:
        """The posterior standard deviation of each arm's mean: (n_arms,)."""
        return find_posterior(self.counts, *self._list_known())[1]

    def _list_known(self) -> tuple[Any, ...]:
        """Return what kernels take: totals, prior means, covariances, noise, and whether nothing is expected."""
        return self._sums[:, 0].copy(), self._mean, self._cov, self.noise, self.prior.is_flat

    @property
    def _key(self) -> np.uint64:
        """The key of the random numbers of a policy that samples."""
        return np.uint64(0)

    def select(self) -> Any:
        """Return the arm to pull next, by its name or number. It changes nothing."""
        schedule, horizon = SCHEDULES.index(self.schedule), 0.0 if self.horizon is None else float(self.horizon)
        late = self._late or IMMEDIATE._replace(counts_pending=int(not self.samples))
        how: tuple[Any, ...] = self.theta, schedule, horizon, self._key, self.samples, late
        return self.arms[next_arm(self.counts, self.pending, *self._list_known(), *how)]

    def _learn(self, arm: int, reward: float) -> None:
        if abs(reward) > LARGEST_RESPONSE:
            raise ParameterError(f"reward must be at most {LARGEST_RESPONSE:g} in size, got {reward!r}")
        super()._learn(arm, reward)

    def _find(self, arm: Hashable) -> int:
        try:
            if not isinstance(arm, bool):
                return self._numbers[arm]
        except (KeyError, TypeError):
            pass
        known = format_names(map(repr, self.arms[:10])) + (", ..." if self.n_arms > 10 else "")
        raise ParameterError(f"arm must be one of {known}; got {format_value(arm)}; add_arms lets others join")

    def add_arms(self, arms: Iterable[Hashable]) -> None:
        """Let further arms join; they start from what the prior says of them, or of arms never seen.

        Parameters
        ----------
        arms : iterable
            Their names.
        """
        joined = (*self.arms, *arms)
        if len(joined) > MOST_ARMS:
            raise ParameterError(f"arms must be at most {MOST_ARMS}, got {len(joined)}")
        self.arms = check_arms(joined, len(joined), "")
        n_new, self.n_arms = len(joined) - self.n_arms, len(joined)
        none = np.zeros(n_new, np.int64)
        self.counts, self.pending = np.append(self.counts, none), np.append(self.pending, none)
        self._sums = np.concatenate([self._sums, np.zeros((n_new, 2))])
        self._look_up_arms()

    def __repr__(self) -> str:
        schedule = "" if self.schedule == self.parameters["schedule"].default else f", schedule={self.schedule!r}"
        shown = f"n_arms={self.n_arms}, theta={self.theta:.6g}{schedule}, prior={self.prior.structure!r}"
        return f"{type(self).__name__}({shown}, pulls={self.counts.sum()})"

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        if not all(isinstance(arm, str | int | float) for arm in (*self.arms, *self.prior.arms)):
            raise ParameterError(
                f"the names of arms must be text or numbers to be saved, got {format_value(self.arms)}"
            )
        return json.dumps(self._state())

    def _state(self) -> dict[str, Any]:
        made = {"policy": self.name, "arms": list(self.arms), "prior": self.prior.to_json(), "theta": self.theta}
        made |= {"schedule": self.schedule, "horizon": self.horizon}
        made |= {UPDATES.name: UPDATES.plain(self.updates)}
        return {**made, "counts": self.counts.tolist(), "sums": self._sums.tolist(), **self._state_of_updates()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Make the policy from what `to_json` wrote."""
        names = state["arms"]
        if not isinstance(names, list) or not all(type(arm) in (str, int, float) for arm in names):
            raise ParameterError(f"arms must be a list of names, got {format_value(names)}")
        counts, sums = check_totals(state["counts"], state["sums"], LARGEST_RESPONSE, len(names))
        policy = cls(
            names, **{name: state[name] for name in cls._list_saved_arguments()}, updates=state.get(UPDATES.name)
        )
        policy.counts[:], policy._sums[:] = counts, sums
        policy._restore_pending(state)
        return policy

    @classmethod
    def _list_saved_arguments(cls) -> tuple[str, ...]:
        """Return the arguments that are saved."""
        return "prior", "theta", "schedule", "horizon"

    @classmethod
    def list_fixed_settings(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is known of the arms, and the schedule, if it is not the usual one."""
        usual = cls.parameters["schedule"].default
        known = {name: value for name, value in fixed.items() if value is not None}
        return {name: value for name, value in known.items() if (name, value) != ("schedule", usual)}

    @classmethod
    def for_arms(cls, params: Mapping[str, Any], arms: Sequence[Hashable] | None) -> dict[str, Any]:
        """Return what the prior says of these arms, by their numbers: for runs in which arms have no names."""
        prior = params.get("prior")
        if arms is None or prior is None or prior.is_flat:
            return dict(params)
        mean, cov = prior.for_arms(arms)
        known = GaussianPrior.of(range(len(arms)), mean, cov, prior.noise, prior.population, prior.structure)
        return {**params, "prior": known}

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return the range from 0 to 3 posterior standard deviations, whatever the rewards."""
        return 0.0, WIDEST

    @classmethod
    def list_settings(cls, scale: Any) -> dict[str, dict[str, Any]]:
        """Return none: without past tasks there is no prior."""
        return {}

    @classmethod
    def fits_prior(cls, given: Mapping[str, Any]) -> bool:
        """Tell whether a prior is to be fitted to the tasks: none is given, neither as a whole nor in parts."""
        prior = given.get("prior")
        if isinstance(prior, GaussianPrior | Mapping):
            return False
        return prior is not None or all(given.get(name) is None for name in ("prior_mean", "prior_cov", "noise"))

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.1: whatever the prior, indices are lines that depend on the counts, and samples on the round too.

        With a flat prior each arm is pulled once first, and GaussianUCB is UCB. See `Policy.bound_pieces`.
        """
        prior = settings.get("prior")
        is_flat = prior.is_flat if isinstance(prior, GaussianPrior) else prior == FLAT
        if is_flat and not cls.samples:
            return UCB.bound_pieces("alpha", size, {})
        return ComplexityBound(bound_lines(size, starts_with_each=is_flat), size.horizon**size.n_arms, "7.1")

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> GaussianBatch:
        """Lay out tasks of rewards, with what the prior says of their arms."""
        batch = batch_streams(tasks, terms)
        if np.abs(batch.streams).max() > LARGEST_RESPONSE:
            raise ParameterError(f"rewards must be at most {LARGEST_RESPONSE:g} in size for {cls.__name__}")
        priors = [read_prior(terms.settings, task.arms) for task in tasks]
        known = [prior.for_arms(task.arms) for prior, task in zip(priors, tasks, strict=True)]
        keys = np.array([task.address.key(terms.seed) for task in tasks] if cls.samples else [], np.uint64)
        return GaussianBatch(
            batch.streams,
            batch.gaps,
            batch.starts,
            batch.earned,
            means=np.concatenate([mean for mean, _ in known]),
            covariances=np.concatenate([cov.reshape(-1) for _, cov in known]),
            noise=priors[0].noise,
            is_flat=priors[0].is_flat,
            schedule=SCHEDULES.index(terms.settings["schedule"]),
            keys=keys,
            after=batch.after,
            feedback=read_feedback(terms.settings, tasks, is_randomised=cls.samples)
            or IMMEDIATE._replace(counts_pending=int(not cls.samples)),
        )

    @classmethod
    def run(cls, batch: GaussianBatch, values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch."""
        arms, rewards, losses = call_with_watch(play_first_task, batch, float(values["theta"]))
        return Run(arms, rewards, losses, float(losses[-1]), recommend_after_run(batch, arms))

    @classmethod
    def sweep(
        cls,
        batch: GaussianBatch,
        horizons: Sequence[int],
        parameter: str,
        low: float,
        high: float,
        fixed: Mapping[str, Any],
    ) -> Swept:
        """Return the exact losses of the tasks of a batch for every theta in [low, high]: see `Policy.sweep`."""
        return Swept.from_pieces(low, high, *call_with_watch(sweep_batch, batch, np.array(horizons), low, high))
