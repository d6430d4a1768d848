"""Arrays of rewards as users have them, checked: what cannot be used is rejected with its place."""

import numbers
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.curves.step_function import Interval
from banditune.errors import ParameterError, TaskError
from banditune.kernels.numerics.arrays import first_beyond
from banditune.validation import finite_number, format_value

SMALLEST, LARGEST = 1e-150, 1e150  # alpha is a squared reward: it could not be represented beyond these
LARGEST_CONTEXT = 1e70
LARGEST_RESPONSE = 1e100  # of the rewards that a regression or a Gaussian process learns from
MOST_PULLS = 2**53  # that a policy can have made: floats tell their numbers apart


@lru_cache(maxsize=1024)
def even_starts(n_arms: int, length: int) -> NDArray[np.int64]:
    """Return where the arms begin when all have so many rewards: one array for all such tasks."""
    starts = np.arange(n_arms + 1) * length
    starts.flags.writeable = False
    return starts


def arm_label(arms: Sequence[Hashable] | None, arm: int) -> str:
    """Return how an error message calls an arm."""
    return f"arm {arm}" if arms is None else f'arm "{str(arms[arm])[:80]}"'


def check_arms(arms: Sequence[Hashable], n_arms: int, where: str) -> tuple[Hashable, ...]:
    """Return the names of the arms: as many as there are, and all different."""
    try:
        if isinstance(arms, str | bytes | dict | set):
            raise TypeError
        names = tuple(arms)
        different = len(set(names)) == len(names)
    except TypeError:
        raise TaskError(f"{where}arms must be a list of names (numbers or text), got {format_value(arms)}") from None
    if len(names) != n_arms:
        raise TaskError(f"{where}arms must name the {n_arms} arms, got {format_value(arms)}")
    if not different:
        raise TaskError(f"{where}arms must be different names, got {format_value(arms)}")
    return names


def pack_rewards(
    rows: NDArray[np.float64] | list[ArrayLike], arms: Sequence[Hashable] | None, where: str, *, may_lack: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rewards of all arms end to end, and where each arm's begin; with `may_lack`, an arm may have none."""
    if isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.shape[1] > 0:
        flat = rows.flatten()
        starts = even_starts(*rows.shape)
    else:
        parts = [_arm_rewards(row, f"{where}{arm_label(arms, arm)}", may_lack) for arm, row in enumerate(rows)]
        flat = np.concatenate(parts)
        starts = np.cumsum([0, *(part.size for part in parts)])
    flat.flags.writeable = starts.flags.writeable = False
    bad = first_beyond(flat, SMALLEST, LARGEST)
    if bad >= 0:
        arm = int(np.searchsorted(starts, bad, side="right")) - 1
        wanted = f"0 or from {SMALLEST:g} to {LARGEST:g} in size" if np.isfinite(flat[bad]) else "finite"
        place = f"got {flat[bad]} at position {bad - starts[arm]}"
        raise TaskError(f"{where}{arm_label(arms, arm)}: rewards must be {wanted}, {place}")
    return flat, starts


def arm_rows(rewards: ArrayLike | Sequence[ArrayLike], where: str) -> NDArray[np.float64] | list[ArrayLike]:
    """Return the arms one by one, at least one: a 2-D array as it is, anything else as a list."""
    needed = "one 1-D array of rewards for each arm, or one array of shape (n_arms, rewards)"
    rows: NDArray[np.float64] | list[ArrayLike]
    if isinstance(rewards, np.ndarray) and rewards.dtype != object and not np.ma.isMaskedArray(rewards):
        if rewards.ndim != 2:
            raise TaskError(f"{where}rewards must be {needed}; got an array of shape {rewards.shape}")
        rows = rewards
    else:
        try:
            if isinstance(rewards, str | bytes | dict | set):
                raise TypeError
            rows = list(rewards)  # type: ignore[arg-type]  # what cannot be listed raises TypeError
        except TypeError:
            raise TaskError(f"{where}rewards must be {needed}; got {format_value(rewards)}") from None
    if len(rows) == 0:
        raise TaskError(f"{where}rewards must hold at least one arm, got none")
    return rows


def _arm_rewards(row: ArrayLike, where: str, may_lack: bool) -> NDArray[np.float64]:
    """Return one arm's rewards as floats."""
    values = check_numbers(row, f"{where}: rewards", sized=False)
    if values.ndim != 1:
        raise TaskError(f"{where}: rewards must be a 1-D array, got shape {values.shape}")
    if values.size == 0 and not may_lack:
        raise TaskError(f"{where}: rewards must not be empty; leave out an arm that was never pulled")
    return values


def check_numbers(
    values: ArrayLike, what: str, *, sized: bool = True, least: float = 0.0, most: float = LARGEST
) -> NDArray[np.float64]:
    """Return an array of floats; text, dates, complex numbers and masked values are rejected, not converted."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        position = int(np.flatnonzero(np.ma.getmaskarray(values).reshape(-1))[0])
        raise TaskError(f"{what} must be known, got a masked value at position {position}; remove it")
    try:
        array = np.asarray(values)
    except ValueError:
        raise TaskError(f"{what} must be numbers in a regular array, got {format_value(values)}") from None
    if array.dtype.kind not in "biuf":
        each = values if isinstance(values, list | tuple) else array.reshape(-1)
        for position, value in enumerate(each):
            if not isinstance(value, numbers.Real):
                raise TaskError(f"{what} must be numbers, got {format_value(value)} at position {position}")
    try:
        floats = np.array(array, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        raise TaskError(f"{what} must be numbers that a float can hold, got {format_value(values)}") from None
    floats.flags.writeable = False
    bad = first_beyond(floats.reshape(-1), least, most) if sized else -1
    if bad >= 0:
        number = floats.reshape(-1)[bad]
        limits = f"0 or from {least:g} to {most:g} in size" if least > 0.0 else f"at most {most:g} in size"
        wanted = limits if np.isfinite(number) else "finite"
        raise TaskError(f"{what} must be {wanted}, got {number} at position {bad}")
    return floats


def check_means(means: ArrayLike, n_arms: int, where: str) -> NDArray[np.float64]:
    """Return the true mean of each arm: (n_arms,)."""
    values = check_numbers(means, f"{where}means")
    if values.shape != (n_arms,):
        raise TaskError(f"{where}means must have shape ({n_arms},), one per arm; got {values.shape}")
    return values


def check_points(points: ArrayLike, n_arms: int, where: str) -> NDArray[np.float64]:
    """Return where each arm is: (n_arms, d)."""
    values = check_numbers(points, f"{where}points")
    if values.ndim != 2 or values.shape[0] != n_arms:
        raise TaskError(f"{where}points must have shape ({n_arms}, d), one row per arm; got {values.shape}")
    return values


def check_reward(what: str, value: object) -> float:
    """Check one reward of an online policy."""
    reward = finite_number(what, value)
    if reward != 0.0 and not SMALLEST <= abs(reward) <= LARGEST:
        raise ParameterError(f"{what} must be 0 or from {SMALLEST:g} to {LARGEST:g} in size, got {reward!r}")
    return reward


def check_contexts(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Contexts: an array of floats whose squares and products with rewards can be represented."""
    return check_numbers(values, what, least=1e-70, most=LARGEST_CONTEXT)


def check_responses(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return the rewards that a regression learns from."""
    return check_numbers(values, what, least=1e-100, most=LARGEST_RESPONSE)


def check_totals(
    counts: Any, sums: Any, largest: float, n_arms: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Check the pulls (n,) of a policy, and the sums (n, 2) of rewards of at most that size, in two parts."""
    pulls = check_counts(counts, n_arms)
    totals = check_numbers(sums, "sums", sized=False)
    if totals.shape != (pulls.size, 2) or not (np.abs(totals) <= largest * pulls[:, None]).all():
        raise ParameterError(f"sums must be two numbers for each arm that fit its count, got {format_value(sums)}")
    return pulls, totals


def check_counts(counts: Any, n_arms: int | None = None) -> NDArray[np.int64]:
    """Return the pulls (n,) that a policy has made."""
    fits = isinstance(counts, list) and n_arms in (None, len(counts))
    if not fits or not all(type(each) is int and each >= 0 for each in counts) or sum(counts) > MOST_PULLS:
        each = "for each arm" if n_arms is None else f"for each of {n_arms} arms"
        wanted = f"a whole number from 0 {each}, together at most {MOST_PULLS}"
        raise ParameterError(f"counts must be {wanted}; got {format_value(counts)}")
    return np.array(counts, dtype=np.int64)


def where_in(name: str | None) -> str:
    """Return how an error message begins."""
    if name is not None and not isinstance(name, str):
        raise TaskError(f"the name of a task must be text, got {format_value(name)}")
    return "" if name is None else f"task {format_value(name)}, "


def check_limits(limits: Iterable[float], flat: NDArray[np.float64], where: str) -> Interval:
    """Return the limits of rewards, which those observed keep to."""
    try:
        low, high = limits
        stated = Interval(low, high)
    except (TypeError, ValueError):
        raise TaskError(f"{where}limits must be (low, high) with low <= high, got {format_value(limits)}") from None
    if flat.min() < stated.low or flat.max() > stated.high:
        seen = f"rewards from {flat.min():g} to {flat.max():g}"
        raise TaskError(f"{where}limits say {stated.low:g} to {stated.high:g}, got {seen}")
    return stated


def shift_limits(limits: Interval, costs: NDArray[np.float64]) -> Interval:
    """Return between what rewards within limits lie, net of the costs (n_arms,) of their arms.

    >>> shift_limits(Interval(0.0, 1.0), np.array([0.0, 0.25]))
    Interval(low=-0.25, high=1.0)
    """
    return Interval(limits.low - float(costs.max()), limits.high - float(costs.min()))
