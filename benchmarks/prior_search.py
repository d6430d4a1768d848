"""Priors of arms learned with alpha: right along every line, and worth how much? python -m benchmarks.prior_search

First the loss along random lines of (prior means, sqrt(alpha)) against the run played by the book, in exact fractions
and 50 digits (tests/naive/ucb.py). Then the bundled tasks, 25 rounds each: everything is learned on four fifths of the
data sets and measured on the rest, five times over, beside Thompson sampling with Gaussian priors fitted to the same
tasks: independent for each arm, or with the arms' covariances.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.evaluation.folds import assign_folds
from banditune.interruption import n_cores
from banditune.kernels.lines.batch import Batch
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.watch import new_watch
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.losses import LOSSES
from banditune.rng import generator
from banditune.tuning.priors.fitted_prior import ALONE
from banditune.tuning.priors.joint import JOINT, MEANS
from banditune.tuning.priors.line_search import Box, PriorSearch, Tasks
from tests.naive.ucb import naive_prior_arms, naive_regret

POINTS = 4  # tried on each line
CLOSE = 1e-11  # calls closer than this are decided by how the point is rounded
FOLDS = 5
PLAYS = 20  # of Thompson sampling on each task
Array = NDArray[np.float64]


def mismatches(number: int) -> tuple[int, int, int]:
    """Points tried, points that differ, and points left out as too close to call, on a random line."""
    rng = generator(0, "lines", number)
    n_arms, rounds = int(rng.integers(1, 7)), int(rng.integers(1, 26))
    weight = float(rng.choice([0.1, 1.0, 2.5, 20.0]))
    rewards = rng.random((n_arms, rounds)) if number % 2 else rng.integers(2, size=(n_arms, rounds)).astype(float)
    priors, slopes = rng.random(n_arms), rng.normal(size=n_arms)
    start, rise = float(rng.choice([0.0, rng.random()])), float(rng.choice([0.0, rng.random()]))
    settings = {"prior_means": tuple(priors), "prior_weight": weight, "schedule": "log", "updates": None}
    batch = bt.UCB.make_batch([bt.Task(rewards)], Terms(rounds, LOSSES["regret"], 0, True, settings))
    assert isinstance(batch, Batch)
    batch = batch._replace(slopes=slopes, start=start, rise=rise)
    left, values, _, _ = sweep_batch(new_watch(), batch, np.array([rounds]), 0.0, 1.0)
    rows = rewards.tolist()
    tried = differ = close = 0
    for x in rng.random(POINTS).tolist():
        at = [prior + x * slope for prior, slope in zip(priors.tolist(), slopes.tolist(), strict=True)]
        arms, closest = naive_prior_arms(rows, rounds, (start + x * rise) ** 2, at, weight)
        found = values[np.searchsorted(left, x, side="right") - 1]
        if closest < CLOSE:
            close += 1
        else:
            tried += 1
            differ += abs(found - naive_regret(rows, arms)) > 1e-9
    return tried, differ, close


def check(points: int) -> None:
    """Count mismatches, on all cores."""
    started, n_lines = time.perf_counter(), -(-points // POINTS)
    with ProcessPoolExecutor(n_cores()) as executor:
        results = executor.map(mismatches, range(n_lines), chunksize=50)
        tried, differ, close = np.sum(list(track(results, "Playing by the book", total=n_lines)), axis=0)
    print(f"{tried:,} random points on {n_lines:,} random lines: {differ} mismatches; {close} points too close to call")
    print(f"1 to 6 arms, 1 to 25 rounds; {time.perf_counter() - started:.0f} s\n")


def thompson(
    task: bt.Task, gaps: Array, horizon: int, means: Array, covariance: Array, noise: float, seed: int
) -> float:
    """The mean regret of Thompson sampling with a Gaussian prior, over several plays of a task."""
    streams = np.array(task.extend(horizon).rewards)
    lost = 0.0
    for play in range(PLAYS):
        rng = generator(seed, "thompson", task.name or "", play)
        mean, known, pulls = means.copy(), covariance.copy(), np.zeros(means.size, np.int64)
        for _ in range(horizon):
            arm = int(np.argmax(rng.multivariate_normal(mean, known, method="cholesky")))
            reward, column = streams[arm, pulls[arm]], known[:, arm].copy()
            gain = column / (known[arm, arm] + noise)
            mean = mean + gain * (reward - mean[arm])
            known = known - np.outer(gain, column) + 1e-12 * np.eye(mean.size)
            pulls[arm] += 1
            lost += gaps[arm]
    return lost / PLAYS


def fit_gaussians(tasks: Tasks, past: list[bt.Task]) -> tuple[Array, Array, float]:
    """The arms' means over past tasks, the covariance of them, and the variance of a reward within a task."""
    observed = tasks.observed
    means = np.nanmean(observed, axis=0)
    centred = np.where(np.isnan(observed), 0.0, observed - means)
    both = (~np.isnan(observed)).astype(float)
    covariance = centred.T @ centred / np.maximum(both.T @ both - 1.0, 1.0)
    values, vectors = np.linalg.eigh(covariance)
    covariance = (vectors * np.maximum(values, 1e-6)) @ vectors.T  # arms that are missing here and there: make it whole
    noise = float(np.mean([np.var(row, ddof=1) for task in past for row in task.rewards if row.size > 1]))
    return means, covariance, max(noise, 1e-8)


def measure(horizon: int) -> None:
    """Every way on held-out data sets."""
    tasks = list(bt.datasets.lcdb())
    fold = assign_folds(len(tasks), FOLDS, seed=1)
    names = (ALONE, MEANS, JOINT, "chosen by inner folds", "Thompson, own priors", "Thompson, covariances")
    losses: dict[str, list[float]] = {name: [] for name in names}
    seconds: list[float] = []
    for k in track(range(FOLDS), "Learning and measuring"):
        past = [task for task, own in zip(tasks, fold, strict=True) if own != k]
        held = [task for task, own in zip(tasks, fold, strict=True) if own == k]
        started = time.perf_counter()
        tuned = bt.tune(bt.UCB, past, horizon=horizon, alpha=(0.0, 4.0), prior_means=(0.0, 1.0))
        seconds.append(time.perf_counter() - started)
        ways = _points(past, horizon) | {"chosen by inner folds": tuned.params}
        packed = Tasks.of(past, horizon, loss=LOSSES["regret"], seed=0, extend=True)
        means, covariance, noise = fit_gaussians(packed, past)
        for task in held:
            batch = batch_streams([task], Terms(horizon, LOSSES["regret"], 0, True, {}))
            for name, params in ways.items():
                losses[name].append(float(bt.play(bt.UCB, task, horizon=horizon, **params).regret[-1]))
            places = [packed.arms.index(arm) for arm in task.arms]
            own = means[places], covariance[np.ix_(places, places)]
            alone = own[0], np.diag(np.diag(own[1]))
            for name, (prior, spread) in {"Thompson, own priors": alone, "Thompson, covariances": own}.items():
                losses[name].append(thompson(task, batch.gaps, horizon, prior, spread, noise, seed=0))
    _print(losses, horizon)
    print(f"{len(tasks)} tasks; one tuning of four fifths of them took {min(seconds):.1f} to {max(seconds):.1f} s")


def _points(past: list[bt.Task], horizon: int) -> dict[str, dict[str, Any]]:
    """What each way learns, as parameters to play with."""
    packed = Tasks.of(past, horizon, loss=LOSSES["regret"], seed=0, extend=True)
    everyone = np.ones(len(past), bool)
    with ThreadPoolExecutor(n_cores()) as executor:
        search = PriorSearch(packed, Box(Interval(0.0, 1.0), Interval(0.0, 2.0)), executor, 0)
        found = {MEANS: search.learn_means(everyone, [1.0]), JOINT: search.joint(everyone, [1.0])}
    alone = bt.tune(bt.UCB, past, horizon=horizon, alpha=(0.0, 4.0))
    return {ALONE: dict(alone.params)} | {
        name: {"alpha": point.theta**2, "prior_means": dict(zip(packed.arms, point.means.tolist(), strict=True))}
        for name, point in found.items()
    }


def _print(losses: dict[str, list[float]], horizon: int) -> None:
    table = Table(title=f"Mean regret in {horizon} rounds on data sets not learned from", title_justify="left")
    for head in ("", "mean regret", "standard error", "of alpha alone"):
        table.add_column(head, justify="left" if not head else "right")
    alone = float(np.mean(losses[ALONE]))
    for name, each in losses.items():
        error = np.std(each, ddof=1) / np.sqrt(len(each))
        table.add_row(name, f"{np.mean(each):.3f}", f"{error:.3f}", f"{np.mean(each) / alone:.2f}")
    Console(width=120).print(table)


def main() -> None:
    """Check, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=20_000, help="how many points on lines to try (default: 20,000)")
    parser.add_argument("--horizon", type=int, default=25, help="rounds of a run (default: 25)")
    options = parser.parse_args()
    check(options.points)
    measure(options.horizon)


if __name__ == "__main__":
    main()
