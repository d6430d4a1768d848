"""What runs and sweeps of LinUCB come to: the losses of tasks and of logs, and choices that cannot be made."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.errors import TaskError
from banditune.interruption import call_with_watch
from banditune.kernels.linear.index import CLOSE
from banditune.kernels.linear.layout import shape_of
from banditune.kernels.linear.pending import run_size
from banditune.kernels.linear.range_parts import Pieces
from banditune.kernels.linear.run import ALL_KNOWN, PASSED, UNSURE, Rounds, play_rounds
from banditune.kernels.linear.sampling import Sampler
from banditune.kernels.linear.sweep import ALL_SURE, sweep_rounds
from banditune.kernels.lines.feedback import Feedback
from banditune.policies.linucb.batches import count_regressions
from banditune.policies.sweep_results import Run, Swept

STATES_BYTES = 2**28  # what one sweep may hold of runs that were set aside


def run_task(rounds: Rounds, values: Mapping[str, Any], value: float, sampler: Sampler, feedback: Feedback) -> Run:
    """Run on a task with a value of the parameter that can be searched."""
    how = count_regressions(rounds, values), values["ridge"], value, sampler, feedback
    arms, rewards, losses = call_with_watch(play_rounds, rounds, *how)
    check_decisions(rounds, int(np.argmax(arms == UNSURE)) if UNSURE in arms else ALL_SURE, values["ridge"])
    counted = arms != PASSED
    losses = finish_losses(rounds, losses, np.cumsum(counted))
    return Run(arms[counted], rewards[counted], losses[counted], float(losses[-1]))


def sweep_task(
    rounds: Rounds,
    fixed: Mapping[str, Any],
    horizons: Sequence[int],
    low: float,
    high: float,
    sampler: Sampler,
    feedback: Feedback,
) -> tuple[Pieces, int]:
    """Return the pieces of a task for values in [low, high] after each horizon; and the number of histories."""
    n_regressions = count_regressions(rounds, fixed)
    shape = shape_of(rounds.n_arms, n_regressions, *rounds.contexts.shape[1:])
    most_runs = max(2, STATES_BYTES // (8 * run_size(feedback, rounds.logged.size, shape)))
    until = np.minimum(horizons, rounds.logged.size)
    how = n_regressions, fixed["ridge"], until, low, high, most_runs, sampler, feedback
    pieces, histories, unsure = call_with_watch(sweep_rounds, rounds, *how)
    check_decisions(rounds, unsure, fixed["ridge"])
    return pieces._replace(loss=finish_losses(rounds, pieces.loss, pieces.counted)), histories


def join_tasks(
    batch: Sequence[Rounds], swept: Sequence[tuple[Pieces, int]], horizons: Sequence[int], low: float, high: float
) -> Swept:
    """Return what was found of all tasks, as curves."""
    found, histories = [pieces for pieces, _ in swept], np.array([each for _, each in swept])
    losses = [make_curves(low, high, found, k, "loss") for k in range(len(horizons))]
    if not is_log(batch[0]):
        return Swept(losses, histories)
    matched = [make_curves(low, high, found, k, "counted") for k in range(len(horizons))]
    events = np.array([min(rounds.logged.size, horizons[-1]) for rounds in batch])
    return Swept(losses, histories, matched, events)


def explain_doubt(arms: str, largest: float, ridge: float) -> str:
    """Return why a choice is rejected, and what to do."""
    return (
        f"the choice between {arms} is undecidable, as their indices cannot be computed to {CLOSE:g} of their sizes: "
        f"features as large as {largest:.3g} leave too few digits beside ridge = {ridge:g}; scale the features "
        f'(scaling="contexts", "features" or {{"divide_by": [...]}}), or use a larger ridge'
    )


def check_decisions(rounds: Rounds, unsure: int, ridge: float) -> None:
    """Reject a task with a round in which the choice cannot be made with certainty."""
    if unsure != ALL_SURE:
        largest = float(np.abs(rounds.contexts[: unsure + 1]).max())
        raise TaskError(f"task: in round {unsure + 1}, {explain_doubt('the arms', largest, ridge)}")


def is_log(rounds: Rounds) -> bool:
    """Tell whether only the rewards of logged arms are known."""
    return bool(rounds.logged[0] != ALL_KNOWN)


def finish_losses(rounds: Rounds, losses: NDArray[np.float64], counted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Total losses as they are; of a log, a counted round's mean, and its worst where there is none to judge by."""
    if not is_log(rounds):
        return losses
    return np.where(counted > 0, losses / np.maximum(counted, 1), rounds.worst)


def make_curves(low: float, high: float, found: Sequence[Pieces], horizon: int, field: str) -> CurveSet:
    """Return what the pieces of some tasks have in a field after one of the horizons, as curves."""
    at = [pieces.horizon == horizon for pieces in found]
    return CurveSet.of_pieces(
        low, high, [(each.left[here], getattr(each, field)[here]) for each, here in zip(found, at, strict=True)]
    )
