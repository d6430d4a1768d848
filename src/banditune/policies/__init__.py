"""The policies, by name."""

from banditune.errors import FileError, ParameterError
from banditune.io import parse_json
from banditune.policies.base import Policy
from banditune.policies.gpucb.gpucb import GPUCB
from banditune.policies.linucb.linucb import LinUCB
from banditune.policies.ucb.ucb import UCB
from banditune.validation import format_names, format_value

POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in (UCB, LinUCB, GPUCB)}


def find_policy(name: str) -> type[Policy]:
    """The policy with that name."""
    if not isinstance(name, str) or name not in POLICIES:
        raise ParameterError(f"policy must be one of {format_names(POLICIES)}; got {format_value(name)}")
    return POLICIES[name]


def policy_from_json(text: str) -> Policy:
    """The policy that `to_json` wrote: it makes the same decisions from here on.

    >>> policy = UCB(3, alpha=0.2)
    >>> policy.update(policy.select(), 1.0)
    >>> policy_from_json(policy.to_json()).select() == policy.select()
    True
    """
    state = parse_json(text, "a saved policy")
    if not isinstance(state, dict) or state.get("policy") not in list(POLICIES):
        raise FileError(
            f'a saved policy must be an object with "policy" one of {format_names(POLICIES)}; got {format_value(text)}'
        )
    policy = POLICIES[state["policy"]]
    try:
        return policy.from_state(state)
    except KeyError as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: it has no {error}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: {error}") from None
