"""Which policy? Every family is tuned and held out on the same tasks and folds; the simplest of those that lose least.

A family is a policy with one parameter to learn, and settings that are as they are. The best of many on the same tasks
looks better than it is: so the intervals of the differences from it are corrected for the number of families
(Bonferroni). Those that follow it, up to the first that is clearly worse than any before, are level with it, and the
simplest of them is chosen: rather one that needs neither the horizon nor random numbers nor a prior than one that needs
one of these, rather one that is listed before.
"""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from banditune.curves.display import html_table
from banditune.errors import TaskError
from banditune.evaluation.intervals import COVERED, Estimate, estimate, estimate_skewed_mean, pair_to_json
from banditune.policies.base import Policy
from banditune.policies.losses import LOSSES, Loss
from banditune.policies.registry import find_tunable, find_tunable_policies
from banditune.tasks.task import Task
from banditune.tuning.question import choose_horizon
from banditune.tuning.results.study_result import Study

Progress = Callable[[str, float, int], None]  # what is being done, how much is done, and of how much
ALL: Final = "all"  # instead of a policy: every family
KEPT = 2 * 10**6  # pieces of all curves of a study: with more, it is made again if it is chosen
FIRST = "ucb"  # the policy whose family is listed first
LARGE = 2 * 10**7  # arms of all tasks times rounds times slowness: beyond, tuning takes minutes


@dataclass(frozen=True, slots=True)
class Family:
    """A policy with one parameter to learn, and its other settings."""

    name: str
    policy: type[Policy[Any]]
    settings: Mapping[str, Any]

    def within(self, folder: str | os.PathLike[str] | None) -> Path | None:
        """Return the place of its checkpoints within a folder, if there is one."""
        return None if folder is None else Path(folder) / self.name


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """How a family did on held-out tasks.

    Attributes
    ----------
    name : str
        The policy, and the settings that are not the usual ones.
    params : mapping
        What is recommended after learning from all tasks.
    learned : str
        The parameter that was learned, with its value.
    loss : Estimate
        The mean loss on held-out tasks, with its 95% interval.
    extra : Estimate
        How much more it loses than the first, paired by task; the interval is corrected for the number of families.
    is_level : bool
        Whether neither it nor any before it is clearly worse than another before.
    """

    name: str
    params: Mapping[str, Any]
    learned: str
    loss: Estimate
    extra: Estimate
    is_level: bool

    def to_json(self) -> dict[str, object]:
        """Return it as plain data; of what is recommended, text and numbers."""
        plain = {name: value for name, value in self.params.items() if isinstance(value, str | float | int)}
        return {"name": self.name, "params": plain, **pair_to_json(self.loss, self.extra), "level": self.is_level}


@dataclass(frozen=True, slots=True, repr=False)
class Families:
    """All families on the same held-out tasks.

    Attributes
    ----------
    rows : tuple of FamilyRow
        One for each, the least mean loss first.
    chosen : str
        The simplest of those that are level with the first.
    left_out : tuple of str
        Names of policies that were left out, as they would have taken minutes.
    """

    rows: tuple[FamilyRow, ...]
    chosen: str
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Which one to use, and why, as sentences."""
        left_out = f" Left out, as each takes minutes here: {', '.join(self.left_out)}." if self.left_out else ""
        return self._advise() + left_out

    def _advise(self) -> str:
        level = [row.name for row in self.rows if row.is_level]
        if len(level) > 1:
            names = f"{', '.join(level[:-1])} and {level[-1]}"
            return f"{names} show no clear difference on held-out tasks. {self.chosen} is the simplest of them to run."
        than = "" if len(self.rows) == 1 else f", and clearly less than {self.rows[1].name}, which comes next"
        return f"{self.chosen} loses least on held-out tasks{than}."

    def __repr__(self) -> str:
        return f"Families(chosen={self.chosen!r}, least={self.rows[0].name!r}, n_families={len(self.rows)})"

    def _repr_html_(self) -> str:
        return html_table("Mean loss on held-out tasks", [(row.name, f"{row.loss.mean:.4g}") for row in self.rows])


def list_families(
    tasks: Sequence[Any],
    horizon: int | None,
    shared: Mapping[str, Any] = MappingProxyType({}),
    loss: Loss = LOSSES["regret"],
) -> tuple[list[Family], list[Family]]:
    """List the families to compare on tasks of rewards, and those that are left out as they would take minutes.

    Where arms recur, a policy that fits priors to past tasks is one of them. All have the `shared` settings, and are
    tuned for the loss.
    """
    if not all(isinstance(task, Task) for task in tasks[:1]):
        raise TaskError('policy="all" compares policies that choose by rewards alone: tasks must be bt.Task')
    rounds = choose_horizon(find_tunable(FIRST), tasks) if horizon is None else horizon
    recur, work = arms_recur(tasks), rounds * sum(task.n_arms for task in tasks)
    families = [
        Family(", ".join([policy.label, *([variant] if variant else [])]), policy, {**settings, **shared})
        for policy in find_tunable_policies().values()
        if policy.runs_on_rewards() or (recur and policy.fits_prior({}) and not policy.is_randomised)
        if shared.keys() <= policy.parameters.keys() and (policy.recommends or not loss.needs_one_best_arm)
        for variant, settings in {"": {}, **policy.variants}.items()
    ]
    slow = [family for family in families if family.policy.slowness > 1.0 and family.policy.slowness * work > LARGE]
    return [family for family in families if family not in slow], slow


def name_variant(policy: type[Policy[Any]], parameters: Mapping[str, Any]) -> str:
    """Return which of its variants a policy is with these parameters; empty for the usual one."""
    fitting = (name for name, settings in policy.variants.items() if settings.items() <= parameters.items())
    return next(fitting, "")


def study_families(
    tasks: Sequence[Any],
    horizon: int | None,
    shared: Mapping[str, Any],
    loss: Loss,
    study_one: Callable[[Family, Progress], Study],
    progress: Progress | None,
) -> Study:
    """Study every family, and return the study of the chosen one."""
    if len(tasks) < 2:
        raise TaskError(f'policy="all" holds tasks out, so that it needs at least two; got {len(tasks)}')
    families, slow = list_families(tasks, horizon, shared, loss)
    found, kept, needs, bar = [], {}, {}, _Bar(families, progress)
    for family in families:
        each = study_one(family, bar.begin(family))
        assert each.held_out is not None  # as there are two tasks
        learned = each.tuned.parameter, each.tuned.recommended  # not the curves
        found.append((family.name, *learned, each.held_out.learned))
        needs[family.name] = count_needs(family.policy, each.tuned.recommended)
        if each.curves.values.size <= KEPT:
            kept[family.name] = each
    rows = compare_held_out(found)
    level = {row.name for row in rows if row.is_level}
    chosen = min((family for family in families if family.name in level), key=lambda family: needs[family.name])
    compared = Families(rows, chosen.name, tuple(family.policy.name for family in slow))
    again = kept[chosen.name] if chosen.name in kept else study_one(chosen, bar.begin(chosen))
    return replace(again, families=compared)


class _Bar:
    """One progress bar for all families: each takes as much of it as it takes of the time, about."""

    def __init__(self, families: Sequence[Family], progress: Progress | None) -> None:
        self._progress, self._n_families = progress, len(families)
        self._all = sum(family.policy.slowness for family in families)
        self._done = self._begun = 0.0  # in slowness

    def begin(self, family: Family) -> Progress:
        """Return what is called with what is being done with the next family, how much is done, and of how much."""
        before, share = self._begun, family.policy.slowness
        self._begun += share
        self._all = max(self._all, self._begun)  # the chosen one may be studied again

        def tell(what: str, done: float, total: int) -> None:
            here = before + share * min(1.0, done / max(total, 1))
            self._done = max(self._done, here)  # stages begin anew, it does not
            if self._progress is not None:
                self._progress("Tuning every policy", self._n_families * self._done / self._all, self._n_families)

        return tell


def compare_held_out(found: Sequence[tuple[str, str, Mapping[str, Any], NDArray[np.float64]]]) -> tuple[FamilyRow, ...]:
    """Compare families by their losses (tasks,) when held out; each has a name, a parameter and what was learned."""
    found = sorted(found, key=lambda each: float(each[3].mean()))
    beside = hold_against_first([losses for *_, losses in found])
    return tuple(
        FamilyRow(name, params, f"{parameter} = {params[parameter]:.4g}", estimate(losses), extra, is_level)
        for (name, parameter, params, losses), (extra, is_level) in zip(found, beside, strict=True)
    )


def hold_against_first(losses: Sequence[NDArray[np.float64]]) -> list[tuple[Estimate, bool]]:
    """Say of the losses (tasks,) of each policy, the least mean first, how much more they are, and whether level.

    The intervals are corrected for the number of policies. Level are those before the first that is clearly worse than
    the first or than another before it: where the first has a few large losses, nothing is clearly worse than it alone.
    """
    covered, found = 1.0 - (1.0 - COVERED) / max(1, len(losses) - 1), []
    is_level = True
    for k, each in enumerate(losses):
        beside = [estimate_skewed_mean(each - other, covered) for other in losses[: k if is_level and k else 1]]
        is_level = is_level and all(extra.low <= 0.0 for extra in beside)
        found.append((beside[0], is_level))
    return found


def count_needs(policy: type[Policy[Any]], params: Mapping[str, Any]) -> int:
    """Count what it takes to run a policy besides rewards: the horizon, random numbers, what to expect of arms."""
    return policy.uses_horizon(params) + policy.is_randomised + policy.fits_prior({})


def arms_recur(tasks: Sequence[Task]) -> bool:
    """Tell whether arms have names, not just their places in a list, and most arms of the tasks are in most tasks.

    >>> arms_recur([Task([[1.0], [0.0]], arms=["a", "b"]), Task([[1.0], [0.0]], arms=["a", "b"])])
    True
    >>> arms_recur([Task([[1.0], [0.0]], arms=["1", "2"]), Task([[1.0], [0.0]], arms=["1", "2"])])
    False
    """
    if all(_are_places(task.arms) for task in tasks):
        return False
    seen = Counter(arm for task in tasks for arm in task.arms)
    common = sum(count for count in seen.values() if 2 * count > len(tasks))
    return all(task.given_arms is not None for task in tasks) and 2 * common > sum(seen.values())


def _are_places(arms: Sequence[Hashable]) -> bool:
    """Tell whether arms are called by whole numbers from 0 or 1 on: the first, the second, whatever they are."""
    names = {str(arm) for arm in arms}
    return any(names == {str(k + first) for k in range(len(arms))} for first in (0, 1))
