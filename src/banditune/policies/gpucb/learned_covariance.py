"""How much points have to do with each other by what past tasks gave there, beside what a kernel says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from banditune.errors import ParameterError, TaskError
from banditune.kernels.numerics.arrays import Floats
from banditune.policies.batches import of_kind
from banditune.policies.gaussian.expectation_maximisation import shrink_covariance
from banditune.policies.gpucb.covariance import check_points, measure_similarity
from banditune.policies.gpucb.mean import WEIGHT, find_places, fingerprint
from banditune.policies.parameters import Setting
from banditune.tasks.task import Task
from banditune.validation import finite_number, format_value

KERNEL, LEARNED = "kernel", "learned"
SHARE = 0.5  # of what past tasks say, where nothing else is asked for


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedCovariance:
    """The covariances of points in past tasks, shrunk towards those of a kernel.

    With r_k(x) by how much task k gave more at x than was expected there, and their mean square s over tasks and
    points, the covariance of x and y is::

        (1 - share) kernel(x, y) + share * mean_k r_k(x) r_k(y) / s

    A point that a task did not have gave what the points around it gave, drawn towards what was expected. A past task
    itself is run with what the other ones say, so that what is learned on past tasks does not rely on having seen them.

    Attributes
    ----------
    share : float
        How much of it is that of past tasks, from 0 to 1.
    points : ndarray, shape (n, d)
        All points of past tasks, each once.
    table : ndarray, shape (tasks, n)
        What each task gave there, in the rewards' own units; nan where it did not have the point.
    tasks : tuple of str
        The past tasks, by the hashes of their points and means.
    """

    share: float
    points: Floats
    table: Floats
    tasks: tuple[str, ...]

    @classmethod
    def of_tasks(cls, share: float, tasks: Iterable[Any]) -> "LearnedCovariance":
        """Learn it from past tasks."""
        past = [(check_points(task.points), task.means) for task in of_kind(tasks, Task) if task.points is not None]
        if not past:
            raise TaskError("tasks must hold at least one task with points to learn covariances from, got none")
        if len({points.shape[1] for points, _ in past}) > 1:
            raise TaskError("tasks must have points of the same number of coordinates to learn covariances from")
        every = np.unique(np.concatenate([points for points, _ in past]), axis=0)
        table = np.full((len(past), len(every)), np.nan)
        for row, (points, means) in zip(table, past, strict=True):
            place = find_places(points, every)
            row[place] = np.bincount(place, means, len(every))[place] / np.bincount(place)[place]
        return cls(share, every, table, tuple(fingerprint(*each) for each in past))

    def at(
        self, points: Floats, kernel: Floats, expected: Floats, length_scale: float, own: Floats | None = None
    ) -> Floats:
        """Return the covariances of points (n, d), of which a kernel says (n, n) and these rewards (n,) are expected.

        own (n,) are the means of the task to be run, if known.
        """
        mark = None if own is None else fingerprint(points, own)
        past = self.table[[task != mark for task in self.tasks]]
        above = self._interpolate(past, points, expected, length_scale)
        square = float(np.mean(np.square(above))) if above.size else 0.0
        if square == 0.0:
            return kernel
        shared = np.einsum("ti,tj->ij", above, above) / (len(above) * square)  # not by BLAS: the same bits anywhere
        return shrink_covariance(shared, self.share, kernel, 1.0 - self.share)

    def _interpolate(self, past: Floats, points: Floats, expected: Floats, length_scale: float) -> Floats:
        """Return how much more than expected past tasks (tasks, n) gave at some points (k,): (tasks, k)."""
        place = find_places(points, self.points)
        above = np.where(place >= 0, past[:, place], np.nan) - expected
        for row, gave in zip(above, past, strict=True):
            lacks, has = np.isnan(row), ~np.isnan(gave)
            if lacks.any():
                near = measure_similarity(points[lacks], self.points[has], length_scale)
                total = near @ gave[has] - near.sum(axis=1) * expected[lacks]
                row[lacks] = total / (near.sum(axis=1) + WEIGHT)
        return above

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold."""
        table = [[None if np.isnan(each) else each for each in row] for row in self.table.tolist()]
        return {"share": self.share, "points": self.points.tolist(), "table": table, "tasks": list(self.tasks)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "LearnedCovariance":
        """Make it from what `to_json` returned; what cannot be is rejected."""
        points = check_points(saved["points"], "covariance.points")
        table = np.array([[np.nan if each is None else each for each in row] for row in saved["table"]], np.float64)
        tasks = tuple(str(each) for each in saved["tasks"])
        if table.shape != (len(tasks), len(points)) or np.isinf(table).any():
            raise ParameterError("covariance must have a finite number, or none, for each of its tasks and points")
        return cls(check_share("covariance.share", saved["share"]), points, table, tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedCovariance) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values are arrays

    def __repr__(self) -> str:
        return f"LearnedCovariance(share={self.share:g}, points={len(self.points)}, tasks={len(self.tasks)})"


def check_share(what: str, given: object) -> float:
    """Return a share above 0 and at most 1."""
    share = finite_number(what, given, least=0.0, most=1.0)
    if share == 0.0:
        raise ParameterError(f'{what} must be above 0, got 0: "{KERNEL}" is the kernel alone')
    return share


class Covariance(Setting):
    """The word kernel, or learned, or how much of it is learned: then past tasks say how points go together."""

    def value(self, given: object) -> Any:
        """Return a word, a share or the function."""
        if isinstance(given, LearnedCovariance) or (isinstance(given, str) and given == KERNEL):
            return given
        if isinstance(given, str) and given == LEARNED:
            return SHARE
        if isinstance(given, Mapping):
            try:
                return LearnedCovariance.from_json(given)
            except (KeyError, TypeError, ValueError) as error:
                raise ParameterError(f"{self.name} cannot be used: {error}") from None
        try:
            return check_share(self.name, float(given) if isinstance(given, str) else given)
        except ValueError:
            wanted = f'"{KERNEL}", "{LEARNED}" or the share that is learned, above 0 and at most 1'
            raise ParameterError(f"{self.name} must be {wanted}; got {format_value(given)}") from None

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether it is yet to be learned."""
        return isinstance(value, float)

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Return what past tasks say."""
        return LearnedCovariance.of_tasks(value, tasks)

    def plain(self, value: Any) -> Any:
        """As JSON can hold it."""
        return value.to_json() if isinstance(value, LearnedCovariance) else value

    def describe(self, value: Any) -> str:
        """Say of how many tasks it is; nothing where it is the kernel's."""
        if isinstance(value, LearnedCovariance):
            return f"covariances of {len(value.tasks)} tasks (share {value.share:g})"
        return "" if value == KERNEL else super().describe(value)


def relate_points(
    covariance: Any, points: Floats, kernel: Floats, expected: Floats, length_scale: float, own: Floats | None = None
) -> Floats:
    """Return the covariances of points (n, d) with this kernel (n, n); expected (n,) is in the rewards' own units."""
    if isinstance(covariance, LearnedCovariance):
        dim = covariance.points.shape[1]
        if dim != points.shape[1]:
            raise ParameterError(f"points must have {dim} coordinates as covariance has, got {points.shape[1]}")
        return covariance.at(points, kernel, expected, length_scale, own)
    if covariance != KERNEL:
        raise ParameterError(f'covariance="{LEARNED}" is learned from past tasks, by bt.tune or bt.loss_curve')
    return kernel
