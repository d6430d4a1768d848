"""UCB with prior means: ties, along any line of priors and sqrt(alpha), by name, saved."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.baselines import entry
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.watch import new_watch
from banditune.policies.batches import Terms
from banditune.policies.losses import LOSSES
from banditune.simulation.simulate import simulate
from tests.naive.ucb import naive_prior_arms, naive_regret
from tests.policies.case import Problem
from tests.policies.ucb.cases import WEIGHTS, UCBWithPriorsCase, tied_problems


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("mean", [0.1, 0.3, 0.7])
def test_arms_that_give_what_was_expected_tie_whatever_the_weight(mean: float, weight: float) -> None:
    how = {"prior_means": [mean] * 3, "prior_weight": weight}
    game = bt.play(bt.UCB, bt.Task([[mean] * 30] * 3), horizon=30, alpha=0.0, **how)
    assert game.arms.tolist() == [0] * 30


@given(tied_problems(), st.sampled_from([0.0, 0.0, 0.1, 1.0, 4.0]))
def test_ties_in_arithmetic_are_ties_online_in_games_and_in_the_simulator(problem: Problem, alpha: float) -> None:
    task, horizon, fixed = problem
    how = {"alpha": alpha, **fixed}
    rows = [row.tolist() for row in task.rewards]
    arms, _ = naive_prior_arms(rows, horizon, alpha, fixed["prior_means"], fixed["prior_weight"])
    played = bt.play(bt.UCB, task, horizon=len(arms), **how)
    assert played.arms.tolist() == arms
    policy, pulls = bt.UCB(task.n_arms, **how), [0] * task.n_arms
    for arm in arms:
        assert policy.select() == arm
        policy.update(arm, rows[arm][pulls[arm]])
        pulls[arm] += 1
    rounds = list(range(1, len(arms) + 1))
    simulated = simulate([entry(bt.UCB, **how)], [task], horizon=len(arms), rounds=rounds)
    assert simulated.regret[0, 0, 0].tolist() == played.regret.tolist()


@given(tied_problems(), st.integers(0, 2**32))
def test_ties_in_arithmetic_are_ties_along_lines_of_priors_and_root_alpha(problem: Problem, seed: int) -> None:
    task, horizon, settings = problem
    priors, weight = settings["prior_means"], settings["prior_weight"]
    rng = np.random.default_rng(seed)
    rows = [row.tolist() for row in task.rewards]
    slopes = rng.choice([0.0, 0.0, 0.1, 1.0, -0.3], task.n_arms)
    start, rise = float(rng.choice([0.0, 0.0, 0.3])), float(rng.choice([0.0, 0.0, 0.7]))
    batch = bt.UCB.make_batch([task], Terms(horizon, LOSSES["regret"], 0, True, settings))
    batch = batch._replace(slopes=slopes, start=start, rise=rise)
    left, values, _, _ = sweep_batch(new_watch(), batch, np.array([horizon]), 0.0, 1.0)
    for x in rng.random(3).tolist():
        at = [Fraction(prior) + Fraction(x) * Fraction(slope) for prior, slope in zip(priors, slopes, strict=True)]
        theta = mpmath.mpf(start) + mpmath.mpf(x) * mpmath.mpf(rise)
        arms, _ = naive_prior_arms(rows, horizon, theta**2, at, weight)
        here = values[np.searchsorted(left, x, side="right") - 1]
        assert here == pytest.approx(naive_regret(rows, arms), abs=1e-12)


@given(UCBWithPriorsCase().problems().filter(lambda each: "updates" not in each.fixed), st.integers(0, 2**32))
def test_loss_along_a_line_of_priors_and_root_alpha_is_that_of_its_runs(problem: Problem, seed: int) -> None:
    task, rounds, settings = problem
    priors, weight, schedule = settings["prior_means"], settings["prior_weight"], settings["schedule"]
    rng = np.random.default_rng(seed)
    slopes, start, rise = (
        rng.normal(size=task.n_arms),
        float(rng.choice([0.0, 0.3])),
        float(rng.choice([0.0, 0.5, 2.0])),
    )
    batch = bt.UCB.make_batch([task], Terms(rounds, LOSSES["regret"], 0, True, settings))
    batch = batch._replace(slopes=slopes, start=start, rise=rise)
    left, values, _, _ = sweep_batch(new_watch(), batch, np.array([rounds]), 0.0, 1.0)
    rows, gaps = [row.tolist() for row in task.rewards], task.means.max() - task.means
    for x in rng.random(3):
        here = values[np.searchsorted(left, x, side="right") - 1]
        at = [prior + x * slope for prior, slope in zip(priors, slopes, strict=True)]
        arms, closest = naive_prior_arms(rows, rounds, (start + x * rise) ** 2, at, weight, schedule)
        assert here == pytest.approx(gaps[arms].sum(), abs=1e-9) or closest < 1e-9


def test_priors_go_by_name_and_an_unknown_arm_is_as_good_as_the_best() -> None:
    task = bt.Task([[0.1, 0.2], [0.9, 0.8]], arms=["bad", "new"])
    game = bt.play(bt.UCB, task, horizon=2, alpha=0.0, prior_means={"bad": 0.5, "other": 0.6})
    assert game.arms.tolist() == [1, 1]
    tuned = bt.tune(bt.UCB, [task], horizon=2, alpha=(0.0, 1.0), prior_means={"bad": 0.5, "other": 0.6})
    assert tuned.params["prior_means"] == {"bad": 0.5, "other": 0.6}
    assert tuned.policy(arms=["other", "bad", "odd"]).prior_means.tolist() == [0.6, 0.5, 0.6]
    with pytest.raises(bt.ParameterError, match=r"give arms=\[...\], not n_arms"):
        tuned.policy(n_arms=2)
    with pytest.raises(bt.ParameterError, match="have no prior means"):
        tuned.to("mabwiser")


def test_result_with_priors_is_saved_and_loaded(tmp_path: object) -> None:
    tuned = bt.tune(bt.UCB, [bt.Task([[0.1], [0.9]])], horizon=5, alpha=(0.0, 1.0), prior_means={0: 0.3, 1: 0.4})
    tuned.save(f"{tmp_path}/tuned.json")
    assert bt.load(f"{tmp_path}/tuned.json").params == tuned.params
    assert bt.tune(bt.UCB, [bt.Task([[0.1], [0.9]])], horizon=5, alpha=(0.0, 1.0)).params.keys() == {"alpha"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prior_means": [0.1]}, "a mean for each of 2 arms, got 1"),
        ({"prior_means": "ab"}, "prior_means must be None, or a mean for each arm"),
        ({"prior_means": {}}, "prior_means must be None, or a mean for each arm"),
        ({"prior_means": [0.1, np.nan]}, "prior_means of arm 1 must be a finite number"),
        ({"prior_means": {0: 1e200, 1: 0.0}}, "at most 1e\\+150 in size"),
        ({"prior_means": [0.1, 0.2], "prior_weight": 0.0}, "prior_weight must be a finite number of at least 1e-09"),
    ],
)
def test_what_cannot_be_used_is_rejected(options: dict[str, object], words: str) -> None:
    with pytest.raises(bt.ParameterError, match=words):
        bt.UCB(2, **options)
    with pytest.raises(bt.ParameterError, match=words):
        bt.play(bt.UCB, bt.Task([[0.1], [0.2]]), horizon=1, **options)
