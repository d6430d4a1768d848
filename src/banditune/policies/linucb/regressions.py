"""What an online policy has learned by contexts: its regressions, and the choices whose rewards are still to come."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.linear.layout import STEPS, clear_state, errors_size, plain_size, shape_of, state_size
from banditune.kernels.linear.regression import learn
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.simd import rows_before
from banditune.tasks.arrays import LARGEST_CONTEXT, check_numbers
from banditune.validation import LONGEST_GAME, format_value, whole_number

MOST_ARMS, MOST_DIM = 10**6, 10**4
MOST_KNOWN = 1e200  # in size: contexts and rewards add up to less, and a step from there can be represented
KNOWN, SPREADS = 0, 1  # the states: of what is known, and with the contexts of pending choices


class Regressions:
    """A regression for each arm or one for all, whose contexts are known at once and whose rewards come later.

    While choices are pending that count, there is a second state that has taken in their contexts, as in
    `kernels.linear.pending`. A regression of which no choice is pending is the same in both.
    """

    def __init__(self, n_arms: int, dim: int, ridge: float, *, disjoint: bool, counts_pending: bool) -> None:
        self.shape = shape_of(n_arms, n_arms if disjoint else 1, 1, dim)
        self.ridge, self.disjoint, self.counts_pending = ridge, disjoint, counts_pending
        self._size = state_size(self.shape)
        self.states = np.empty(self._size)
        clear_state(self.states, KNOWN, self.shape, ridge)
        self.counts = np.zeros(n_arms, np.int64)  # rewards of each arm that are known
        self.pending = np.zeros(n_arms, np.int64)
        self._waiting: dict[tuple[int, tuple[float, ...]], int] = {}  # choices by arm and context, and how many
        self._outdated: set[int] = set()  # regressions of which a choice was given up

    @property
    def spreads(self) -> int:
        """The state that spreads go by."""
        for regression in list(self._outdated):
            self._count_anew(regression)
        return SPREADS if self._has_two and self._waiting else KNOWN

    def expect(self, arm: int, context: Floats) -> None:
        """Count a choice by its context (size,), whose reward is still to come."""
        self._count_anew(self._regression_of(arm))
        if self.counts_pending:
            if not self._has_two:
                self.states = np.tile(self.states, 2)
            self._learn(SPREADS, arm, context, 0.0)
        key = self._key_of(arm, context)
        self._waiting[key] = self._waiting.get(key, 0) + 1
        self.pending[arm] += 1

    def forget(self, arm: int, context: Floats) -> None:
        """Give up a choice that is pending."""
        if not self._settle(arm, context):
            raise ParameterError(f"arm {arm} has no pending pull with these contexts to forget")
        if self._has_two:
            self._outdated.add(self._regression_of(arm))

    def learn(self, arm: int, context: Floats, reward: float) -> None:
        """Learn the reward of a choice; if one with this context is pending, it is settled."""
        regression = self._regression_of(arm)
        if self._outdated:
            self._count_anew(regression)
        was_pending = self._settle(arm, context)
        self._learn(KNOWN, arm, context, reward)
        self.counts[arm] += 1
        if self._has_two:
            if not self._waits(regression):
                self._rows(SPREADS)[regression] = self._rows(KNOWN)[regression]
            elif not was_pending:
                self._learn(SPREADS, arm, context, 0.0)

    def adopt(self, other: "Regressions", arms: Sequence[int | None]) -> None:
        """Take over what is known of these arms of another, or its only regression; not what is pending."""
        for arm, before in enumerate(arms):
            if before is not None:
                self.counts[arm] = other.counts[before]
        for regression, before in enumerate(arms if self.disjoint else [0]):
            if before is not None:
                self._rows(KNOWN)[regression] = other._rows(KNOWN)[before]
        self._set_flag(KNOWN)

    @property
    def _has_two(self) -> bool:
        return bool(self.states.size > self._size)

    def _regression_of(self, arm: int) -> int:
        return arm if self.disjoint else 0

    def _waits(self, regression: int) -> bool:
        """Tell whether choices of a regression are pending."""
        return bool(self.pending[regression] if self.disjoint else self.pending.any())

    def _key_of(self, arm: int, context: Floats) -> tuple[int, tuple[float, ...]]:
        return arm, tuple(context[: self.shape.dim].tolist())

    def _settle(self, arm: int, context: Floats) -> bool:
        """Take a choice from those that are pending, if it is one of them."""
        if not self._waiting or (key := self._key_of(arm, context)) not in self._waiting:
            return False
        self._waiting[key] -= 1
        if self._waiting[key] == 0:
            del self._waiting[key]
        self.pending[arm] -= 1
        return True

    def _learn(self, state: int, arm: int, context: Floats, reward: float) -> None:
        learn(self.states, state, arm, context, 0, reward, self.shape, np.empty(self.shape.size))

    def _count_anew(self, regression: int) -> None:
        """Take in the contexts of pending choices anew, if one of them was given up."""
        if regression in self._outdated:
            self._outdated.remove(regression)
            self._rows(SPREADS)[regression] = self._rows(KNOWN)[regression]
            for (arm, context), number in self._waiting.items():
                if self._regression_of(arm) == regression:
                    for _ in range(number):
                        self._learn(SPREADS, arm, self._pad(context), 0.0)

    def _pad(self, context: Iterable[float]) -> Floats:
        padded = np.zeros(self.shape.size)
        padded[: self.shape.dim] = list(context)
        return padded

    def _rows(self, state: int) -> Floats:
        """Return the regressions of a state, a row for each."""
        return self.states[state * self._size : (state + 1) * self._size - 1].reshape(self.shape.n_regressions, -1)

    def _set_flag(self, state: int) -> None:
        """Note whether any regression of a state has gone over to double-doubles."""
        _, errors, _ = self._split(self._rows(state))
        self.states[(state + 1) * self._size - 1] = errors[:, STEPS].any()

    def _split(self, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """Return numbers in plain floats, the errors, the low parts of some numbers."""
        plain = plain_size(self.shape)
        low = plain + errors_size(self.shape)
        return rows[:, :plain], rows[:, plain:low], rows[:, low:]

    def to_json(self) -> dict[str, Any]:
        """Return all but the counts as plain data."""
        return {**self._save(KNOWN, slice(None)), **self._save_pending()}

    def _save(self, state: int, regressions: Any) -> dict[str, Any]:
        plain, errors, low = self._split(self._rows(state)[regressions])
        known = {"known": plain.ravel().tolist(), "errors": errors.ravel().tolist()}
        return known | ({"low": low.ravel().tolist()} if low.any() else {})

    def _save_pending(self) -> dict[str, Any]:
        if not self._waiting:
            return {}
        spreads, choices = self.spreads, [[*key, number] for key, number in self._waiting.items()]
        known = self._save(SPREADS, self._list_waiting()) if spreads == SPREADS else {}
        return {"pending": {"choices": choices, **known}}

    def _list_waiting(self) -> NDArray[np.int64]:
        """Return the regressions of which choices are pending."""
        return np.flatnonzero([self._waits(regression) for regression in range(self.shape.n_regressions)])

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `to_json` wrote."""
        self._restore(KNOWN, np.arange(self.shape.n_regressions), state)
        if "pending" not in state:
            return
        for arm, context, number in state["pending"]["choices"]:
            arm = whole_number("arm", arm, least=0, most=self.counts.size - 1)
            context = check_numbers(context, "the context of a pending pull", most=LARGEST_CONTEXT)
            if context.shape != (self.shape.dim,):
                raise ParameterError(f"the context of a pending pull must be {self.shape.dim} numbers, got {context}")
            key = self._key_of(arm, context)
            pulls = whole_number("the number of pending pulls", number, least=1, most=LONGEST_GAME)
            self._waiting[key] = self._waiting.get(key, 0) + pulls
            self.pending[arm] += pulls
        if self.counts_pending and self._waiting:
            self.states = np.tile(self.states, 2)
            self._restore(SPREADS, self._list_waiting(), state["pending"])

    def _restore(self, state: int, regressions: NDArray[np.int64], saved: Mapping[str, Any]) -> None:
        """Take over some regressions of a state, if what was saved can be what is known of any."""
        rows = self._rows(state)[regressions]
        plain, errors, low = self._split(rows)
        for name, part in {"known": plain, "errors": errors, "low": low}.items():
            if name == "low" and name not in saved:
                part[:] = 0.0
                continue
            numbers = check_numbers(saved[name], name, sized=name == "known", most=MOST_KNOWN)
            if numbers.shape != (part.size,) or not np.isfinite(numbers).all():
                raise ParameterError(f"{name} must be {part.size} finite numbers, got {format_value(saved[name])}")
            part[:] = numbers.reshape(part.shape)
        inverses = plain[errors[:, STEPS] == 0.0, : rows_before(self.shape.size)]  # others hold a root in its place
        if np.abs(inverses).max(initial=0.0) > 2.0 / self.ridge:  # they begin with 1 / ridge, and shrink
            raise ParameterError(f"known must begin with an inverse of at most {1.0 / self.ridge:g}, got {inverses}")
        if (errors < 0.0).any():
            raise ParameterError(f"errors must be at least 0, got {format_value(saved['errors'])}")
        self._rows(state)[regressions] = rows
        self._set_flag(state)
