"""How the policy of a deployment is made for some arms: its class and what it is run with, as a store holds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from banditune.deployment.events import Arm, write_text
from banditune.errors import FileError, ParameterError
from banditune.policies.base import Policy
from banditune.policies.named_arms import make_policy
from banditune.policies.registry import find_tunable, find_tunable_policies
from banditune.validation import format_names, format_value


@dataclass(frozen=True, slots=True)
class Recipe:
    """A policy's class, its parameters, and what it needs to know besides the arms."""

    policy: type[Policy[Any]]
    params: Mapping[str, Any]
    horizon: int | None = None
    dim: int | None = None

    @classmethod
    def of(
        cls, policy: object, params: Mapping[str, Any], horizon: int | None = None, dim: int | None = None
    ) -> "Recipe":
        """Check that a policy can be deployed: a store has to be able to make it anew."""
        known = find_tunable_policies()
        if not isinstance(policy, type) or not issubclass(policy, Policy) or policy not in known.values():
            wanted = f"a registered policy that can be tuned ({format_names(known)})"
            raise ParameterError(f"deploy() needs {wanted}; got {format_value(policy)}")
        unknown = [name for name in params if name not in policy.parameters]
        if unknown:
            has = format_names(policy.parameters)
            raise ParameterError(f"{policy.__name__} has no parameter {format_value(unknown[0])}; it has {has}")
        recipe = cls(
            policy, {name: policy.parameters[name].value(value) for name, value in params.items()}, horizon, dim
        )
        try:
            write_text(recipe.to_json())
        except (TypeError, ValueError) as error:
            raise ParameterError(f"the parameters of {policy.__name__} cannot be stored as JSON: {error}") from None
        return recipe

    def make(self, arms: Sequence[Arm], points: Sequence[Any] | None) -> Any:
        """Make the policy for these arms; it has learned nothing yet."""
        return make_policy(self.policy, self.params, arms=arms, dim=self.dim, points=points, horizon=self.horizon)

    @property
    def needs_points(self) -> bool:
        """Whether arms have points."""
        return "points" in self.policy.needs

    def describe(self) -> str:
        """Return what is run, in words."""
        known = ", ".join(filter(None, (self.policy.parameters[name].describe(v) for name, v in self.params.items())))
        return f"{self.policy.label} with {known}" if known else self.policy.label

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        plain = {name: self.policy.parameters[name].plain(value) for name, value in self.params.items()}
        return {"policy": self.policy.name, "params": plain, "horizon": self.horizon, "dim": self.dim}

    @classmethod
    def from_json(cls, saved: Any) -> "Recipe":
        """Restore it."""
        try:
            return cls.of(find_tunable(saved["policy"]), saved["params"], saved["horizon"], saved["dim"])
        except (KeyError, TypeError, AttributeError) as error:
            raise FileError(f"a saved deployment must say how its policy is made: {error!r}") from None
