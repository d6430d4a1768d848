"""Results to put on a page, made as the command line makes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import banditune as bt
from banditune.curve_set import CurveSet
from banditune.guarantees.folds import UnseenLosses, losses_with, unseen_losses
from banditune.report.findings import Findings, findings
from banditune.search import Search
from banditune.sweeping import sweep_tasks
from banditune.tuning import learned
from tests.strategies import drawn_task


@dataclass(frozen=True, eq=False)
class Result:
    tuned: bt.Tuned
    curves: CurveSet
    tasks: Sequence[bt.Task]
    unseen: UnseenLosses | None
    fixed: dict[float, NDArray[np.float64]]

    def findings(self, **more: object) -> Findings:
        return findings(self.tuned, self.curves, self.tasks, self.unseen, self.fixed, **more)  # type: ignore[arg-type]


def some_tasks(n_tasks: int) -> list[bt.Task]:
    rng = np.random.default_rng(0)
    return [drawn_task(rng, 3, 40, "bernoulli") for _ in range(n_tasks)]


def result(
    tasks: Sequence[bt.Task], *, limits: tuple[float, float] = (0.0, 4.0), loss: str = "regret", horizon: int = 40
) -> Result:
    search = Search.of(bt.UCB, [horizon], {"alpha": limits}, loss=loss, seed=0, extend=True)
    (swept,) = sweep_tasks([search], tasks)
    (curves,) = swept.losses
    fixed = {value: losses_with(search, curves, tasks, value) for value in (1.0, 2.0)}
    return Result(learned([search], [swept], tasks), curves, tasks, unseen_losses([search], [curves], fixed), fixed)
