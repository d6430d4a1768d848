"""The settings that a call gives a policy: checked, completed by defaults, and fitted to past tasks."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from banditune.errors import ParameterError, TaskError
from banditune.policies.base import Policy
from banditune.policies.losses import Loss
from banditune.policies.parameters import Parameter, Setting
from banditune.validation import format_names, format_value


def check_parameters(policy: type[Policy[Any]], given: Mapping[str, object]) -> Mapping[str, Setting]:
    """Return the policy's parameters; an unknown name among those given, or what is no policy, is rejected."""
    if not inspect.isclass(policy) or not hasattr(policy, "parameters"):
        raise ParameterError(f"policy must be a policy class such as bt.UCB, got {format_value(policy)}")
    for name in given:
        if name not in policy.parameters:
            raise ParameterError(
                f'{policy.__name__} has no parameter "{name}"; it has {format_names(policy.parameters)}'
            )
    return policy.parameters


def check_loss(policy: type[Policy[Any]], loss: Loss) -> Loss:
    """Return the loss; one that needs an arm to be recommended is rejected where the policy recommends none."""
    if loss.needs_one_best_arm and not policy.recommends:
        reason = "with contexts none is best" if policy.contextual else "its class does not say that it `recommends`"
        raise ParameterError(
            f'loss="{loss.name}" needs one arm to be recommended at the end, but {reason}: '
            f'{policy.__name__} takes loss="regret" or "reward"'
        )
    return loss


def free_parameters(policy: type[Policy[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters given as a range, in the policy's own order."""
    known = check_parameters(policy, given)
    return {
        name: given[name]
        for name, setting in known.items()
        if name in given and isinstance(setting, Parameter) and setting.are_several(given[name])
    }


def find_parameter(policy: type[Policy[Any]], name: str) -> Parameter:
    """Return what is known of a parameter that can be searched."""
    known = policy.parameters[name]
    assert isinstance(known, Parameter)
    return known


def list_defaults(policy: type[Policy[Any]]) -> dict[str, Any]:
    """Return what the policy does where nothing is said."""
    return {name: parameter.default for name, parameter in policy.parameters.items()}


def check_fixed_settings(policy: type[Policy[Any]], given: Mapping[str, object]) -> dict[str, Any]:
    """Return a value for each parameter given."""
    known = check_parameters(policy, given)
    return {name: known[name].value(value) for name, value in given.items()}


def fit_fixed_settings(policy: type[Policy[Any]], fixed: Mapping[str, Any], tasks: Iterable[Any]) -> dict[str, Any]:
    """Return the fixed parameters, those that past tasks have to be looked at for with what that came to."""
    known = policy.parameters
    unknown = [name for name, value in fixed.items() if known[name].needs_tasks(value)]
    if unknown and isinstance(tasks, Iterator):
        came = f"{unknown[0]}={format_value(fixed[unknown[0]])}"
        raise TaskError(f"{came} needs a first pass over all tasks: give them in a list, not a generator")
    return {name: known[name].fit(value, tasks, fixed) if name in unknown else value for name, value in fixed.items()}
