"""The options of what is asked of past tasks: how long runs are, what is lost, and each policy's own parameters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from banditune.cli.loss_options import LossOptions, Objective
from banditune.cli.option_groups import Group
from banditune.cli.options import Seed, draws_option, pair, whole_option
from banditune.cli.update_options import UpdateOptions
from banditune.policies.base import Policy
from banditune.policies.parameters import Option, Parameter
from banditune.policies.registry import find_tunable_policies

if TYPE_CHECKING:
    from banditune.cli.past_tasks import PastTasks
    from banditune.policies.updates import Updates
    from banditune.tuning.question import Question

PANEL = "Policy parameters"


def list_policy_options(taken: Collection[str], *, on_rewards: bool = False) -> dict[str, Any]:
    """Return the options of all policies, by the name of the setting; policies may have one in common.

    Where the command has taken a name for something else, that of the policy stands before it. With `on_rewards`, only
    policies that run on tasks of rewards.
    """
    declared: dict[str, list[tuple[str, Option, str]]] = {}
    for policy in find_tunable_policies().values():
        for name, setting in policy.parameters.items():
            if setting.option is not None and (policy.chooses_by_rewards() or not on_rewards):
                key = _with_policy(policy, name) if name in taken else name
                index = f" (index: {policy.index})" if isinstance(setting, Parameter) else ""
                declared.setdefault(key, []).append((policy.name, setting.option, index))
    return {name: _annotate(options) for name, options in declared.items()}


def read_settings(policy: type[Policy[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were given, ranges as two numbers."""
    settings = {}
    for option, value in given.items():
        if value is None:
            continue
        name = name_setting(policy, option)
        known = policy.parameters.get(name)
        is_range = isinstance(value, tuple) and (known is None or known.option is None or known.option.takes == "range")
        settings[name] = pair(f"--{option.replace('_', '-')}", value) if is_range else value
    return settings


def name_setting(policy: type[Policy[Any]], option: str) -> str:
    """Return the name of the setting of a policy that an option stands for."""
    return next((name for name in policy.parameters if _with_policy(policy, name) == option), option)


def _with_policy(policy: type[Policy[Any]], name: str) -> str:
    return f"{policy.name}_{name}".replace("-", "_")


def _annotate(options: list[tuple[str, Option, str]]) -> Any:
    first = options[0][1]
    kind: Any = {"range": tuple[str, str], "values": list[first.of], "value": first.of}[first.takes]  # type: ignore[name-defined]
    grouped: dict[str, list[str]] = {}
    for policy, option, index in options:
        grouped.setdefault(f"{option.help}{index}", []).append(policy)
    text = "; ".join(f"{', '.join(policies)}: {each}" for each, policies in grouped.items())
    return Annotated[
        Optional[kind],  # noqa: UP045  # what Typer reads best
        typer.Option(
            metavar=first.metavar, help=f"{text}.", show_default=first.default or False, rich_help_panel=PANEL
        ),
    ]


def _describe_horizon() -> str:
    """Return the rounds of a run where no number is given."""
    usual = (f"{each.name}: {each.usual_rounds}" for each in find_tunable_policies().values() if each.usual_rounds)
    return "; ".join(("the median length of the tasks", *usual, "whole logs"))


SettingOptions = Annotated[dict[str, Any], Group(dict, declare=list_policy_options)]
RewardSettingOptions = Annotated[dict[str, Any], Group(dict, declare=partial(list_policy_options, on_rewards=True))]


# Optional is what Typer reads best.
@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asks of past tasks, whatever the policy."""

    horizon: int | None
    draws: int | None
    seed: int
    settings: Mapping[str, Any]  # of policies, as they were given
    objective: Objective
    updates: "Updates | None"

    @classmethod
    def read(
        cls,
        horizon: Annotated[
            Optional[int],  # noqa: UP045
            whole_option("Rounds of a run; with features, events of a log.", _describe_horizon(), "T"),
        ] = None,
        draws: Annotated[
            Optional[int],  # noqa: UP045
            draws_option("Streams drawn for each task", "chosen automatically, at most 20"),
        ] = None,
        seed: Seed = 0,
        *,
        settings: SettingOptions,
        objective: LossOptions,
        updates: UpdateOptions,
    ) -> "Asked":
        """Read the options."""
        return cls(horizon, draws, seed, settings, objective, updates)

    @classmethod
    def read_for_rewards(
        cls,
        horizon: Annotated[
            Optional[int],  # noqa: UP045
            whole_option("Rounds of a run.", "the median length of the tasks", "T"),
        ] = None,
        seed: Seed = 0,
        *,
        settings: RewardSettingOptions,
        objective: LossOptions,
        updates: UpdateOptions,
    ) -> "Asked":
        """Read the options of a command that works on tasks of rewards alone."""
        return cls(horizon, None, seed, settings, objective, updates)

    @property
    def shared(self) -> dict[str, Any]:
        """The settings that all policies have: when rewards become known."""
        return {} if self.updates is None else {"updates": self.updates}

    def name_settings(self) -> dict[str, bool]:
        """Return the options of policies, and whether they were given."""
        return {f"--{name.replace('_', '-')}": given is not None for name, given in self.settings.items()}

    def ask(self, policy: type[Policy[Any]]) -> "Question":
        """Return what is asked of a policy."""
        return self.ask_with(policy, {**policy.usual_settings, **read_settings(policy, self.settings)})

    def ask_with(self, policy: type[Policy[Any]], settings: Mapping[str, Any]) -> "Question":
        """Return what is asked of a policy with these settings."""
        from banditune.tuning.question import Question

        how: dict[str, Any] = {"horizon": self.horizon, "seed": self.seed, "draws": self.draws, "extend": True}
        return Question.of(policy, {**settings, **self.shared}, loss=self.objective.choose(), **how)

    def settle(self, question: "Question", past: "PastTasks") -> "Question":
        """Return the question with what fits the tasks where nothing was said: the horizon, the loss."""
        loss = self.objective.choose(replayed=past.are_logs)
        return replace(question, horizon=past.horizon if self.horizon is None else self.horizon, loss=loss)


QuestionOptions = Annotated[Asked, Group(Asked.read)]
ComparisonOptions = Annotated[Asked, Group(Asked.read_for_rewards, without=("tail", "cost"))]
