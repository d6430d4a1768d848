"""One run: what a policy with given parameters does on a task."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.policies.base import Policy
from banditune.policies.batches import Terms, of_kind
from banditune.policies.losses import LOSSES, Loss, choose_loss
from banditune.policies.settings import check_fixed_settings, check_loss, fit_fixed_settings, list_defaults
from banditune.policies.sweep_results import Run
from banditune.tasks.base import PastTask
from banditune.tuning.search import call_on
from banditune.validation import LONGEST_GAME, whole_number, yes_or_no


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """What happened in the T rounds of a run; in the replay of a log, in the T matched events.

    Attributes
    ----------
    arms : ndarray of int, shape (T,)
        The pulled arms.
    rewards : ndarray of float, shape (T,)
        Their rewards.
    regret : ndarray of float, shape (T,)
        The cumulative regret; nan for a log, whose other rewards are unknown.
    loss : float
        The loss that was asked for, of the whole run and of what comes after it: `bt.loss_curve` at the same value.
    recommended : int or None
        The arm that is recommended at the end; None with contexts, where none is best.

    Examples
    --------
    >>> import banditune as bt
    >>> run = bt.play(bt.UCB, bt.Task([[0, 1, 0, 0], [1, 1, 0, 1]]), horizon=4, alpha=0.1)
    >>> run
    Trajectory(rounds=4, reward=2, regret=0.5)
    >>> run.arms
    array([0, 1, 1, 1])
    """

    arms: NDArray[np.int64]  # (T,) the arms pulled
    rewards: NDArray[np.float64]  # (T,) the rewards received
    regret: NDArray[np.float64]  # (T,) the regret up to and including each round; nan where only a log could tell
    loss: float = np.nan  # of the whole run and of what comes after it
    recommended: int | None = None  # the arm to use after the run

    def __post_init__(self) -> None:
        for part in (self.arms, self.rewards, self.regret):
            part.flags.writeable = False

    def __repr__(self) -> str:
        regret = f", regret={self.regret[-1]:.4g}" if self.regret.size else ""
        return f"Trajectory(rounds={self.arms.size}, reward={self.rewards.sum():.4g}{regret})"


def play(
    policy: type[Policy[Any]],
    task: Any,
    *,
    horizon: int,
    loss: str | None = None,
    rollout: int | None = None,
    recommend: str | None = None,
    seed: int = 0,
    extend: bool = True,
    **parameters: object,
) -> Trajectory:
    """Run a policy on a task.

    Parameters
    ----------
    policy : type
        The policy class, such as `bt.UCB`.
    task : Task, ContextualTask or LoggedTask
        The task; of a log, the first `horizon` events are replayed.
    horizon : int
        The number of rounds.
    loss, rollout, recommend
        As in `bt.loss_curve`, for `Trajectory.loss`. By default the regret; of a log, minus the mean reward.
    seed, extend
        As in `bt.tune`.
    **parameters
        Values of the policy's parameters; the others have their defaults.

    Returns
    -------
    Trajectory

    Examples
    --------
    >>> import banditune as bt
    >>> run = bt.play(bt.UCB, bt.Task([[0, 1, 0, 0], [1, 1, 0, 1]]), horizon=4, alpha=0.5)
    >>> run.arms
    array([0, 1, 1, 1])
    >>> run
    Trajectory(rounds=4, reward=2, regret=0.5)
    """
    given = fit_fixed_settings(policy, check_fixed_settings(policy, parameters), [task])
    horizon = whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
    seed = whole_number("seed", seed, least=0)
    is_log = isinstance(task, PastTask) and task.is_log
    usual = LOSSES["reward" if is_log else "regret"]
    measured = check_loss(policy, choose_loss(usual if loss is None else loss, rollout, recommend))
    values = list_defaults(policy) | given

    def run(by: Loss) -> Run:
        terms = Terms(horizon, by, seed, yes_or_no("extend", extend), values)
        known = list(of_kind([task], *policy.task_types, first=None))
        return call_on(policy, task, horizon, lambda: policy.run(policy.make_batch(known, terms), values))

    ran = run(measured)
    regret = np.full(ran.arms.size, np.nan) if is_log else (ran if measured == usual else run(usual)).losses
    return Trajectory(ran.arms, ran.rewards, regret, ran.loss, ran.recommended)
