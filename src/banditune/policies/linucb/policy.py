"""What LinUCB and LinTS have in common: regressions on contexts, online, in runs and in sweeps."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from banditune.errors import ParameterError
from banditune.interruption import call_watched
from banditune.kernels.linear.index import NO_DOUBT, first_doubt
from banditune.kernels.linear.layout import (
    STEPS,
    Floats,
    Shape,
    clear_state,
    errors_size,
    has_bounds,
    pad_contexts,
    plain_size,
    shape_of,
    state_size,
)
from banditune.kernels.linear.regression import largest_feature, learn
from banditune.kernels.linear.run import PASSED, UNSURE, Rounds, play_rounds
from banditune.kernels.linear.sampling import Sampler, set_sampled_lines
from banditune.kernels.linear.sweep import ALL_SURE, sweep_rounds
from banditune.kernels.lines.envelope import leader
from banditune.kernels.numerics.simd import rows_before
from banditune.policies.base import Policy
from banditune.policies.batches import Terms, of_kind
from banditune.policies.linucb.batches import CONTEXTUAL_KINDS, batch_rounds, count_regressions, scale_contexts
from banditune.policies.linucb.outcomes import check_decided, explain_doubt, finish_losses, is_log, make_curves
from banditune.policies.parameters import round_up
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.sweeps import Run, Swept
from banditune.tasks.arrays import check_contexts, check_numbers, check_responses
from banditune.validation import finite_number, format_value, whole_number

MOST_ARMS, MOST_DIM = 10**6, 10**4
MOST_KNOWN = 1e200  # in size: contexts and rewards add up to less, and a step from there can be represented
STATES_BYTES = 2**28  # what one sweep may hold of runs that were set aside


class LinearPolicy(Policy[list[Rounds]]):
    """A policy that chooses by ridge regressions of the rewards on contexts; its index is a line in one parameter."""

    searched: ClassVar[str]  # the name of that parameter
    knowledge: ClassVar[str]
    task_types: ClassVar[tuple[type, ...]] = CONTEXTUAL_KINDS
    needs: ClassVar[tuple[str, ...]] = ("n_arms", "dim")
    contextual: ClassVar[bool] = True
    merges: ClassVar[bool] = False
    usual_settings: ClassVar[Mapping[str, object]] = {"disjoint": True}

    ridge: float
    disjoint: bool
    scaling: Any

    def __init__(self, n_arms: int, dim: int, settings: Mapping[str, Any]) -> None:
        self.n_arms = whole_number("n_arms", n_arms, least=1, most=MOST_ARMS)
        self.dim = whole_number("dim", dim, least=1, most=MOST_DIM)
        for name, value in settings.items():
            setattr(self, name, self.parameters[name].value(value))
        scale_contexts(np.zeros(self.dim), self.scaling)  # rejected here if it does not fit
        shape = self._shape(n_contexts=1)
        self._known = np.empty(state_size(shape))
        clear_state(self._known, 0, shape, self.ridge)

    @property
    def _value(self) -> float:
        """The value of the parameter that can be searched."""
        return float(getattr(self, self.searched))

    def _sampler(self) -> Sampler | None:
        """What the slopes of the next round's indices are drawn with; None if they are not."""
        return None

    @classmethod
    def make_sampler(cls, rounds: Rounds) -> Sampler | None:
        """Return the same for the runs on a task."""
        return None

    @property
    def n_rounds(self) -> int:
        """How many rounds it has learned from, where that matters."""
        return 0

    def __repr__(self) -> str:
        how = ", disjoint=True" if self.disjoint else ""
        shown = f"{self.searched}={self._value:.6g}{how}"
        return f"{type(self).__name__}(n_arms={self.n_arms}, dim={self.dim}, {shown})"

    def select(self, contexts: ArrayLike) -> int:
        """Return the arm to choose, a number from 0. It changes nothing.

        Parameters
        ----------
        contexts : array_like, shape (n_arms, dim) or (dim,)
            The context of each arm; one context for all arms needs disjoint=True.
        """
        lines, errors = np.empty((self.n_arms, 7)), np.empty((self.n_arms, 2))
        seen, shape = self._check_contexts(contexts)
        set_sampled_lines(lines, errors, self._known, 0, seen, 0, shape, self._sampler(), self.n_rounds)
        arm, other = leader(lines, self._value, 1.0), NO_DOUBT
        if has_bounds(self._known, 0, shape):
            other = first_doubt(lines, errors, arm, self._value, self._value)
        if other != NO_DOUBT:
            largest = max(float(np.abs(seen).max()), largest_feature(self._known, shape))
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
            The contexts with which it was chosen.
        """
        arm = whole_number("arm", arm, least=0, most=self.n_arms - 1)
        reward = float(check_responses(finite_number("reward", reward), "reward"))
        seen, shape = self._check_contexts(contexts)
        learn(self._known, 0, arm, seen, 0, reward, shape, np.empty(shape.size))

    def adopt(self, other: Any, arms: Sequence[int | None]) -> None:
        """Take over the regressions of these arms of another, or its only one: see `OnlinePolicy.adopt`."""
        ours, theirs = (each._known[:-1].reshape(each._shape(1).n_regressions, -1) for each in (self, other))
        for row, before in enumerate(arms if self.disjoint else [0]):
            if before is not None:
                ours[row] = theirs[before]
        self._known[-1] = other._known[-1]

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        made = {name: getattr(self, name) for name in ("n_arms", "dim", *self._saved())}
        plain, errors, low = self._parts()
        known = {"known": plain.ravel().tolist(), "errors": errors.ravel().tolist()}
        if low.any():
            known["low"] = low.ravel().tolist()
        return json.dumps({"policy": self.name, **made, **self._learned(), **known})

    def _learned(self) -> dict[str, Any]:
        """What it has learned besides its regressions."""
        return {}

    @classmethod
    def _saved(cls) -> tuple[str, ...]:
        """The arguments that are saved."""
        return tuple(cls.parameters)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The policy from what `to_json` wrote."""
        known = check_numbers(state["known"], "known", most=MOST_KNOWN)
        n_arms = whole_number("n_arms", state["n_arms"], least=1, most=MOST_ARMS)
        dim = whole_number("dim", state["dim"], least=1, most=MOST_DIM)
        n_regressions = n_arms if cls.parameters["disjoint"].value(state["disjoint"]) else 1
        shape = shape_of(n_arms, n_regressions, 1, dim)
        if known.shape != (size := n_regressions * plain_size(shape),):  # before there is room made for as many
            raise ParameterError(f"known must be {size} numbers, got {known.size}")
        policy = cls(n_arms, dim, **{name: state[name] for name in cls._saved()})
        plain, errors, low = policy._parts()
        for name, part in {"known": plain, "errors": errors, "low": low}.items():
            if name == "low" and name not in state:
                continue
            numbers = check_numbers(state[name], name, sized=name == "known", most=MOST_KNOWN)
            if numbers.shape != (part.size,) or not np.isfinite(numbers).all():
                raise ParameterError(f"{name} must be {part.size} finite numbers, got {format_value(state[name])}")
            part[:] = numbers.reshape(part.shape)
        inverses = plain[errors[:, STEPS] == 0.0, : rows_before(shape.size)]  # others hold a root in its place
        if np.abs(inverses).max(initial=0.0) > 2.0 / policy.ridge:  # they begin with 1 / ridge, and shrink
            raise ParameterError(f"known must begin with an inverse of at most {1.0 / policy.ridge:g}, got {inverses}")
        if (errors < 0.0).any():
            raise ParameterError(f"errors must be at least 0, got {format_value(state['errors'])}")
        policy._known[-1] = errors[:, STEPS].any()
        return policy

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """The largest spread of the rewards of a task."""
        return max(float(np.ptp(task.rewards)) for task in of_kind(tasks, *CONTEXTUAL_KINDS))

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """From 0 to 2 spreads, the spread rounded up to one digit."""
        return 0.0, 2.0 * round_up(spread)

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> list[Rounds]:
        """Lay out contextual tasks or logs."""
        return batch_rounds(tasks, terms)

    @classmethod
    def run(cls, batch: list[Rounds], values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch; of a log, the loss is minus the mean reward so far."""
        rounds = batch[0]
        arms, rewards, losses = call_watched(
            play_rounds,
            rounds,
            count_regressions(rounds, values),
            values["ridge"],
            float(values[cls.searched]),
            cls.make_sampler(rounds),
        )
        check_decided(rounds, int(np.argmax(arms == UNSURE)) if UNSURE in arms else ALL_SURE, values["ridge"])
        counted = arms != PASSED
        losses = finish_losses(rounds, losses, np.cumsum(counted))
        return Run(arms[counted], rewards[counted], losses[counted], float(losses[-1]))

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
        """The exact losses of the tasks of a batch for every value in [low, high]: see `Policy.sweep`."""
        found, histories = [], []
        for rounds in batch:
            n_regressions = count_regressions(rounds, fixed)
            shape = shape_of(rounds.n_arms, n_regressions, *rounds.contexts.shape[1:])
            most_states = max(2, STATES_BYTES // (8 * state_size(shape)))
            until = np.minimum(horizons, rounds.logged.size)
            pieces, n, unsure = call_watched(
                sweep_rounds,
                rounds,
                n_regressions,
                fixed["ridge"],
                until,
                low,
                high,
                most_states,
                cls.make_sampler(rounds),
            )
            check_decided(rounds, unsure, fixed["ridge"])
            found.append(pieces._replace(loss=finish_losses(rounds, pieces.loss, pieces.counted)))
            histories.append(n)
        losses = [make_curves(low, high, found, k, "loss") for k in range(len(horizons))]
        if not is_log(batch[0]):
            return Swept(losses, np.array(histories))
        matched = [make_curves(low, high, found, k, "counted") for k in range(len(horizons))]
        events = np.array([min(rounds.logged.size, horizons[-1]) for rounds in batch])
        return Swept(losses, np.array(histories), matched, events)

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.3: each round cuts a piece into n at most; the first, in which nothing is known, cuts none."""
        n, horizon = size.n_arms, size.horizon
        return ComplexityBound(n ** (horizon - 1), n**horizon, "7.3")

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """What is known of each regression: the numbers in plain floats, the errors, the low parts of some numbers."""
        shape = self._shape(n_contexts=1)
        rows, plain = self._known[:-1].reshape(shape.n_regressions, -1), plain_size(shape)
        low = plain + errors_size(shape)
        return rows[:, :plain], rows[:, plain:low], rows[:, low:]

    def _shape(self, n_contexts: int) -> Shape:
        return shape_of(self.n_arms, self.n_arms if self.disjoint else 1, n_contexts, self.dim)

    def _check_contexts(self, contexts: ArrayLike) -> tuple[Floats, Shape]:
        """The contexts of one round as the kernels take them."""
        seen = check_contexts(contexts, "contexts")
        if seen.shape == (self.dim,) and (self.disjoint or self.n_arms == 1):
            seen = seen[None, :]
        elif seen.shape != (self.n_arms, self.dim):
            also = f" or ({self.dim},)" if self.disjoint else ""
            wanted = f"({self.n_arms}, {self.dim}){also}"
            raise ParameterError(f"contexts must have shape {wanted}, got {format_value(np.shape(contexts))}")
        shape = self._shape(n_contexts=seen.shape[0])
        return pad_contexts(scale_contexts(seen[None], self.scaling), shape), shape
