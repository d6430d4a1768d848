"""Everything the page shows, computed before any of it is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import StepFunction
from banditune.curves.thinning import Line, thin_curve
from banditune.evaluation.cross_validation import HeldOutLosses, HeldOutRow
from banditune.evaluation.horizons import AtHorizon, compare_horizons
from banditune.evaluation.learning_curve import LearningCurve, measure_learning_curve
from banditune.evaluation.verdict import Verdict
from banditune.policies.exports import conversions
from banditune.report.curve_figure import CurvePicture, choose_left_end, lay_out_curve
from banditune.report.log_account import describe_reading, list_rejected_rows
from banditune.report.wording import Words, choose_words, describe_skipped_work
from banditune.tuning.equal_split import EQUAL_SPLIT
from banditune.tuning.priors.line_search import PriorFindings
from banditune.tuning.results.study_result import Study
from banditune.tuning.results.tuned import Tuned
from banditune.validation import format_count

MOST_ROWS = 1_000  # of the table of tasks
MOST_BARS = 40
NARROW = 0.05  # where the best piece ends within this share of the range, only a logarithmic axis shows it


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its size, and what it loses."""

    name: str
    n_arms: int
    n_rewards: int
    learned: float  # the loss with the learned value
    default: float | None  # the loss with the first of the usual values; None if there is none
    least: float  # the least loss over the searched range
    n_pieces: int


class Lines(NamedTuple):
    """A curve as charts draw it."""

    linear: Line
    log: Line | None  # None where the range holds nothing above 0


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """A study, and what the page needs besides. Losses are losses throughout: "reward" is minus the reward."""

    study: Study
    words: Words  # how its losses are spoken of
    curve: Lines  # the mean loss for every value
    opens_log: bool  # the scale the page opens with
    matched: Lines | None  # the events of logs that matched, for every value; None if the tasks were no logs
    picture: CurvePicture
    verdict: Verdict
    held_out: tuple[HeldOutRow, ...]  # the first is what was learned; empty if nothing was held out
    horizons: tuple[AtHorizon, ...]  # what is learned from shorter and longer runs; empty where that is not measured
    learning: LearningCurve | None  # None if there are too few tasks
    rows: tuple[TaskRow, ...]
    reading: tuple[tuple[str, str], ...]  # label, text
    rejected: tuple[tuple[str, str, str, str], ...]  # file, line, reason, value: the first of them
    n_rejected: int
    libraries: tuple[tuple[str, str, str], ...]  # library, code, remark

    @property
    def tuned(self) -> Tuned:
        """What was learned."""
        return self.study.tuned

    @property
    def parameter(self) -> str:
        """The parameter that was searched."""
        return self.tuned.parameter

    @property
    def learned(self) -> float:
        """The value that is recommended."""
        return self.tuned.recommended[self.parameter]  # type: ignore[no-any-return]

    @property
    def loss(self) -> float:
        """The mean loss with it."""
        return self.tuned.loss if self.tuned.smoothed is None else self.tuned.curve(self.tuned.smoothed)

    @property
    def n_tasks(self) -> int:
        """How many tasks were learned from."""
        return self.tuned.n_tasks

    @property
    def n_matched(self) -> int:
        """How many events of the logs matched with the learned value."""
        return int(self.tuned.replay.matched(self.learned))

    @property
    def priors(self) -> PriorFindings | None:
        """What was learned of prior means; None if they were not searched."""
        return self.tuned.find(PriorFindings)


def gather_findings(study: Study, progress: Callable[[float], None] | None = None) -> Findings:
    """Return what the page shows of a study; `progress` is called with the share done.

    Of its tasks no more than a thousand are looked at. The first usual value is the default that the task table
    compares with.
    """
    tuned, curves, tasks, held_out = study.tuned, study.curves, study.tasks, study.held_out
    best, mean = tuned.recommended[tuned.parameter], tuned.curve
    start = choose_left_end(mean, best, tuned.within_one_se) if mean.high > 0.0 else None

    def thin(curve: StepFunction) -> Lines:
        log = None if start is None else thin_curve(curve, start, log=True, keep=best)
        return Lines(thin_curve(curve, curve.low, log=False, keep=best), log)

    words = choose_words(tuned, study.units, best=best)
    rows = list_tasks(curves, tasks, best, study.usual)
    # so that no curve is of a held-out task
    all_learned_together = tuned.priors is not None or bool(tuned.steps) or tuned.racing is not None
    learning = None
    if not all_learned_together and tuned.search.loss.tail is None:
        searched, draws = tuned.search.free_parameter, tuned.smoothing_draws
        learning = measure_learning_curve(curves, searched, tuned.seed, progress, draws=draws)
    converted = conversions(tuned.policy_class, tuned.recommended, tuned.list_unconverted_settings())
    return Findings(
        study=study,
        words=words,
        curve=thin(mean),
        opens_log=start is not None and tuned.interval.high - mean.low < NARROW * (mean.high - mean.low),
        matched=None if tuned.replay is None else thin(tuned.replay.matched),
        picture=lay_out_curve(tuned, study.usual_losses, words, _find_split(held_out)),
        verdict=study.verdict,
        held_out=() if held_out is None else held_out.rows,
        horizons=() if all_learned_together else _compare_horizons(tuned, tasks),
        learning=learning,
        rows=rows,
        reading=(*describe_reading(study.account, tuned.origin), *study.notes, *_list_notes(study)),
        rejected=() if study.account is None else tuple(list_rejected_rows(study.account)),
        n_rejected=0 if study.account is None else study.account.rows_rejected,
        libraries=tuple((each.library, each.code, each.remark) for each in converted),
    )


def _list_notes(study: Study) -> list[tuple[str, str]]:
    """Return what was left out, and which tasks are shown."""
    notes, n_shown = describe_skipped_work(study.tuned.left_out), len(study.tasks)
    if n_shown < study.tuned.n_tasks:
        size = format_count(n_shown, "task")
        notes.append(f"single tasks, their numbers of pieces and the learning curve are of {size} drawn at random")
    return [("Note", note) for note in notes]


def _find_split(held_out: HeldOutLosses | None) -> float | None:
    """Return the mean loss of an equal split of the rounds, if it is known."""
    split = None if held_out is None else held_out.others.get(EQUAL_SPLIT)
    return None if split is None else float(split.mean())


def _compare_horizons(tuned: Tuned, tasks: Sequence[Any]) -> tuple[AtHorizon, ...]:
    """Return what is learned from runs of other lengths; contextual tasks and few configurations have no others."""
    if tuned.policy_class.contextual or tuned.policy_class.usual_rounds is not None or tuned.curve.n_pieces == 1:
        return ()
    low, high = tuned.searched
    return compare_horizons(replace(tuned.search, low=low, high=high, extend=True), tasks)


def list_tasks(
    curves: CurveSet, tasks: Sequence[Any], learned: float, usual: Mapping[float, NDArray[np.float64]]
) -> tuple[TaskRow, ...]:
    """Return a row for each task, or for an evenly spaced thousand of more."""
    chosen = np.arange(len(tasks))
    if len(tasks) > MOST_ROWS:
        chosen = np.linspace(0, len(tasks) - 1, MOST_ROWS).round().astype(np.int64)
    losses, n_pieces = curves.at(learned), curves.n_pieces
    least = np.minimum.reduceat(curves.values, curves.starts[:-1])
    default = next(iter(usual.values()), None)
    return tuple(
        TaskRow(
            name=f"task {k + 1:,}" if task.name is None else task.name,
            n_arms=task.n_arms,
            n_rewards=task.n_rewards,
            learned=float(losses[k]),
            default=None if default is None else float(default[k]),
            least=float(least[k]),
            n_pieces=int(n_pieces[k]),
        )
        for k, task in ((k, tasks[k]) for k in chosen.tolist())
    )


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many tasks have low[k] to high[k] pieces."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    count: tuple[int, ...]


def count_pieces(n_pieces: NDArray[np.int64]) -> Histogram:
    """Return the numbers of pieces in at most 40 equally wide bars.

    >>> count_pieces(np.array([1, 2, 2, 4]))
    Histogram(low=(1, 2, 3, 4), high=(1, 2, 3, 4), count=(1, 2, 0, 1))
    """
    least, most = int(n_pieces.min()), int(n_pieces.max())
    width = -(-(most - least + 1) // MOST_BARS)
    low = range(least, most + 1, width)
    count = np.bincount((n_pieces - least) // width, minlength=len(low))
    return Histogram(tuple(low), tuple(k + width - 1 for k in low), tuple(count.tolist()))
