"""What searches find in the curves of past tasks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from banditune.policies.sweep_results import Swept
from banditune.tasks.scan import TaskScan
from banditune.tuning.draw_count import share_of_draws
from banditune.tuning.replay import describe_replay
from banditune.tuning.results.details import Compared, Racing, Source, read_proof
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Search


def choose_best(
    searches: Sequence[Search],
    swept: Sequence[Swept],
    noted: TaskScan,
    *,
    origin: Mapping[str, object] | None = None,
    racing: Racing | None = None,
    value: float | None = None,
) -> Tuned:
    """Return what the best of some searches finds in the curves of its tasks, which may come from a log, and be raced.

    `value` is what is learned, where that is not the middle of the least piece.
    """
    found = [_learn(search, each, value) for search, each in zip(searches, swept, strict=True)]
    k = min(range(len(found)), key=lambda k: found[k].loss)  # of several, the first
    best = replace(
        found[k],
        source=Source(origin, noted.reward_limits),
        compared=tuple(Compared(tuned.params, tuned.loss) for tuned in found) if len(found) > 1 else (),
    )
    if racing is not None:  # where a range depends on all tasks, no curve is of one task alone
        best = replace(best, complexity=racing.complexity, curves=None).add(racing)
    return best.add(describe_replay(searches[k], swept[k], best.params[best.parameter], noted))


def _learn(search: Search, swept: Swept, value: float | None) -> Tuned:
    """Return what one search finds in its curves."""
    curves = search.loss.gather(swept.losses[0])
    mean, has_tail = curves.mean(), search.loss.tail is not None
    best = search.free_parameter.inside(*mean.argmin())
    return Tuned.of(
        search,
        mean,
        best if value is None else value,
        within_one_se=curves.find_within_one_se(best),
        n_tasks=len(curves),
        complexity=float(swept.count_pieces().mean()),
        histories=None if swept.histories is None else float(swept.histories.mean()),
        draw_error=math.nan if has_tail else share_of_draws(search.draws, curves.at(best), swept.variances),
        details=[read_proof(swept)],
        curves=None if search.knows_tasks else curves,
    )
