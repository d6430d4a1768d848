"""LinUCB: is its curve right, and how long does it take? python -m benchmarks.linucb

Against the oracle that solves the normal equations afresh in each round (tests/naive/linucb.py), at random alphas
inside pieces, on tasks with full information and on logs; then the time of a sweep beside that of games, and of the
replay of a log as long as the e-mail log of benchmarks.contextual, with arms as hard to tell apart.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import banditune as bt
from banditune.cores import n_cores
from banditune.randomness import generator
from banditune.replay import ReplayCurve
from benchmarks.timing import best_of
from tests.naive.linucb import naive_arms, naive_replay

ALPHAS = 4  # values tried on each task
HIGH = 2.0


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
    """The time of a sweep beside that of one game, 10 arms with 10 features."""
    task = drawn_task(rounds, 10, 10, seed=rounds)
    fixed: dict[str, Any] = {"horizon": rounds, "disjoint": disjoint}
    curve = bt.loss_curve(bt.LinUCB, task, alpha=(0.0, high), **fixed)
    calls = {
        "sweep": lambda: bt.loss_curve(bt.LinUCB, task, alpha=(0.0, high), **fixed),
        "game": lambda: bt.play(bt.LinUCB, task, alpha=0.3 * high, **fixed),
    }
    least, _ = best_of(calls, repeats, budget=60.0)
    sweep, game = least["sweep"], least["game"]
    kind = "disjoint" if disjoint else "shared  "
    print(
        f"T = {rounds:6,}, {kind}, alpha in [0, {high:g}]: {curve.n_pieces:6,} pieces, {sweep:7.3f} s, "
        f"as long as {sweep / game:7.1f} games"
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


def main() -> None:
    """Check, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000, help="how many (task, alpha) to try (default: 20,000)")
    parser.add_argument("--events", type=int, default=64_000, help="how long a log to replay (default: 64,000)")
    parser.add_argument("--dim", type=int, default=15, help="how many features it has (default: 15)")
    options = parser.parse_args()
    check(options.pairs)
    print("10 arms, 10 features; the least time of several")
    for disjoint in (False, True):
        against_games(1_000, disjoint=disjoint, repeats=5)
        against_games(10_000, disjoint=disjoint, repeats=2)
    print("and in ranges so narrow that there are few pieces")
    for rounds, high in ((1_000, 0.02), (1_000, 0.1), (10_000, 0.002)):
        against_games(rounds, disjoint=False, repeats=5, high=high)
    print()
    replay(options.events, options.dim)


if __name__ == "__main__":
    main()
