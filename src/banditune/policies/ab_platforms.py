"""What can be set of the bandits that A/B platforms run, and what is hard-coded: no policy of ours runs on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banditune.policies.exports import Export

if TYPE_CHECKING:
    from banditune.policies.base import Policy


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: what its bandits do, what can be set, and what is hard-coded, a line each."""

    title: str
    runs: str
    settable: tuple[str, ...]
    fixed: tuple[str, ...]

    def explain(self, policy: "type[Policy[Any]]", params: Mapping[str, Any]) -> tuple[str, str]:
        """Say what to do with a learned policy that the platform does not run: a remark, and lines of comments."""
        learned = ", ".join(f"{name} = {value:.6g}" for name, value in params.items() if _is_number(value))
        remark = (
            f"{self.title} does not run {policy.__name__}{f' ({learned})' if learned else ''}: it runs {self.runs}, "
            "and how much that explores cannot be set."
        )
        lines = ["What can be set:", *(f"- {each}" for each in self.settable)]
        lines += ["What is hard-coded:", *(f"- {each}" for each in self.fixed)]
        lines += [
            "To use what was learned all the same, decide in a service of your own (tuned.deploy(...)),",
            f"and let {self.title} record what was shown; then its exports are the next log.",
        ]
        return remark, "".join(f"# {line}\n" for line in lines)


PLATFORMS = {
    "growthbook": Platform(
        "GrowthBook",
        "Thompson sampling from normal posteriors, in batches",
        (
            "the exploratory stage, in which traffic is split equally; its length is what ExploreThenCommit learns",
            "the update cadence: tune with the number of users between two updates as the batch",
            "the decision metric (docs.growthbook.io/bandits/config)",
        ),
        (
            "min_variation_weight = 0.01: each variation keeps 1% of the traffic",
            "100 users for each variation before weights change",
            "both in gbstats, packages/stats/gbstats/bayesian/bandits.py, which a self-hosted copy can change",
        ),
    ),
    "statsig": Platform(
        "Statsig Autotune",
        "Thompson sampling on successes and failures, updated every hour (as BetaThompson with stretch = 1)",
        (
            "explorationWindow, in which traffic is split equally; its length is what ExploreThenCommit learns",
            "attributionWindow: rewards that come later do not count",
            "winnerThreshold: the probability of being best at which all traffic goes to a variant",
            "longtermExplorationAllocation: the share that is split equally for good (docs.statsig.com/autotune/setup)",
        ),
        ("the posteriors and the hourly update",),
    ),
    "optimizely": Platform(
        "Optimizely",
        "its own multi-armed bandit optimisation",
        ("the primary metric, the variations, and the share of traffic that takes part",),
        ("all of the exploration: its documentation names no setting of it",),
    ),
}


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def split_equally(stage: str, after: str) -> Export:
    """Write how long traffic is split equally on a platform, from the pulls of each arm before the best is chosen."""
    return Export(
        lambda pulls: {"pulls": pulls},
        f"""\
variations, users_per_hour = 3, 500  # yours
hours = {{pulls!r}} * variations / users_per_hour
print(f"{stage}: {{{{hours:.1f}}}} hours")
""",
        f"The same equal split at the start, until each variation has had that many users ({stage}). After it, {after}",
    )
