"""What runs and sweeps of LinUCB come to: the losses of tasks and of logs, and choices that cannot be made."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import TaskError
from banditune.kernels.linear.index import CLOSE
from banditune.kernels.linear.run import ALL_KNOWN, Rounds
from banditune.kernels.linear.sweep import ALL_SURE, Pieces


def explain_doubt(arms: str, largest: float, ridge: float) -> str:
    """Why a choice is rejected, and what to do."""
    return (
        f"the indices of {arms} must be computed to {CLOSE:g} of their sizes to choose by them, and cannot be: "
        f"features as large as {largest:.3g} leave too few digits beside ridge = {ridge:g}; scale the features "
        f'(scaling="contexts", "features" or {{"divide_by": [...]}}), or use a larger ridge'
    )


def check_decided(rounds: Rounds, unsure: int, ridge: float) -> None:
    """Reject a task with a round in which the choice cannot be made with certainty."""
    if unsure != ALL_SURE:
        largest = float(np.abs(rounds.contexts[: unsure + 1]).max())
        raise TaskError(f"task: in round {unsure + 1}, {explain_doubt('the arms', largest, ridge)}")


def is_log(rounds: Rounds) -> bool:
    """Whether only the rewards of logged arms are known."""
    return bool(rounds.logged[0] != ALL_KNOWN)


def finish_losses(rounds: Rounds, losses: NDArray[np.float64], counted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Total losses as they are; of a log, a counted round's mean, and its worst where there is none to judge by."""
    if not is_log(rounds):
        return losses
    return np.where(counted > 0, losses / np.maximum(counted, 1), rounds.worst)


def make_curves(low: float, high: float, found: Sequence[Pieces], horizon: int, field: str) -> CurveSet:
    """What the pieces of some tasks have in a field after one of the horizons, as curves."""
    at = [pieces.horizon == horizon for pieces in found]
    return CurveSet.of_pieces(
        low, high, [(each.left[here], getattr(each, field)[here]) for each, here in zip(found, at, strict=True)]
    )
