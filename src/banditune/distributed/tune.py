"""Tuning on partitions by a Dask cluster: workers read, sweep and add up; the driver holds sums, and no tasks."""

import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from banditune.checkpoints.folder import Checkpoint
from banditune.curves.exact_sum import CurveSum, Floats, choose_scale, next_place, next_places
from banditune.curves.step_function import Interval
from banditune.distributed.cluster import check_workers
from banditune.distributed.cross_validation import TaskOrder, cross_validate_partitions
from banditune.distributed.files import TOKEN, describe_partitions, list_partitions
from banditune.distributed.partition import FILES, Job, list_facts, sum_second
from banditune.distributed.partition_sums import FirstSums, Known, SecondSums
from banditune.distributed.prescan import Progress, prescan_partitions
from banditune.distributed.retries import Attempts
from banditune.distributed.sweep import Sweep, check_agreement
from banditune.errors import ParameterError
from banditune.evaluation.folds import N_FOLDS
from banditune.kernels.numerics.step_sums import find_span_within_one_se
from banditune.logs.account import Account
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.policies.base import Policy
from banditune.policies.losses import Loss
from banditune.policies.settings import list_defaults
from banditune.tasks.task import ZERO_ONE
from banditune.tuning.draw_count import share_of_draws
from banditune.tuning.held_out_baselines import Baselines, Current
from banditune.tuning.question import Question, shorten
from banditune.tuning.results.details import Merged, Source
from banditune.tuning.results.study_result import Study
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Draws, Search
from banditune.validation import format_names, whole_number

ROUNDED_UP = 1.0 + 1e-9


def find_best(search: Search, losses: CurveSum) -> float:
    """Return the value that loses least: inside the best piece, of merged breakpoints where that is exact."""
    low, high = losses.mean().argmin()
    if losses.level == 0:
        return search.free_parameter.inside(low, high)
    exact_from = next_place(low, losses.level)
    return search.free_parameter.inside(exact_from, high) if exact_from < high else math.nextafter(high, low)


def make_result(search: Search, first: FirstSums, second: SecondSums, facts: Floats, source: Source) -> Tuned:
    """Return what the search finds: the same, to the last bit, as if it had all the curves.

    facts (3, tasks) are those of `list_facts`, in the order of the whole log.
    """
    at_best, variances, pieces = facts
    mean = first.losses.mean()
    best = find_best(search, first.losses)
    low, high = _find_within_one_se(first, second)
    count = first.losses.count
    loss = mean(best) if second.rises is None else float(second.at_best.totals()[0]) / count
    return Tuned.of(
        search,
        mean,
        best,
        loss=loss,
        within_one_se=Interval(min(low, best), max(high, best)),
        n_tasks=count,
        complexity=float(pieces.mean()),
        draw_error=share_of_draws(search.draws, at_best, variances),
        histories=None if first.histories is None else first.histories / count,
        source=source,
        details=[_describe_merging(first, second, loss)],
    )


def _find_within_one_se(first: FirstSums, second: SecondSums) -> tuple[float, float]:
    """Return the interval from the first to the last value that may be as good as the best.

    In a cell of merged breakpoints, that is judged by the lowest sum of differences there can be, which is that at the
    right end less all rises, and by the largest of squares, which is that at the left end and all rises.
    """
    differences = first.losses - second.at_best
    edges, totals, squares = differences.edges(), differences.totals(), second.squares.totals()
    if second.rises is not None and second.square_rises is not None:
        ends = np.minimum(next_places(differences.places, first.losses.level), differences.high)
        lowest = totals[1:] - ROUNDED_UP * second.rises.jumps()
        largest = squares[:-1] + ROUNDED_UP * second.square_rises.jumps()
        edges = _alternate(edges[0], differences.places, ends)
        totals, squares = _alternate(totals[0], lowest, totals[1:]), _alternate(squares[0], largest, squares[1:])
    return find_span_within_one_se(edges, totals, squares, choose_scale(first.largest), differences.high)


def _alternate(first: float, within: Floats, after: Floats) -> Floats:
    """Return what is so at first, then for each cell what is within it and what is after it."""
    return np.append(first, np.column_stack((within, after)))


def _describe_merging(first: FirstSums, second: SecondSums, loss: float) -> Merged | None:
    """Return what merging breakpoints can have changed; None if none were merged.

    In a cell of merged breakpoints the curve is exact at the right end. From there to the left it can be lower by no
    more than the tasks' curves rise in the cell together, and higher by no more than they fall.
    """
    if second.rises is None:
        return None
    count = first.losses.count
    at_ends, rises = first.losses.totals()[1:] / count, second.rises.jumps() / count
    falls = rises - first.losses.jumps() / count
    least = min(float(first.losses.totals()[0]) / count, float((at_ends - rises).min(initial=np.inf)))
    return Merged(
        resolution=2.0 ** (first.losses.level - 52),
        breakpoints=int(first.losses.places.size),
        error=ROUNDED_UP * float(np.maximum(rises, falls).max(initial=0.0)),
        excess=ROUNDED_UP * max(0.0, loss - least),
    )


MOST_BREAKPOINTS = 2_000_000


def can_be_partitioned(question: Question) -> bool:
    """Tell whether workers can sweep each file by itself: one parameter is searched, and nothing needs all tasks."""
    policy, fixed = question.policy, {**list_defaults(question.policy), **question.parameters}
    del fixed[question.parameter]
    known = [(policy.parameters[name], value) for name, value in fixed.items()]
    alone = not any(setting.are_several(value) or setting.needs_tasks(value) for setting, value in known)
    return policy.needs == ("n_arms",) and question.is_single and alone and question.loss.tail is None


def tune_partitions(
    client: Any,
    policy: type[Policy[Any]],
    sources: Any,
    *,
    how: How | None = None,
    horizon: int | None = None,
    current: Mapping[str, object] | None = None,
    loss: Loss | str = "regret",
    seed: int = 0,
    folds: int = N_FOLDS,
    draws: int | None = None,
    breakpoints: int = MOST_BREAKPOINTS,
    resume: str | os.PathLike[str] | None = None,
    skip_broken: bool = False,
    memory: str | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Study:
    """Tune on a log in partitions, by the workers of a Dask client: the bits of `bt.study` on the whole log.

    `sources` are a path, a pattern, a folder as `bt.read_log` takes them, an address in a store of files, or several of
    these; each file is a partition. All rows of a task must be in one: that is checked. `how` says how to read them.
    One parameter of a policy of rewards such as `bt.UCB` is searched, over a range given as in `bt.tune`; where it or
    the horizon is not given, partitions are read once more to choose. `current` is what is used today, as in
    `bt.study`. Where `draws` is not given, what is not recorded of a task is drawn once: a pilot would have to run
    tasks here, and one of them might end this process. With fewer than two `folds` there is no cross-validation, and
    the least itself is recommended.

    The mean curve has at most so many `breakpoints`; beyond that they are merged, and `tuned.merged` says what that can
    have changed. Finished partitions are kept in the folder `resume`, which all workers must see. With skip_broken,
    what cannot be worked on is left out, and named in `tuned.left_out`. Of more than a thousand tasks, `curves` and
    `tasks` of the study are a sample.
    """
    started = time.perf_counter()
    breakpoints = whole_number("breakpoints", breakpoints, least=1_000)
    question = Question.of(policy, parameters, horizon=horizon, loss=loss, seed=seed, extend=True, draws=draws)
    if not can_be_partitioned(question):
        raise ParameterError(
            "partitions are for a search of one parameter of a policy that needs nothing but its arms, as bt.UCB; for "
            f"{format_names([policy.name, *parameters])}, bt.study(..., executor=client.get_executor())"
        )
    n_folds, search = whole_number("folds", folds, least=1), _settle(question, 1, 0.0)
    reading = How.parse(Columns(), None) if how is None else how
    partitions, unreadable = list_partitions(sources, None if resume is None else Path(resume))
    asked = {question.parameter: None, **question.describe()}
    asked |= {**_describe_reading(reading), "partitions": describe_partitions(partitions)}
    with nullcontext() if resume is None else Checkpoint(resume, asked) as checkpoint:
        holds = f"{FILES}|{re.escape(TOKEN)}"
        folder = None if checkpoint is None else checkpoint.folder("partitions", holds).absolute()
        check_workers(client, folder)
        attempts = Attempts(client, skip_broken, keep_going=folder is not None)
        baselines = Baselines(None if current is None else Current.of(question, current))
        how_to = reading, search, memory, folder, skip_broken, baselines
        jobs = [Job(partition, *how_to) for partition in partitions]
        if horizon is None or not question.has_range:
            looked = prescan_partitions(attempts, jobs, checkpoint, progress)
            search = _settle(question, shorten(policy, looked.median_rounds()), looked.spread)
            jobs = [replace(job, search=search) for job in jobs if job.partition.path not in attempts.failed]
        tell = progress or (lambda what, done, total: None)
        found = _learn(Sweep(attempts, breakpoints), jobs, n_folds, unreadable, tell)
    return replace(found, chose_range=question.fits_range, seconds=time.perf_counter() - started)


def _settle(question: Question, horizon: int, spread: float) -> Search:
    """Return the search, with this horizon and a range for such a spread where none is given."""
    rounds = horizon if question.horizon is None else question.horizon
    limits = question.policy.range_for(question.parameter, spread)
    adapted = question.policy.adapt_range(limits, question.parameters, rounds)
    given = {question.parameter: adapted, **question.parameters}
    (search,) = replace(question, horizon=rounds, parameters=given).searches()
    return replace(search, draws=Draws(question.draws or 1))


def _learn(sweep: Sweep, jobs: Sequence[Job], n_folds: int, unreadable: tuple[str, ...], progress: Progress) -> Study:
    """Return what the sweep of partitions finds: the sums, the best value, the sums that need it, and the folds."""
    search, n_partitions = jobs[0].search, len(jobs) + len(sweep.attempts.failed)

    def tell(n_done: int, n_tasks: int) -> None:
        progress(f"Sweeping partitions, {n_tasks:,} tasks done", n_done, n_partitions)

    tell(0, 0)
    first = check_agreement(sweep, jobs, sweep.run(jobs, tell))
    order = TaskOrder.of(sweep)
    best, known = find_best(search, first.losses), Known(first.losses.level, first.largest)
    progress("Comparing with the best value", n_partitions, n_partitions)
    second = sweep.add_up(SecondSums.merge, lambda path: sweep.submit(path, sum_second, best, known))
    summaries = sweep.summarize(jobs)
    account = replace(Account.add([each.account for each in summaries]), left_out=unreadable)
    left_out = (*(task for each in summaries for task in each.left_out), *sweep.attempts.failed.values())
    how, form = jobs[0].how, next(each.form for each in summaries if each.n_tasks)
    origin = {"form": form, "columns": how.columns.name_used_columns(form), **account.to_json()}
    limits = ZERO_ONE if form == "totals" else None if how.limits is None else Interval(*how.limits)
    facts = order.arrange(sweep.collect(lambda path: sweep.submit(path, list_facts, best)))
    tuned = make_result(search, first, second, facts, Source(origin, limits, left_out))
    losses = order.arrange(sweep.collect(lambda path: sweep.submit(path, attrgetter("baselines"))))
    baselines = dict(zip(jobs[0].list_baselines(), losses, strict=True))
    current, n_validated = jobs[0].baselines.name_current(search), partial(progress, "Cross-validating")
    held_out = cross_validate_partitions(sweep, order, first.losses, baselines, current, search, n_folds, n_validated)
    if held_out is not None:
        tuned = tuned.smooth()
    sample, places = order.arrange_sample(first.sample)
    known_usual = {value: each[places] for value, each in baselines.items() if not isinstance(value, str)}
    return Study(
        tuned, sample.curves, sample.tasks, held_out, known_usual, chose_range=False, seconds=0.0, account=account
    )


def _describe_reading(how: How) -> dict[str, Any]:
    """Return how partitions are read, in plain data by the names of what a person gives."""
    read = {"delimiter": how.delimiter, "reward_range": how.limits, "strict": how.strict}
    chosen = {"format": how.format, "only": dict(how.only)} if how.format or how.only else {}
    return asdict(how.columns) | read | chosen
