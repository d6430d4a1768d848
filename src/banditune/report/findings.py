"""Everything the page shows, computed before any of it is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from banditune.curves.step_function import Interval, StepFunction
from banditune.curves.thinning import Line, thin_curve
from banditune.evaluation.cross_validation import HeldOutLosses, HeldOutRow
from banditune.evaluation.guarantees import Guarantees
from banditune.evaluation.horizons import AtHorizon, compare_horizons
from banditune.evaluation.intervals import Estimate
from banditune.evaluation.learning_curve import LearningCurve, measure_learning_curve
from banditune.evaluation.verdict import Verdict
from banditune.policies.exports import conversions
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.policies.given_settings import find_parameter
from banditune.policies.losses import Loss
from banditune.report.curve_figure import CurvePicture, choose_left_end, lay_out_curve
from banditune.report.log_account import describe_reading, list_rejected_rows
from banditune.report.task_table import Histogram, TaskRow, count_pieces, list_tasks
from banditune.report.wording import (
    Words,
    choose_words,
    describe_draws,
    describe_horizon,
    describe_racing,
    describe_rollout,
    describe_settings,
    describe_skipped_work,
    is_at_an_end,
)
from banditune.tasks.costs import describe_costs
from banditune.tasks.units import Units
from banditune.tuning.equal_split import EQUAL_SPLIT
from banditune.tuning.families import Families
from banditune.tuning.priors.fitted_prior import FittedPrior
from banditune.tuning.priors.line_search import PriorFindings
from banditune.tuning.results.details import Merged, Proof
from banditune.tuning.results.study_result import Study, describe_unseen
from banditune.tuning.results.tuned import Tuned
from banditune.validation import format_count

NARROW = 0.05  # where the best piece ends within this share of the range, only a logarithmic axis shows it


@dataclass(frozen=True, slots=True)
class HeldOutTable:
    """The learned value's mean loss on held-out tasks, and what baselines lose there."""

    n_folds: int
    rows: tuple[HeldOutRow, ...]  # the first is what was learned

    @property
    def learned(self) -> Estimate:
        """What the learned value loses."""
        return self.rows[0].loss

    @property
    def against(self) -> tuple[HeldOutRow, ...]:
        """The baselines."""
        return self.rows[1:]


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """How the replay of logs went."""

    events: int
    matched: int  # with the learned value
    interval: Interval  # of the loss with it
    warnings: tuple[str, ...]
    linear: Line  # the events that matched, for every value
    log: Line | None


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found in past tasks. Losses are losses throughout: "reward" is minus the reward."""

    policy: str
    made_for: str  # how a policy for a task like the first is asked for
    contextual: bool  # whether choices are made by contexts
    parameter: str
    objective: Loss  # what is kept low
    costs: str  # of arms, which rewards are net of; empty if there are none
    rollout: tuple[tuple[str, str], ...]  # what the test costs and the roll-out earns: label, text
    horizon: int
    n_tasks: int
    seed: int
    seconds: float

    units: Units  # of rewards and rounds
    length: str  # of a run, and where it comes from
    draws: str  # how often what is not recorded was drawn; empty if nothing was
    settings: str  # the parameters that were not searched
    compared: tuple[tuple[str, float, float], ...]  # settings, value and loss of each combination that was tried
    replay: Replayed | None  # None if the tasks were no logs
    priors: PriorFindings | None  # None if no priors were searched for
    fitted: FittedPrior | None  # None if no Gaussian prior was fitted
    prior: GaussianPrior | None  # as it was fitted
    proof: Proof | None  # None if choices need no proof
    steps: tuple[tuple[str, float], ...]  # settings and loss of each search, where several parameters were searched
    learned: float
    is_smoothed: bool  # whether it is the least on average over a neighbourhood, or the least itself
    loss: float  # the mean loss with the learned value
    interval: Interval
    within_one_se: Interval
    searched: Interval
    charted: Interval  # what the curve is of: all that was searched, or where tasks were raced a part of it
    raced: str  # how the range was narrowed; empty if it was not
    chose_range: bool
    at_an_end: bool
    n_pieces: int  # of the mean curve
    mean_pieces: float  # of a task; where runs are drawn, of each of them
    n_draws: int  # of each task

    merged: Merged | None  # None if the curve is exact
    sampled: bool  # whether the single tasks are a random sample

    linear: Line
    log: Line | None  # None where the range holds nothing above 0
    opens_log: bool  # the scale the page opens with
    usual: Mapping[float, float]  # usual values, and their mean losses

    verdict: Verdict
    unseen: str  # that no reward becomes known in time, where that is so
    picture: CurvePicture
    horizons: tuple[AtHorizon, ...]  # what is learned from shorter and longer runs; empty where that is not measured
    held_out: HeldOutTable | None  # None if there is only one task
    families: Families | None  # None if a single policy was tuned
    promises: Guarantees | None  # None if they were not asked for
    learning: LearningCurve | None  # None if there are too few tasks
    pieces: Histogram
    rows: tuple[TaskRow, ...]

    reading: tuple[tuple[str, str], ...]  # label, text
    rejected: tuple[tuple[str, str, str, str], ...]  # file, line, reason, value: the first of them
    n_rejected: int
    libraries: tuple[tuple[str, str, str], ...]  # library, code, remark

    @property
    def words(self) -> Words:
        """How its losses are spoken of."""
        nearly = self.learned not in self.interval
        return Words(self.objective, replayed=self.replay is not None, units=self.units, nearly=nearly)


def gather_findings(study: Study, progress: Callable[[float], None] | None = None) -> Findings:
    """Return what the page shows of a study; `progress` is called with the share done.

    Of its tasks no more than a thousand are looked at. The first usual value is the default that the task table
    compares with.
    """
    tuned, curves, tasks, held_out = study.tuned, study.curves, study.tasks, study.held_out
    best, mean = tuned.recommended[tuned.parameter], tuned.curve
    start = choose_left_end(mean, best, tuned.within_one_se) if mean.high > 0.0 else None

    def thin_on_log(curve: StepFunction) -> Line | None:
        return None if start is None else thin_curve(curve, start, log=True, keep=best)

    replayed = None
    if tuned.replay is not None:
        matched = tuned.replay.matched
        replayed = Replayed(
            events=tuned.replay.events,
            matched=int(matched(best)),
            interval=tuned.replay.interval,
            warnings=tuned.replay.warnings,
            linear=thin_curve(matched, matched.low, log=False, keep=best),
            log=thin_on_log(matched),
        )
    words = choose_words(tuned, study.units)
    rows = list_tasks(curves, tasks, best, study.usual)
    searched = find_parameter(tuned.policy_class, tuned.parameter)
    # so that no curve is of a held-out task
    all_learned_together = tuned.priors is not None or bool(tuned.steps) or tuned.racing is not None
    draws = None if tuned.smoothed is None else tuned.draws
    converted = conversions(tuned.policy_class, tuned.recommended, tuned.list_unconverted_settings())
    return Findings(
        policy=tuned.policy_class.__name__,
        made_for=_describe_new_task(tuned, rows[0].n_arms, tasks),
        contextual=tuned.policy_class.contextual,
        parameter=tuned.parameter,
        objective=tuned.search.loss,
        costs="" if tuned.source.costs is None else describe_costs(tuned.source.costs),
        rollout=tuple(describe_rollout(study.rollout, words)),
        horizon=tuned.horizon,
        n_tasks=tuned.n_tasks,
        seed=tuned.seed,
        seconds=study.seconds,
        units=words.units,
        length=describe_horizon(tuned, words, chosen=study.chose_horizon),
        draws=describe_draws(tuned),
        settings=describe_settings(tuned.policy_class, tuned.params, tuned.parameter),
        compared=tuple(
            (
                describe_settings(tuned.policy_class, each.params, tuned.parameter),
                each.params[tuned.parameter],
                each.loss,
            )
            for each in tuned.compared
        ),
        replay=replayed,
        priors=tuned.find(PriorFindings),
        fitted=tuned.find(FittedPrior),
        prior=None if tuned.find(FittedPrior) is None else tuned.params["prior"],
        proof=tuned.proof,
        steps=tuple((describe_settings(tuned.policy_class, each.params, ""), each.loss) for each in tuned.steps),
        learned=best,
        is_smoothed=tuned.smoothed is not None,
        loss=tuned.loss if tuned.smoothed is None else mean(tuned.smoothed),
        interval=tuned.interval,
        within_one_se=tuned.within_one_se,
        searched=tuned.searched,
        charted=Interval(mean.low, mean.high),
        raced=describe_racing(tuned),
        chose_range=study.chose_range,
        at_an_end=is_at_an_end(tuned),
        n_pieces=mean.n_pieces,
        mean_pieces=tuned.complexity,
        n_draws=tuned.draws,
        merged=tuned.merged,
        sampled=len(curves) < tuned.n_tasks,
        linear=thin_curve(mean, mean.low, log=False, keep=best),
        log=thin_on_log(mean),
        opens_log=start is not None and tuned.interval.high - mean.low < NARROW * (mean.high - mean.low),
        usual=study.usual_losses,
        picture=lay_out_curve(tuned, study.usual_losses, words, _find_split(held_out)),
        horizons=() if all_learned_together else _compare_horizons(tuned, tasks),
        verdict=study.verdict,
        unseen=describe_unseen(tuned),
        held_out=None if held_out is None else HeldOutTable(held_out.n_folds, held_out.rows),
        families=study.families,
        promises=study.guarantees,
        learning=None
        if all_learned_together or tuned.search.loss.tail is not None
        else measure_learning_curve(curves, searched, tuned.seed, progress, draws=draws),
        pieces=count_pieces(curves.n_pieces),
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


def _describe_new_task(tuned: Tuned, n_arms: int, tasks: Sequence[Any]) -> str:
    """Return what `policy` is called with for a new task like the first."""
    if tuned.encoding is not None:
        return "configurations=[...]"
    arguments = {"points": "points", "n_arms": n_arms, "arms": "names"} | (
        {"dim": tasks[0].dim} if tuned.policy_class.contextual else {}
    )
    return ", ".join(f"{name}={arguments[name]}" for name in tuned.policy_class.needs)
