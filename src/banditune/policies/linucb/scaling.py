"""How the features of contexts are scaled before a policy sees them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import InputError, ParameterError, TaskError
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import LARGEST_CONTEXT, check_numbers
from banditune.validation import format_names, format_value

CHOICES = ("none", "contexts", "features")
DIVISORS = "divide_by"


class Scaling(Setting):
    """Features as they are, or scaled: "none", "contexts" or "features".

    With "contexts", every context is divided by its length. With "features", every feature is divided by the root of
    its mean square over past tasks; what that came to is kept as {"divide_by": [...]}, which is a value as well.
    Nothing is centred, so that a constant feature stays one and zero stays zero.
    """

    def value(self, given: object) -> Any:
        """One of the choices, or divisors."""
        if isinstance(given, str) and given in CHOICES:
            return given
        if isinstance(given, Mapping) and set(given) == {DIVISORS}:
            try:
                divisors = check_numbers(given[DIVISORS], DIVISORS)
            except InputError as error:
                raise ParameterError(f"{self.name} cannot be used: {error}") from None
            if divisors.ndim == 1 and (divisors > 0.0).all():
                return {DIVISORS: divisors.tolist()}
        choices = format_names(repr(choice) for choice in CHOICES)
        raise ParameterError(
            f'{self.name} must be {choices}, or {{"{DIVISORS}": [a number above 0 for each feature]}}; '
            f"got {format_value(given)}"
        )

    def describe(self, value: Any) -> str:
        """What was chosen."""
        return f"{self.name} = {'features' if isinstance(value, Mapping) else value}"

    def needs_tasks(self, value: Any) -> bool:
        """Whether the features' sizes are yet to be learned."""
        return bool(value == "features")

    def fit(self, value: Any, tasks: Iterable[Any]) -> Any:
        """The divisors of features, from the contexts of past tasks."""
        if not self.needs_tasks(value):
            return value
        squares: NDArray[np.float64] | None = None
        n_contexts = 0
        for k, task in enumerate(tasks):
            if not hasattr(task, "contexts"):
                raise TaskError(f'{self.name}="features" needs tasks with contexts; tasks[{k}] is {format_value(task)}')
            contexts = task.contexts.reshape(-1, task.dim)
            if squares is not None and squares.size != task.dim:
                raise TaskError(
                    f'{self.name}="features" needs tasks with the same features; tasks[0] has {squares.size}, '
                    f"tasks[{k}] has {task.dim}"
                )
            squares = (0.0 if squares is None else squares) + np.square(contexts).sum(axis=0)
            n_contexts += contexts.shape[0]
        if squares is None:
            raise TaskError("tasks must hold at least one task, got none")
        sizes = np.sqrt(squares / n_contexts)
        return {DIVISORS: np.where(sizes > 0.0, sizes, 1.0).tolist()}


def scale_contexts(contexts: NDArray[np.float64], scaling: Any) -> NDArray[np.float64]:
    """Contexts (..., d) as the scaling has them."""
    if scaling == "none":
        return contexts
    if scaling == "contexts":
        lengths = np.sqrt(np.square(contexts).sum(axis=-1, keepdims=True))
        return contexts / np.where(lengths > 0.0, lengths, 1.0)
    if scaling == "features":
        raise ParameterError('scaling="features" is learned from past tasks, by bt.tune or bt.loss_curve')
    divisors = np.array(scaling[DIVISORS])
    if divisors.size != contexts.shape[-1]:
        raise ParameterError(f"scaling divides {divisors.size} features, but the contexts have {contexts.shape[-1]}")
    with np.errstate(over="ignore"):
        divided: NDArray[np.float64] = contexts / divisors
    if divided.size and not np.abs(divided).max() <= LARGEST_CONTEXT:
        raise TaskError(
            f"contexts must be at most {LARGEST_CONTEXT:g} in size when they are divided by "
            f"{format_value(scaling[DIVISORS])}"
        )
    return divided
