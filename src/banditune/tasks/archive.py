"""The contract of a collection of tasks: what is known of all of them before any is made.

Of tasks in a plain list nothing is known as a whole: what is asked then is found from the tasks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval


class Archive(Sequence[Any]):
    """A sequence of past tasks, made as they are asked for; what is None is not known without making them."""

    account: Any = None  # what became of the rows of a log: an `Account`
    names: Sequence[str] | None = None  # of the tasks in order, all different
    reward_limits: Interval | None = None  # that no reward can be beyond
    rounds: NDArray[np.int64] | None = None  # (tasks,) how many are recorded of each task

    @property
    def origin(self) -> Mapping[str, Any] | None:
        """How the tasks were read from a log, as plain data: what `bt.tune` notes in its result."""
        return None

    @property
    def spread(self) -> float | None:
        """The largest `spread` of a task."""
        return None

    def needs_draws(self, horizon: int) -> bool | None:
        """Tell whether any task needs something drawn for a run of so many rounds."""
        return None

    def select(self, numbers: NDArray[np.int64]) -> Iterator[Any]:
        """Yield the tasks with some increasing numbers."""
        return (self[k] for k in numbers.tolist())


class _Unknown(Archive):
    """What is known of tasks in a plain list, or of those that pass one by one."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, which: Any) -> Any:
        raise IndexError(which)


UNKNOWN = _Unknown()


def facts_of(tasks: Iterable[Any]) -> Archive:
    """Return what is known of tasks as a whole: of a plain list or a generator, nothing."""
    return tasks if isinstance(tasks, Archive) else UNKNOWN
