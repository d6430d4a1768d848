"""The corrals against naive versions of themselves, and what must hold of their probabilities."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import baselines, problems
from banditune.kernels.jit import integer, jit
from banditune.kernels.simulator.corral_rules import RATE, WEIGHT, barrier_step, corral_learn
from banditune.kernels.simulator.state import ARM_WIDTH, CHANCE, draw_row
from banditune.simulation.simulate import online_pulls, pulls_of, simulate
from tests.baselines.test_baselines import PAIR, arms_of
from tests.naive import baselines as naive_baselines
from tests.naive import corrals as naive

CORRALS = {bt.Corral: naive.Corral, bt.StochasticCorral: naive.StochasticCorral}
ALPHAS = (0.05, 0.5, 5.0, 50.0)


def ucbs(n_arms: int) -> list[bt.UCB]:
    return [bt.UCB(n_arms, alpha=alpha) for alpha in ALPHAS]


@pytest.mark.parametrize("corral", CORRALS)
@pytest.mark.parametrize("feedback", ["own", "importance"])
@pytest.mark.parametrize("n_arms", [2, 5])
def test_corral_plays_as_its_naive_version_does(corral: type[bt.Corral], feedback: str, n_arms: int) -> None:
    rewards = np.random.default_rng(n_arms).beta(2.0, 1.0 + np.arange(n_arms), (400, n_arms)).T
    ours = corral(ucbs(n_arms), 400, feedback=feedback, seed=n_arms)
    bases = [naive_baselines.UCB(n_arms, 0, alpha=alpha) for alpha in ALPHAS]
    theirs = CORRALS[corral](bases, 400, int(ours.key), importance=feedback == "importance")
    assert arms_of(ours, rewards) == arms_of(theirs, rewards)
    assert ours.probabilities == pytest.approx(theirs.chances, rel=1e-6)


@pytest.mark.parametrize("corral", CORRALS)
@given(
    st.integers(1, 4), st.integers(1, 80), st.integers(0, 2**40), st.sampled_from(["own", "importance"]), st.booleans()
)
def test_compiled_game_is_the_online_game(
    corral: type[bt.Corral], n_arms: int, horizon: int, seed: int, feedback: str, restarts: bool
) -> None:
    bases: list[Any] = [*ucbs(n_arms), bt.BetaThompson(n_arms, seed=seed), baselines.TsallisINF(n_arms, seed=seed)]
    policy = corral(bases, horizon, seed=seed, feedback=feedback, restarts=restarts)
    source, rounds = problems.bernoulli(n_arms).bandit(0, seed).source(), np.arange(1, horizon + 1)
    compiled, online = pulls_of(policy, source, rounds), np.zeros((horizon, n_arms), np.int64)
    online_pulls(policy, source, rounds, online)
    assert (compiled == online).all()


@jit
def drive(kind: int, rows: np.ndarray, own: np.ndarray, uniforms: np.ndarray, other: float) -> tuple[float, float]:
    """How far the probabilities ever are from a sum of 1, and the least of them; all but the first lose `other`."""
    worst, least = 0.0, 1.0
    for u in uniforms:
        base = draw_row(rows, integer(CHANCE), u)
        corral_learn(kind, rows, own, base, other if base > 0 else 1.0 - other)
        worst = max(worst, abs(rows[:, CHANCE].sum() - 1.0))
        least = min(least, rows[:, CHANCE].min())
    return worst, least


@pytest.mark.parametrize("corral", CORRALS)
@pytest.mark.parametrize("kind", ["fair", "hopeless", "all or nothing"])
def test_probabilities_sum_to_one_over_a_million_rounds(corral: type[bt.Corral], kind: str) -> None:
    """The corrals' own steps, a million of them, with losses that drive the probabilities to their limits."""
    policy = corral(ucbs(2) + ucbs(2), 1_000_000)
    other = {"fair": 0.5, "hopeless": 0.6, "all or nothing": 1.0}[kind]
    worst, least = drive(policy.kind, policy.rows, policy.own, np.random.default_rng(0).random(1_000_000), other)
    assert worst < 1e-12
    assert least > 0.0
    assert np.isfinite(policy.rows).all()


@given(st.lists(st.floats(1e-8, 1.0), min_size=1, max_size=12), st.floats(0.0, 1e7), st.floats(1e-6, 10.0), st.data())
def test_log_barrier_step_solves_its_equation(
    chances: list[float], loss: float, rate: float, data: st.DataObject
) -> None:
    """The new weights are a distribution, and their inverses moved by rate (loss - x) for one x."""
    base = data.draw(st.integers(0, len(chances) - 1))
    rows = np.zeros((len(chances), ARM_WIDTH))
    before = np.array(chances) / sum(chances)
    rows[:, WEIGHT], rows[:, RATE] = before, rate
    barrier_step(rows, base, loss)
    after = rows[:, WEIGHT]
    assert (after > 0.0).all()
    assert abs(after.sum() - 1.0) < 1e-12
    assert after[base] <= before[base] * (1.0 + 1e-12)
    moved = [
        (1 / Fraction(float(b)) - 1 / Fraction(float(a))) / Fraction(rate) for a, b in zip(before, after, strict=True)
    ]
    shifts = np.array([float(each - (Fraction(loss) if k == base else 0)) for k, each in enumerate(moved)])
    size = float(np.max(1.0 / np.minimum(before, after))) / rate
    assert np.ptp(shifts) <= 1e-12 * (size + loss) + 2.0**-50 * size * rate * loss  # how finely floats tell x


def test_regret_lies_where_it_was_measured_elsewhere() -> None:
    """Bernoulli .5 and .7, 20,000 rounds, ten alphas: far above the best fixed one, far below the worst."""
    grid = [baselines.entry(bt.UCB, alpha=alpha) for alpha in baselines.GRID]
    corrals = [baselines.corral_entry(corral, grid, feedback=f) for corral in CORRALS for f in ("own", "importance")]
    played = simulate(grid + corrals, PAIR.bandits(10), horizon=20_000)
    fixed = {entry.name: played.final(entry.name).mean() for entry in grid}
    assert min(fixed.values()) < 15.0
    for each in corrals:
        low, high = (150.0, 700.0) if each.name.startswith("CORRAL") else (120.0, 450.0)
        assert low < played.final(each.name).mean() < high, each.name


def test_corral_of_policies_that_are_not_ours_is_played_online() -> None:
    class Always:
        def __init__(self, arm: int) -> None:
            self.arm, self.seen = arm, 0

        def select(self) -> int:
            return self.arm

        def update(self, arm: int, reward: float) -> None:
            self.seen += 1

    bases = [Always(0), Always(1)]
    entry = baselines.Entry("two", lambda n, horizon, seed: bt.Corral(bases, horizon, seed=seed), "all")
    played = simulate([entry], PAIR.bandits(1), horizon=2000)
    assert bases[0].seen + bases[1].seen == 2000
    assert bases[1].seen > bases[0].seen
    assert played.final("two")[0] == pytest.approx(0.2 * bases[0].seen)


def test_smaller_step_of_theorem_5_is_taken() -> None:
    assert bt.Corral(ucbs(2), 10_000).eta == pytest.approx(0.02)
    assert bt.Corral(ucbs(2), 10_000, base_regret=10.0).eta == pytest.approx(1 / (400 * np.log(10_000)))
    assert bt.Corral(ucbs(2), 10_000, base_regret=1e-3).eta == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Corral([], 10), r"bases must be a list of at least one policy, got \[\]"),
        (lambda: bt.Corral(5, 10), "bases must be a list of at least one policy, got 5"),  # type: ignore[arg-type]
        (lambda: bt.Corral([bt.UCB(2), bt.UCB(3)], 10), "bases must all have the same number of arms, got 2, 3"),
        (lambda: bt.Corral([bt.UCB], 10), r"bases\[0\] must be a policy with select\(\) and update\(\)"),
        (lambda: bt.Corral(ucbs(2), 0), "horizon must be a whole number of at least 1"),
        (lambda: bt.Corral(ucbs(2), 10, feedback="all"), "feedback must be one of own, importance"),
        (lambda: bt.Corral(ucbs(2), 10, eta=0.1, base_regret=1.0), "give eta or base_regret, not both"),
        (lambda: bt.StochasticCorral(ucbs(2), 10, beta=0.5), "beta must be a finite number of at least 1"),
        (lambda: bt.Corral(ucbs(2), 10).update(1, 1.0), "arm must be the selected one, 0; got 1"),
        (lambda: bt.Corral(ucbs(2), 10).update(0, np.inf), "reward must be a finite number"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        make()
