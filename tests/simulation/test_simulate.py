"""Many games at once: paired, reproducible, and the same as games played one by one."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import baselines, problems
from banditune.baselines import entry
from banditune.simulation.simulate import log_rounds, policy_seed, simulate
from tests.strategies import share, tasks

ENTRIES = [entry(bt.UCB, alpha=0.3), entry(bt.BetaThompson), entry(baselines.EXP3)]


@given(tasks(), st.integers(1, 60), st.floats(0.0, 4.0), st.integers(0, 3))
def test_ucb_on_a_recorded_task_is_the_game_that_play_plays(
    task: bt.Task, horizon: int, alpha: float, seed: int
) -> None:
    rounds = list(range(1, horizon + 1))
    played = simulate([entry(bt.UCB, alpha=alpha)], [task], horizon=horizon, rounds=rounds, repetitions=2, seed=seed)
    for r in range(2):
        assert (
            played.regret[0, 0, r] == bt.play(bt.UCB, task, horizon=horizon, alpha=alpha, seed=seed + r).regret
        ).all()


@given(st.integers(1, 5), st.integers(1, 60), st.floats(0.0, 2.0), st.floats(0.1, 5.0), st.integers(0, 2**30))
@share(50)
def test_ucb_with_priors_is_the_game_that_play_plays(
    n_arms: int, horizon: int, alpha: float, weight: float, seed: int
) -> None:
    (task,) = problems.beta(n_arms).sample(1, horizon, seed)
    means = np.random.default_rng(seed).random(n_arms).tolist()
    given = {"alpha": alpha, "prior_means": means, "prior_weight": weight}
    played = simulate([entry(bt.UCB, **given)], [task], horizon=horizon, rounds=[horizon])
    assert played.regret[0, 0, 0, -1] == bt.play(bt.UCB, task, horizon=horizon, **given).regret[-1]


def test_bandit_gives_the_rewards_of_its_sampled_task() -> None:
    problem = problems.bernoulli(3)
    drawn = simulate(ENTRIES, problem.bandits(4, seed=9), horizon=500)
    held = simulate(ENTRIES, problem.sample(4, 500, seed=9), horizon=500)
    assert (drawn.regret == held.regret).all()


def test_game_is_the_one_played_with_the_seed_of_its_place() -> None:
    bandits = problems.gaussian(3).bandits(3)
    played = simulate(ENTRIES, bandits, horizon=200, repetitions=2, seed=4)
    policy = bt.BetaThompson(3, seed=policy_seed(4, "Thompson (Beta)", 2, 1))
    task, gaps = bandits[2].task(200, repetition=1), bandits[2].means.max() - bandits[2].means
    pulls = [0] * 3
    for _ in range(200):
        arm = policy.select()
        policy.update(arm, task.rewards[arm][pulls[arm]])
        pulls[arm] += 1
    assert played.of("Thompson (Beta)")[2, 1, -1] == pytest.approx(float(gaps @ pulls), rel=1e-14)


def test_same_bits_on_any_number_of_workers() -> None:
    bandits = problems.beta(4).bandits(6)
    grid = [entry(bt.UCB, alpha=alpha) for alpha in (0.1, 1.0)]
    entries = [*ENTRIES, baselines.corral_entry(bt.Corral, grid)]
    here = simulate(entries, bandits, horizon=300, repetitions=2)
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as executor:
            there = simulate(entries, bandits, horizon=300, repetitions=2, executor=executor)
        assert (here.regret == there.regret).all()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        elsewhere = simulate(entries, bandits[:1], horizon=300, repetitions=2, executor=processes)
    assert (here.regret[:, :1] == elsewhere.regret).all()


def test_entry_plays_the_same_game_whoever_else_takes_part() -> None:
    bandits = problems.beta(4).bandits(3)
    together, alone = simulate(ENTRIES, bandits, horizon=300), simulate(ENTRIES[1:2], bandits[:2], horizon=300)
    assert (together.regret[1, :2] == alone.regret[0]).all()


def test_progress_is_told_game_by_game() -> None:
    told: list[int] = []
    simulate(ENTRIES, problems.bernoulli(2).bandits(2), horizon=10, repetitions=3, progress=told.append)
    assert told == [3, 6, 9, 12, 15, 18]


@given(st.integers(1, 10**9))
def test_log_rounds_increase_to_the_horizon(horizon: int) -> None:
    rounds = log_rounds(horizon).tolist()
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    assert all(a < b for a, b in pairwise(rounds))
    assert len(rounds) <= 20 * 9 + 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entries": []}, "entries must be at least one"),
        ({"entries": [ENTRIES[0], ENTRIES[0]]}, "different names"),
        ({"entries": [bt.UCB(2)]}, r"entries\[0\] must be an Entry"),
        ({"tasks": []}, "tasks must hold at least one task"),
        ({"tasks": [3]}, r"tasks\[0\] must be a bt.Task or a Bandit of bt.problems, got 3"),
        ({"horizon": 0}, "horizon must be a whole number from 1"),
        ({"repetitions": 0}, "repetitions must be a whole number of at least 1"),
        ({"rounds": [3, 2, 10]}, r"rounds must increase and end with the horizon \(10\)"),
        ({"rounds": [3]}, "rounds must increase and end with the horizon"),
    ],
)  # fmt: skip
def test_mistakes_are_told(change: dict[str, object], message: str) -> None:
    asked: dict[str, object] = {"entries": ENTRIES, "tasks": problems.bernoulli(2).bandits(1), "horizon": 10}
    with pytest.raises(bt.InputError, match=message):
        simulate(**(asked | change))  # type: ignore[arg-type]


def test_unknown_entry_is_told_by_name() -> None:
    played = simulate(ENTRIES, problems.bernoulli(2).bandits(1), horizon=10)
    with pytest.raises(bt.ParameterError, match="there is no entry 'UCB'; there are UCB, alpha"):
        played.of("UCB")
