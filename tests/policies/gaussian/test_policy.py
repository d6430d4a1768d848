"""Policies with a Gaussian prior: names, arms that join, what is known of arms, priors that cannot be."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.gaussian.prior import GaussianPrior

COV = [[0.04, 0.03, 0.0], [0.03, 0.04, 0.0], [0.0, 0.0, 0.01]]
NAMED = {"prior_mean": [0.5, 0.4, 0.3], "prior_cov": COV, "noise": 0.01}
POLICIES = [bt.GaussianUCB, bt.GaussianTS]


def posterior(policy: bt.GaussianUCB, pulled: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    """The posterior from every reward at once."""
    arms, rewards = np.array([arm for arm, _ in pulled]), np.array([reward for _, reward in pulled])
    mean, cov = policy.prior_mean, policy.prior_cov
    whole = cov[np.ix_(arms, arms)] + policy.noise * np.eye(arms.size)
    gain = np.linalg.solve(whole, cov[arms]).T
    return mean + gain @ (rewards - mean[arms]), np.sqrt(np.diag(cov - gain @ cov[arms]))


REWARDS = st.integers(-100, 200).map(lambda k: k / 97)


@given(st.lists(st.tuples(st.integers(0, 2), REWARDS), min_size=1, max_size=30))
def test_posterior_is_the_same_in_any_order_of_arms_and_as_by_the_book(pulled: list[tuple[int, float]]) -> None:
    policy, other = bt.GaussianUCB(3, **NAMED), bt.GaussianUCB(3, **NAMED)
    for arm, reward in pulled:
        policy.update(arm, reward)
    for arm in (2, 0, 1):  # each arm's rewards in their order, but one arm after the other
        for own, reward in pulled:
            if own == arm:
                other.update(own, reward)
    means, sds = posterior(policy, pulled)
    assert np.allclose(policy.means, means, atol=1e-9)
    assert np.allclose(policy.sds, sds, atol=1e-9)
    assert policy.means.tolist() == other.means.tolist()
    assert policy.sds.tolist() == other.sds.tolist()
    assert policy.select() == other.select()


@pytest.mark.parametrize("kind", POLICIES)
def test_names_in_names_out_also_after_saving(kind: type[bt.GaussianUCB]) -> None:
    policy = kind(["a", "b", "c"], **NAMED)
    policy.update(policy.select(), 0.2)
    again = bt.policy_from_json(policy.to_json())
    assert again.select() == policy.select()
    assert again.select() in ("a", "b", "c")
    assert again.to_json() == policy.to_json()
    with pytest.raises(bt.ParameterError, match="add_arms"):
        policy.update("d", 1.0)


@pytest.mark.parametrize("kind", POLICIES)
def test_arms_join_from_the_population_and_can_be_saved(kind: type[bt.GaussianUCB]) -> None:
    policy = kind(["a", "b", "c"], **NAMED)
    for _ in range(5):
        policy.update("a", 0.1)
    before = policy.means
    policy.add_arms(["new"])
    assert policy.arms == ("a", "b", "c", "new")
    assert np.allclose(policy.means[:3], before, atol=1e-9)  # nothing was learned of the others
    assert policy.prior_mean[3] == pytest.approx(0.4)
    assert policy.means[3] < 0.4  # as a did worse than expected, so may the new one
    assert (np.linalg.eigvalsh(policy.prior_cov) > -1e-12).all()
    policy.update("new", 0.9)
    again = bt.policy_from_json(policy.to_json())
    assert again.select() == policy.select()
    assert again.means.tolist() == policy.means.tolist()
    with pytest.raises(bt.InputError, match="different names"):
        policy.add_arms(["a"])


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32))
def test_priors_of_arms_never_seen_are_never_impossible(known: int, new: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(known, known))
    prior = GaussianPrior.of(range(known), rng.normal(size=known), roots @ roots.T, 0.1)
    _, cov = prior.for_arms([*range(known), *(f"new {k}" for k in range(new))])
    assert np.linalg.eigvalsh(cov).min() >= -1e-9 * np.trace(cov)


def test_pulling_one_arm_teaches_about_those_that_go_with_it() -> None:
    policy = bt.GaussianUCB(3, **NAMED)
    policy.update(0, 0.0)
    assert policy.means[1] < 0.4
    assert policy.means[2] == pytest.approx(0.3)
    assert policy.select() == 2


def test_flat_prior_is_ucb() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        task = bt.Task(rng.random((4, 30)))
        noise = float(rng.choice([0.01, 1.0]))
        curve = bt.loss_curve(bt.GaussianUCB, task, horizon=30, theta=(0.0, 2.0), prior=GaussianPrior.flat(noise))
        for theta in rng.random(20) * 2.0:
            assert curve(theta) == bt.play(bt.UCB, task, horizon=30, alpha=theta**2 * noise).regret[-1]


def test_thompson_sampling_draws_from_the_posterior() -> None:
    rewards = [(0, 0.1), (2, 0.35), (0, 0.3)]
    chosen = np.zeros(3)
    for seed in range(4_000):
        policy = bt.GaussianTS(3, **NAMED, seed=seed)
        for arm, reward in rewards:
            policy.update(arm, reward)
        chosen[policy.select()] += 1
    mean, _ = posterior(bt.GaussianUCB(3, **NAMED), rewards)
    arms = np.array([0, 2, 0])
    cov = np.array(COV)
    whole = cov[np.ix_(arms, arms)] + 0.01 * np.eye(3)
    left = cov - cov[:, arms] @ np.linalg.solve(whole, cov[arms])
    drawn = np.random.default_rng(1).multivariate_normal(mean, left, 100_000).argmax(axis=1)
    assert np.allclose(chosen / 4_000, np.bincount(drawn, minlength=3) / 100_000, atol=0.04)


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        ({"prior_mean": [0.1, 0.2]}, "prior_mean must hold a mean for each of 3 arms"),
        ({"prior_mean": {"a": 1.0}}, "prior_mean must have a mean for every arm"),
        ({"prior_mean": None}, "prior_mean must be given"),
        ({"prior_cov": [[1.0]]}, r"prior_cov must have shape \(3, 3\)"),
        ({"prior_cov": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, "positive semidefinite"),
        ({"prior_cov": [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, "symmetric"),
        ({"prior_cov": np.inf}, "finite"),
        ({"noise": 0.0}, "noise must be a variance above 0"),
        ({"noise": -1.0}, "noise must be a variance above 0"),
        ({"schedule": "remaining"}, "needs the horizon"),
        ({"prior": GaussianPrior.flat(1.0)}, "not both"),
    ],
)
def test_what_cannot_be_expected_is_rejected(given_as: dict[str, object], message: str) -> None:
    with pytest.raises(bt.InputError, match=message):
        bt.GaussianUCB(["x", "y", "z"], **(NAMED | given_as))


def test_words_are_for_tuning() -> None:
    with pytest.raises(bt.ParameterError, match=r"fitted to past tasks by bt\.tune"):
        bt.play(bt.GaussianUCB, bt.Task([[1.0]]), horizon=1, prior="full")


def test_broken_priors_are_rejected_where_policies_are_restored() -> None:
    state = json.loads(bt.GaussianUCB(["a", "b"], prior_mean=0.5, prior_cov=0.1, noise=0.1).to_json())
    broken = [{"noise": -1}, {"cov": [[1, 9], [9, 1]]}, {"population": [0, 1]}, {"mean": "x"}, {"structure": "odd"}]
    for each in broken:
        with pytest.raises(bt.FileError):
            bt.policy_from_json(json.dumps(state | {"prior": state["prior"] | each}))
