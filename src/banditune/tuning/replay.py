"""What the replay of logs can be trusted with: how many events matched, and how sure the estimate is.

A log tells only what the chosen arms gave. A policy is replayed on it: an event counts if the policy chooses what was
chosen, and is passed over if not. Where choices were made uniformly at random, the mean reward of the events that count
is an unbiased estimate of what the policy would have received (Li et al., 2011).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.curves.step_function import Interval, StepFunction
from banditune.evaluation.intervals import percentile_interval, resamples
from banditune.policies.sweep_results import Swept
from banditune.rng import generator
from banditune.tasks.scan import FEW, TaskScan
from banditune.tuning.results.details import Detail
from banditune.tuning.search import Search
from banditune.validation import format_count

TOO_FEW = 100  # events: of their mean reward, the standard error is still a tenth of the rewards' spread
LITTLE = 0.1  # of the events, after thinning: where less is left, a warning says so
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Replay(Detail):
    """How a policy fared on logs, of all of them together."""

    key = "replay"

    events: int  # replayed: what thinning left, and of each log no more than the horizon
    matched: StepFunction  # how many of them counted, for every value of the parameter
    n_matched: int  # at the learned value
    interval: Interval  # of the loss at the learned value, 95%, by the bootstrap
    warnings: tuple[str, ...]  # what speaks against trusting it

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, without the curve of events that counted."""
        known = {"events": self.events, "matched": self.n_matched, "interval": list(self.interval)}
        return known | {"warnings": list(self.warnings)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Make it from what `to_json` returned, and the curve of events that counted as `curve`."""
        warnings = tuple(str(warning) for warning in saved["warnings"])
        n_matched, interval = int(saved["matched"]), Interval(*saved["interval"])
        return cls(int(saved["events"]), saved["curve"], n_matched, interval, warnings)


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ReplayCurve(StepFunction):
    """The loss of a policy replayed on a log, with the number of events that matched: `matched(x)`."""

    matched: StepFunction


def describe_replay(search: Search, swept: Swept, best: float, noted: TaskScan) -> Replay | None:
    """Describe what was seen in replaying logs, of which the first few are noted; None if the tasks were no logs."""
    if swept.matched is None or swept.events is None:
        return None
    (losses,), (matched,) = swept.losses, swept.matched
    total = _total(matched)
    return Replay(
        events=int(swept.events.sum()),
        matched=total,
        n_matched=int(total(best)),
        interval=_bootstrap(search, losses, best, noted),
        warnings=tuple(_doubts(search, matched, total, best, noted)),
    )


def _total(matched: CurveSet) -> StepFunction:
    mean = matched.mean()
    return StepFunction(mean.edges, np.rint(mean.values * len(matched)))


def _bootstrap(search: Search, losses: CurveSet, best: float, noted: TaskScan) -> Interval:
    """Return an interval of the mean loss over other logs; where logs are few, over other events of these."""
    rng = generator(search.seed, "bootstrap")
    if len(losses) >= FEW:  # the logs themselves tell how much they vary
        means = _resample_means(losses.at(best), rng)
    else:
        runs = [search.run_at(log, best) for log in noted.first]
        each = [-_resample_means(run.rewards, rng) if run.rewards.size else run.loss for run in runs]
        means = np.mean(np.broadcast_arrays(*each, np.zeros(RESAMPLES))[:-1], axis=0)
    return percentile_interval(means)


def _resample_means(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the means of as many values drawn with replacement, RESAMPLES times."""
    return np.array([values[drawn].mean() for drawn in resamples(rng, values.size, RESAMPLES)])


def _doubts(search: Search, matched: CurveSet, total: StepFunction, best: float, noted: TaskScan) -> Iterator[str]:
    name = search.parameter
    n_matched = int(total(best))
    if n_matched < TOO_FEW:
        yield (
            f"only {format_count(n_matched, 'event')} matched at {name} = {best:.4g}: too few for a reliable "
            f"estimate; at least {TOO_FEW} are needed"
        )
    few = np.flatnonzero(total.values < TOO_FEW)
    if few.size and n_matched >= TOO_FEW:
        low, high = total.edges[few[0]], total.edges[few[-1] + 1]
        yield (
            f"fewer than {TOO_FEW} events matched at some {name} from {low:.4g} to {high:.4g}: the estimate is "
            "unreliable there"
        )
    unmatched = int((matched.at(best) == 0.0).sum())
    if unmatched:
        yield (
            f"no event of {format_count(unmatched, 'log')} matched at {name} = {best:.4g}: the worst reward of each "
            "is taken as its mean"
        )
    if noted.thinned < LITTLE * noted.logged:
        yield (
            f"of {format_count(noted.logged, 'event')}, about {noted.thinned:,.0f} remain after rejection sampling "
            f"by the propensities, because the smallest of them is {noted.least_propensity:.2g}: leave out choices "
            "that were hardly ever made"
        )
    if not noted.look_uniform():
        label, low, high = noted.least_even
        yield (
            f"the choices do not look uniformly random, as replay assumes: in {label}, an arm was chosen in {low:.1%} "
            f"of the events, another in {high:.1%}. Give the propensities if they are known"
        )
