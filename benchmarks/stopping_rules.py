"""When should a test end that is followed by a roll-out? A learned threshold beside fixed lengths, 95% and Test & Roll.

python -m benchmarks.stopping_rules [--archive FILE] [--horizon T] [--times R ...] [--statistic NAME] [--draws K]

Tests of an archive give every arm the same share, are looked at fifty times, and are ended by each rule; the arm that
leads then gets the rest of T rounds and M = R T more. What is learned (the threshold, the best fixed length, what Test
& Roll needs to know) is learned from the first two thirds of the tests, by week, and measured on the later ones, in
orders drawn anew: the ratio of what the learned threshold loses to what each other rule does, paired by test. Without
an archive, the tests are those of `bt.datasets.headlines`.
"""

import time
from dataclasses import replace

import numpy as np
from rich.console import Console

import banditune as bt
from banditune.evaluation.intervals import estimate_ratio
from banditune.evaluation.recommended_value import recommend
from banditune.stopping.rule import STATISTICS, StoppingRule, to_threshold
from banditune.stopping.test_and_roll import estimate_spread, find_test_size
from banditune.stopping.threshold import N_CHECKS, THRESHOLD, TestPlan, sweep_tests
from benchmarks.headlines import load_tests, make_parser


def later_tests(tests: list[bt.Task], plan: TestPlan, console: Console) -> None:
    """Learn from the first two thirds, measure on the rest."""
    started = time.process_time()
    past, later = tests[: 2 * len(tests) // 3], tests[2 * len(tests) // 3 :]
    seen = sweep_tests(past, plan)
    mean = seen.losses.mean()
    threshold = recommend(THRESHOLD, mean, len(past), draws=plan.draws)
    fixed = int(seen.checks[seen.fixed.mean(axis=0).argmin()])
    spread = estimate_spread(past)
    size = find_test_size(plan.horizon + plan.rollout, spread.noise, spread.prior)
    held = sweep_tests(later, replace(plan, seed=plan.seed + 1))
    by_probability = sweep_tests(later, replace(plan, seed=plan.seed + 1, statistic="probability"))
    rule = StoppingRule(threshold, plan.statistic, plan.check_every, plan.least, plan.horizon)
    n_arms = np.array([task.n_arms for task in later])
    learned, lengths = held.stop_at(threshold)
    console.print(
        f"T = {plan.horizon:,}, M = {plan.rollout:,}, {len(past):,} past tests, {len(later):,} later ones, "
        f"{plan.draws} orders: "
        f"stop when {rule.describe()}, after {lengths.mean():,.0f} rounds on average, "
        f"loses {learned.mean():.4g}:"
    )
    for name, (losses, rounds) in (
        (f"the best fixed length, {fixed:,}", held.fix_length(fixed)),
        (f"Test & Roll, {size:,.0f} for each arm", held.fix_length(size * n_arms)),
        ("95%", by_probability.stop_at(to_threshold(0.95))),
        ("the full length", held.fix_length(plan.horizon)),
    ):
        ratio = estimate_ratio(learned, losses)
        level = f"{losses.mean():.4g}, {rounds.mean():,.0f} rounds"
        console.print(f"  {ratio.mean:.3f} ({ratio.low:.3f} to {ratio.high:.3f}) times {name} ({level})")
    console.print(f"  {time.process_time() - started:.0f} s of the processor")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--horizon", type=int, default=15_000)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10], help="rounds after the test, times T")
    parser.add_argument("--statistic", choices=STATISTICS, default="loss")
    parser.add_argument("--draws", type=int, default=4, help="orders of each test")
    given = parser.parse_args()
    console = Console(width=120, highlight=False)
    tests = load_tests(given)
    every = max(1, given.horizon // N_CHECKS)
    for each in given.times:
        plan = TestPlan(
            given.horizon, each * given.horizon, every, every, statistic=given.statistic, draws=given.draws, seed=0
        )
        later_tests(tests, plan, console)


if __name__ == "__main__":
    main()
