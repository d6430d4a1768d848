"""What every registered policy must do: one contract for all, put to each by its cases."""

import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.base import Policy
from banditune.policies.named_arms import NamedArms
from banditune.policies.parameters import Parameter
from banditune.policies.registry import find_tunable_policies
from tests.flushing import flushed_to_zero
from tests.naive.recommended_arm import naive_loss, naive_recommended
from tests.policies.case import Case, Problem
from tests.policies.cases import CASES
from tests.strategies import share

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def holds_for_every_policy(check: Callable[[Case, st.DataObject], None]) -> Callable[[Case], None]:
    """Make a test of a check: every case is put to it with drawn examples."""

    @each_case
    def test(case: Case) -> None:
        @share(case.examples)
        @given(st.data())
        def holds(data: st.DataObject) -> None:
            check(case, data)

        holds()

    test.__name__ = check.__name__
    return test


@pytest.mark.parametrize("policy", find_tunable_policies().values(), ids=lambda policy: policy.name)
def test_every_registered_policy_is_held_to_the_contract(policy: type[Policy[Any]]) -> None:
    searched = {name for name, setting in policy.parameters.items() if isinstance(setting, Parameter)}
    missing = searched - {case.parameter for case in CASES if case.policy is policy}
    assert searched, f"{policy.__name__} has no parameter that can be searched (policies.parameters.Parameter)"
    assert not missing, (
        f"{policy.__name__} is registered, and nothing holds {', '.join(sorted(missing))} to the contract of all "
        "policies: add to the CASES of its folder in tests/policies (cases.py) a case that says how to draw tasks and "
        "settings, and which slow version in tests/naive/ is right"
    )


def play(case: Case, problem: Problem, value: float, **loss: Any) -> bt.Trajectory:
    return bt.play(case.policy, problem.task, horizon=problem.horizon, **loss, **problem.fixed, **case.given(value))


def losses_of(case: Case) -> list[dict[str, Any]]:
    """Every loss that a policy can be tuned for."""
    always: list[dict[str, Any]] = [{"loss": "regret"}, {"loss": "reward"}]
    after = [{"loss": "simple"}, {"loss": "rollout", "rollout": 50}, {"loss": "rollout", "rollout": 3}]
    by_pulls = [each | {"recommend": "pulls"} for each in after[:2]]
    return always if case.policy.contextual else [*always, *after, *by_pulls]


@holds_for_every_policy
def test_run_agrees_with_the_slow_version(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    value = data.draw(case.values(problem))
    case.check_run(problem, value, play(case, problem, value).arms.tolist())


@holds_for_every_policy
def test_online_policy_chooses_as_the_run_does(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    value = data.draw(case.values(problem))
    online = case.start(problem.task, problem.horizon, **problem.fixed, **case.given(value))
    arms = case.run_online(online, problem.task, range(problem.horizon), [])
    assert arms == play(case, problem, value).arms.tolist()


@holds_for_every_policy
def test_policy_saved_in_mid_run_makes_the_same_decisions(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    value = data.draw(case.values(problem))
    before = data.draw(st.integers(0, problem.horizon))
    online = case.start(problem.task, problem.horizon, **problem.fixed, **case.given(value))
    pulled = case.run_online(online, problem.task, range(before), [])
    saved, pickled = bt.policy_from_json(online.to_json()), pickle.loads(pickle.dumps(online))
    assert type(saved) is type(pickled) is case.policy
    after = range(before, problem.horizon)
    expected = case.run_online(online, problem.task, after, pulled)
    assert case.run_online(saved, problem.task, after, pulled) == expected
    assert case.run_online(pickled, problem.task, after, pulled) == expected
    assert saved.to_json() == pickled.to_json() == online.to_json()


@holds_for_every_policy
def test_curve_is_the_loss_of_the_run_to_the_last_bit(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    loss = data.draw(st.sampled_from(losses_of(case)))
    low, high = case.range_of(problem)
    asked = {"horizon": problem.horizon, case.parameter: (low, high)}
    curve = bt.loss_curve(case.policy, problem.task, **asked, **loss, **problem.fixed)
    edges = set(curve.edges.tolist())
    beside = [float(np.nextafter(edge, side)) for edge in curve.edges[: case.most_edges] for side in (-np.inf, np.inf)]
    middles = map(case.policy.parameters[case.parameter].inside, curve.edges[:-1], curve.edges[1:])  # type: ignore[attr-defined]
    inside = {*list(middles)[: 2 * case.most_edges], data.draw(case.values(problem))}
    proof = getattr(curve, "proof", None)
    if proof is not None:
        assert proof.unproved <= proof.tolerance
    if proof is None or proof.unproved == 0.0:
        inside |= {value for value in beside if low <= value <= high}
    for value in inside - edges:
        if case.is_decided(problem, value):
            played = play(case, problem, value, **loss)
            assert curve(value) == played.loss
            if loss["loss"] in ("regret", "reward"):
                assert played.loss == (played.regret[-1] if loss["loss"] == "regret" else -case.total(played.rewards))
            elif "recommend" not in loss:
                means, rounds = problem.task.means.tolist(), loss.get("rollout", 0)
                expected = naive_loss(
                    means, played.arms.tolist(), played.rewards.tolist(), played.recommended, loss["loss"], rounds
                )
                assert played.loss == pytest.approx(expected, rel=1e-12, abs=1e-12 * max(map(abs, means)))


@holds_for_every_policy
def test_arm_recommended_at_the_end_agrees_with_the_slow_version(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    value = data.draw(case.values(problem))
    played = play(case, problem, value)
    if case.policy.contextual:
        assert played.recommended is None
        with pytest.raises(bt.ParameterError, match="with contexts none is best"):
            play(case, problem, value, loss="simple")
        return
    case.check_recommended(problem, value, played)
    most = play(case, problem, value, loss="simple", recommend="pulls").recommended
    assert most == naive_recommended(played.arms.tolist(), played.rewards.tolist(), "pulls")


@holds_for_every_policy
def test_several_horizons_from_one_sweep(case: Case, data: st.DataObject) -> None:
    problem = data.draw(case.problems())
    horizons = data.draw(st.lists(st.integers(1, case.longest), min_size=1, max_size=3))
    loss = data.draw(st.sampled_from(losses_of(case)))
    asked = {case.parameter: case.range_of(problem), "seed": 3, **loss, **problem.fixed}
    curves = bt.loss_curve(case.policy, problem.task, horizon=horizons, **asked)
    assert curves == [bt.loss_curve(case.policy, problem.task, horizon=horizon, **asked) for horizon in horizons]


def samples(case: Case, n_tasks: int = 3) -> list[Any]:
    rng = np.random.default_rng(0)
    return [case.sample(rng) for _ in range(n_tasks)]


@each_case
def test_tuning_finds_the_least_mean_loss_and_hands_over_the_policy(case: Case, tmp_path: Path) -> None:
    tasks, asked = samples(case), {"horizon": 8, case.parameter: case.bounds, **case.always}
    tuned = bt.tune(case.policy, tasks, draws=1, **asked)
    assert tuned.curve == bt.mean_curve([bt.loss_curve(case.policy, task, **asked) for task in tasks])
    assert tuned.interval == tuned.curve.argmin()
    tuned.save(tmp_path / "tuned.json")
    again = bt.load(tmp_path / "tuned.json")
    assert again.params == tuned.params
    expected = case.start(tasks[0], **tuned.params).to_json()
    assert tuned.policy(**case.needs(tasks[0])).to_json() == expected
    assert again.policy(**case.needs(tasks[0])).to_json() == expected


@each_case
def test_nothing_changes_where_a_library_flushes_the_smallest_numbers(case: Case) -> None:
    tasks, asked = samples(case), {"horizon": 8, case.parameter: case.bounds, **case.always}
    expected = bt.loss_curve(case.policy, tasks[0], **asked)
    with flushed_to_zero():
        assert bt.loss_curve(case.policy, tasks[0], **asked) == expected


@each_case
def test_range_that_fits_the_tasks_can_be_searched(case: Case) -> None:
    tasks = samples(case)
    low, high = case.policy.default_range(case.parameter, tasks)
    curve = bt.loss_curve(case.policy, tasks[0], horizon=5, **{case.parameter: (low, high)}, **case.always)
    assert (curve.low, curve.high) == (low, high)


@each_case
def test_values_that_are_given_are_not_overruled(case: Case) -> None:
    of_policy = (each for each in CASES if each.policy is case.policy)
    values = {name: value for each in of_policy for name, value in each.given(each.bounds[1]).items()}
    with pytest.raises(bt.ParameterError, match="one parameter must be given as a range"):
        bt.tune(case.policy, samples(case), horizon=2, **values, **case.always)


@each_case
def test_unknown_parameter_is_rejected_by_name(case: Case) -> None:
    (task,) = samples(case, 1)
    message = f'{case.policy.__name__} has no parameter "exploring"; it has .*{case.parameter}'
    with pytest.raises(bt.ParameterError, match=message):
        bt.play(case.policy, task, horizon=1, exploring=1.0)
    with pytest.raises(bt.ParameterError, match=message):
        bt.tune(case.policy, [task], horizon=1, exploring=1.0, **{case.parameter: case.bounds})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0, "1", None, True, 1j])
@each_case
def test_bad_value_is_rejected(case: Case, bad: object) -> None:
    (task,) = samples(case, 1)
    if not (bad is None and case.policy.parameters[case.parameter].default is None):
        with pytest.raises(bt.ParameterError, match=case.parameter):
            case.start(task, **{case.parameter: bad})
        with pytest.raises(bt.ParameterError, match=case.parameter):
            bt.play(case.policy, task, horizon=1, **{case.parameter: bad})
    for ends in ((bad, case.bounds[1]), (case.bounds[0], bad), case.bounds[::-1], case.bounds[:1]):
        with pytest.raises(bt.ParameterError, match=case.parameter):
            bt.loss_curve(case.policy, task, horizon=1, **{case.parameter: ends})


@each_case
def test_task_of_another_kind_is_rejected_by_number(case: Case) -> None:
    kinds = [
        bt.Task([[1.0]], points=[[0.0]]),
        bt.ContextualTask([[1.0]], [[1.0]]),
        bt.LoggedTask([[1.0], [1.0]], [0, 1], [1.0, 0.0]),
    ]
    wrong = [task for task in kinds if not isinstance(task, case.policy.task_types)]
    for task in wrong:
        with pytest.raises(bt.TaskError, match=r"tasks\[1\] must be a bt\."):
            bt.tune(case.policy, [*samples(case, 1), task], horizon=1, **{case.parameter: case.bounds}, **case.always)


@each_case
def test_policy_with_names_does_by_name_what_it_does_by_number(case: Case) -> None:
    if "arms" in case.policy.needs:
        return  # it knows names itself
    (task,) = samples(case, 1)
    inner, plain = (case.start(task, **case.given(case.bounds[1])) for _ in range(2))
    names = [f"arm {number}" for number in range(task.n_arms)]
    named, contexts = NamedArms(inner, names), (task.contexts[0],) if case.policy.contextual else ()
    pulled = contexts if "updates" in case.policy.parameters else ()
    named.expect(names[1], *pulled)
    plain.expect(1, *pulled)
    assert named.select(*contexts) == names[plain.select(*contexts)]
    known = plain.choice_probabilities(*contexts)
    assert np.array_equal(named.choice_probabilities(*contexts), known) if known is not None else True
    if case.policy.is_randomised:
        named.seed = plain.seed = 7
        seeds = np.arange(20, dtype=np.uint64)
        counts = [named.count_choices(name, seeds, *contexts) for name in names]
        assert counts == [plain.count_choices(number, seeds, *contexts) for number in range(task.n_arms)]
        assert sum(counts) == 20
    named.forget(names[1], *pulled)
    plain.forget(1, *pulled)
    if not case.policy.contextual:
        named.add_totals(names[0], 5, 2.0, 2.0)
        plain.add_totals(0, 5, 2.0, 2.0)
    assert json.loads(named.to_json()) == json.loads(plain.to_json()) | {"arm_names": names}
    for call in (named.expect, named.forget, partial(named.update, reward=1.0)):
        with pytest.raises(bt.ParameterError, match="arm must be one of the names"):
            call("nobody")


@each_case
def test_broken_state_is_rejected(case: Case) -> None:
    state = json.loads(case.start(*samples(case, 1)).to_json())
    assert state["policy"] == case.policy.name
    broken = ["", "[]", "{}", "null", "\x00", json.dumps({"policy": case.policy.name})]
    broken += [json.dumps(state | {"policy": name}) for name in ("other", [case.policy.name], None)]
    broken += [json.dumps(state | {name: {"odd": ["odd"]}}) for name in state]
    for text in broken:
        with pytest.raises(bt.FileError):
            bt.policy_from_json(text)


@each_case
def test_policy_shows_what_it_is_and_what_it_is_run_with(case: Case) -> None:
    value = case.given(case.bounds[1])
    policy = case.start(*samples(case, 1), **value)
    assert {"select", "update", "to_json", "n_arms", *case.policy.parameters} <= set(dir(policy))
    for tuning in (
        "sweep",
        "run",
        "make_batch",
        "make_bonus",
        "parts",
        "settings",
        "make_sampler",
        "next_round",
        "label",
    ):
        assert tuning not in dir(policy)
    assert not [name for name in dir(policy) if name.startswith("_") and not name.startswith("__")]
    assert {case.parameter: getattr(policy, case.parameter)} == value
    assert case.policy.__name__ in repr(policy)
    assert case.policy.name in find_tunable_policies()
    assert case.parameter in case.policy.index
    assert case.policy.index.split(",")[0] in " ".join((case.policy.__doc__ or "").split())
