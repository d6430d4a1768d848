"""What a deployment is, as the store holds it from its first moment: policy, seed, and the arms it began with."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditune.deployment.events import FORMAT, KEY, Arm, check_names, is_writable, write_text
from banditune.errors import FileError, ParameterError
from banditune.io.json_text import parse_json
from banditune.policies.base import Policy
from banditune.policies.named_arms import make_policy
from banditune.policies.registry import find_tunable, find_tunable_policies
from banditune.tasks.arrays import check_numbers
from banditune.validation import format_names, format_value, whole_number

MOST_DRAWS = 1_000_000


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

    def make(self, arms: Sequence[Arm], points: Mapping[Arm, Sequence[float]]) -> Any:
        """Make the policy for these arms; it has learned nothing yet."""
        placed = [points[arm] for arm in arms] if "points" in self.policy.needs else None
        return make_policy(self.policy, self.params, arms=arms, dim=self.dim, points=placed, horizon=self.horizon)

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


@dataclass(frozen=True, slots=True)
class Definition:
    """All that is fixed when a deployment is made."""

    name: str
    key: str  # what the ids of its decisions begin with
    recipe: Recipe
    seed: int
    draws: int  # for the propensity of a choice that is drawn and has no formula
    arms: list[Arm]
    points: Mapping[Arm, list[float]]

    @classmethod
    def make(
        cls, name: str, recipe: Recipe, seed: int, draws: int, arms: Sequence[Arm], points: Any = None
    ) -> "Definition":
        """Check all of it, and draw a key that no other deployment has."""
        definition = cls(name, secrets.token_hex(6), recipe, seed, draws, check_names(arms), {})
        definition.check()
        definition = replace(definition, points=definition.check_points(definition.arms, points))
        recipe.make(definition.arms, definition.points)  # what cannot be made is rejected now
        return definition

    def check(self) -> None:
        """Reject what cannot be the definition of a deployment."""
        if not isinstance(self.name, str) or not self.name or not is_writable(self.name):
            raise ParameterError(f"the name of a deployment must be text, got {format_value(self.name)}")
        if not isinstance(self.key, str) or not KEY.fullmatch(self.key):
            raise ParameterError(f"the key of a deployment must be 12 digits of base 16, got {format_value(self.key)}")
        whole_number("seed", self.seed, least=0)
        whole_number("propensity_draws", self.draws, least=0, most=MOST_DRAWS)
        if not check_names(self.arms):
            raise ParameterError("arms must be one name or more, got none")

    def check_points(self, arms: Sequence[Arm], points: Any) -> dict[Arm, list[float]]:
        """Return the points of some arms, where the policy goes by points."""
        label = self.recipe.policy.label
        if "points" not in self.recipe.policy.needs:
            if points is not None:
                raise ParameterError(f"{label} takes no points")
            return {}
        placed = None if points is None else check_numbers(points, "points")
        if placed is None or placed.ndim != 2 or len(placed) != len(arms):
            came = None if points is None else np.shape(points)
            raise ParameterError(f"{label} needs points, one for each of {len(arms)} arms; got {format_value(came)}")
        return dict(zip(arms, placed.tolist(), strict=True))

    def check_contexts(self, contexts: Any, k: int | None) -> list[Any]:
        """Return the contexts of k decisions, or of one; None for a policy that takes none."""
        is_contextual, label = self.recipe.policy.contextual, self.recipe.policy.label
        if is_contextual != (contexts is not None):
            raise ParameterError(f"{label} {'needs' if is_contextual else 'takes no'} contexts")
        if k is None or contexts is None:
            return [contexts] * (1 if k is None else k)
        if not hasattr(contexts, "__len__") or len(contexts) != k:
            raise ParameterError(f"contexts must be a list of those of {k} decisions, got {format_value(contexts)}")
        return list(contexts)

    def to_json(self) -> str:
        """Return it as text."""
        points = [[arm, point] for arm, point in self.points.items()]
        known = {"format": FORMAT, "name": self.name, "key": self.key, "recipe": self.recipe.to_json()}
        return write_text(known | {"seed": self.seed, "draws": self.draws, "arms": self.arms, "points": points})

    @classmethod
    def from_json(cls, text: str, where: str) -> "Definition":
        """Restore it; one that another version wrote is rejected with what to do."""
        saved = parse_json(text, where)
        check_format(saved, where)
        try:
            recipe, points = Recipe.from_json(saved["recipe"]), dict(saved["points"])
            definition = cls(saved["name"], saved["key"], recipe, saved["seed"], saved["draws"], saved["arms"], points)
            definition.check()
            return replace(definition, points=definition.check_points(definition.arms, list(points.values()) or None))
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{where} is not a whole deployment: {error!r}") from None

    def check_same(self, other: "Definition", arms_now: Sequence[Arm], where: str) -> None:
        """Reject another deployment in the place of this one."""
        advice = "give this one another name, or go on with what is stored: open_deployment(store, name)"
        for what, ours, theirs in (
            ("runs", write_text(self.recipe.to_json()), write_text(other.recipe.to_json())),
            ("has the seed", self.seed, other.seed),
            ("computes propensities by draws:", self.draws, other.draws),
        ):
            if ours != theirs:
                shown = (other.recipe.describe(), self.recipe.describe()) if what == "runs" else (theirs, ours)
                raise ParameterError(f'{where}: "{self.name}" {what} {shown[0]}, got {shown[1]}; {advice}')
        if self.arms not in (other.arms, list(arms_now)):
            raise ParameterError(
                f'{where}: "{self.name}" has the arms {format_value(list(arms_now))}, got {format_value(self.arms)}; '
                f"change them with add_arms and remove_arms, or {advice}"
            )


def check_format(saved: object, where: str) -> None:
    """Reject what is no deployment, or one that another version of banditune wrote."""
    found = saved.get("format") if isinstance(saved, dict) else saved
    if found == FORMAT:
        return
    kind, _, version = FORMAT.rpartition("/")
    if isinstance(found, str) and found.startswith(f"{kind}/") and found[len(kind) + 1 :].isdigit():
        is_newer = int(found[len(kind) + 1 :]) > int(version)
        advice = (
            "upgrade banditune to the version that wrote it"
            if is_newer
            else "open it with the version that wrote it, and restore its totals here: restore_counts"
        )
        raise FileError(f"{where} has the format {found}, this version reads {FORMAT}: {advice}")
    raise FileError(f'{where} must have "format": "{FORMAT}", got {format_value(found)}')
