"""What is asked of past tasks: which policy, which parameter over which range, how long a game, which loss."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.checks import LONGEST_GAME, listed, one_of, shown, whole_number, yes_or_no
from banditune.curve_set import CurveSet
from banditune.errors import ParameterError
from banditune.policies.parameter import Parameter
from banditune.policies.policy import Policy

LOSSES = ("regret", "reward")


@dataclass(frozen=True, slots=True)
class Search:
    """One free parameter of a policy, to be searched over a range on tasks played for the given horizons."""

    policy: type[Policy]
    horizons: tuple[int, ...]  # increasing
    parameter: str
    low: float
    high: float
    fixed: Mapping[str, float]
    loss: str
    seed: int
    extend: bool

    @classmethod
    def of(
        cls,
        policy: type[Policy],
        horizons: Sequence[int],
        parameters: Mapping[str, object],
        *,
        loss: str,
        seed: int,
        extend: bool,
    ) -> "Search":
        """The search that a call's arguments describe; what cannot be meant is refused."""
        known = known_parameters(policy, parameters)
        free = {name: value for name, value in parameters.items() if isinstance(value, Iterable)}
        if len(free) != 1:
            example = f"{next(iter(known))}=(0.0, 4.0)"
            came = ", ".join(f"{name}={shown(value)}" for name, value in parameters.items()) or "none"
            raise ParameterError(f"one parameter must be given as a range (low, high), as in {example}; got {came}")
        ((name, given),) = free.items()
        low, high = known[name].range(given)
        return cls(
            policy,
            tuple(sorted({whole_number("horizon", horizon, least=1, most=LONGEST_GAME) for horizon in horizons})),
            name,
            low,
            high,
            fixed_parameters(policy, {other: value for other, value in parameters.items() if other != name}),
            one_of("loss", loss, LOSSES),
            whole_number("seed", seed, least=0),
            yes_or_no("extend", extend),
        )

    def parts(self, n_parts: int) -> list["Search"]:
        """The same search in adjoining parts of the range, to be made side by side."""
        bounds = self.policy.parameters[self.parameter].divided(self.low, self.high, n_parts)
        return [replace(self, low=low, high=high) for low, high in pairwise(bounds)]

    def curves(self, tasks: Sequence[Any], first: int | None = None) -> tuple[list[CurveSet], NDArray[np.int64]]:
        """The exact loss of each task over the whole range, a set of curves for each horizon; and its histories.

        `first` is the number of the first of these tasks among all, for messages; None if there is only one.
        """
        batch = self.policy.packed(
            tasks, self.horizons[-1], loss=self.loss, seed=self.seed, extend=self.extend, first=first
        )
        return self.policy.sweep(batch, self.horizons, self.parameter, self.low, self.high, self.fixed)

    def loss_at(self, task: Any, value: float) -> float:
        """What one game on the task loses with that value of the parameter, which may lie outside the range."""
        batch = self.policy.packed([task], self.horizons[-1], loss=self.loss, seed=self.seed, extend=self.extend)
        _, _, losses = self.policy.game(batch, defaults(self.policy) | {self.parameter: value, **self.fixed})
        return float(losses[-1])


def known_parameters(policy: type[Policy], given: Mapping[str, object]) -> Mapping[str, Parameter]:
    """The policy's parameters; an unknown name among those given, or something that is no policy, is refused."""
    if not inspect.isclass(policy) or not hasattr(policy, "parameters"):
        raise ParameterError(f"policy must be a policy class such as bt.UCB, got {shown(policy)}")
    for name in given:
        if name not in policy.parameters:
            raise ParameterError(f'{policy.__name__} has no parameter "{name}"; it has {listed(policy.parameters)}')
    return policy.parameters


def defaults(policy: type[Policy]) -> dict[str, float]:
    """What the policy does where nothing is said."""
    return {name: parameter.default for name, parameter in policy.parameters.items()}


def fixed_parameters(policy: type[Policy], given: Mapping[str, object]) -> dict[str, float]:
    """A value for each parameter given."""
    known = known_parameters(policy, given)
    return {name: known[name].value(value) for name, value in given.items()}
