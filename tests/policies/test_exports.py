"""Another library with converted parameters explores as ours does."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import banditune as bt
from banditune.errors import ParameterError
from banditune.policies.ab_platforms import PLATFORMS
from banditune.policies.exports import conversions, convert
from banditune.policies.registry import find_policy, find_tunable_policies
from tests.naive.ucb import bonus

ALPHAS = (2.7e-5, 0.05, 1.0, 3.0)
ARMS = [0, 1, 2]
HISTORY = [(0, 0.3), (1, 0.9), (2, 0.1), (1, 0.4), (1, 0.7), (0, 0.35), (2, 0.0), (1, 1.0), (1, 0.2), (0, 0.6)]


def naive_index(alpha: float, t: int) -> list[float]:
    """Our index of each arm in round t, after HISTORY."""
    seen = [[reward for pulled, reward in HISTORY if pulled == arm] for arm in ARMS]
    return [float(sum(rewards) / len(rewards) + bonus(alpha, t, len(rewards))) for rewards in seen]


def theirs(library: str, alpha: float) -> dict[str, float]:
    return dict(convert(bt.UCB, {"alpha": alpha}, library))


def index_of_mabwiser(alpha: float) -> list[float]:
    mab = pytest.importorskip("mabwiser.mab")
    policy = mab.MAB(ARMS, mab.LearningPolicy.UCB1(**convert(bt.UCB, {"alpha": alpha}, "mabwiser")))
    for arm, reward in HISTORY:
        policy.partial_fit([arm], [reward])
    index = policy.predict_expectations()
    return [index[arm] for arm in ARMS]


def index_of_river(alpha: float) -> list[float]:
    ucb = pytest.importorskip("river.bandit.ucb")
    policy = ucb.UCB(**convert(bt.UCB, {"alpha": alpha}, "river"))
    for arm, reward in HISTORY:
        policy.update(arm, reward)
    seen: list[float] = []

    def watched(values: Sequence[float]) -> float:
        seen.extend(values)
        return max(seen)

    with pytest.MonkeyPatch.context() as patch:  # river compares its indexes with max(), and tells nobody
        patch.setattr(ucb, "max", watched, raising=False)
        policy.pull(ARMS)
    return seen


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("index_of", [index_of_mabwiser, index_of_river])
def test_index_of_the_installed_library_is_ours_of_the_round_before(
    index_of: Callable[[float], list[float]], alpha: float
) -> None:
    pulls_so_far = len(HISTORY)  # our next round is pulls_so_far + 1
    np.testing.assert_allclose(index_of(alpha), naive_index(alpha, pulls_so_far), rtol=1e-12)
    assert not np.allclose(index_of(alpha), naive_index(alpha, pulls_so_far + 1), rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("t", [2, 10, 1000])
@pytest.mark.parametrize("pulls", [1, 7])
def test_bonus_as_a_library_writes_it_is_ours(alpha: float, t: int, pulls: int) -> None:
    written = {
        "mabwiser": lambda alpha: alpha * math.sqrt(2 * math.log(t) / pulls),
        "river": lambda delta: delta * math.sqrt(2 * math.log(t) / pulls),
        "smpybandits": lambda alpha: math.sqrt(alpha * math.log(t) / (2 * pulls)),
        "banditpylib": lambda alpha: math.sqrt(alpha * math.log(t) / pulls),
    }
    assert written.keys() == find_policy("ucb").exports.keys()
    for library, formula in written.items():
        assert formula(**theirs(library, alpha)) == pytest.approx(float(bonus(alpha, t, pulls)), rel=1e-12)


def pulls_of_mabwiser(rewards: list[list[float]], horizon: int, params: dict[str, float]) -> list[int]:
    mab = pytest.importorskip("mabwiser.mab")
    policy = mab.MAB(ARMS, mab.LearningPolicy.UCB1(**params))
    policy.fit(ARMS, [rewards[arm][0] for arm in ARMS])
    pulls = [1] * len(ARMS)
    for _ in range(horizon - len(ARMS)):
        arm = policy.predict()
        policy.partial_fit([arm], [rewards[arm][pulls[arm]]])
        pulls[arm] += 1
    return pulls


def pulls_of_river(rewards: list[list[float]], horizon: int, params: dict[str, float]) -> list[int]:
    policy = pytest.importorskip("river.bandit").UCB(**params, seed=0)
    pulls = [0] * len(ARMS)
    for _ in range(horizon):
        arm = policy.pull(ARMS)
        policy.update(arm, rewards[arm][pulls[arm]])
        pulls[arm] += 1
    return pulls


@pytest.mark.parametrize(("library", "pulls_of"), [("mabwiser", pulls_of_mabwiser), ("river", pulls_of_river)])
def test_installed_library_pulls_the_arms_as_often_as_ours_and_only_when_converted(
    library: str, pulls_of: Callable[[list[list[float]], int, dict[str, float]], list[int]]
) -> None:
    alpha, horizon, rng = 0.3, 400, np.random.default_rng(5)
    games = [rng.binomial(1, [[0.3], [0.45], [0.6]], (3, horizon)).astype(float).tolist() for _ in range(12)]
    ours = [np.bincount(bt.play(bt.UCB, bt.Task(game), horizon=horizon, alpha=alpha).arms) for game in games]
    converted = theirs(library, alpha)
    unconverted = dict.fromkeys(converted, math.sqrt(alpha))

    def distance(params: dict[str, float]) -> float:
        pulls = [pulls_of(game, horizon, params) for game in games]
        return float(np.abs(np.mean(pulls, axis=0) - np.mean(ours, axis=0)).max()) / horizon

    assert distance(converted) < 0.02
    assert distance(unconverted) > 0.05


@pytest.mark.parametrize("library", ["mabwiser", "river"])
def test_code_runs_as_it_stands(library: str) -> None:
    pytest.importorskip(library)
    exec(compile(str(convert(bt.UCB, {"alpha": 0.1}, library)), library, "exec"), {})


def test_code_holds_every_digit_of_the_parameters() -> None:
    for conversion in conversions(bt.UCB, {"alpha": 0.1 / 3.0}):
        compile(conversion.code, conversion.library, "exec")
        for name, value in conversion.items():
            assert f"{name}={value!r}" in conversion.code


def frequencies(policy: str, params: dict[str, float]) -> list[float]:
    """How often MABWiser pulls each arm after HISTORY."""
    mab = pytest.importorskip("mabwiser.mab")
    running = mab.MAB(ARMS, getattr(mab.LearningPolicy, policy)(**params), seed=1)
    for arm, reward in HISTORY:
        running.partial_fit([arm], [reward])
    pulled = [running.predict() for _ in range(3000)]
    return [pulled.count(arm) / len(pulled) for arm in ARMS]


def our_frequencies(policy: type[bt.EpsilonGreedy] | type[bt.Softmax], **params: float) -> list[float]:
    pulled = []
    for seed in range(3000):
        running = policy(3, seed=seed, **params)  # type: ignore[arg-type]
        for arm, reward in HISTORY:
            running.update(arm, reward)
        pulled.append(running.select())
    return [pulled.count(arm) / len(pulled) for arm in ARMS]


def test_mabwiser_draws_with_about_the_same_probabilities() -> None:
    greedy = frequencies("EpsilonGreedy", dict(convert(bt.EpsilonGreedy, {"epsilon": 0.4, "decay": 0.0}, "mabwiser")))
    assert greedy == pytest.approx(our_frequencies(bt.EpsilonGreedy, epsilon=0.4), abs=0.04)
    soft = frequencies("Softmax", dict(convert(bt.Softmax, {"temperature": 0.3}, "mabwiser")))
    assert soft == pytest.approx(our_frequencies(bt.Softmax, temperature=0.3), abs=0.08)


@pytest.mark.parametrize(
    ("policy", "params", "library"),
    [
        (bt.EpsilonGreedy, {"epsilon": 0.1, "decay": 0.0}, "mabwiser"),
        (bt.EpsilonGreedy, {"epsilon": 0.1, "decay": 0.0}, "river"),
        (bt.Softmax, {"temperature": 0.2}, "mabwiser"),
        (bt.LinTS, {"scale": 0.2, "ridge": 1.0, "disjoint": True, "scaling": "none"}, "mabwiser"),
        (bt.LinTS, {"scale": 0.2, "ridge": 2.0, "disjoint": True, "scaling": "none"}, "contextualbandits"),
        (bt.LinUCB, {"alpha": 0.2, "ridge": 2.0, "disjoint": True, "scaling": "none"}, "contextualbandits"),
        (bt.EpsilonGreedy, {"epsilon": 0.1, "decay": 0.0}, "vowpalwabbit"),
    ],
)
def test_code_of_other_policies_runs_as_it_stands(
    policy: type[bt.policies.Policy], params: dict[str, float], library: str
) -> None:
    pytest.importorskip(library)
    exec(compile(str(convert(policy, params, library)), library, "exec"), {})


@pytest.mark.parametrize(
    ("policy", "params"),
    [(bt.EpsilonGreedy, {"epsilon": 3.0, "decay": 1.0}), (bt.Softmax, {"temperature": 1.0, "schedule": "root"})],
)
def test_what_other_libraries_do_otherwise_is_not_converted(
    policy: type[bt.policies.Policy], params: dict[str, float]
) -> None:
    with pytest.raises(ParameterError, match="other libraries"):
        convert(policy, params, "mabwiser")


@pytest.mark.parametrize("policy", find_tunable_policies().values(), ids=lambda policy: policy.name)
def test_every_policy_has_conversions(policy: type[bt.UCB]) -> None:
    params = {name: parameter.default for name, parameter in policy.parameters.items()}
    params |= {"disjoint": True} if "disjoint" in params else {}
    assert [conversion.library for conversion in conversions(policy, params)] == list(policy.exports)


def test_result_of_tuning_is_converted_as_a_mapping() -> None:
    tuned = bt.tune(bt.UCB, [bt.Task([[0.0, 1.0], [1.0, 1.0]])], horizon=10, alpha=(0.0, 1.0))
    converted = tuned.to("mabwiser")
    assert {**converted} == {"alpha": converted["alpha"]} == {"alpha": math.sqrt(tuned.alpha / 2.0)}
    assert len(converted) == 1
    assert converted.library == "mabwiser"
    with pytest.raises(KeyError):
        converted["delta"]
    with pytest.raises(ParameterError, match=r"library must be one of mabwiser, river, .*; got 'vowpal'"):
        tuned.to("vowpal")
    with pytest.raises(ParameterError, match="library must be one of"):
        tuned.to(None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ridge", [1.0, 0.3])
def test_linucb_of_mabwiser_has_our_index(ridge: float) -> None:
    mab = pytest.importorskip("mabwiser.mab")
    rng = np.random.default_rng(0)
    contexts, rewards = rng.normal(size=(30, 4)), rng.random(30)
    chosen = [k % 3 for k in range(30)]
    converted = convert(bt.LinUCB, {"alpha": 0.7, "ridge": ridge, "disjoint": True}, "mabwiser")
    policy = mab.MAB(ARMS, mab.LearningPolicy.LinUCB(**converted))
    policy.fit(chosen, rewards, contexts)
    x = rng.normal(size=4)
    theirs = policy.predict_expectations([x])
    for arm in ARMS:
        seen = contexts[np.array(chosen) == arm]
        moments = ridge * np.eye(4) + seen.T @ seen
        weights = np.linalg.solve(moments, seen.T @ rewards[np.array(chosen) == arm])
        assert theirs[arm] == pytest.approx(weights @ x + 0.7 * np.sqrt(x @ np.linalg.solve(moments, x)), rel=1e-12)


def test_linucb_with_one_regression_for_all_arms_is_not_mabwisers() -> None:
    with pytest.raises(ParameterError, match="only disjoint=True can be converted"):
        convert(bt.LinUCB, {"alpha": 1.0}, "mabwiser")
    assert conversions(bt.LinUCB, {"alpha": 1.0}) == []


@pytest.mark.filterwarnings("ignore")  # of a library that is not ours
@pytest.mark.parametrize("beta", [None, 2.0, {"of_schedule": 0.2}])
def test_botorch_tries_the_points_that_gpucb_would(beta: object) -> None:
    pytest.importorskip("botorch")
    rng = np.random.default_rng(0)
    points, rewards = rng.random((50, 2)), rng.random((50, 20))
    params = {"noise": 0.05, "length_scale": 0.3, "center": 0.4, "scale": 0.5, "beta": beta}
    known = {name: setting.value(params.get(name, setting.default)) for name, setting in bt.GPUCB.parameters.items()}
    code = convert(bt.GPUCB, known, "botorch").code
    code = code.replace("torch.rand(50, 2, dtype=torch.double)", "torch.tensor(given)")
    code = code.replace("return random.random()", "return next_reward(arm)")
    pulls = [0] * 50

    def next_reward(arm: int) -> float:
        pulls[arm] += 1
        return float(rewards[arm, pulls[arm] - 1])

    names: dict[str, object] = {"given": points, "next_reward": next_reward}
    exec(code, names)
    ours = bt.play(bt.GPUCB, bt.Task(rewards, points=points), horizon=20, **params)
    assert names["tried"] == ours.arms.tolist()


def test_what_botorch_has_not_is_rejected() -> None:
    known = {name: setting.default for name, setting in bt.GPUCB.parameters.items()}
    for change in ({"kernel": "matern52"}, {"bonus": "variance"}):
        with pytest.raises(ParameterError, match="can be converted"):
            convert(bt.GPUCB, known | change, "botorch")


def test_contextualbandits_has_the_same_index_and_the_same_spread() -> None:
    online = pytest.importorskip("contextualbandits.online")
    rng = np.random.default_rng(0)
    contexts, arms, rewards = rng.normal(size=(30, 3)), rng.integers(0, 2, 30), rng.random(30)
    x, known = rng.normal(size=3), {"ridge": 2.5, "disjoint": True, "scaling": "none"}
    bounded = dict(convert(bt.LinUCB, {"alpha": 0.7, **known}, "contextualbandits"))
    drawn = dict(convert(bt.LinTS, {"scale": 0.7, **known}, "contextualbandits"))
    policies = [
        online.LinUCB(3, **bounded, fit_intercept=False, use_float=False),
        online.LinTS(2, **drawn, fit_intercept=False, sample_from="ci", random_state=1),
    ]
    for policy in policies:
        policy.partial_fit(contexts, arms, rewards)
    means, spreads = np.zeros(3), np.full(3, np.sqrt(x @ x / 2.5))
    for arm in range(2):
        chosen = contexts[arms == arm]
        inverse = np.linalg.inv(2.5 * np.eye(3) + chosen.T @ chosen)
        means[arm], spreads[arm] = x @ inverse @ chosen.T @ rewards[arms == arm], np.sqrt(x @ inverse @ x)
    np.testing.assert_allclose(policies[0].decision_function(x[None])[0], means + 0.7 * spreads, rtol=1e-10)
    samples = np.array([policies[1].decision_function(x[None])[0] for _ in range(4000)])
    np.testing.assert_allclose(samples.mean(axis=0), means[:2], atol=0.05)
    np.testing.assert_allclose(samples.std(axis=0), 0.7 * spreads[:2], rtol=0.05)


def vw_probabilities(command: str) -> list[float]:
    """What Vowpal Wabbit draws with, once it has learned what three actions cost."""
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    model = vowpalwabbit.Workspace(f"{command} --quiet")
    for _ in range(300):
        for arm, cost in enumerate((-0.3, -0.9, -0.1)):
            lines = [f"{f'0:{cost}:0.33 ' if other == arm else ''}| a{other}" for other in ARMS]
            model.learn(["shared | s", *lines])
    return list(model.predict(["shared | s", *(f"| a{arm}" for arm in ARMS)]))


def test_vowpal_wabbit_draws_with_the_same_probabilities() -> None:
    greedy = convert(bt.EpsilonGreedy, {"epsilon": 0.3, "decay": 0.0}, "vw")
    found = vw_probabilities(f"--cb_explore_adf --epsilon {greedy['epsilon']}")
    assert found == pytest.approx([0.1, 0.8, 0.1], abs=1e-3)
    soft = convert(bt.Softmax, {"temperature": 0.2}, "vw")
    weights = np.exp(np.array([0.3, 0.9, 0.1]) / 0.2)
    found = vw_probabilities(f"--cb_explore_adf --softmax --lambda {soft['lambda_']}")
    assert found == pytest.approx((weights / weights.sum()).tolist(), abs=0.02)
    with pytest.raises(ParameterError, match="temperature of 0"):
        convert(bt.Softmax, {"temperature": 0.0}, "vw")


def test_platforms_say_what_can_be_set_there() -> None:
    for platform in PLATFORMS:
        converted = convert(bt.UCB, {"alpha": 0.02}, platform)
        assert dict(converted) == {}
        assert "does not run UCB (alpha = 0.02)" in converted.remark
        assert "What is hard-coded" in converted.code
        compile(str(converted), platform, "exec")  # comments alone
    for platform in ("growthbook", "statsig"):
        converted = convert(bt.ExploreThenCommit, {"pulls": 40}, platform)
        printed: list[str] = []
        exec(str(converted), {"print": printed.append})
        assert dict(converted) == {"pulls": 40}
        assert printed[0].endswith(": 0.2 hours")
    assert "--first $((40 * K))" in convert(bt.ExploreThenCommit, {"pulls": 40}, "vw").code
    with pytest.raises(ParameterError, match=r"library must be a platform \(growthbook, statsig, optimizely\)"):
        convert(bt.MOSS, {"scale": 1.0}, "river")
