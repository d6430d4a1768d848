"""The tasks that a command works on: those of a log, or the bundled ones."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditune.cli.log_options import Reading
from banditune.cli.options import name_options
from banditune.cli.output import say, share_bar
from banditune.errors import ParameterError
from banditune.logs.log import Log
from banditune.policies.base import Policy
from banditune.report.log_account import describe_reading
from banditune.tasks.archive import facts_of
from banditune.tasks.units import UNNAMED, Units
from banditune.tuning.question import choose_horizon
from banditune.validation import one_of

MOST = 0.5  # of the tasks may be shorter than a run without a note: half of them are, where it has the median length
LEAST_SHARE = 0.01  # that is shown in percent


@dataclass(frozen=True, slots=True)
class PastTasks:
    """The tasks, how long their runs are, and where they come from."""

    tasks: Sequence[Any]
    horizon: int  # what fits them, if the user does not say
    log: Log | None
    what: str = ""  # where they come from, if not from a log
    units: Units = UNNAMED  # of bundled tasks
    draws: int | None = None  # of each of them; None: as many as it takes

    @property
    def are_logs(self) -> bool:
        """Whether they tell only what the chosen arms gave, to be replayed."""
        return self.log is not None and self.log.form == "contexts"

    @property
    def reading(self) -> list[tuple[str, str]]:
        """How the tasks were read: what, and a text."""
        facts = facts_of(self.tasks)
        return [*self.source, *describe_reading(facts.account, facts.origin)]

    @property
    def source(self) -> list[tuple[str, str]]:
        """Where the tasks come from, if not from a log."""
        return [] if self.log is not None else [("Source", self.what)]

    def name_units(self, given: str | None) -> Units:
        """Return what rewards and rounds are called; `given` for the rewards, where it was said."""
        if self.log is not None:
            return Units.infer(self.log.origin, given)
        return self.units if given is None else replace(self.units, reward=given)

    def notes(self, horizon: int | None) -> list[tuple[str, str]]:
        """List what is to be known of runs for which less is recorded than they are long."""
        if self.are_logs:
            return []
        rounds = horizon or self.horizon
        if self.tasks[0].needs_draws(1):  # totals: as no order is recorded, it is drawn for however long a run
            sizes = self.log.rounds if self.log is not None else np.array([task.rounds for task in self.tasks])
            which, beyond = "tasks", "the recorded rates are taken as true"
        else:
            sizes = (
                self.log.arm_sizes if self.log is not None else np.concatenate([task.lengths for task in self.tasks])
            )
            which, beyond = "arms", "rewards are resampled with replacement (--seed)"
        short = float((sizes < rounds).mean())
        if short == 0.0 or (which == "tasks" and short <= MOST):
            return []
        share = "all" if short == 1.0 else f"{short:.0%} of the" if short >= LEAST_SHARE else "very few of the"
        note = (
            f"{share} {which} have fewer rewards than the {rounds:,} rounds of a run (median: "
            f"{np.median(sizes):,.0f}): beyond them, {beyond}"
        )
        return [("Note", note)]


def read_past_tasks(policy: type[Policy[Any]], reading: Reading, example: str | None = None) -> PastTasks:
    """Read the logs if there are any, and say on the terminal what became of their rows; else take bundled tasks."""
    columns, how = reading.columns_for(policy), reading.how
    if reading.logs and example is not None:
        raise ParameterError("--example takes bundled tasks: leave out the LOG, or --example")
    if not reading.logs:
        if columns or how.pop("strict") or any(option is not None for option in (*how.values(), reading.memory)):
            raise ParameterError("options for reading a log need a LOG; none was given")
        if not policy.bundled:
            raise ParameterError(f"{policy.name} has no bundled tasks: it needs a LOG")
        chosen = next(iter(policy.bundled)) if example is None else one_of("--example", example, policy.bundled)
        bundled = policy.bundled[chosen]
        return PastTasks(bundled.load(), bundled.horizon, None, bundled.description, bundled.units, bundled.draws)
    from banditune.logs.reading import read_log

    with share_bar("Reading") as progress:
        log = read_log(choose_source(reading.logs), **columns, **how, memory=reading.memory, progress=progress)
    for line in log.account.lines():
        say(name_options(line))
    return PastTasks(log, choose_horizon(policy, log), log)


def choose_source(logs: Sequence[str]) -> Any:
    """Return the files to read, or standard input where - is given."""
    if "-" not in logs:
        return list(logs)
    if len(logs) > 1:
        raise ParameterError("- (standard input) must be the only LOG")
    return sys.stdin.buffer
