"""A policy for a new task, from its class, its parameters, and what is known of the task."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.policies.named_arms import NamedArms
from banditune.validation import format_value


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
