"""One registry for all policies, tuned or not: names, what can be tuned, saved states."""

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banditune as bt
from banditune.errors import FileError, ParameterError
from banditune.policies import lines
from banditune.policies.base import Policy
from banditune.policies.registry import PLACES, find_policies, find_policy, find_tunable, find_tunable_policies
from tests.cli.command import banditune

ON_REWARDS = [policy for policy in find_policies().values() if policy.runs_on_rewards()]


def play(policy: Any, rounds: int, seed: int) -> list[int]:
    """Run a policy on Bernoulli arms; return the arms it pulled."""
    rng, arms = np.random.default_rng(seed), []
    for _ in range(rounds):
        arms.append(policy.select())
        policy.update(arms[-1], float(rng.random() < 0.2 + 0.2 * arms[-1]))
    return arms


def test_names_are_those_of_the_classes_and_lead_to_them() -> None:
    listed = [place.rpartition(":")[2].lower() for place in PLACES if ":" in place]
    assert [name for name in bt.policies.names() if name in listed] == listed
    for name, policy in find_policies().items():
        assert find_policy(name) is policy
        assert policy.name == name == policy.__name__.lower()


def test_a_file_in_the_folder_of_lines_is_all_that_a_policy_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    text = Path(str(inspect.getsourcefile(bt.MOSS))).read_text(encoding="utf-8")
    (tmp_path / "mildew.py").write_text(text.replace("MOSS", "Mildew").replace('"moss"', '"mildew"'), encoding="utf-8")
    monkeypatch.setattr(lines, "__path__", [*lines.__path__, str(tmp_path)])
    request.addfinalizer(find_policies.cache_clear)
    find_policies.cache_clear()
    assert {"moss", "mildew"} <= set(find_tunable_policies())
    assert "Mildew" in bt.__all__
    tasks = [bt.Task.from_counts([40, 40], [n, 20]) for n in (4, 9, 30)]
    learned = [bt.tune(policy, tasks, horizon=60, draws=2).scale for policy in (bt.Mildew, bt.MOSS)]  # type: ignore[arg-type]
    assert learned[0] == learned[1]
    done = banditune("tune", "--policy", "mildew", "--horizon", "20", "--json")
    assert json.loads(done.stdout)["policy"] == "mildew"


def test_a_class_says_whether_it_can_be_tuned() -> None:
    for name, policy in find_policies().items():
        assert policy.can_be_tuned == issubclass(policy, Policy) == (name in find_tunable_policies())
    assert {"ucb", "linucb", "gpucb"} <= set(find_tunable_policies())


def test_what_cannot_be_tuned_is_said_to_be_a_baseline() -> None:
    assert find_tunable("ucb") is bt.UCB
    with pytest.raises(ParameterError, match=r"policy must be one of ucb, .*got 'exp3' \(a baseline"):
        find_tunable("exp3")
    for name in ("nothing", ["ucb"], None):
        with pytest.raises(ParameterError, match="policy must be one of") as caught:
            find_tunable(name)
        assert "baseline" not in str(caught.value)


@pytest.mark.parametrize("policy", ON_REWARDS, ids=lambda policy: policy.name)
def test_saved_policies_go_on_as_if_never_stopped(policy: type[bt.policies.OnlinePolicy]) -> None:
    running = policy.start(3, horizon=120, seed=4)
    play(running, 50, seed=1)
    restored = bt.policy_from_json(running.to_json())
    assert type(restored) is policy
    assert restored.to_json() == running.to_json()
    assert play(restored, 70, seed=2) == play(running, 70, seed=2)


@pytest.mark.parametrize("restarts", [False, True])
def test_saved_corrals_keep_what_restarts_begin_with(restarts: bool) -> None:
    running = bt.Corral([bt.UCB(3, alpha=0.1), bt.BetaThompson(3, seed=2)], 400, seed=1, restarts=restarts)
    play(running, 100, seed=1)
    assert play(bt.policy_from_json(running.to_json()), 300, seed=2) == play(running, 300, seed=2)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("exp3", {"own": [1.0]}),
        ("exp3", {"arms": [[1.0, 2.0]]}),
        ("exp3", {"arms": []}),
        ("exp3", {"key": -1}),
        ("exp3", {"key": 2**64}),
        ("exp3", {"arms": [[float("nan")] * 8]}),
        ("syndicated", {"table": []}),
        ("corral", {"rows": []}),
        ("corral", {"bases": [{"policy": "ucb"}]}),
        ("corral", {"feedback": "none"}),
    ],
)
def test_states_that_cannot_be_are_rejected(name: str, change: dict[str, Any]) -> None:
    saved = json.loads(find_policy(name).start(3, horizon=50, seed=0).to_json())
    with pytest.raises(FileError, match=r"a saved .* policy|NaN"):
        bt.policy_from_json(json.dumps(saved | change))
    for key in saved:
        with pytest.raises(FileError):
            bt.policy_from_json(json.dumps({other: value for other, value in saved.items() if other != key}))
