"""The baselines against naive versions of themselves, other libraries, and what is known of their regret."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import baselines, problems
from banditune.simulation.simulate import online_pulls, pulls_of, simulate
from tests.baselines.registered import BASELINES
from tests.naive import baselines as naive
from tests.strategies import share

HORIZON = 300
ALPHAS = (0.1, 1.0, 10.0)
GAMMA = min(1.0, math.sqrt(len(ALPHAS) * math.log(len(ALPHAS)) / ((math.e - 1) * HORIZON)))
PAIR = problems.fixed([problems.Bernoulli(0.5), problems.Bernoulli(0.7)])

# a baseline, and the naive version for a number of arms and a key
PAIRS: dict[str, tuple[Callable[[int, int], Any], Callable[[int, int], Any]]] = {
    "UCB1": (lambda n, seed: baselines.UCB1(n), lambda n, key: naive.UCB(n, key, alpha=2.0)),
    "EXP3": (lambda n, seed: baselines.EXP3(n, gamma=0.1, seed=seed), lambda n, key: naive.Exp3(n, key, gamma=0.1)),
    "Tsallis-INF": (lambda n, seed: baselines.TsallisINF(n, seed=seed), naive.TsallisInf),
    "Syndicated": (
        lambda n, seed: baselines.Syndicated(n, horizon=HORIZON, alphas=ALPHAS, seed=seed),
        lambda n, key: naive.Syndicated(n, key, alphas=ALPHAS, gamma=GAMMA),
    ),
    "CDT": (
        lambda n, seed: baselines.CDT(n, horizon=HORIZON, epoch=130, warm_up=10, seed=seed),
        lambda n, key: naive.Cdt(n, key, horizon=HORIZON, high=4.0, epoch=130, warm_up=10),
    ),
}


def arms_of(policy: Any, rewards: np.ndarray) -> list[int]:
    """The arms a policy pulls where arm i gives rewards[i] in order."""
    pulls, arms = [0] * rewards.shape[0], []
    for _ in range(rewards.shape[1]):
        arm = policy.select()
        policy.update(arm, float(rewards[arm, pulls[arm]]))
        pulls[arm] += 1
        arms.append(arm)
    return arms


def test_every_baseline_has_a_naive_version() -> None:
    corrals = {bt.Corral, bt.StochasticCorral}  # test_corral.py
    assert {type(ours(2, 0)) for ours, _ in PAIRS.values()} == {*BASELINES} - corrals


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("n_arms", [1, 2, 5])
def test_baseline_plays_as_its_naive_version_does(name: str, n_arms: int) -> None:
    rewards = np.random.default_rng(n_arms).beta(2.0, 1.0 + np.arange(n_arms), (HORIZON, n_arms)).T
    ours, theirs = PAIRS[name]
    policy = ours(n_arms, n_arms)
    assert arms_of(policy, rewards) == arms_of(theirs(n_arms, int(policy.state.key)), rewards)


def started(baseline: type[baselines.Baseline], n_arms: int, horizon: int, seed: int) -> baselines.Baseline:
    policy: baselines.Baseline = baselines.entry(baseline).start(n_arms, horizon, seed)
    return policy


@pytest.mark.parametrize("baseline", BASELINES)
@given(st.integers(1, 6), st.integers(1, 60), st.integers(0, 2**40), st.sampled_from(["bernoulli", "gaussian", "beta"]))
@share(20)
def test_compiled_game_is_the_online_game(
    baseline: type[baselines.Baseline], n_arms: int, horizon: int, seed: int, kind: str
) -> None:
    source = getattr(problems, kind)(n_arms).bandit(0, seed).source()
    rounds = np.arange(1, horizon + 1)
    policy = started(baseline, n_arms, horizon, seed)
    online = np.zeros((horizon, n_arms), np.int64)
    compiled = pulls_of(policy, source, rounds)
    online_pulls(policy, source, rounds, online)
    assert (compiled == online).all()
    assert (policy.counts == compiled[-1]).all()


@pytest.mark.parametrize("baseline", BASELINES)
def test_choosing_changes_nothing_and_goes_by_the_seed(baseline: type[baselines.Baseline]) -> None:
    rewards = np.random.default_rng(0).random((3, 200))
    policy, again, other = (started(baseline, 3, 200, seed) for seed in (5, 5, 6))
    assert [policy.select() for _ in range(3)] == [policy.select()] * 3
    arms = arms_of(policy, rewards)
    assert arms_of(again, rewards) == arms
    drawing = baseline in (baselines.TsallisINF, baselines.EXP3, baselines.CDT, baselines.Syndicated)
    assert (arms_of(other, rewards) != arms) == drawing


@given(st.integers(1, 2000), st.integers(1, 6), st.data())
def test_baseline_stopped_in_mid_game_goes_on_in_a_compiled_one(before: int, n_arms: int, data: st.DataObject) -> None:
    baseline = data.draw(st.sampled_from(BASELINES))
    rewards = np.random.default_rng(before).random((n_arms, 40))
    policy = started(baseline, n_arms, 100, before)
    arms_of(policy, rewards)
    source = problems.beta(n_arms).bandit(0).source()
    compiled, online = pulls_of(policy, source, np.array([60])), np.zeros((1, n_arms), np.int64)
    online_pulls(policy, source, np.array([60]), online)
    assert (compiled == online).all()


def test_ucb1_decides_as_ucb_with_alpha_2_does() -> None:
    played = simulate(
        [baselines.entry(baselines.UCB1), baselines.entry(bt.UCB, alpha=2.0)], PAIR.bandits(5), horizon=3000
    )
    assert (played.regret[0] == played.regret[1]).all()


@pytest.mark.parametrize("baseline", [baselines.UCB1, baselines.EXP3, baselines.CDT])
def test_bounds_make_rewards_of_any_scale_the_same(baseline: type[baselines.Baseline]) -> None:
    rewards = np.random.default_rng(1).integers(0, 2**20, (3, 300)) / 2**20  # so that scaling is exact
    plain, scaled = started(baseline, 3, 300, 0), baselines.entry(baseline, bounds=(-8.0, 24.0)).start(3, 300, 0)
    assert arms_of(plain, rewards) == arms_of(scaled, 32.0 * rewards - 8.0)


def test_regret_is_what_is_known_of_each_baseline() -> None:
    m = math.ceil(5000 ** (2 / 3) * math.log(10_000) ** (1 / 3))
    others = (bt.BetaThompson, bt.KLUCB, bt.GaussianThompson, bt.UCBTuned, bt.UCBV, bt.EpsilonGreedy)
    entries = [baselines.entry(baseline) for baseline in (*BASELINES, *others)]
    entries += [baselines.entry(bt.ExploreThenCommit, name="explore then commit", pulls=m)]
    played = simulate(entries, PAIR.bandits(20), horizon=10_000, rounds=[1000, 10_000])
    lost = {entry.name: played.of(entry.name).mean(axis=(0, 1)) for entry in entries}
    lai_robbins = 0.2 / (0.5 * math.log(0.5 / 0.7) + 0.5 * math.log(0.5 / 0.3)) * math.log(10_000)
    for name in ("Thompson (Beta)", "KL-UCB", "UCB-Tuned"):
        assert lost[name][1] < 1.2 * lai_robbins, name  # asymptotically optimal, or nearly so
    assert lost["Thompson (Beta)"][1] < lost["KL-UCB"][1] < lost["UCB1"][1] < lost["EXP3"][1]
    for name in ("UCB1", "UCB-V", "KL-UCB", "Thompson (Beta)", "Thompson (Gaussian)", "Tsallis-INF"):
        assert lost[name][1] < 3.0 * lost[name][0] + 5.0, name  # grows like log T
    assert 2.0 < lost["EXP3"][1] / lost["EXP3"][0] < 8.0  # between log T and T
    assert lost["epsilon-greedy"][1] == pytest.approx(0.1 * 10_000 * 0.2 / 2, rel=0.2)  # linear in T
    assert lost["explore then commit"][1] == pytest.approx(0.2 * m)  # it always commits to the right arm here


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: baselines.UCB1(0), "n_arms must be a whole number from 1"),
        (lambda: baselines.UCB1(2, bounds=(1.0, 0.0)), r"bounds must have low < high, got \(1.0, 0.0\)"),
        (lambda: baselines.UCB1(2, bounds=3.0), r"bounds must be \(low, high\), got 3.0"),
        (lambda: baselines.EXP3(2), "EXP3 without gamma needs the horizon, got None"),
        (lambda: bt.ExploreThenCommit(2, pulls=1.5), "pulls must be a whole number, got 1.5"),
        (lambda: bt.EpsilonGreedy(2, epsilon=1.5), "epsilon must be a probability"),
        (lambda: baselines.Syndicated(2, horizon=10, alphas=[]), "alphas must hold at least one"),
        (lambda: baselines.CDT(2, horizon=10, alpha=(2.0, 1.0)), "low < high"),
        (lambda: baselines.CDT(2, horizon=10, alpha=1.0), r"alpha must be a range \(low, high\), got 1.0"),
        (lambda: baselines.UCB1(2).update(2, 1.0), r"arm must be less than n_arms \(2\), got 2"),
        (lambda: baselines.UCB1(2).update(0, math.nan), "reward must be a finite number"),
        (lambda: baselines.UCB1(2).update(0, 1e200), "reward must be 0 or from"),
        (lambda: bt.BetaThompson(2, prior=(0.0, 1.0)), "a of prior must be a finite number"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        make()
