"""A policy whose arms have names: names in, names out."""

import json
from collections.abc import Hashable, Sequence
from typing import Any

from banditune.errors import ParameterError
from banditune.policies.base import OnlinePolicy
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
        self.arms = check_arms(arms, policy.n_arms, "")  # type: ignore[attr-defined]
        self._numbers = {arm: number for number, arm in enumerate(self.arms)}

    def __getattr__(self, name: str) -> Any:
        if name == "policy":  # not there yet, while unpickling
            raise AttributeError(name)
        return getattr(self.policy, name)

    def __repr__(self) -> str:
        return f"NamedArms({self.policy!r}, arms={format_value(list(self.arms))})"

    def select(self, *contexts: Any, **named: Any) -> Any:
        """Return the name of the arm to choose next, by the contexts if there are any. It changes nothing."""
        return self.arms[self.policy.select(*contexts, **named)]

    def update(self, arm: Hashable, *learned: Any, **named: Any) -> None:
        """Learn what an arm gave, by its name: (arm, reward), and the contexts if there are any."""
        self.policy.update(self._find(arm), *learned, **named)

    def expect(self, arm: Hashable, *contexts: Any, **named: Any) -> None:
        """Count a pull of an arm, by its name, whose reward is still to come."""
        self.policy.expect(self._find(arm), *contexts, **named)

    def forget(self, arm: Hashable, *contexts: Any, **named: Any) -> None:
        """Give up a pull of an arm, by its name, whose reward will not come."""
        self.policy.forget(self._find(arm), *contexts, **named)

    def _find(self, arm: Hashable) -> int:
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
