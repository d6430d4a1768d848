"""A policy whose arms have names: names in, names out."""

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.errors import ParameterError
from banditune.policies.base import OnlinePolicy, Policy
from banditune.tasks.arrays import check_arms
from banditune.validation import format_names, format_value


class NamedArms(OnlinePolicy):
    """A policy that is asked for names of arms, and told by names which arm gave a reward.

    All else is the policy's own: `named.alpha`, `named.counts`. `policy` is what runs, with arms numbered from 0.

    Parameters
    ----------
    policy : OnlinePolicy
        The policy, with as many arms as there are names.
    arms : sequence
        The names of its arms, in its order: text or numbers.

    Examples
    --------
    >>> import banditune as bt
    >>> policy = NamedArms(bt.UCB(2, alpha=0.1), ["red", "blue"])
    >>> policy.update("red", 0.0)
    >>> policy.select()
    'blue'
    >>> bt.policy_from_json(policy.to_json()).select()
    'blue'
    """

    def __init__(self, policy: OnlinePolicy, arms: Sequence[Hashable]) -> None:
        self.policy = policy
        self.arms = check_arms(arms, getattr(policy, "n_arms", len(arms)), "")  # classes that only run need not say
        self._numbers = {arm: number for number, arm in enumerate(self.arms)}

    def __getattr__(self, name: str) -> Any:
        if name == "policy":  # not there yet, while unpickling
            raise AttributeError(name)
        return getattr(self.policy, name)

    def __repr__(self) -> str:
        return f"NamedArms({self.policy!r}, arms={format_value(list(self.arms))})"

    @property
    def seed(self) -> int:
        """The random seed of a policy that draws."""
        return self.policy.seed  # type: ignore[no-any-return]

    @seed.setter
    def seed(self, seed: int) -> None:
        self.policy.seed = seed

    def select(self, *contexts: Any, **named: Any) -> Any:
        """Return the name of the arm to choose next, by the contexts if there are any. It changes nothing."""
        return self.arms[self.policy.select(*contexts, **named)]

    def update(self, arm: Hashable, *learned: Any, **named: Any) -> None:
        """Learn what an arm gave, by its name: (arm, reward), and the contexts if there are any."""
        self.policy.update(self._find(arm), *learned, **named)

    def expect(self, arm: Hashable, *contexts: Any, **named: Any) -> None:
        """Count a pull whose reward is still to come, by the arm's name; a later `update` settles it."""
        self.policy.expect(self._find(arm), *contexts, **named)

    def forget(self, arm: Hashable, *contexts: Any, **named: Any) -> None:
        """Give up a pull whose reward will not come, by the arm's name."""
        self.policy.forget(self._find(arm), *contexts, **named)

    def adopt(self, other: "NamedArms", arms: Sequence[int | None]) -> None:
        """Take over what another policy of this kind has learned: see `OnlinePolicy.adopt`."""
        self.policy.adopt(other.policy, arms)

    def add_totals(self, arm: Hashable, pulls: int, total: float, squares: float | None = None) -> None:
        """Learn from many pulls of an arm at once, by its name: see `OnlinePolicy.add_totals`."""
        self.policy.add_totals(self._find(arm), pulls, total, squares)

    def choice_probabilities(self, *contexts: Any) -> NDArray[np.float64] | None:
        """Return how likely each arm is to be chosen next: see `OnlinePolicy.choice_probabilities`."""
        return self.policy.choice_probabilities(*contexts)

    def count_choices(self, arm: Hashable, seeds: NDArray[np.uint64], *contexts: Any) -> int:
        """Count with how many of some random seeds this arm would be chosen next, by its name."""
        return self.policy.count_choices(self._find(arm), seeds, *contexts)

    def _find(self, arm: Hashable) -> int:
        """Return the number of an arm; a name that is not that of an arm is rejected."""
        try:
            return self._numbers[arm]
        except (KeyError, TypeError):
            known = format_names(map(repr, self.arms[:10])) + (", ..." if len(self.arms) > 10 else "")
            raise ParameterError(f"arm must be one of the names {known}; got {format_value(arm)}") from None

    def to_json(self) -> str:
        """Return the policy with all that it has learned, and the names, as JSON text, for `bt.policy_from_json`."""
        if not all(isinstance(arm, str | int | float) for arm in self.arms):
            raise ParameterError(
                f"the names of arms must be text or numbers to be saved, got {format_value(self.arms)}"
            )
        return json.dumps(json.loads(self.policy.to_json()) | {"arm_names": list(self.arms)})


def make_policy(
    policy: type[Policy[Any]],
    params: Mapping[str, Any],
    *,
    n_arms: int | None = None,
    arms: Sequence[Hashable] | None = None,
    dim: int | None = None,
    points: ArrayLike | None = None,
    horizon: int | None = None,
    seed: int | None = None,
) -> Policy[Any] | NamedArms:
    """Make a policy for a task with so many arms, or arms of these names, within `NamedArms` if it knows no names."""
    if arms is not None and (n_arms is not None or not isinstance(arms, Sequence) or isinstance(arms, str)):
        came = format_value(arms) if n_arms is None else "both"
        raise ParameterError(f"policy() needs n_arms or arms, a list of names; got {came}")
    takes_names = "arms" in policy.needs
    takes_count = takes_names or "n_arms" in policy.needs  # points say how many arms there are
    count = n_arms if arms is None else arms if takes_names else len(arms) if takes_count else None
    given = {"arms" if takes_names else "n_arms": count, "dim": dim, "points": points}
    made_for: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if set(made_for) != set(policy.needs):
        needed = " and ".join(policy.needs).replace("arms", "n_arms or arms").replace("n_n_", "n_")
        came = " and ".join(made_for) or "nothing"
        raise ParameterError(f"policy() of a tuned {policy.__name__} needs {needed}, got {came}")
    if seed is not None and not policy.is_randomised:
        raise ParameterError(f"{policy.__name__} draws nothing, so that policy() takes no seed")
    made_for |= {} if seed is None else {"seed": seed}
    if policy.uses_horizon(params):
        made_for["horizon"] = horizon
    known = params if takes_names else policy.for_arms(params, arms)
    made = policy(**made_for, **known)
    return made if arms is None or takes_names else NamedArms(made, arms)
