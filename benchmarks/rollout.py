"""Is it worth telling the tuner what comes after the test? Regret-tuned exploration beside roll-out-tuned, held out.

python -m benchmarks.rollout [--archive FILE] [--horizons T ...] [--times R ...] [--policy NAME ...] [--batch B]

Learns the parameter of a policy from the first two thirds of an archive of tests, by week, once for the regret of T
rounds and once for that and of M = R T rounds with the arm recommended at the end. Both are measured by the latter loss
on the later tests, in orders drawn anew: their ratio, with a 95% interval that is paired by test. Then the same on the
bundled model-selection tasks (LCDB, T = 100), by ten-fold cross-validation. Without an archive, the tests are those of
`bt.datasets.headlines`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import banditune as bt
from banditune.evaluation.folds import assign_folds
from banditune.evaluation.intervals import estimate_ratio
from banditune.evaluation.recommended_value import learn_value, recommend
from banditune.policies.base import Policy
from banditune.policies.losses import Loss, choose_loss
from banditune.policies.registry import find_tunable
from banditune.tuning.equal_split import split_losses
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.question import Question
from banditune.tuning.search import Draws, Search
from benchmarks.headlines import load_tests, make_parser

LCDB_HORIZON, LCDB_TIMES, LCDB_DRAWS, N_FOLDS = 100, (10, 100), 20, 10


def make_search(
    policy: type[Policy[Any]],
    tasks: Sequence[Any],
    horizon: int,
    loss: Loss,
    draws: int,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Search:
    """The exact search of the policy's parameter over its own range; `settings` say how it runs besides."""
    question = Question.of(policy, settings or {}, horizon=horizon, loss=loss, seed=seed, extend=True)
    (search,) = question.settle(tasks).searches()
    return replace(search.fit(tasks), draws=Draws(draws))


def learn(search: Search, tasks: Sequence[Any]) -> float:
    """The value that a study recommends."""
    (swept,) = sweep_tasks([search], tasks)
    return recommend(search.free_parameter, swept.losses[0].mean(), len(tasks), draws=search.draws.number)


def measure(search: Search, tasks: Sequence[Any], value: float) -> NDArray[np.float64]:
    """What each task loses with a value, in orders that nothing was learned from: (tasks,)."""
    here = replace(search, seed=search.seed + 1).at(value)
    (swept,) = sweep_tasks([here], tasks)
    return swept.losses[0].at(value)


def describe_ratio(losses: NDArray[np.float64], others: NDArray[np.float64]) -> str:
    """How many times as much is lost, with a paired 95% interval, and both levels."""
    ratio = estimate_ratio(losses, others)
    return f"{ratio.mean:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), {losses.mean():.4g} against {others.mean():.4g}"


def later_tests(
    tests: list[bt.Task],
    policy: type[Policy[Any]],
    horizon: int,
    times: Sequence[int],
    draws: int,
    updates: bt.Updates | None,
    console: Console,
) -> None:
    """Learn from the first two thirds, measure on the rest."""
    started = time.process_time()
    past, later = tests[: 2 * len(tests) // 3], tests[2 * len(tests) // 3 :]
    plain = make_search(policy, past, horizon, choose_loss("regret"), draws, settings={"updates": updates})
    by_regret = learn(plain, past)
    where = (
        f"{policy.label}, T = {horizon:,}, learned from {len(past):,} tests, {len(later):,} later ones, {draws} orders"
    )
    console.print(f"{where}: for regret {plain.parameter} = {by_regret:.4g}")
    for each in times:
        search = replace(plain, loss=choose_loss("rollout", each * horizon))
        value = learn(search, past)
        losses = [measure(search, later, at) for at in (value, by_regret)]
        console.print(f"  M = {each} T: {search.parameter} = {value:.4g}, {describe_ratio(*losses)} for regret-tuned")
        split = split_losses(replace(search, seed=1), later)
        assert split is not None
        console.print(f"    {describe_ratio(losses[0], split)} for an equal split")
    console.print(f"  {time.process_time() - started:.0f} s of the processor")


def model_selection(policy: type[Policy[Any]], console: Console) -> None:
    """The same by cross-validation on the bundled tasks."""
    tasks = bt.datasets.lcdb()
    plain = make_search(policy, tasks, LCDB_HORIZON, choose_loss("regret"), LCDB_DRAWS)
    fold = assign_folds(len(tasks), N_FOLDS, 0)
    searches = [plain, *(replace(plain, loss=choose_loss("rollout", each * LCDB_HORIZON)) for each in LCDB_TIMES)]
    of_regret, *others = (swept.losses[0] for swept in sweep_tasks(searches, tasks))
    console.print(f"{policy.label}, LCDB, {len(tasks)} tasks, T = {LCDB_HORIZON}, {N_FOLDS} folds, {LCDB_DRAWS} draws")
    for each, curves in zip(LCDB_TIMES, others, strict=True):
        learned, regret = np.empty(len(tasks)), np.empty(len(tasks))
        for k in range(N_FOLDS):
            seen, held = fold != k, fold == k
            for losses, by in ((learned, curves), (regret, of_regret)):
                losses[held] = curves.at(learn_value(plain.free_parameter, by, seen, plain.draws.number))[held]
        console.print(f"  M = {each} T: {describe_ratio(learned, regret)} for regret-tuned")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--horizons", type=int, nargs="*", default=[1_000, 5_000])
    parser.add_argument("--times", type=int, nargs="+", default=[10, 100], help="rounds after the test, times T")
    parser.add_argument("--policy", nargs="+", default=["ucb", "explorethencommit"])
    parser.add_argument("--draws", type=int, default=4, help="orders of each test")
    parser.add_argument("--batch", type=int, help="rounds whose rewards become known together, in the archive")
    given = parser.parse_args()
    console = Console(width=120, highlight=False)
    tests = load_tests(given)
    for name in given.policy:
        policy = find_tunable(name)
        for horizon in given.horizons:
            updates = None if given.batch is None else bt.Batches(given.batch)
            later_tests(tests, policy, horizon, given.times, given.draws, updates, console)
        model_selection(policy, console)


if __name__ == "__main__":
    main()
