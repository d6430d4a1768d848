"""LinUCB: is its curve right, and how long does it take? python -m benchmarks.linucb

Against the oracle that solves the normal equations afresh in each round (tests/naive/linucb.py), at random alphas
inside pieces, on tasks with full information and on logs, a third of them with late rewards; and on features of any
size against one in fractions. Then the time of a sweep beside that of runs, and of the replay of a log as long as the
e-mail log of benchmarks.contextual, with arms as hard to tell apart. Last, what late rewards cost: time, and regret.
"""

import argparse
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import banditune as bt
from banditune.interruption import n_cores
from banditune.rng import generator
from banditune.tuning.replay import ReplayCurve
from benchmarks.timing import best_of
from tests.naive.linucb import naive_arms, naive_replay, worst_shortfall

ALPHAS = 4  # values tried on each task
HIGH = 2.0
SIZES = (*range(13), 15, 18, 20, 30, 70)  # of features, as powers of ten
KINDS = ("all", "each its own", "one", "later ones", "around one number", "repeated")
CLOSE = 1e-9  # how far, relative to its size, a chosen index may be below another


def mismatches(number: int) -> tuple[int, int]:
    """Pairs tried and pairs that differ on the task with that number; every second one is a log."""
    rng = generator(0, "linucb", number)
    n_arms, rounds, dim = int(rng.integers(2, 7)), int(rng.integers(2, 41)), int(rng.integers(1, 7))
    shared, disjoint = bool(rng.integers(2)), bool(rng.integers(2))
    contexts = rng.normal(size=(rounds, dim) if shared else (rounds, n_arms, dim))
    fixed: dict[str, Any] = {"ridge": float(rng.choice([0.1, 1.0, 5.0])), "disjoint": disjoint or shared}
    every = np.broadcast_to(contexts[:, None] if shared else contexts, (rounds, n_arms, dim))
    rewards = every @ rng.normal(size=dim) + rng.normal(size=(rounds, n_arms))
    is_log = number % 2 == 1
    arms = rng.integers(n_arms, size=rounds)
    arms[:2] = (0, n_arms - 1)
    received = rewards[np.arange(rounds), arms]
    task = bt.LoggedTask(contexts, arms, received) if is_log else bt.ContextualTask(contexts, rewards)
    loss = "reward" if is_log else "regret"
    if number % 3 == 0:
        size = int(rng.integers(2, 8))
        kinds = bt.Batches(size), bt.Batches(size, whole=True), bt.Delay(size), bt.Delay(size, burn_in=2, floor=0.05)
        fixed["updates"] = kinds[int(rng.integers(len(kinds)))]
    curve = bt.loss_curve(bt.LinUCB, task, horizon=rounds, loss=loss, alpha=(0.0, HIGH), **fixed)
    differ = 0
    alphas = [float(alpha) for alpha in HIGH * rng.random(ALPHAS) ** rng.choice([1.0, 3.0]) if alpha not in curve.edges]
    for alpha in alphas:
        if is_log:
            matched, _ = naive_replay(every, arms, received, alpha, **fixed)
            expected = -received[matched].mean() if matched else -received.min()
        else:
            chosen = rewards[np.arange(rounds), naive_arms(every, rewards, alpha, **fixed)]
            expected = (rewards.max(axis=1) - chosen).sum()
        differ += abs(curve(alpha) - expected) > 1e-9 * max(1.0, abs(expected))
    return len(alphas), differ


def large_task(number: int) -> tuple[bt.ContextualTask, dict[str, Any]]:
    """A short task with features of one of the sizes, by its number; and its ridge, and whether arms are disjoint."""
    rng = generator(0, "features", number)
    n_arms, rounds, dim = int(rng.integers(2, 4)), int(rng.integers(3, 9)), int(rng.integers(1, 5))
    size, kind = float(SIZES[number % len(SIZES)]), KINDS[int(rng.integers(len(KINDS)))]
    contexts = rng.normal(size=(rounds, n_arms, dim))
    if kind == "each its own":
        contexts *= 10.0 ** rng.uniform(0.0, size, size=dim)
    elif kind == "one":
        contexts[..., 0] *= 10.0**size
    elif kind == "later ones":
        contexts[rounds // 2 :] *= 10.0**size
    elif kind == "around one number":
        contexts[..., 0] = 10.0**size * (1.0 + 1e-6 * contexts[..., 0])
    else:
        contexts *= 10.0**size
    if kind == "repeated":  # so that indices tie
        contexts = contexts[rng.integers(2, size=rounds)]
        contexts[rng.random(rounds) < 0.5] = contexts[0, :1]
    rewards = rng.normal(size=(rounds, n_arms))
    rewards = (rewards > 0.0).astype(np.float64) if rng.integers(2) else rewards
    fixed = {"ridge": float(10.0 ** rng.integers(-6, 7)), "disjoint": bool(rng.integers(2))}
    return bt.ContextualTask(np.clip(contexts, -1e70, 1e70), rewards), fixed


def large_outcomes(number: int) -> list[str]:
    """How runs with alpha 0 and another fared on a task with large features, and the curve beside its runs."""
    task, fixed = large_task(number)
    horizon, outcomes = len(task), []
    for alpha in (0.0, (1e-8, 1e-4, 0.1, 1.0, 10.0)[number % 5]):
        try:
            arms = bt.play(bt.LinUCB, task, horizon=horizon, alpha=alpha, **fixed).arms.tolist()
        except bt.TaskError:
            outcomes.append("runs rejected")
            continue
        short = worst_shortfall(task.contexts, task.rewards, arms, alpha, **fixed)
        outcomes.append("runs right" if short <= CLOSE else "runs wrong")
    try:
        curve = bt.loss_curve(bt.LinUCB, task, horizon=horizon, alpha=(0.0, HIGH), **fixed)
    except bt.TaskError:
        return [*outcomes, "curves rejected"]
    inside = [alpha for alpha in ((curve.edges[1:] + curve.edges[:-1]) / 2).tolist() if alpha >= 1e-290]
    runs = [bt.play(bt.LinUCB, task, horizon=horizon, alpha=alpha, **fixed).regret[-1] for alpha in inside]
    return [*outcomes, "curves right" if runs == [curve(alpha) for alpha in inside] else "curves wrong"]


def check_large(n_tasks: int) -> None:
    """Count right, rejected and wrong answers by the size of features, on all cores."""
    started = time.perf_counter()
    with ProcessPoolExecutor(n_cores()) as executor:
        results = executor.map(large_outcomes, range(n_tasks), chunksize=20)
        found = list(track(results, "Playing in fractions", total=n_tasks))
    counts = Counter((SIZES[k % len(SIZES)], outcome) for k, outcomes in enumerate(found) for outcome in outcomes)
    words = [f"{what} {how}" for what in ("runs", "curves") for how in ("right", "rejected", "wrong")]
    print("features of size: " + ", ".join(words))
    for size in SIZES:
        print(f"{f'1e{size}':>16}: " + ", ".join(f"{counts[size, outcome]:{len(outcome)}}" for outcome in words))
    print(f"2 or 3 arms, 1 to 4 features, 3 to 8 rounds, ridge 1e-6 to 1e6; {time.perf_counter() - started:.0f} s\n")


def drawn_task(rounds: int, n_arms: int, dim: int, seed: int) -> bt.ContextualTask:
    """Linear rewards with noise, each arm with its own contexts of length 1."""
    rng = generator(seed, "task")
    contexts = rng.normal(size=(rounds, n_arms, dim))
    contexts /= np.linalg.norm(contexts, axis=2, keepdims=True)
    means = contexts @ rng.normal(size=dim)
    return bt.ContextualTask(contexts, means + 0.5 * rng.normal(size=means.shape), means=means)


def drawn_log(events: int, dim: int, seed: int) -> bt.LoggedTask:
    """Three mails sent at random, visited at rates of 18, 15 and 11% that hardly depend on the features."""
    rng = generator(seed, "log")
    marks = (rng.random((events, dim - 2)) < rng.uniform(0.1, 0.9, size=dim - 2)).astype(np.float64)
    contexts: NDArray[np.float64] = np.column_stack((np.ones(events), rng.random(events), marks))
    arms = rng.integers(3, size=events)
    slopes = 0.02 * rng.normal(size=(3, dim))
    rates = np.array([0.18, 0.15, 0.11])[arms] + (contexts * slopes[arms]).sum(axis=1)
    return bt.LoggedTask(contexts, arms, rng.random(events) < rates)


def check(pairs: int) -> None:
    """Count mismatches, on all cores."""
    started = time.perf_counter()
    n_tasks = -(-pairs // ALPHAS)
    with ProcessPoolExecutor(n_cores()) as executor:
        results = executor.map(mismatches, range(n_tasks), chunksize=50)
        tried, differ = np.sum(list(track(results, "Playing by the book", total=n_tasks)), axis=0)
    print(f"{tried:,} pairs of a random task or log and an alpha inside a piece: {differ} mismatches")
    print(f"2 to 6 arms, 1 to 6 features, 2 to 40 rounds; {time.perf_counter() - started:.0f} s\n")


def against_games(rounds: int, *, disjoint: bool, repeats: int, high: float = HIGH) -> None:
    """The time of a sweep beside that of one run, 10 arms with 10 features."""
    task = drawn_task(rounds, 10, 10, seed=rounds)
    fixed: dict[str, Any] = {"horizon": rounds, "disjoint": disjoint}
    curve = bt.loss_curve(bt.LinUCB, task, alpha=(0.0, high), **fixed)
    calls = {
        "sweep": lambda: bt.loss_curve(bt.LinUCB, task, alpha=(0.0, high), **fixed),
        "run": lambda: bt.play(bt.LinUCB, task, alpha=0.3 * high, **fixed),
    }
    least, _ = best_of(calls, repeats, budget=60.0)
    sweep, run = least["sweep"], least["run"]
    kind = "disjoint" if disjoint else "shared  "
    print(
        f"T = {rounds:6,}, {kind}, alpha in [0, {high:g}]: {curve.n_pieces:6,} pieces, {sweep:7.3f} s, "
        f"as long as {sweep / run:7.1f} runs"
    )


def replay(events: int, dim: int) -> None:
    """The time of a whole replay."""
    log = drawn_log(events, dim, seed=0)
    fixed: dict[str, Any] = {"loss": "reward", "disjoint": True}
    bt.loss_curve(bt.LinUCB, log, horizon=100, alpha=(0.0, HIGH), **fixed)
    started = time.perf_counter()
    curve = bt.loss_curve(bt.LinUCB, log, horizon=events, alpha=(0.0, HIGH), **fixed)
    seconds = time.perf_counter() - started
    assert isinstance(curve, ReplayCurve)
    print(f"replay of {events:,} events, 3 arms, {dim} features, alpha in [0, {HIGH:g}]: {curve.n_pieces:,} pieces,")
    print(f"{seconds:.1f} s on {n_cores()} cores; {int(curve.matched(1.0)):,} events match at alpha = 1")


def late_rewards(n_tasks: int, *, disjoint: bool) -> None:
    """The time of sweeps and the least mean regret where rewards are late, beside those without."""
    tasks = [drawn_task(1_000, 10, 10, seed=k) for k in range(n_tasks)]
    kinds = [None, bt.Batches(100), bt.Batches(100, whole=True), bt.Delay(100)]
    first = 0.0
    for policy, high in ((bt.LinUCB, HIGH), (bt.LinTS, HIGH / 4)):
        name = policy.find_searched_parameter().name
        for kind in kinds:
            fixed: dict[str, Any] = {"horizon": 1_000, "disjoint": disjoint, "updates": kind, name: (0.0, high)}
            bt.loss_curve(policy, tasks[0], **fixed)
            started = time.process_time()
            curves = [bt.loss_curve(policy, task, **fixed) for task in tasks]
            spent, pieces = time.process_time() - started, sum(curve.n_pieces for curve in curves) / n_tasks
            first = spent if kind is None else first
            mean = bt.mean_curve(curves)
            best = f"least mean regret {mean.minimum():6.1f} at {name} = {mean.argmin().low:.3f}"
            print(f"{policy.label}, {kind}: {spent / first:5.2f} times as long, {pieces:6.1f} pieces, {best}")


def main() -> None:
    """Check, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000, help="how many (task, alpha) to try (default: 20,000)")
    parser.add_argument("--tasks", type=int, default=3_600, help="with how many of large features (default: 3,600)")
    parser.add_argument("--events", type=int, default=64_000, help="how long a log to replay (default: 64,000)")
    parser.add_argument("--dim", type=int, default=15, help="how many features it has (default: 15)")
    options = parser.parse_args()
    check(options.pairs)
    check_large(options.tasks)
    print("10 arms, 10 features; the least time of several")
    for disjoint in (False, True):
        against_games(1_000, disjoint=disjoint, repeats=5)
        against_games(10_000, disjoint=disjoint, repeats=2)
    print("and in ranges so narrow that there are few pieces")
    for rounds, high in ((1_000, 0.02), (1_000, 0.1), (10_000, 0.002)):
        against_games(rounds, disjoint=False, repeats=5, high=high)
    print()
    replay(options.events, options.dim)
    for disjoint in (False, True):
        print(f"\n10 arms, 10 features, T = 1,000, {'disjoint' if disjoint else 'shared'}, 20 tasks")
        late_rewards(20, disjoint=disjoint)


if __name__ == "__main__":
    main()
