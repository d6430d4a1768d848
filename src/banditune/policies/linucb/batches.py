"""Contextual tasks and logs as LinUCB's kernels take them: checked, in plain arrays, their features scaled."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import InputError, ParameterError, TaskError
from banditune.kernels.linear.run import ALL_KNOWN, Rounds
from banditune.kernels.numerics.arrays import read_only
from banditune.policies.batches import Terms, check_kind
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import LARGEST_CONTEXT, check_numbers
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.logged import LoggedTask
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
        """Return one of the choices, or divisors."""
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
        """Return what was chosen."""
        return f"{self.name} = {'features' if isinstance(value, Mapping) else value}"

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether the features' sizes are yet to be learned."""
        return bool(value == "features")

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Return the divisors of features, from the contexts of past tasks."""
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
    """Return contexts (..., d) as the scaling has them."""
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


def batch_rounds(tasks: Sequence[Any], terms: Terms) -> list[Rounds]:
    """Contextual tasks, each of as many rounds as the horizon; or logs, of at most so many events; contexts scaled."""
    packed = []
    for k, task in enumerate(tasks):
        label = check_kind(task, CONTEXTUAL_KINDS, k, terms.first)
        if task.is_log != tasks[0].is_log:
            kind = type(tasks[0]).__name__
            raise TaskError(f"{label} must be a bt.{kind} like the tasks before it, got {format_value(task)}")
        if not terms.extend and len(task) < terms.horizon:
            needed = f"the horizon needs {terms.horizon} rounds, got {len(task)}"
            raise TaskError(f"{label}: {needed}; extend=True resamples the missing ones, or uses a log as it is")
        packer = next(each for kind, each in _PACKED.items() if isinstance(task, kind))
        n_arms, contexts, rewards, costs, logged, worst, _ = packer(task, terms, label)
        scaled = scale_contexts(contexts, terms.settings["scaling"])
        packed.append(Rounds(n_arms, read_only(scaled), read_only(rewards), read_only(costs), read_only(logged), worst))
    return packed


def _full_rounds(task: ContextualTask, terms: Terms, label: str) -> Rounds:
    full = task.extend(terms.horizon, seed=terms.seed)
    costs = terms.loss.cost_rounds(full.means, full.rewards)
    known = np.full(terms.horizon, ALL_KNOWN)
    return Rounds(task.n_arms, full.contexts, full.rewards, costs, known, float(costs.max()))


def _list_logged_rounds(task: LoggedTask, terms: Terms, label: str) -> Rounds:
    """List the events of a log, which is not extended: its loss is that of a mean event, whatever their number."""
    if not terms.loss.fits_logs:
        raise TaskError(f'{label}: a log allows only loss="reward": the rewards of the other arms are unknown')
    uniform = task.thin(seed=terms.seed)
    events = slice(min(len(uniform), terms.horizon))
    seen = (uniform.contexts if uniform.contexts.ndim == 3 else uniform.contexts[:, None, :])[events]
    rewards = uniform.rewards[events, None]
    return Rounds(task.n_arms, seen, rewards, -rewards, uniform.arms[events], -float(task.rewards.min()))


_PACKED: dict[type, Callable[[Any, Terms, str], Rounds]] = {
    ContextualTask: _full_rounds,
    LoggedTask: _list_logged_rounds,
}
CONTEXTUAL_KINDS = tuple(_PACKED)


def count_regressions(rounds: Rounds, settings: Mapping[str, Any]) -> int:
    """Return how many regressions the arms of a task have; where one cannot tell the arms apart, that is rejected."""
    if settings["disjoint"]:
        return rounds.n_arms
    if rounds.contexts.shape[1] == 1 and rounds.n_arms > 1:
        raise TaskError("arms that share a context need a regression each: use disjoint=True")
    return 1
