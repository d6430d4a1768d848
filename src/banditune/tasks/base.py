"""The contract of every kind of task: what tuning and reports ask of one, whatever it holds.

A policy says which kinds it runs on (`Policy.task_types`) and lays their rewards out itself (`Policy.make_batch`), so a
kind made outside the package needs no more than this.
"""

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Self

from banditune.curves.display import list_names
from banditune.curves.step_function import Interval
from banditune.errors import TaskError
from banditune.tasks.draws import Draw, identify
from banditune.tasks.units import UNNAMED, Units
from banditune.validation import format_value

# of tasks, what only the package asks for: `dir` leaves it out
INTERNAL = frozenset(
    {
        "address",
        "arm_label",
        "content",
        "draw",
        "fill_streams",
        "flat",
        "given_arms",
        "given_means",
        "is_log",
        "may_lack",
    }
    | {"needs_draws", "of", "of_arrays", "split_loss", "starts", "subtract", "unevenness", "units", "with_draw"}
)


class PastTask(ABC):
    """What happened in one past bandit problem."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return list_names(self, INTERNAL)

    is_log: ClassVar[bool] = False  # whether only the rewards of chosen arms are known, to be replayed to the end
    name: str | None = None
    draw: Draw | None = None  # which draw it is of what is not recorded, of a kind that is drawn; None: the first
    limits: Interval | None = None  # that all its rewards lie between, also those that are not recorded; None: unknown

    @property
    @abstractmethod
    def n_arms(self) -> int:
        """How many arms there were."""

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds are recorded: what a run is long where no horizon is given."""

    @property
    def n_rewards(self) -> int:
        """How many rewards are recorded: by default, one a round."""
        return self.rounds

    @property
    def content(self) -> bytes:
        """What is recorded, as far as it tells the draws of one task from those of another."""
        return b""

    @property
    def units(self) -> Units:
        """What its rewards and rounds are called, if its kind says so."""
        return UNNAMED

    def split_loss(self, horizon: int, loss: str) -> float | None:
        """Return the expected loss of giving every arm the same share of the rounds; None where that is not known."""
        return None

    def needs_draws(self, horizon: int) -> bool:
        """Tell whether a run of so many rounds needs something that is not recorded, and so is drawn."""
        return False

    @property
    def address(self) -> Draw:
        """The address of what is drawn for it: see `draws`."""
        return self.draw or Draw(identify(self.content, self.name))

    def with_draw(self, draw: Draw) -> Self:
        """Return the same task with another draw of what is not recorded."""
        task = copy.copy(self)
        object.__setattr__(task, "draw", draw)
        return task


def set_fields(task: PastTask, values: Mapping[str, Any]) -> None:
    """Set all fields of a task that is being made, and frozen from then on: those that are not named to None."""
    for field, put in _setters(type(task)):
        put(task, values.get(field))


@lru_cache
def _setters(kind: type[PastTask]) -> list[tuple[str, Callable[[Any, Any], None]]]:
    """List the fields of a kind of task with what sets them: for a million tasks, the quickest way there is."""
    fields = [field for each in kind.__mro__ for field in vars(each).get("__slots__", ())]
    return [(field, getattr(kind, field).__set__) for field in fields]


def reject_tables(tasks: object) -> None:
    """Reject a table or a path in the place of tasks, which a log is read from, and what is no collection."""
    if isinstance(tasks, str | os.PathLike) or hasattr(tasks, "__arrow_c_stream__") or hasattr(tasks, "__dataframe__"):
        came = format_value(tasks) if isinstance(tasks, str | os.PathLike) else f"a {type(tasks).__name__}"
        raise TaskError(f"tasks must be bt.Task objects: tables and files are read with bt.read_log; got {came}")
    try:
        iter(tasks)  # type: ignore[call-overload]
    except TypeError:
        wanted = "bt.Task objects in a list or another iterable"
        raise TaskError(f"tasks must be {wanted}, got {format_value(tasks)}") from None
