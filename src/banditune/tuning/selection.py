"""What searches find in the curves of past tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from banditune.policies.sweeps import Swept
from banditune.tasks.scan import TaskScan
from banditune.tuning.proof import proof_of
from banditune.tuning.replay import replay
from banditune.tuning.result import Compared, Tuned
from banditune.tuning.search import Search


def choose_best(
    searches: Sequence[Search],
    swept: Sequence[Swept],
    noted: TaskScan,
    *,
    origin: Mapping[str, object] | None = None,
) -> Tuned:
    """What the best of some searches finds in the curves of its tasks, which may come from a log."""
    found = [_learn(search, each) for search, each in zip(searches, swept, strict=True)]
    k = min(range(len(found)), key=lambda k: found[k].loss)  # of several, the first
    return replace(
        found[k],
        origin=origin,
        reward_limits=noted.reward_limits,
        compared=tuple(Compared(tuned.params, tuned.loss) for tuned in found) if len(found) > 1 else (),
        replay=replay(searches[k], swept[k], found[k].params[found[k].parameter], noted),
    )


def _learn(search: Search, swept: Swept) -> Tuned:
    """What one search finds in its curves."""
    (curves,) = swept.losses
    mean = curves.mean()
    interval = mean.argmin()
    best = search.searched.inside(*interval)
    return Tuned(
        policy_class=search.policy,
        params={search.parameter: search.searched.as_run(best), **search.policy.list_fixed(search.fixed)},
        interval=interval,
        within_one_se=curves.find_within_one_se(best),
        curve=mean,
        loss=mean(best),
        loss_name=search.loss,
        parameter=search.parameter,
        n_tasks=len(curves),
        horizon=search.horizons[-1],
        complexity=float(curves.n_pieces.mean()),
        histories=None if swept.histories is None else float(swept.histories.mean()),
        seed=search.seed,
        proof=proof_of(swept),
        curves=None if search.knows_tasks else curves,
    )
