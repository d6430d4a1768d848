"""Rewards in batches and late: is every curve that of its runs, what does a sweep cost, and what is it worth?

python -m benchmarks.updates [--check N] [--speed] [--policy NAME ...] [--archive FILE] [--horizon T] [--batch B]
[--tests N] [--draws K]

`--check` probes every policy with updates of all kinds, at, beside and between edges. `--speed` sets sweeps with
batches and delays beside those without, on headline tests. Else every family is tuned with batches of B rounds on the
first two thirds of an archive of tests, by week, and measured on the later ones, in orders drawn anew, beside Thompson
sampling from Beta(1, 1) as the book has it, and beside what is learned without batches; ratios have paired 95%
intervals. Without an archive, the tests are those of `bt.datasets.headlines`.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import banditune as bt
from banditune.policies.base import Policy
from banditune.policies.losses import choose_loss
from banditune.policies.registry import find_tunable
from banditune.tuning.families import list_families
from benchmarks.headlines import list_tasks, thin
from benchmarks.policies import draw_settings, list_policies, probe
from benchmarks.rollout import describe_ratio, learn, make_search, measure
from scripts.headline_parameters import read_tests


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


def time_sweeps(horizon: int, console: Console) -> None:
    """Sweep some tests with updates of every kind."""
    tests = bt.datasets.headlines()[:6]
    kinds = [None, bt.Batches(100), bt.Batches(1_000), bt.Batches(1_000, whole=True), bt.Delay(20), bt.Delay(200)]
    for name in ("ucb", "moss", "gaussianthompson", "betathompson"):
        policy = find_tunable(name)
        first = 0.0
        for kind in kinds:
            search = make_search(policy, tests, horizon, choose_loss("regret"), 1, settings={"updates": kind})
            narrow = replace(search, high=0.01 * search.high if name in ("ucb", "moss") else search.high)
            narrow.curves(tests[:1])
            began = time.process_time()
            pieces = np.mean([narrow.curves([test]).count_pieces()[0] for test in tests])
            spent = time.process_time() - began
            first = first or spent
            console.print(f"{name}, {kind}: {spent:.2f} s, {spent / first:.2f} times, {pieces:.0f} pieces")


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", type=Path, help="a table of real tests: task, arm, impressions, clicks, test_week")
    parser.add_argument("--check", type=int, metavar="N", help="probes of each policy")
    parser.add_argument("--speed", action="store_true", help="time sweeps")
    parser.add_argument("--horizon", type=int, default=5_000)
    parser.add_argument("--batch", type=int, default=1_000)
    parser.add_argument("--tests", type=int, help="so many tests, evenly spaced, for a quick look")
    parser.add_argument("--draws", type=int, default=2, help="orders of each test")
    parser.add_argument("--policy", nargs="+", default=[], help="policies to probe or to tune; all by default")
    given = parser.parse_args()
    console = Console(width=130, highlight=False)
    if given.check is not None:
        check(given.check, given.policy, console)
    if given.speed:
        time_sweeps(given.horizon, console)
    if given.check is None and not given.speed:
        whole = bt.datasets.headlines() if given.archive is None else list_tasks(read_tests(given.archive))
        later_tests(thin(whole, given.tests), given.horizon, given.batch, given.draws, given.policy, console)


if __name__ == "__main__":
    main()
