"""Rewards in batches and late: is every curve that of its runs, what does a sweep cost, and what is it worth?

python -m benchmarks.updates [--check N] [--speed] [--policy NAME ...] [--archive FILE] [--horizon T ...]
    [--batch B] [--tests N] [--draws K]

`--check` probes every policy with updates of all kinds, at, beside and between edges. `--speed` sets sweeps with
batches and delays beside those without, on headline tests. Else every family is tuned with batches of B rounds on the
first two thirds of an archive of tests, by week, and measured on the later ones, in orders drawn anew, beside Thompson
sampling from Beta(1, 1) as the book has it, and beside what is learned without batches; ratios have paired 95%
intervals. Without an archive, the tests are those of `bt.datasets.headlines`.
"""

import time
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console

import banditune as bt
from banditune.kernels.lines.batch import without_priors
from banditune.kernels.walk.walk import walk_batch
from banditune.kernels.watch import new_watch
from banditune.policies.base import Policy
from banditune.policies.losses import choose_loss
from banditune.policies.registry import find_tunable
from banditune.policies.ucb.sweep import WAITING
from banditune.tuning.families import list_families
from banditune.tuning.search import Search
from benchmarks.headlines import load_tests, make_parser
from benchmarks.policies import draw_settings, list_policies, probe
from benchmarks.rollout import describe_ratio, learn, make_search, measure

MOST_DELAYED = 2_000  # rounds that are timed with delays, which take long


def draw_updates(policy: type[Policy[Any]], random: np.random.Generator) -> dict[str, Any]:
    """Settings with rewards that become known in batches or late, and arms that are owed pulls."""
    owed: dict[str, Any] = {"burn_in": int(random.choice([0, 0, 3])), "floor": float(random.choice([0.0, 0.0, 0.02]))}
    size = int(random.choice([2, 5, 20, 100]))
    kinds = [bt.Batches(size, **owed), bt.Batches(size, whole=True, **owed), bt.Delay(size, **owed), bt.Updates(**owed)]
    return draw_settings(policy, random) | {"updates": kinds[int(random.choice(4, p=[0.5, 0.1, 0.3, 0.1]))]}


def check(n_probes: int, names: list[str], console: Console) -> None:
    """Probe all policies, or those with these names."""
    for name, policy in list_policies().items():
        if not names or name in names:
            made, wrong = probe(policy, n_probes, seed=1, draw=draw_updates)
            console.print(f"{name}: {made:,} probes, {wrong} mismatches")


def time_sweeps(horizons: list[int], repetitions: int, console: Console) -> None:
    """Sweep some tests with updates of every kind; processor time beside the same without any, medians of repetitions.

    UCB without updates is walked, whatever its kernel takes to compile: no sweep, but what takes its place where it is
    faster. So the sweep without updates is timed for UCB, too.
    """
    tests = bt.datasets.headlines()[:6]
    kinds = [None, bt.Batches(100), bt.Batches(1_000), bt.Batches(1_000, whole=True), bt.Delay(20), bt.Delay(200)]
    compile_walk()
    for horizon in horizons:
        for name in ("ucb", "moss", "gaussianthompson", "betathompson"):
            policy = find_tunable(name)
            searches = [
                make_search(policy, tests, horizon, choose_loss("regret"), 1, settings={"updates": kind})
                for kind in (kinds if horizon <= MOST_DELAYED else kinds[:4])
            ]
            if name in ("ucb", "moss"):
                searches = [replace(search, high=0.01 * search.high) for search in searches]
            times = np.empty((repetitions, len(searches)))
            for search in searches:
                search.curves(tests[:1])
            for row in times:  # in turns
                for k, search in enumerate(searches):
                    row[k] = time_curves(search, tests)
            ratios = np.median(times / times[:, :1], axis=0)
            for k, search in enumerate(searches):
                pieces = np.mean([search.curves([test]).count_pieces()[0] for test in tests])
                spent = f"{np.median(times[:, k]):.3f} s, {ratios[k]:.2f} times, {pieces:.0f} pieces"
                console.print(f"T = {horizon:,}, {name}, {kinds[k]}: {spent}")
            if name == "ucb":
                with patch.object(WAITING, "chooses_walk", return_value=False):
                    swept = time_curves(searches[0], tests)
                shares = ", ".join(f"{np.median(times[:, k]) / swept:.2f}" for k in range(1, len(searches)))
                console.print(
                    f"T = {horizon:,}, {name}, swept without updates: {swept:.3f} s; the others {shares} times that"
                )


def time_curves(search: Search, tests: list[bt.Task]) -> float:
    """Return the seconds of the processor that the curves of some tests take."""
    began = time.process_time()
    for test in tests:
        search.curves([test])
    return time.process_time() - began


def compile_walk() -> None:
    """Compile the walk, so that long runs of UCB are walked from the first on."""
    arms = np.eye(2, 4)
    walk_batch(new_watch(), without_priors(arms, np.zeros(2), np.array([0, 2]), 0.0), np.array([4]), 0.0, 1.0)


def later_tests(tests: list[bt.Task], horizon: int, batch: int, draws: int, names: list[str], console: Console) -> None:
    """Learn with batches on the first two thirds, measure on the rest."""
    past, later = tests[: 2 * len(tests) // 3], tests[2 * len(tests) // 3 :]
    updates, loss = {"updates": bt.Batches(batch)}, choose_loss("regret")
    book = make_search(bt.BetaThompson, past, horizon, loss, draws, settings=updates)
    untuned = measure(book, later, 1.0)
    where = f"T = {horizon:,}, batches of {batch:,}, {len(past):,} tests, {len(later):,} later ones, {draws} orders"
    console.print(f"{where}: Thompson from Beta(1, 1) loses {untuned.mean():.4g}")
    for family in list_families(past, horizon, updates)[0]:
        if names and family.policy.name not in names:
            continue
        began = time.process_time()
        search = make_search(family.policy, past, horizon, loss, draws, settings=family.settings)
        value = learn(search, past)
        losses = measure(search, later, value)
        spent = time.process_time() - began
        described = describe_ratio(losses, untuned)
        console.print(f"{family.name}, {search.parameter} = {value:.4g}: {described} ({spent:.0f} s)")
        if family.policy.name == "ucb":
            prompt = replace(search, fixed={**search.fixed, "updates": None})
            as_before = learn(prompt, past)
            described = describe_ratio(measure(search, later, as_before), untuned)
            console.print(f"  learned without batches, {search.parameter} = {as_before:.4g}: {described}")
            whole = replace(search, fixed={**search.fixed, "updates": bt.Batches(batch, whole=True)})
            console.print(
                f"  each batch to one arm: {describe_ratio(measure(whole, later, learn(whole, past)), untuned)}"
            )


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--check", type=int, metavar="N", help="probes of each policy")
    parser.add_argument("--speed", action="store_true", help="time sweeps")
    parser.add_argument(
        "--horizon", type=int, nargs="+", help="with --speed several; 5,000 by default, there 2,000, too"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="of what is timed")
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--draws", type=int, default=2, help="orders of each test")
    parser.add_argument("--policy", nargs="+", default=[], help="policies to probe or to tune; all by default")
    given = parser.parse_args()
    console = Console(width=130, highlight=False)
    if given.check is not None:
        check(given.check, given.policy, console)
    if given.speed:
        time_sweeps(given.horizon or [2_000, 5_000], given.repetitions, console)
    if given.check is None and not given.speed:
        horizon = (given.horizon or [5_000])[-1]
        later_tests(load_tests(given), horizon, given.batch, given.draws, given.policy, console)


if __name__ == "__main__":
    main()
