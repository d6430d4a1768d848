"""Every policy that can be tuned, by name: those of the package, and those that other packages declare."""

import warnings
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from banditune.errors import FileError, ParameterError
from banditune.io import parse_json
from banditune.policies.base import Policy
from banditune.policies.gpucb.gpucb import GPUCB
from banditune.policies.linucb.linucb import LinUCB
from banditune.policies.named_arms import NamedArms
from banditune.policies.ucb.ucb import UCB
from banditune.validation import format_names, format_value

GROUP = "banditune.policies"  # of entry points: NAME = "package.module:Class"
OWN: tuple[type[Policy[Any]], ...] = (UCB, LinUCB, GPUCB)


@cache
def registered_policies() -> dict[str, type[Policy[Any]]]:
    """Return all policies by name; one of another package that cannot be loaded is left out with a warning."""
    policies = {policy.name: policy for policy in OWN}
    for declared in entry_points(group=GROUP):
        try:
            policy = declared.load()
        except Exception as error:
            warnings.warn(f"the policy {declared.name} of {declared.value} cannot be loaded: {error!r}", stacklevel=2)
            continue
        if not (isinstance(policy, type) and issubclass(policy, Policy)):
            warnings.warn(f"{declared.value}, declared as a policy, is no subclass of Policy", stacklevel=2)
            continue
        policies.setdefault(policy.name, policy)
    return policies


def names() -> list[str]:
    """Return the names of all policies that can be tuned.

    >>> names()[:3]
    ['ucb', 'linucb', 'gpucb']
    """
    return list(registered_policies())


def find_policy(name: object) -> type[Policy[Any]]:
    """Return the policy with that name."""
    policies = registered_policies()
    if not isinstance(name, str) or name not in policies:
        raise ParameterError(f"policy must be one of {format_names(policies)}; got {format_value(name)}")
    return policies[name]


def policy_from_json(text: str) -> Policy[Any] | NamedArms:
    """Restore a policy from the text of its `to_json`; it makes the same decisions from then on.

    Parameters
    ----------
    text : str
        What `to_json` returned.

    Returns
    -------
    Policy
        The policy with all that it had learned; if its arms had names, they have them again.

    Raises
    ------
    FileError
        If the text is not a saved policy.

    Examples
    --------
    >>> policy = UCB(3, alpha=0.2)
    >>> policy.update(policy.select(), 1.0)
    >>> policy_from_json(policy.to_json()).select() == policy.select()
    True
    """
    state = parse_json(text, "a saved policy")
    if not isinstance(state, dict) or state.get("policy") not in names():
        raise FileError(
            f'a saved policy must be an object with "policy" one of {format_names(names())}; got {format_value(text)}'
        )
    policy = find_policy(state["policy"])
    try:
        restored = policy.from_state(state)
        return NamedArms(restored, state["arm_names"]) if "arm_names" in state else restored
    except KeyError as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: it has no {error}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: {error}") from None
