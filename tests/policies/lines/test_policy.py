"""Policies whose index is a line in their parameter: what is particular to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune import problems
from banditune.errors import ParameterError
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.registry import find_tunable_policies
from banditune.simulation.simulate import online_pulls, pulls_of
from tests.strategies import share

POLICIES = [policy for policy in find_tunable_policies().values() if issubclass(policy, LinePolicy)]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_compiled_run_is_the_online_run_also_from_its_middle(policy: type[LinePolicy]) -> None:
    @share(20)
    @given(st.integers(1, 5), st.integers(0, 60), st.integers(0, 2**40), st.sampled_from(["bernoulli", "gaussian"]))
    def holds(n_arms: int, before: int, seed: int, kind: str) -> None:
        source = getattr(problems, kind)(n_arms).bandit(0, seed).source()
        online = policy.start(n_arms, horizon=100, seed=seed)
        online_pulls(online, source, np.array([before]), np.zeros((1, n_arms), np.int64))
        compiled, played = pulls_of(online, source, np.array([40])), np.zeros((1, n_arms), np.int64)
        online_pulls(online, source, np.array([40]), played)
        assert (compiled == played).all()

    holds()


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_choosing_changes_nothing_and_goes_by_the_seed(policy: type[LinePolicy]) -> None:
    def arms(seed: int) -> list[int]:
        running, chosen = policy.start(3, horizon=100, seed=seed), []
        for t in range(100):
            assert running.select() == running.select()
            chosen.append(running.select())
            running.update(chosen[-1], 0.5 + 0.1 * (t % 3))
        return chosen

    assert arms(1) == arms(1)
    assert (arms(1) != arms(2)) == policy.is_randomised


def test_softmax_pulls_arms_evenly_where_it_is_hot() -> None:
    task = bt.Task.from_counts([50] * 3, [5, 25, 45])
    played = [bt.play(bt.Softmax, task, horizon=50, temperature=1e9, seed=seed).arms for seed in range(20)]
    assert np.mean([(arms == 2).mean() for arms in played]) == pytest.approx(1 / 3, abs=0.05)


def test_losses_of_policies_that_draw_are_means_over_draws() -> None:
    tasks = problems.bernoulli(3).sample(12, 60)
    tuned = bt.tune(bt.GaussianThompson, tasks, horizon=60, scale=(0.0, 1.0), draws=3)
    assert tuned.draws == 3
    curves = []
    for task in tasks:
        address = task.address
        curves += [
            bt.loss_curve(bt.GaussianThompson, task.with_draw(address._replace(number=k)), horizon=60, scale=(0.0, 1.0))
            for k in range(3)
        ]
    assert tuned.curve(0.3) == pytest.approx(np.mean([curve(0.3) for curve in curves]))
    assert bt.tune(bt.MOSS, tasks, horizon=60, scale=(0.0, 1.0)).draws == 1


def test_tuned_policies_that_draw_take_a_seed_for_each_task() -> None:
    tasks = problems.bernoulli(3).sample(4, 20)
    tuned = bt.tune(bt.Softmax, tasks, horizon=20, temperature=(0.0, 1.0), draws=1)
    assert tuned.policy(n_arms=3, seed=7).to_json() == bt.Softmax(3, **tuned.params, seed=7).to_json()
    assert tuned.policy(arms=["a", "b", "c"], seed=7).seed == 7
    with pytest.raises(ParameterError, match="UCB draws nothing"):
        bt.tune(bt.UCB, tasks, horizon=20, alpha=(0.0, 1.0), draws=1).policy(n_arms=3, seed=7)


def test_moss_needs_the_horizon_and_gives_no_bonus_beyond_its_share() -> None:
    with pytest.raises(ParameterError, match="MOSS needs the horizon"):
        bt.MOSS(2)
    policy = bt.MOSS(2, scale=100.0, horizon=10)
    for t in range(10):
        policy.update(policy.select(), 0.1 * (t % 2))
    assert policy.counts.tolist() == [5, 5]
    policy.update(0, 0.0)
    assert policy.select() == int(np.argmax(policy.means))


def test_prior_of_rates_is_learned_from_the_tasks_and_handed_over() -> None:
    rates = np.random.default_rng(0).beta(2.0, 6.0, (60, 3))
    tasks = [bt.Task.from_counts([2000] * 3, [int(2000 * rate) for rate in each]) for each in rates]
    tuned = bt.tune(bt.BetaThompson, tasks, horizon=30, stretch=(0.0, 2.0), prior="learned", draws=1)
    assert tuned.params["prior"] == (pytest.approx(2.0, rel=0.4), pytest.approx(6.0, rel=0.4))
    assert tuned.policy(n_arms=3).prior == tuned.params["prior"]
    with pytest.raises(ParameterError, match="fitted to past tasks"):
        bt.BetaThompson(3, prior="learned")
    for prior in ((0.0, 1.0), (1.0,), "flat", 3.0):
        with pytest.raises(ParameterError, match="prior"):
            bt.BetaThompson(3, prior=prior)  # type: ignore[arg-type]


def test_kl_ucb_with_normal_rewards_is_ucb() -> None:
    task = bt.Task(np.random.default_rng(1).random((4, 60)))
    for c in (0.01, 0.2, 1.0):
        ours = bt.play(bt.KLUCB, task, horizon=60, c=c, family="gaussian")
        theirs = bt.play(bt.UCB, task, horizon=60, alpha=2 * c)
        assert (ours.arms == theirs.arms).all()


def test_a_learned_prior_of_rates_goes_by_the_bounds_of_rewards() -> None:
    tasks = [bt.Task.from_counts([200] * 3, [20 + k, 40, 60], name=str(k)) for k in range(8)]
    scaled = [bt.Task([1.0 + 4.0 * row for row in task.extend(200).rewards]) for task in tasks]
    plain = bt.tune(bt.BetaThompson, [task.extend(200) for task in tasks], horizon=20, prior="learned", draws=1)
    wide = bt.tune(bt.BetaThompson, scaled, horizon=20, prior="learned", bounds=(1.0, 5.0), draws=1)
    assert wide.params["prior"] == pytest.approx(plain.params["prior"])


def test_epsilon_that_falls_is_searched_up_to_where_every_round_explores() -> None:
    tasks = [bt.Task(np.random.default_rng(0).integers(0, 2, (2, 30)))]
    for decay in (1.0, [1.0], [0.0, 1.0]):
        assert bt.tune(bt.EpsilonGreedy, tasks, horizon=30, decay=decay, draws=1).curve.high == 30.0
    assert bt.tune(bt.EpsilonGreedy, tasks, horizon=30, draws=1).curve.high == 1.0


def test_the_last_whole_number_of_a_range_is_searched() -> None:
    task = bt.Task([[0, 1, 1, 1, 1, 1, 1, 1] * 4, [1, 0, 0, 0, 0, 0, 0, 0] * 4], means=[0.9, 0.1])
    tuned = bt.tune(bt.ExploreThenCommit, [task], horizon=20, pulls=(1, 2))
    assert tuned.params["pulls"] == 2
    assert tuned.loss == bt.play(bt.ExploreThenCommit, task, horizon=20, pulls=2).loss
