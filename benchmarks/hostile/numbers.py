"""Random tasks, wild numbers and ties, against plain players in fractions: the same arms, or an error of ours."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import banditune as bt
from benchmarks.hostile.attack import Case, Draw, GaveWayError
from benchmarks.hostile.players import play_linucb, play_ucb

TRIED = "random tasks played"
KINDS = ("bits", "tenths", "equal arms", "normal", "tiny", "huge", "mixed", "nearly equal")
SIZES = (1.0, 1e3, 1e6, 1e8, 1e10, 1e12)


def cases(folder: Path) -> Iterator[Case]:
    for number in itertools.count():
        kind = KINDS[number % len(KINDS)]
        yield Case(f"UCB, {kind}", partial(compare_ucb, kind, False))
        yield Case(f"UCB with priors, {kind}", partial(compare_ucb, kind, True))
        size = SIZES[number % len(SIZES)]
        yield Case(f"LinUCB, features of {size:g}", partial(compare_linucb, size))


def draw_rewards(kind: str, shape: tuple[int, int], draw: Draw) -> NDArray[Any]:
    """Rewards (n, T) of a kind that has led policies astray."""
    if kind == "bits":
        return draw.integers(0, 2, shape).astype(float)
    if kind == "tenths":
        return draw.integers(0, 11, shape) / 10
    if kind == "equal arms":
        return np.tile(draw.integers(0, 11, (1, shape[1])) / 10, (shape[0], 1))
    if kind == "nearly equal":
        return np.asarray(1.0 + draw.integers(0, 3, shape) * 2.0**-52)
    if kind == "mixed":  # within the 32 digits in which close calls are decided
        scattered: NDArray[Any] = draw.normal(size=shape) * draw.choice([1e-8, 1.0, 1e8], shape)
        return scattered
    scales = {"normal": [1.0], "tiny": [1e-150, 1e-12], "huge": [1e12, 1e100]}[kind]
    return draw.normal(size=shape) * float(draw.choice(scales))


def compare_ucb(kind: str, with_priors: bool, draw: Draw) -> None:
    """The simulated run, the policy online and the curve must all be as the player has it."""
    n, horizon = int(draw.integers(1, 6)), int(draw.integers(1, 25))
    rewards = draw_rewards(kind, (n, horizon), draw).tolist()
    size = max(abs(each) for row in rewards for each in row) or 1.0
    alpha = float(draw.choice([0.0, 1.0, 0.1, draw.random(), 2.0])) * min(size, 1e100) ** 2
    settings: dict[str, Any] = {}
    priors, weight = None, 1.0
    if with_priors:
        same = draw.random() < 0.5
        priors = [float(size * (0.5 if same else draw.choice([0.0, 0.1, 0.3, draw.random()]))) for _ in range(n)]
        weight = float(draw.choice([1.0, 0.1, 0.3, 1 / 3, 2.5, 1e-3, draw.random() + 0.01]))
        settings = {"prior_means": priors, "prior_weight": weight}
    again = f"rewards={rewards}, alpha={alpha!r}, {settings}"
    try:
        expected = play_ucb(rewards, horizon, alpha, priors, weight)
        task = bt.Task(rewards)
        run = bt.play(bt.UCB, task, horizon=horizon, alpha=alpha, **settings)
        online, policy, pulled = [], bt.UCB(n, alpha=alpha, **settings), [0] * n
        for _ in range(horizon):
            arm = int(policy.select())
            policy.update(arm, rewards[arm][pulled[arm]])
            pulled[arm] += 1
            online.append(arm)
        curve = bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, 2 * alpha or 1.0), loss="reward", **settings)
    except bt.BanditTuneError:
        return
    for what, arms in (("bt.play", run.arms.tolist()), ("bt.UCB online", online)):
        if arms != expected:
            raise GaveWayError(f"{what} pulls {arms}, UCB by its definition {expected}; {again}")
    received = -math.fsum(run.rewards)
    if alpha not in curve.edges.tolist() and not math.isclose(
        curve(alpha), received, rel_tol=1e-9, abs_tol=1e-9 * size
    ):
        raise GaveWayError(f"the curve has {curve(alpha)!r} at alpha, the run {received!r}; {again}")


def compare_linucb(size: float, draw: Draw) -> None:
    """Features of one size, or of sizes up to it; rounds too close to call end the comparison."""
    n, d, horizon = int(draw.integers(2, 5)), int(draw.integers(1, 4)), int(draw.integers(2, 9))
    scales = size ** (draw.random(d) if draw.random() < 0.5 else np.ones(d))
    contexts = np.round(draw.normal(size=(horizon, n, d)), 2) * scales
    rewards = np.round(draw.normal(size=(horizon, n)), 2)
    alpha, ridge = float(draw.choice([0.0, 0.5, 1.0, 3.0])), float(draw.choice([1e-3, 0.5, 1.0, 10.0]))
    disjoint = bool(draw.random() < 0.5)
    settings: dict[str, Any] = {"alpha": alpha, "ridge": ridge, "disjoint": disjoint}
    again = f"contexts={contexts.tolist()}, rewards={rewards.tolist()}, {settings}"
    exact = [[[Fraction(x) for x in row] for row in seen] for seen in contexts.tolist()]
    given = [[Fraction(x) for x in row] for row in rewards.tolist()]
    expected, close = play_linucb(exact, given, Fraction(alpha), Fraction(ridge), disjoint=disjoint)
    end = close.index(True) if True in close else horizon
    try:
        arms = bt.play(bt.LinUCB, bt.ContextualTask(contexts, rewards), horizon=horizon, **settings).arms.tolist()
    except bt.BanditTuneError:
        return
    if arms[:end] != expected[:end]:
        raise GaveWayError(f"bt.play chooses {arms[:end]}, LinUCB by its definition {expected[:end]}; {again}")
