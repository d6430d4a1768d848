"""Every policy by name, tuned or not: those of the package, and those that other packages declare."""

import pkgutil
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from banditune.errors import FileError, ParameterError
from banditune.io.json_text import parse_json
from banditune.policies.base import OnlinePolicy, Policy
from banditune.policies.named_arms import NamedArms
from banditune.validation import format_names, format_value

GROUP = "banditune.policies"  # of entry points: NAME = "package.module:Class"
PLACES = (  # in the order of comparisons: classes, and a folder whose files are policies; imported when asked for
    "policies.ucb.ucb:UCB",
    "policies.linucb.linucb:LinUCB",
    "policies.linucb.lints:LinTS",
    "policies.gpucb.gpucb:GPUCB",
    "policies.gaussian.ucb:GaussianUCB",
    "policies.gaussian.ts:GaussianTS",
    "policies.lines",
    "baselines.ucb:UCB1",
    "baselines.weights:TsallisINF",
    "baselines.weights:EXP3",
    "baselines.ucb:CDT",
    "baselines.ucb:Syndicated",
    "baselines.corral:Corral",
    "baselines.corral:StochasticCorral",
)


@cache
def find_policies() -> dict[str, type[OnlinePolicy]]:
    """Return all policies by name; one of another package that cannot be loaded is left out with a warning."""
    policies: dict[str, type[OnlinePolicy]] = {}
    for declared in _list_entry_points():
        try:
            policy = declared.load()
        except Exception as error:
            warnings.warn(f"the policy {declared.name} of {declared.value} cannot be loaded: {error!r}", stacklevel=2)
            continue
        if not (isinstance(policy, type) and issubclass(policy, OnlinePolicy)):
            warnings.warn(f"{declared.value}, declared as a policy, is no subclass of OnlinePolicy", stacklevel=2)
            continue
        policies.setdefault(policy.name, policy)
    return policies


def _list_entry_points() -> Iterator[EntryPoint]:
    for place in PLACES:
        for policy in [place] if ":" in place else _list_folder(place):
            yield EntryPoint(policy.rpartition(":")[2].lower(), f"banditune.{policy}", GROUP)
    yield from entry_points(group=GROUP)


def _list_folder(place: str) -> Iterator[str]:
    """List the policies in a folder: of each file, the class that has a name."""
    for file in pkgutil.iter_modules(import_module(f"banditune.{place}").__path__):
        module = import_module(f"banditune.{place}.{file.name}")
        for name, found in vars(module).items():
            is_own = isinstance(found, type) and found.__module__ == module.__name__
            if is_own and issubclass(found, OnlinePolicy) and "name" in vars(found):
                yield f"{place}.{file.name}:{name}"


def find_tunable_policies() -> dict[str, type[Policy[Any]]]:
    """Return the policies that can be tuned, by name."""
    return {name: policy for name, policy in find_policies().items() if issubclass(policy, Policy)}


def names() -> list[str]:
    """Return the names of all policies; those with `can_be_tuned` can be tuned.

    >>> names()[:4]
    ['ucb', 'linucb', 'lints', 'gpucb']
    """
    return list(find_policies())


def find_policy(name: object) -> type[OnlinePolicy]:
    """Return the policy with that name."""
    policies = find_policies()
    if not isinstance(name, str) or name not in policies:
        raise ParameterError(f"policy must be one of {format_names(policies)}; got {format_value(name)}")
    return policies[name]


def find_tunable(name: object, *others: str) -> type[Policy[Any]]:
    """Return the policy with that name, if it can be tuned; an error also names `others` that could be given."""
    policies = find_tunable_policies()
    if isinstance(name, str) and name.replace("-", "") in policies:  # gaussian-ucb
        name = name if name in policies else name.replace("-", "")
    if not isinstance(name, str) or name not in policies:
        runs = " (a baseline, which has no parameter to tune)" if name in names() else ""
        raise ParameterError(
            f"policy must be one of {format_names([*policies, *others])}; got {format_value(name)}{runs}"
        )
    return policies[name]


def policy_from_json(text: str) -> OnlinePolicy | NamedArms:
    """Restore a policy from the text of its `to_json`; it makes the same decisions from then on.

    Parameters
    ----------
    text : str
        What `to_json` returned.

    Returns
    -------
    OnlinePolicy
        The policy with all that it had learned; if its arms had names, they have them again.

    Raises
    ------
    FileError
        If the text is not a saved policy.

    Examples
    --------
    >>> policy = find_policy("ucb")(3, alpha=0.2)
    >>> policy.update(policy.select(), 1.0)
    >>> policy_from_json(policy.to_json()).select() == policy.select()
    True
    """
    return restore_policy(parse_json(text, "a saved policy"))


def restore_policy(state: object) -> OnlinePolicy | NamedArms:
    """Restore a policy from its saved state."""
    if not isinstance(state, dict) or state.get("policy") not in names():
        raise FileError(
            f'a saved policy must be an object with "policy" one of {format_names(names())}; got {format_value(state)}'
        )
    policy = find_policy(state["policy"])
    try:
        restored = policy.from_state(state)
        return NamedArms(restored, state["arm_names"]) if "arm_names" in state else restored
    except KeyError as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: it has no {error}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise FileError(f"a saved {policy.__name__} policy cannot be used: {error}") from None
