"""What a point is expected to give before it is tried: nothing in particular, or what it gave in past tasks."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError, TaskError
from banditune.kernels.numerics.arrays import Floats
from banditune.policies.batches import of_kind
from banditune.policies.gpucb.covariance import check_points, measure_similarity
from banditune.policies.parameters import Setting
from banditune.tasks.arrays import check_numbers
from banditune.tasks.task import Task
from banditune.validation import finite_number, format_value

ZERO, LEARNED = "zero", "learned"
WEIGHT = 1.0  # of the average of all points, in tasks


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeanFunction:
    """What points gave in past tasks, in the rewards' own units.

    A point that past tasks had is expected to give their average there, drawn towards the average of all points as by
    one more task; others what the points around them gave. A past task itself is run with what the other ones gave, so
    that what is learned on past tasks does not rely on having seen them.

    Attributes
    ----------
    points : ndarray, shape (n, d)
        All points of past tasks, each once.
    totals, counts : ndarray, shape (n,)
        The sum of the means that tasks had there, and the number of those tasks.
    center : float
        The average over all tasks and points.
    tasks : tuple of str
        The past tasks, by the hashes of their points and means.
    """

    points: Floats
    totals: Floats
    counts: Floats
    center: float
    tasks: tuple[str, ...]

    @classmethod
    def of_tasks(cls, tasks: Iterable[Any]) -> "MeanFunction":
        """Learn it from past tasks."""
        past = [(check_points(task.points), task.means) for task in of_kind(tasks, Task) if task.points is not None]
        if not past:
            raise TaskError("tasks must hold at least one task with points to learn a mean from, got none")
        if len({points.shape[1] for points, _ in past}) > 1:
            raise TaskError("tasks must have points of the same number of coordinates to learn a mean from")
        every, place = np.unique(np.concatenate([points for points, _ in past]), axis=0, return_inverse=True)
        means = np.concatenate([means for _, means in past])
        totals = np.bincount(place.ravel(), means, len(every)).astype(np.float64)
        counts = np.bincount(place.ravel(), minlength=len(every)).astype(np.float64)
        center = float(np.mean([each.mean() for _, each in past]))
        return cls(every, totals, counts, center, tuple(fingerprint(*each) for each in past))

    def at(self, points: Floats, length_scale: float, own: Floats | None = None) -> Floats:
        """Return what points (n, d) are expected to give; own (n,) are the means of the task to be run, if known."""
        totals, counts, center = self.totals, self.counts, self.center
        if own is not None and fingerprint(points, own) in self.tasks:
            share, place = np.unique(points, axis=0, return_inverse=True)
            here = find_places(share, self.points)
            totals, counts = totals.copy(), counts.copy()
            totals[here] -= np.bincount(place.ravel(), own, len(share))
            counts[here] -= np.bincount(place.ravel(), minlength=len(share))
            others = len(self.tasks) - 1
            center = center + (center - float(own.mean())) / others if others else 0.0
        found = find_places(points, self.points)
        known = found >= 0
        known[known] = counts[found[known]] > 0.0
        total, count = np.zeros(len(points)), np.zeros(len(points))
        total[known], count[known] = totals[found[known]], counts[found[known]]
        if not known.all():
            near = measure_similarity(points[~known], self.points, length_scale)
            total[~known], count[~known] = near @ totals, near @ counts
        expected: Floats = (total + WEIGHT * center) / (count + WEIGHT)
        return expected

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data that JSON can hold."""
        arrays = {"points": self.points.tolist(), "totals": self.totals.tolist(), "counts": self.counts.tolist()}
        return arrays | {"center": self.center, "tasks": list(self.tasks)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> "MeanFunction":
        """Make it from what `to_json` returned; what cannot be is rejected."""
        points = check_points(saved["points"], "mean_function.points")
        totals, counts = (check_numbers(saved[name], f"mean_function.{name}") for name in ("totals", "counts"))
        if totals.shape != (len(points),) or counts.shape != (len(points),) or (counts < 0.0).any():
            raise ParameterError("mean_function must have a total and a count for each of its points")
        center = finite_number("mean_function.center", saved["center"])
        return cls(points, totals, counts, center, tuple(str(each) for each in saved["tasks"]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeanFunction) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values are arrays

    def __repr__(self) -> str:
        return f"MeanFunction(points={len(self.points)}, tasks={len(self.tasks)})"


def find_places(points: Floats, among: Floats) -> NDArray[np.int64]:
    """Return the places of points (k, d) among others (n, d); -1 where they are not among them."""
    places = {tuple(point): k for k, point in enumerate(among.tolist())}
    return np.array([places.get(tuple(point), -1) for point in points.tolist()], np.int64)


def fingerprint(points: Floats, means: Floats) -> str:
    """Return a short name for a task that no other has."""
    parts = (np.ascontiguousarray(each, np.float64).tobytes() for each in (points, means))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


class Mean(Setting):
    """The word zero, or learned: then past tasks say what each point gave."""

    def value(self, given: object) -> Any:
        """Return a word or the function."""
        if isinstance(given, MeanFunction) or (isinstance(given, str) and given in (ZERO, LEARNED)):
            return given
        if isinstance(given, Mapping):
            try:
                return MeanFunction.from_json(given)
            except (KeyError, TypeError) as error:
                raise ParameterError(f"{self.name} cannot be used: {error}") from None
        raise ParameterError(f'{self.name} must be "{ZERO}" or "{LEARNED}", got {format_value(given)}')

    def needs_tasks(self, value: Any) -> bool:
        """Tell whether it is yet to be learned."""
        return isinstance(value, str) and value == LEARNED

    def fit(self, value: Any, tasks: Iterable[Any], settings: Mapping[str, Any]) -> Any:
        """Return what past tasks say."""
        return MeanFunction.of_tasks(tasks)

    def plain(self, value: Any) -> Any:
        """As JSON can hold it."""
        return value.to_json() if isinstance(value, MeanFunction) else value

    def describe(self, value: Any) -> str:
        """Say of how many tasks it is the mean; nothing where it is zero."""
        if isinstance(value, MeanFunction):
            return f"the mean of {len(value.tasks)} tasks"
        return "" if value == ZERO else super().describe(value)


def expect_points(
    mean: Any, points: Floats, length_scale: float, center: float, scale: float, own: Floats | None = None
) -> Floats:
    """Return what points (n, d) are expected to give, in the units that the policy sees."""
    if isinstance(mean, str):
        if mean == LEARNED:
            raise ParameterError(f'mean_function="{LEARNED}" is learned from past tasks, by bt.tune or bt.loss_curve')
        return np.zeros(len(points))
    if mean.points.shape[1] != points.shape[1]:
        raise ParameterError(
            f"points must have {mean.points.shape[1]} coordinates as mean_function has, got {points.shape[1]}"
        )
    expected: Floats = (mean.at(points, length_scale, own) - center) / scale
    return expected
