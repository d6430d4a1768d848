"""What LinUCB and LinTS have in common: regressions on contexts, online, in runs and in sweeps."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import ParameterError
from banditune.kernels.linear.index import NO_DOUBT, first_doubt, is_doubtful
from banditune.kernels.linear.layout import Shape, pad_contexts, plain_size, shape_of
from banditune.kernels.linear.regression import largest_feature
from banditune.kernels.linear.run import Rounds
from banditune.kernels.linear.sampling import NO_SAMPLES, Sampler, set_sampled_lines
from banditune.kernels.lines.envelope import leader
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback, find_owed_arm, find_shown_round
from banditune.kernels.numerics.arrays import Floats
from banditune.policies.base import Policy
from banditune.policies.batches import of_kind
from banditune.policies.linucb.batches import CONTEXTUAL_KINDS, Scaling, batch_rounds, scale_contexts
from banditune.policies.linucb.regressions import MOST_ARMS, MOST_DIM, MOST_KNOWN, Regressions
from banditune.policies.linucb.sweep import explain_doubt, join_tasks, run_task, sweep_task
from banditune.policies.parameters import Flag, Number, Option, Setting, round_up
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.sweep_results import Run, Swept
from banditune.policies.updates import UPDATES, Updates, read_feedback
from banditune.tasks.arrays import check_contexts, check_counts, check_numbers, check_responses
from banditune.validation import finite_number, format_value, whole_number

REGRESSION_SETTINGS: Mapping[str, Setting] = {
    "ridge": Number(
        "ridge",
        default=1.0,
        least=1e-9,
        option=Option("ridge penalty; repeat it to select the best", "1", "values", float, "R"),
    ),
    "disjoint": Flag("disjoint", default=False),
    "scaling": Scaling(
        "scaling",
        default="none",
        option=Option(
            "scale features not at all (none), by their root mean square over all tasks (features), or each "
            "context to unit length (contexts); repeat it to select the best",
            "none",
            "values",
            metavar="HOW",
        ),
    ),
    UPDATES.name: UPDATES,
}


class LinearPolicy(Policy[list[Rounds]]):
    """A policy that chooses by ridge regressions of the rewards on contexts; its index is a line in one parameter."""

    knowledge: ClassVar[str]
    task_types: ClassVar[tuple[type, ...]] = CONTEXTUAL_KINDS
    needs: ClassVar[tuple[str, ...]] = ("n_arms", "dim")
    shown: ClassVar[tuple[str, ...]] = ("pending",)
    contextual: ClassVar[bool] = True
    merges: ClassVar[bool] = False
    usual_settings: ClassVar[Mapping[str, object]] = {"disjoint": True}

    ridge: float
    disjoint: bool
    scaling: Any
    updates: Updates | None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.parameters = {**cls.parameters, **REGRESSION_SETTINGS}

    def __init__(self, n_arms: int, dim: int, settings: Mapping[str, Any]) -> None:
        self.n_arms = whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
        self.dim = whole_number("dim", dim, least=1, most=MOST_DIM)
        for name, value in settings.items():
            setattr(self, name, self.parameters[name].value(value))
        scale_contexts(np.zeros(self.dim), self.scaling)  # rejected here if it does not fit
        if self.updates is not None:
            self.updates.check_arms(self.n_arms)
        counts_pending = bool(self._late.counts_pending)
        how = {"disjoint": self.disjoint, "counts_pending": counts_pending}
        self._known = Regressions(self.n_arms, self.dim, self.ridge, **how)

    def _sampler(self) -> Sampler:
        """Return what the slopes of the next round's indices are drawn with, if they are."""
        return NO_SAMPLES

    @classmethod
    def make_sampler(cls, rounds: Rounds) -> Sampler:
        """Return the same for the runs on a task."""
        return NO_SAMPLES

    @property
    def _late(self) -> Feedback:
        """When rewards become known, as kernels take it."""
        late = None if self.updates is None else self.updates.to_feedback(is_randomised=self.is_randomised)
        return late or IMMEDIATE._replace(counts_pending=int(not self.is_randomised))

    @property
    def pending(self) -> NDArray[np.int64]:
        """How many choices of each arm wait for their rewards: (n_arms,)."""
        return self._known.pending

    @property
    def next_turn(self) -> int:
        """The number of the next round, as what is drawn sees it; where nothing is drawn, any will do."""
        return 1

    def __repr__(self) -> str:
        how = ", disjoint=True" if self.disjoint else ""
        shown = f"{self.find_searched_parameter().name}={self._searched_value:.6g}{how}"
        return f"{type(self).__name__}(n_arms={self.n_arms}, dim={self.dim}, {shown})"

    def select(self, contexts: ArrayLike) -> int:
        """Return the arm to choose, a number from 0. It changes nothing.

        Parameters
        ----------
        contexts : array_like, shape (n_arms, dim) or (dim,)
            The context of each arm; one context for all arms needs disjoint=True.
        """
        seen, shape = self._check_contexts(contexts)
        known, turn = self._known, self.next_turn
        if self.updates is not None:
            late, counts = self._late, (known.counts + known.pending)[np.newaxis]
            owed = find_owed_arm(late, counts, known.counts[np.newaxis], 0, False, int(counts.sum()) + 1)
            if owed >= 0:
                return int(owed)
            turn = find_shown_round(late, turn)
        lines, errors, spreads = np.empty((self.n_arms, 7)), np.empty((self.n_arms, 2)), known.spreads
        set_sampled_lines(lines, errors, known.states, 0, spreads, seen, 0, shape, self._sampler(), turn - 1)
        value = self._searched_value
        arm, other = leader(lines, value, 1.0), NO_DOUBT
        if is_doubtful(known.states, 0, spreads, shape):
            other = first_doubt(lines, errors, arm, value, value)
        if other != NO_DOUBT:
            largest = max(float(np.abs(seen).max()), largest_feature(known.states, shape))
            raise ParameterError(f"contexts: {explain_doubt(f'arm {arm} and arm {other}', largest, self.ridge)}")
        return arm

    def update(self, arm: int, reward: float, contexts: ArrayLike) -> None:
        """Learn from the reward of a choice.

        Parameters
        ----------
        arm : int
            The arm that was chosen, from 0.
        reward : float
            Its reward.
        contexts : array_like, shape (n_arms, dim) or (dim,)
            The contexts with which it was chosen. If a choice of the arm with its context is pending, it is settled.
        """
        arm = self._find(arm)
        reward = float(check_responses(finite_number("reward", reward), "reward"))
        self._known.learn(arm, self._context_of(arm, contexts), reward)

    def expect(self, arm: int, contexts: ArrayLike) -> None:
        """Count a choice whose reward is still to come, so that the next one knows of it.

        Parameters
        ----------
        arm : int
            The arm that was chosen, from 0.
        contexts : array_like, shape (n_arms, dim) or (dim,)
            The contexts with which it was chosen.
        """
        arm = self._find(arm)
        self._known.expect(arm, self._context_of(arm, contexts))

    def forget(self, arm: int, contexts: ArrayLike) -> None:
        """Give up a choice that is pending, whose reward will not come.

        Parameters
        ----------
        arm : int
            The arm that was chosen, from 0.
        contexts : array_like, shape (n_arms, dim) or (dim,)
            The contexts with which it was chosen.
        """
        arm = self._find(arm)
        self._known.forget(arm, self._context_of(arm, contexts))

    def adopt(self, other: Any, arms: Sequence[int | None]) -> None:
        """Take over the regressions of these arms of another, or its only one: see `OnlinePolicy.adopt`."""
        self._known.adopt(other._known, arms)

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        made = {name: getattr(self, name) for name in ("n_arms", "dim", *self._list_saved_arguments())}
        if self.updates is not None:
            made |= {UPDATES.name: UPDATES.plain(self.updates), "counts": self._known.counts.tolist()}
        return json.dumps({"policy": self.name, **made, **self._save_extras(), **self._known.to_json()})

    def _save_extras(self) -> dict[str, Any]:
        """Return what it has learned besides its regressions."""
        return {}

    @classmethod
    def _list_saved_arguments(cls) -> tuple[str, ...]:
        """Return the arguments that are saved; when it learns only if that is not at once."""
        return tuple(name for name in cls.parameters if name != UPDATES.name)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the policy from what `to_json` wrote."""
        known = check_numbers(state["known"], "known", most=MOST_KNOWN)
        n_arms = whole_number("n_arms", state["n_arms"], least=1, most=MOST_ARMS)
        dim = whole_number("dim", state["dim"], least=1, most=MOST_DIM)
        n_regressions = n_arms if cls.parameters["disjoint"].value(state["disjoint"]) else 1
        shape = shape_of(n_arms, n_regressions, 1, dim)
        if known.shape != (size := n_regressions * plain_size(shape),):  # before there is room made for as many
            raise ParameterError(f"known must be {size} numbers, got {known.size}")
        made = {name: state[name] for name in cls._list_saved_arguments()} | {UPDATES.name: state.get(UPDATES.name)}
        policy = cls(n_arms, dim, **made)
        if policy.updates is not None:
            policy._known.counts[:] = check_counts(state["counts"], n_arms)
        policy._known.restore(state)
        return policy

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """Return the largest spread of the rewards of a task."""
        return max(float(np.ptp(task.rewards)) for task in of_kind(tasks, *CONTEXTUAL_KINDS))

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return the range from 0 to 2 spreads, the spread rounded up to one digit."""
        return 0.0, 2.0 * round_up(spread)

    @classmethod
    def run(cls, batch: list[Rounds], values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch; of a log, the loss is minus the mean reward so far."""
        feedback = read_feedback(values, batch, is_randomised=cls.is_randomised) or IMMEDIATE
        value = float(values[cls.find_searched_parameter().name])
        return run_task(batch[0], values, value, cls.make_sampler(batch[0]), feedback)

    @classmethod
    def sweep(
        cls,
        batch: list[Rounds],
        horizons: Sequence[int],
        parameter: str,
        low: float,
        high: float,
        fixed: Mapping[str, Any],
    ) -> Swept:
        """Return the exact losses of the tasks of a batch for every value in [low, high]: see `Policy.sweep`."""
        feedback = read_feedback(fixed, batch, is_randomised=cls.is_randomised) or IMMEDIATE
        swept = [sweep_task(rounds, fixed, horizons, low, high, cls.make_sampler(rounds), feedback) for rounds in batch]
        return join_tasks(batch, swept, horizons, low, high)

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.3: each round cuts a piece into n at most; the first, in which nothing is known, cuts none."""
        n, horizon = size.n_arms, size.horizon
        return ComplexityBound(n ** (horizon - 1), n**horizon, "7.3")

    @classmethod
    def list_fixed_settings(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return what regressions are run with, and when they learn, if that is not at once."""
        return {name: value for name, value in fixed.items() if name != UPDATES.name or value is not None}

    @classmethod
    def check_export(cls, params: Mapping[str, Any]) -> None:
        """Reject what other libraries have not: a regression for all arms, and scaled features."""
        if not params.get("disjoint", False):
            raise ParameterError("other libraries have a regression for each arm: only disjoint=True can be converted")
        if params.get("scaling", "none") != "none":
            raise ParameterError(
                'other libraries scale features in their own ways: only scaling="none" can be converted'
            )

    make_batch = staticmethod(batch_rounds)

    def _find(self, arm: int) -> int:
        return whole_number("arm", arm, least=0, most=self.n_arms - 1)

    def _context_of(self, arm: int, contexts: ArrayLike) -> Floats:
        """Return the context of one arm as the kernels take it."""
        seen, shape = self._check_contexts(contexts)
        place = arm * shape.size if shape.n_contexts > 1 else 0
        return seen[place : place + shape.size]

    def _check_contexts(self, contexts: ArrayLike) -> tuple[Floats, Shape]:
        """Return the contexts of one round as the kernels take them."""
        seen = check_contexts(contexts, "contexts")
        if seen.shape == (self.dim,) and (self.disjoint or self.n_arms == 1):
            seen = seen[None, :]
        elif seen.shape != (self.n_arms, self.dim):
            also = f" or ({self.dim},)" if self.disjoint else ""
            wanted = f"({self.n_arms}, {self.dim}){also}"
            raise ParameterError(f"contexts must have shape {wanted}, got {format_value(np.shape(contexts))}")
        shape = self._known.shape._replace(n_contexts=seen.shape[0])
        return pad_contexts(scale_contexts(seen[None], self.scaling), shape), shape
