"""Results to put on a page, made as the command line makes them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import banditune as bt
from banditune.evaluation.cross_validation import cross_validate, losses_with
from banditune.report.findings import Findings, gather_findings
from banditune.tasks.scan import TaskScan
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.results.study_result import Study
from banditune.tuning.search import Search
from banditune.tuning.selection import choose_best
from tests.strategies import drawn_task


class Result(Study):
    def findings(self, **shown: object) -> Findings:
        """What its page shows, but for what is named here."""
        return replace(gather_findings(self), **shown)  # type: ignore[arg-type]


def some_tasks(n_tasks: int) -> list[bt.Task]:
    rng = np.random.default_rng(0)
    return [drawn_task(rng, 3, 40, "bernoulli") for _ in range(n_tasks)]


def result(
    tasks: Sequence[bt.Task], *, limits: tuple[float, float] = (0.0, 4.0), loss: str = "regret", horizon: int = 40
) -> Result:
    return _result([Search.of(bt.UCB, [horizon], {"alpha": limits}, loss=loss, seed=0, extend=True)], tasks)


def replayed(n_logs: int, name: str) -> Result:
    """Small logs, of too few events to trust, on which two ridges are compared."""
    rng = np.random.default_rng(0)
    logs = [
        bt.LoggedTask(rng.random((40, 2)), rng.permutation(40) % 3, rng.integers(2, size=40), name=name)
        for _ in range(n_logs)
    ]
    parameters = {"alpha": (0.0, 2.0), "disjoint": True, "ridge": [1.0, 5.0]}
    return _result(Search.each(bt.LinUCB, [40], parameters, loss="reward", seed=0, extend=True), logs)


def _result(searches: Sequence[Search], tasks: Sequence[Any]) -> Result:
    noted = TaskScan()
    swept = sweep_tasks(searches, noted.note_passing(tasks))
    curve_sets = [each.losses[0] for each in swept]
    each = zip(searches, curve_sets, strict=True)
    alone = [[losses_with(search, curves, tasks, value) for value in (1.0, 2.0)] for search, curves in each]
    usual = {value: list(losses) for value, losses in zip((1.0, 2.0), zip(*alone, strict=True), strict=True)}
    held_out = cross_validate(searches, curve_sets, usual)
    first = {value: losses[0] for value, losses in usual.items()}
    tuned = choose_best(searches, swept, noted)
    if held_out is not None:
        tuned = tuned.smooth()
    return Result(tuned, curve_sets[0], tasks, held_out, first, chose_range=False, seconds=0.0)
