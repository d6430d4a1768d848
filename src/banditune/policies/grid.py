"""Any policy on a grid of values: for those whose loss has no steps that could be computed.

It is run, round by round, on every task with every value, so that it takes as long as that takes. Between two values of
the grid nothing is known; a value runs as the largest of the grid that is not above it. All else, from draws to the
report, is as for policies that are searched exactly.
"""

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from banditune.curves.step_function import StepFunction
from banditune.errors import ParameterError
from banditune.kernels.lines.batch import Batch
from banditune.policies.base import Policy
from banditune.policies.batches import Terms, batch_streams, score_run
from banditune.policies.parameters import Parameter, Setting
from banditune.policies.sweep_results import Run, Swept
from banditune.validation import finite_number, format_value


@dataclass(frozen=True, slots=True)
class GridParameter(Parameter):
    """A parameter of which only the values of a grid are tried."""

    grid: tuple[float, ...] = ()  # increasing

    @property
    def ends(self) -> tuple[float, float]:
        """The range that is searched: from the first value to as far above the last as that is above the one before."""
        before, last = self.grid[-2:]
        return self.grid[0], last * (last / before) if before > 0.0 else last + (last - before)

    def value(self, given: object) -> float:
        """Return a value of the grid; others are not run."""
        number = Parameter.value(self, given)
        if number not in self.grid:
            raise ParameterError(f"{self.name} must be one of the {len(self.grid)} values of the grid, got {number!r}")
        return number

    def as_run(self, value: float) -> float:
        """Return the value of the grid as which another runs."""
        return max((known for known in self.grid if known <= value), default=self.grid[0])

    def describe_range(self, low: float, high: float) -> str:
        """Say which values are searched."""
        tried = [value for value in self.grid if low <= value <= high]
        return f"{len(tried)} values of {self.name} from {tried[0]:g} to {tried[-1]:g}, a grid"

    def describe_precision(self) -> str:
        """Say of which values a curve tells the loss."""
        return f"for {len(self.grid)} values of {self.name}, each shown up to the next"


class GridTask(NamedTuple):
    """A task as it is run: the rewards of its arms, and the seed of what the policy draws."""

    batch: Batch
    horizon: int
    seed: int


class GridPolicy(Policy[list[GridTask]]):
    """What a class with `select` and `update` needs in order to be tuned on a grid of its first parameter."""

    recommends: ClassVar[bool] = True
    takes_seed: ClassVar[bool]

    def to_json(self) -> str:
        """Return the policy as text, if its class can."""
        raise ParameterError(f"{type(self).__name__} has no to_json, so that it cannot be saved")

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return the range of the grid."""
        known = cls.find_searched_parameter()
        assert isinstance(known, GridParameter)
        return known.ends

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> list[GridTask]:
        """Lay out tasks of rewards, each with a seed of its own."""
        return [GridTask(batch_streams([task], terms), terms.horizon, task.address.key(terms.seed)) for task in tasks]

    @classmethod
    def run(cls, batch: list[GridTask], values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch, by `select` and `update`."""
        task = batch[0]
        streams = task.batch.streams
        told: dict[str, Any] = {"horizon": task.horizon} if cls.uses_horizon(values) else {}
        policy = cls(len(streams), **told, **({"seed": task.seed} if cls.takes_seed else {}), **values)  # type: ignore[call-arg]
        pulls, arms = np.zeros(len(streams), np.int64), np.empty(streams.shape[1], np.int64)
        rewards = np.empty(arms.size)
        for t in range(arms.size):
            arm = policy.select()
            if not 0 <= arm < len(streams):
                raise ParameterError(
                    f"{cls.__name__}.select must return an arm from 0 to {len(streams) - 1}, got {arm!r}"
                )
            arms[t], rewards[t] = arm, streams[arm, pulls[arm]]
            pulls[arm] += 1
            policy.update(int(arm), float(rewards[t]))
        return score_run(task.batch, arms, rewards)

    @classmethod
    def sweep(
        cls,
        batch: list[GridTask],
        horizons: Sequence[int],
        parameter: str,
        low: float,
        high: float,
        fixed: Mapping[str, Any],
    ) -> Swept:
        """Run with every value of the grid in [low, high]."""
        known = cls.parameters[parameter]
        assert isinstance(known, GridParameter)
        starts = [low, *(value for value in known.grid if low < value < high)]
        curves = []
        for task in batch:
            runs = [cls.run([task], {**fixed, parameter: known.as_run(start)}) for start in starts]
            losses = np.array([run.losses for run in runs])
            curves.append([StepFunction(np.array([*starts, high]), losses[:, horizon - 1]) for horizon in horizons])
        return Swept.of(curves)


def put_on_grid(policy: type[Any], grid: Mapping[str, Iterable[object]]) -> type[Policy[Any]]:
    """Return a policy that can be tuned, over a grid of values of one of its parameters, from any class that runs.

    The class is made with the number of arms, and by name with the parameter; with the horizon if it has
    `needs_horizon`, and with a seed if it takes one: then its choices are drawn, and losses are means over draws.
    """
    if not inspect.isclass(policy) or not all(callable(getattr(policy, name, None)) for name in ("select", "update")):
        raise ParameterError(
            f"policy must be a class with select() and update(arm, reward), got {format_value(policy)}"
        )
    if issubclass(policy, Policy):
        raise ParameterError(f"{policy.__name__} is searched exactly over a range (low, high); it needs no grid")
    if not isinstance(grid, Mapping) or len(grid) != 1:
        raise ParameterError(f'grid must map one parameter to values, such as {{"epsilon": [0.01, 0.1]}}; got {grid!r}')
    ((name, given),) = grid.items()
    values = tuple(sorted({finite_number(name, value) for value in given}))
    if len(values) < 2:
        raise ParameterError(f"the grid of {name} must have two or more values, got {len(values)}")
    takes = inspect.signature(policy).parameters
    if name not in takes:
        raise ParameterError(f"{policy.__name__} has no parameter {name!r}; it takes {', '.join(takes)}")
    known = takes[name].default
    default = float(known) if isinstance(known, int | float) else values[0]
    parameters: dict[str, Setting] = {
        name: GridParameter(name, default=default, least=values[0], most=math.inf, grid=values)
    }
    members = {
        "name": getattr(policy, "name", policy.__name__.lower()),
        "label": getattr(policy, "label", policy.__name__),
        "knowledge": getattr(policy, "knowledge", name),
        "index": f"{policy.__name__}.select, run with each of {len(values)} values of {name}",
        "parameters": parameters,
        "takes_seed": "seed" in takes,
        "is_randomised": "seed" in takes,
        "__doc__": policy.__doc__,
        "__module__": policy.__module__,
    }
    return type(policy.__name__, (policy, GridPolicy), members)
