"""Arrays of rewards as users have them, checked: what cannot be used is refused with its place."""

import numbers
from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.checks import shown
from banditune.errors import TaskError

LARGEST_REWARD = 1e150  # alpha is a squared reward: beyond this it cannot be represented


@lru_cache(maxsize=1024)
def even_starts(n_arms: int, length: int) -> NDArray[np.int64]:
    """Where the arms begin when all have so many rewards: one array for all such tasks."""
    starts = np.arange(n_arms + 1) * length
    starts.flags.writeable = False
    return starts


def arm_label(arms: Sequence[Hashable] | None, arm: int) -> str:
    """How an error message calls an arm."""
    return f"arm {arm}" if arms is None else f'arm "{str(arms[arm])[:80]}"'


def packed_rewards(
    rewards: ArrayLike | Sequence[ArrayLike], arms: Sequence[Hashable] | None, where: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The rewards of all arms end to end, and where each arm's begin."""
    rows = _rows(rewards, where)
    if len(rows) == 0:
        raise TaskError(f"{where}rewards must hold at least one arm, got none")
    if arms is not None:
        if isinstance(arms, str) or len(arms) != len(rows):
            raise TaskError(f"{where}arms must name the {len(rows)} arms, got {shown(arms)}")
        if len(set(arms)) != len(arms):
            raise TaskError(f"{where}arms must be different names, got {shown(arms)}")
    if isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.shape[1] > 0:
        flat = rows.flatten()
        starts = even_starts(*rows.shape)
    else:
        parts = [_arm_rewards(row, f"{where}{arm_label(arms, arm)}") for arm, row in enumerate(rows)]
        flat = np.concatenate(parts)
        starts = np.cumsum([0, *(part.size for part in parts)])
    flat.flags.writeable = starts.flags.writeable = False
    if not np.abs(flat).max() <= LARGEST_REWARD:
        bad = int(np.flatnonzero(~(np.abs(flat) <= LARGEST_REWARD))[0])
        arm = int(np.searchsorted(starts, bad, side="right")) - 1
        wanted = "finite" if not np.isfinite(flat[bad]) else f"at most {LARGEST_REWARD:g} in size"
        label = arm_label(arms, arm)
        raise TaskError(f"{where}{label}: rewards must be {wanted}, got {flat[bad]} at position {bad - starts[arm]}")
    return flat, starts


def _rows(rewards: ArrayLike | Sequence[ArrayLike], where: str) -> NDArray[np.float64] | list[ArrayLike]:
    """The arms one by one: a 2-D array as it is, anything else as a list."""
    needed = "one 1-D array of rewards for each arm, or one array of shape (n_arms, rewards)"
    if isinstance(rewards, np.ndarray) and rewards.dtype != object:
        if rewards.ndim != 2:
            raise TaskError(f"{where}rewards must be {needed}; got an array of shape {rewards.shape}")
        return rewards
    if isinstance(rewards, str | bytes | dict | set):
        raise TaskError(f"{where}rewards must be {needed}; got {shown(rewards)}")
    try:
        return list(rewards)  # type: ignore[arg-type]  # what cannot be listed raises TypeError
    except TypeError:
        raise TaskError(f"{where}rewards must be {needed}; got {shown(rewards)}") from None


def _arm_rewards(row: ArrayLike, where: str) -> NDArray[np.float64]:
    """One arm's rewards as floats."""
    values = checked_numbers(row, f"{where}: rewards", finite=False)
    if values.ndim != 1:
        raise TaskError(f"{where}: rewards must be a 1-D array, got shape {values.shape}")
    if values.size == 0:
        raise TaskError(f"{where}: rewards must not be empty; leave out an arm that was never pulled")
    return values


def checked_numbers(values: ArrayLike, what: str, *, finite: bool = True) -> NDArray[np.float64]:
    """An array of floats; text, dates and complex numbers are refused, not converted."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise TaskError(f"{what} must be numbers in a regular array, got {shown(values)}") from None
    if array.dtype.kind == "O":
        for position, value in enumerate(array.reshape(-1)):
            if not isinstance(value, numbers.Real):
                raise TaskError(f"{what} must be numbers, got {shown(value)} at position {position}")
    elif array.dtype.kind not in "biuf":
        first = array.reshape(-1)[0] if array.size else values
        raise TaskError(f"{what} must be numbers, got {shown(first)} at position 0 (type {array.dtype})")
    floats = np.array(array, dtype=np.float64)
    floats.flags.writeable = False
    if finite and not np.isfinite(floats).all():
        position = int(np.flatnonzero(~np.isfinite(floats.reshape(-1)))[0])
        raise TaskError(f"{what} must be finite, got {floats.reshape(-1)[position]} at position {position}")
    return floats
