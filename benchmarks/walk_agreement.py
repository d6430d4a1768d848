"""The walk beside the sweep on random tasks of many kinds, or on tests of an archive: do they have the same bits?"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.lines.batch import Batch, without_priors
from banditune.kernels.lines.index import SCHEDULES
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.walk.walk import walk_batch
from banditune.kernels.watch import new_watch
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.losses import LOSSES
from banditune.rng import generator
from benchmarks.headlines import HIGH, read_archive, thin

WEIGHTS = (1e-3, 0.3, 1.0, 10.0)  # of priors
KINDS = ("clicks", "Bernoulli", "tenths", "Gaussian", "ties", "constants", "tiny", "huge")
MOST_ARMS, LEAST_HORIZON, LONGEST = 20, 20, 20_000
WORK = 4e6  # arms times squared rounds, at most: a second of sweeping, about


def draw_rewards(kind: str, n_arms: int, horizon: int, random: np.random.Generator) -> NDArray[np.float64]:
    """The rewards of a task of a kind, (n, T)."""
    shape, means = (n_arms, horizon), random.random((n_arms, 1))
    if kind == "clicks":
        return (random.random(shape) < 0.02 * means).astype(np.float64)
    if kind == "Bernoulli":
        return (random.random(shape) < means).astype(np.float64)
    if kind == "tenths":
        return random.integers(0, 11, shape) / 10.0
    if kind == "ties":
        return np.repeat(random.integers(0, 2, (1, horizon)), n_arms, axis=0).astype(np.float64)
    if kind == "constants":
        return np.ascontiguousarray(np.broadcast_to(random.integers(0, 4, (n_arms, 1)) / 4.0, shape))
    scale = {"Gaussian": 1.0, "tiny": 1e-140, "huge": 1e140}[kind]
    return random.normal(means, 1.0, shape) * scale


def draw_task(seed: int, longest: int, most_work: float = WORK) -> tuple[str, Batch, float, float]:
    """A random task of a random kind, and a range of theta for it."""
    random = generator(seed, "walk", longest)
    kind, n_arms = KINDS[random.integers(len(KINDS))], int(random.integers(2, MOST_ARMS + 1))
    most = min(longest, (most_work / n_arms) ** 0.5)
    horizon = int(np.exp(random.uniform(np.log(LEAST_HORIZON), np.log(max(most, LEAST_HORIZON + 1.0)))))
    streams = draw_rewards(kind, n_arms, horizon, random)
    means = streams.mean(axis=1)
    high = float(random.choice([0.2, 1.0, 2.0])) * max(float(np.abs(streams).max()), 1e-150)
    low = 0.0 if random.random() < 0.7 else high * float(random.random())
    batch = without_priors(streams, means.max() - means, np.array([0, n_arms]), 0.0)
    schedule = int(random.integers(len(SCHEDULES)))
    return kind, draw_priors(batch._replace(schedule=schedule), random), low, high


def draw_priors(batch: Batch, random: np.random.Generator) -> Batch:
    """The task, half of the time with priors: a few values, so that some arms have the same, or any."""
    if random.random() < 0.5:
        return batch
    size, n_arms = max(float(np.abs(batch.streams).max()), 1e-150), batch.gaps.size
    priors = size * (random.integers(0, 3, n_arms) / 2.0 if random.random() < 0.7 else random.random(n_arms))
    return batch._replace(priors=priors, weight=float(random.choice(WEIGHTS)))


def is_same(batch: Batch, horizons: NDArray[np.int64], low: float, high: float) -> tuple[bool, int]:
    """Whether walk and sweep of a batch have the same bits, and how many pieces they have."""
    swept, walked = (kernel(new_watch(), batch, horizons, low, high) for kernel in (sweep_batch, walk_batch))
    return all(a.tobytes() == b.tobytes() for a, b in zip(swept[:3], walked, strict=True)), walked[0].size


def draw_tasks(n_tasks: int, seed: int, longest: int) -> Iterator[tuple[str, Batch, NDArray[np.int64], float, float]]:
    """Random tasks, each with its kind, the horizons and a range of theta."""
    for task in range(n_tasks):
        kind, batch, low, high = draw_task(seed + task, longest, WORK if task % 50 else 25.0 * WORK)
        horizon = batch.streams.shape[1]
        yield kind, batch, np.array([horizon]) if task % 3 else np.unique([horizon // 3 + 1, horizon]), low, high


def draw_tests(
    archive: Path, n_tests: int, seed: int, longest: int
) -> Iterator[tuple[str, Batch, NDArray[np.int64], float, float]]:
    """Tests of an archive, evenly spaced in time, each as long as it was up to a limit, with an order that is drawn."""
    for task in thin(read_archive(archive), n_tests):
        horizon = min(longest, task.rounds)
        batch = batch_streams([task], Terms(horizon, LOSSES["regret"], seed, True, {}))
        yield "real", batch, np.array([horizon]), 0.0, HIGH**0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--archive", type=Path, help="a table of real tests instead: task, arm, impressions, clicks")
    parser.add_argument("--longest", type=int, default=LONGEST, help="the longest horizon")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.archive is None:
        tasks = draw_tasks(given.tasks, given.seed, given.longest)
    else:
        tasks = draw_tests(given.archive, given.tasks, given.seed, given.longest)
    began, pieces, rounds, drawn = time.perf_counter(), 0, [], Counter[str]()
    for number, (kind, batch, horizons, low, high) in enumerate(tasks):
        same, n_pieces = is_same(batch, horizons, low, high)
        if not same:
            raise SystemExit(
                f"task {given.seed + number}: {kind}, {SCHEDULES[batch.schedule]}, weight {batch.weight}, "
                f"{batch.gaps.size} arms, horizons {horizons}: they differ"
            )
        pieces += n_pieces
        rounds.append(int(horizons[-1]))
        drawn.update([kind, SCHEDULES[batch.schedule], "with priors" if batch.weight else "without priors"])
        if time.perf_counter() - began > 60.0 * given.minutes:
            break
    told = f"{min(rounds):,} to {max(rounds):,} rounds (median {np.median(rounds):,.0f})"
    print(f"{len(rounds):,} tasks of {told}, {pieces:,} pieces, no difference; {dict(drawn)}")


if __name__ == "__main__":
    main()
