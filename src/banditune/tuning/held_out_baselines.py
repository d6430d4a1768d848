"""What the learned value is compared with: the usual values, an equal split, and what is used today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.policies.settings import check_fixed_settings, list_defaults
from banditune.tuning.equal_split import EQUAL_SPLIT, split_losses
from banditune.tuning.question import Question
from banditune.tuning.search import Search
from banditune.validation import format_value


@dataclass(frozen=True, slots=True)
class Current:
    """The parameters that are used today."""

    parameter: str  # that is searched
    value: float
    further: Mapping[str, Any]  # other settings that were named

    @classmethod
    def of(cls, question: Question, given: Mapping[str, object]) -> "Current":
        """Make it from what a call says; the searched parameter has its default where it is not named."""
        if not isinstance(given, Mapping):
            example = f'{{"{question.parameter}": 1.0}}'
            raise ParameterError(f"current must map parameters to values, such as {example}; got {format_value(given)}")
        try:
            known = check_fixed_settings(question.policy, given)
        except ParameterError as error:
            raise ParameterError(f"current: {error}") from None
        value = known.pop(question.parameter, list_defaults(question.policy)[question.parameter])
        return cls(question.parameter, value, known)

    def describe(self, policy: type[Policy[Any]]) -> str:
        """Name it as a row of the comparison."""
        further = (policy.parameters[name].describe(value) for name, value in self.further.items())
        return ", ".join((f"{self.parameter} = {self.value:g}", *further))

    def losses(self, search: Search, tasks: Sequence[Any]) -> NDArray[np.float64]:
        """Run it on each task: (tasks,)."""
        return replace(search, fixed={**search.fixed, **self.further}).losses_at(tasks, self.value)


@dataclass(frozen=True, slots=True)
class Baselines:
    """What is learned by a search is compared with these."""

    current: Current | None = None

    @property
    def single(self) -> Current | None:
        """What is used today, if it differs from what is learned in nothing but the value."""
        return None if self.current is None or self.current.further else self.current

    def list_values(self, search: Search) -> list[float]:
        """List the values to compare with: the usual ones, and that of today if it differs in nothing else."""
        today = () if self.single is None else (self.single.value,)
        return list(dict.fromkeys((*search.free_parameter.usual, *today)))

    def name_current(self, search: Search) -> str | None:
        """Name what is used today, if it is known."""
        return None if self.current is None else self.current.describe(search.policy)

    def list_others(self, search: Search, tasks: Sequence[Any]) -> dict[str, NDArray[np.float64]]:
        """Return what each task loses with baselines that are no values of the parameter: name -> (tasks,)."""
        split = split_losses(search, tasks)
        others = {} if split is None else {EQUAL_SPLIT: split}
        if self.current is not None and self.current.further:
            others[self.current.describe(search.policy)] = self.current.losses(search, tasks)
        return others


USUAL = Baselines()  # where nobody says what is used today
