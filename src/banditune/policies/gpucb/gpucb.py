"""GP-UCB: choose the point with the highest mean + sqrt(beta) spread by a Gaussian process. The paper's Algorithm 5."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.datasets import hpobench
from banditune.errors import ParameterError
from banditune.interruption import call_with_watch
from banditune.kernels.gp.exact_posterior import observe
from banditune.kernels.gp.index import tie_width
from banditune.kernels.gp.run import make_posterior, next_point, observe_pulls, play_points
from banditune.kernels.lines.feedback import IMMEDIATE, find_owed_arm, find_shown_round
from banditune.kernels.lines.run import record
from banditune.policies.base import Bundled
from banditune.policies.counting_policy import CountingPolicy
from banditune.policies.exports import Export
from banditune.policies.gpucb.batches import PointTask, batch_points, convert_rewards, make_prior
from banditune.policies.gpucb.beta import widths
from banditune.policies.gpucb.covariance import check_points
from banditune.policies.gpucb.exports import EXPORTS
from banditune.policies.gpucb.learned_covariance import KERNEL
from banditune.policies.gpucb.mean import ZERO
from banditune.policies.gpucb.settings import SETTINGS
from banditune.policies.gpucb.sweep import STD, VARIANCE, lazy_points, list_rounds, sweep_tasks
from banditune.policies.parameters import Setting
from banditune.policies.piece_bounds import ComplexityBound, TaskSize, bound_lines, bound_points
from banditune.policies.sweep_results import Run
from banditune.policies.updates import UPDATES, Updates
from banditune.tasks.arrays import LARGEST_RESPONSE, check_numbers, check_totals
from banditune.validation import finite_number

FEW_ROUNDS = 20  # trying a point is dear
ROOM = 64  # observations that there is room for at first


class GPUCB(CountingPolicy[list[PointTask]]):
    """GP-UCB over a finite set of points, as in Bayesian optimisation (Algorithm 5 of the paper).

    Round t chooses the point with the largest index::

        mu(x) + sqrt(beta_t) sigma(x)

    where mu(x) and sigma(x) are the mean and standard deviation of a Gaussian process given (reward - center) / scale
    of the past choices; its observation noise has the variance noise = sigma^2.

    Parameters
    ----------
    points : array_like, shape (n, d)
        The points to choose from; each is an arm.
    noise : float, default 0.01
        The variance sigma^2 of the observation noise; `bt.tune` learns it.
    kernel : str or callable, default "rbf"
        "rbf", "matern12", "matern32", "matern52", or a function k(X, Y) such as scikit-learn's kernels. It is applied
        to points / length_scale.
    length_scale : float, default 1.0
        The length scale of the kernel.
    beta : float, mapping or None, default None
        beta_t: None for the schedule of Srinivas et al., {"of_schedule": m} for a multiple of it, or a number.
    mean_function : {"zero", "learned"} or MeanFunction, default "zero"
        What points are expected to give before they are tried: nothing in particular, or, learned by `bt.tune`, the
        average of past tasks there.
    covariance : {"kernel", "learned"}, float or LearnedCovariance, default "kernel"
        How points go together: by the kernel; or, learned by `bt.tune`, half by it and half as in past tasks; or
        with another share of what is learned, from 0 to 1.
    delta : float, default 0.1
        The schedule's confidence: its regret bound holds with probability at least 1 - delta.
    center, scale : float, default 0.0 and 1.0
        The units in which the process takes rewards.
    bonus : {"std", "variance"}, default "std"
        "variance" has sqrt(beta_t) sigma^2(x) instead, as printed in the paper.
    updates : Batches, Delay or Updates, optional
        When rewards become known; by default, before the next round. Pending choices count in sigma(x), not in mu(x).

    Attributes
    ----------
    counts : ndarray of int, shape (n,)
        How often each point was chosen.
    means, spreads : ndarray of float, shape (n,)
        mu and sigma of each point, in the units of the rewards.

    Examples
    --------
    >>> policy = GPUCB([[0.0], [0.5], [1.0]], noise=0.1, length_scale=0.3)
    >>> policy.update(policy.select(), 0.0)
    >>> policy.select()  # the most uncertain point
    2
    >>> policy
    GPUCB(n_arms=3, noise=0.1, pulls=1)
    """

    name: ClassVar[str] = "gpucb"
    index: ClassVar[str] = "mu(x) + sqrt(beta_t) sigma(x), noise = sigma^2"
    parameters: ClassVar[Mapping[str, Setting]] = SETTINGS
    knowledge: ClassVar[str] = "a kernel, noise and beta"
    needs: ClassVar[tuple[str, ...]] = ("points",)
    shown: ClassVar[tuple[str, ...]] = ("spreads",)
    per_arm: ClassVar[tuple[str, ...]] = ("counts", "_sums")
    chunk: ClassVar[int] = 1
    usual_settings: ClassVar[Mapping[str, object]] = {
        "center": "learned",
        "scale": "learned",
        "length_scale": [0.1, 0.2, 0.5, 1.0],
    }
    usual_rounds: ClassVar[int | None] = FEW_ROUNDS
    most_draws: ClassVar[int] = 1  # a sweep takes seconds, and few points are pulled more often than recorded
    bundled: ClassVar[Mapping[str, Bundled]] = {
        "hpobench": Bundled(
            hpobench,
            FEW_ROUNDS,
            "6 bundled tuning tasks: which of 600 configurations of a neural network is the most accurate on a data "
            "set? From HPOBench.",
        )
    }
    exports: ClassVar[Mapping[str, Export]] = EXPORTS

    def __init__(
        self,
        points: ArrayLike,
        *,
        noise: float = 0.01,
        kernel: Any = "rbf",
        length_scale: float = 1.0,
        beta: float | Mapping[str, float] | None = None,
        mean_function: Any = ZERO,
        covariance: Any = KERNEL,
        delta: float = 0.1,
        center: float = 0.0,
        scale: float = 1.0,
        bonus: str = STD,
        updates: Updates | None = None,
    ) -> None:
        self.points = check_points(points)
        super().__init__(len(self.points), updates)
        self.noise = self.parameters["noise"].value(noise)
        self.kernel = self.parameters["kernel"].value(kernel)
        self.length_scale = self.parameters["length_scale"].value(length_scale)
        self.beta = self.parameters["beta"].value(beta)
        self.delta = self.parameters["delta"].value(delta)
        self.center = _number("center", self.parameters["center"].value(center))
        self.scale = _number("scale", self.parameters["scale"].value(scale))
        self.bonus = self.parameters["bonus"].value(bonus)
        self.mean_function = self.parameters["mean_function"].value(mean_function)
        self.covariance = self.parameters["covariance"].value(covariance)
        self._prior = make_prior({name: getattr(self, name) for name in self.parameters}, self.points)
        self._gather()

    def _gather(self) -> None:
        """Work out afresh what is known, from the pulls of each point and what they showed."""
        observed = observe_pulls(self.counts, self._sums)
        self._n_rows = observed.places.size
        self._known = make_posterior(self._prior.covariances, observed, self.noise, ROOM + 2 * self._n_rows)

    @property
    def means(self) -> NDArray[np.float64]:
        """What every point is expected to give, in the rewards' own units: (n,)."""
        return self.center + self.scale * (self._prior.means + self._known.mean)

    @property
    def spreads(self) -> NDArray[np.float64]:
        """How unsure that is: standard deviations, in the rewards' own units: (n,)."""
        return self.scale * np.sqrt(np.maximum(self._prior.covariances.diagonal() - self._known.lost, 0.0))

    def __repr__(self) -> str:
        return f"GPUCB(n_arms={self.n_arms}, noise={self.noise:.6g}, pulls={self.counts.sum()})"

    def _count_pending(self, counts: NDArray[np.int64]) -> Any:
        """Return the spreads after counts (n,) choices, rewards known or not: GP-BUCB (Desautels et al., 2014)."""
        observed = observe_pulls(counts, np.zeros((counts.size, 2)))
        return make_posterior(self._prior.covariances, observed, self.noise, observed.places.size)

    def select(self) -> int:
        """Return the point to choose next, a number from 0. It changes nothing."""
        late, counts = self._late or IMMEDIATE, self.counts + self.pending
        owed = find_owed_arm(late, counts[np.newaxis], self.counts[np.newaxis], 0, False, self.next_round)
        if owed >= 0:
            return int(owed)
        t = np.array([find_shown_round(late, self.next_round)])
        width = float(widths(self.beta, self.n_arms, self.delta, t)[0])
        known = counted = self._known
        if self.pending.any() and late.counts_pending:
            counted = self._count_pending(counts)
        tie = tie_width(self._prior, observe_pulls(self.counts, self._sums))
        return next_point(self._prior, known, counted, width, self.bonus == VARIANCE, tie)

    def update(self, arm: int, reward: float) -> None:
        """Learn from the reward of a choice.

        Parameters
        ----------
        arm : int
            The number of the point that was chosen, from 0.
        reward : float
            Its reward.
        """
        arm = self._find(arm)
        expected = self._prior.means[arm]
        seen = float(convert_rewards(finite_number("reward", reward), self.center, self.scale, "reward", expected))
        record(self.counts, self._sums, arm, seen)
        self.pending[arm] = max(0, self.pending[arm] - 1)
        if self._n_rows == self._known.rows.shape[0]:
            self._gather()
            return
        observe(
            self._known, self._n_rows, arm, self._prior.covariances, np.arange(self.n_arms), self.noise, 0.0, seen, 0.0
        )
        self._n_rows += 1

    def adopt(self, other: Any, arms: Sequence[int | None]) -> None:
        """Take over what another has learned of these points of its own: see `OnlinePolicy.adopt`."""
        super().adopt(other, arms)
        self._gather()

    def _learn_totals(self, arm: int, pulls: int, total: float, squares: float | None) -> None:
        if pulls:
            expected = self._prior.means[arm]
            mean = float(convert_rewards(total / pulls, self.center, self.scale, "the mean reward", expected))
            super()._learn_totals(arm, pulls, mean * pulls, squares)
            self._gather()

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`.

        Of a kernel that is a function, its values at the points are saved.
        """
        named = {
            name: setting.plain(getattr(self, name)) for name, setting in self.parameters.items() if name != "kernel"
        }
        kernel = {"covariances": self._prior.covariances.tolist()} if callable(self.kernel) else self.kernel
        named |= {"covariance": KERNEL} if callable(self.kernel) else {}  # what is saved has what was learned in it
        known = {"counts": self.counts.tolist(), "sums": self._sums.tolist(), **self._state_of_updates()}
        return json.dumps({"policy": self.name, "points": self.points.tolist(), "kernel": kernel} | named | known)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "GPUCB":
        """Return the policy from what `to_json` wrote."""
        may_have = ("mean_function", "covariance", UPDATES.name)  # earlier versions wrote fewer
        made = {
            name: state[name] for name in cls.parameters if name != "kernel" and (name in state or name not in may_have)
        }
        kernel = state["kernel"]
        if isinstance(kernel, Mapping):
            kept = check_numbers(kernel["covariances"], "covariances")
            kernel = lambda _one, _other: kept  # noqa: E731  # what it was at these points
        policy = cls(state["points"], kernel=kernel, **made)
        counts, sums = check_totals(state["counts"], state["sums"], LARGEST_RESPONSE, policy.n_arms)
        policy.counts[:], policy._sums[:] = counts, sums
        policy._restore_pending(state)
        policy._gather()
        return policy

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """Return 1: the policy sees rewards in units of their spread."""
        return 1.0

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Six decades of noise, in the units the policy sees; multiples of the schedule up to twice it."""
        return (1e-4, 100.0) if parameter == "noise" else (0.0, 2.0)

    make_batch = staticmethod(batch_points)
    sweep = staticmethod(sweep_tasks)
    sweep_lazily = staticmethod(lazy_points)

    @classmethod
    def run(cls, batch: list[PointTask], values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch."""
        task = batch[0]
        n_points, horizon = task.rewards.shape
        factors = widths(values["beta"], n_points, values["delta"], list_rounds(task.feedback, horizon))
        how: tuple[Any, ...] = values["noise"], factors, values["bonus"] == VARIANCE, task.feedback
        arms, losses, recommended = call_with_watch(play_points, task.prior, task.seen, task.tables, *how)
        pulls_before = [int((arms[:t] == arm).sum()) for t, arm in enumerate(arms)]
        return Run(arms, task.rewards[arms, pulls_before], losses, float(losses[-1]), recommended)

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 8.1 for the noise, by counts; over multiples of beta indices are lines: see `Policy.bound_pieces`.

        Two indices differ by a ratio of polynomials, or with the standard deviation by roots of such, whose zeros are
        those of a polynomial of 4 times the degree.
        """
        n, horizon = size.n_arms, size.horizon
        paper = n ** (2 * horizon) * math.factorial(horizon)
        if parameter == "beta":
            return ComplexityBound(bound_lines(size, starts_with_each=False), paper, "7.1")
        crossings = 1 if settings.get("bonus", STD) == VARIANCE else 4
        return ComplexityBound(bound_points(size, crossings), paper, "8.1")


def _number(name: str, value: Any) -> float:
    if isinstance(value, str):
        raise ParameterError(f'{name}="{value}" is learned from past tasks, by bt.tune or bt.loss_curve')
    return float(value)
