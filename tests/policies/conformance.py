"""What every policy must do: a subclass names the policy and its oracle, and inherits the tests."""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.policies.base import Policy
from tests.strategies import tasks


class PolicyConformance:
    """The contract between a policy's online behaviour, its compiled game and its sweep."""

    policy: ClassVar[type[Policy]]
    parameter: ClassVar[str]
    high: ClassVar[float]

    @staticmethod
    def naive_arms(rewards: Sequence[Sequence[float]], horizon: int, value: float) -> list[int]:
        """The arms pulled, by the slow and obvious version."""
        raise AssertionError("a subclass gives its oracle")

    def run_online(self, task: bt.Task, policy: Policy, horizon: int, pulls: list[int]) -> list[int]:
        arms = []
        for _ in range(horizon):
            arm = policy.select()
            policy.update(arm, task.rewards[arm][pulls[arm]])
            pulls[arm] += 1
            arms.append(arm)
        return arms

    def values(self, scale: float) -> st.SearchStrategy[float]:
        """Zero, and values over forty powers of ten for rewards of this size: what 50 digits can tell apart."""
        top = self.high * max(scale, 1e-149) ** 2
        return st.one_of(st.just(0.0), st.floats(0.01, 1.0), st.floats(1e-10, 1.0).map(lambda x: x**4)).map(top.__mul__)

    @given(st.data(), tasks(), st.integers(1, 25))
    def test_game_agrees_with_the_oracle(self, data: st.DataObject, task: bt.Task, horizon: int) -> None:
        full = task.extend(horizon)
        value = data.draw(self.values(max(abs(row).max() for row in full.rewards)))
        played = bt.play(self.policy, full, horizon=horizon, **{self.parameter: value})
        assert played.arms.tolist() == self.naive_arms([row.tolist() for row in full.rewards], horizon, value)

    @given(st.data(), tasks(), st.integers(1, 25))
    def test_online_policy_plays_the_game(self, data: st.DataObject, task: bt.Task, horizon: int) -> None:
        full = task.extend(horizon)
        value = data.draw(self.values(max(abs(row).max() for row in full.rewards)))
        online = self.policy(full.n_arms, **{self.parameter: value})
        arms = self.run_online(full, online, horizon, [0] * full.n_arms)
        assert arms == bt.play(self.policy, full, horizon=horizon, **{self.parameter: value}).arms.tolist()

    @given(st.data(), tasks(), st.integers(1, 25), st.integers(0, 24))
    def test_policy_saved_in_mid_game_makes_the_same_decisions(
        self, data: st.DataObject, task: bt.Task, horizon: int, before: int
    ) -> None:
        full = task.extend(horizon + before)
        value = data.draw(self.values(1.0))
        pulls = [0] * full.n_arms
        online = self.policy(full.n_arms, **{self.parameter: value})
        self.run_online(full, online, before, pulls)
        again = bt.policy_from_json(online.to_json())
        assert self.run_online(full, again, horizon, pulls.copy()) == self.run_online(full, online, horizon, pulls)

    @given(st.data(), tasks(most_arms=8), st.integers(1, 40), st.sampled_from(["regret", "reward"]))
    def test_curve_is_the_loss_of_the_game_to_the_last_bit(
        self, data: st.DataObject, task: bt.Task, horizon: int, loss: str
    ) -> None:
        full = task.extend(horizon)
        scale = max(abs(row).max() for row in full.rewards)
        high = self.high * max(scale, 1e-149) ** 2
        curve = bt.loss_curve(self.policy, full, horizon=horizon, loss=loss, **{self.parameter: (0.0, high)})
        beside = [float(np.nextafter(edge, side)) for edge in curve.edges for side in (-np.inf, np.inf)]
        inside = [*beside, *((curve.edges[1:] + curve.edges[:-1]) / 2), data.draw(self.values(scale))]
        for value in set(inside) - set(curve.edges.tolist()):
            if 0.0 <= value <= high:
                played = bt.play(self.policy, full, horizon=horizon, **{self.parameter: value})
                expected = played.regret[-1] if loss == "regret" else -math.fsum(played.rewards)
                assert curve(value) == expected

    @given(tasks(most_arms=50, most_rewards=3), st.integers(1, 70))
    def test_many_arms_and_horizons_shorter_than_their_number(self, task: bt.Task, horizon: int) -> None:
        full = task.extend(horizon)
        scale = max(abs(row).max() for row in full.rewards)
        value = self.high * max(scale, 1e-149) ** 2 / 7
        played = bt.play(self.policy, full, horizon=horizon, **{self.parameter: value})
        curve = bt.loss_curve(self.policy, full, horizon=horizon, **{self.parameter: (0.0, 2 * value)})
        assert played.arms.tolist() == self.naive_arms([row.tolist() for row in full.rewards], horizon, value)
        assert curve(value) == played.regret[-1]

    @given(tasks(), st.lists(st.integers(1, 30), min_size=1, max_size=4))
    def test_several_horizons_from_one_sweep(self, task: bt.Task, horizons: list[int]) -> None:
        free = {self.parameter: (0.0, self.high)}
        curves = bt.loss_curve(self.policy, task, horizon=horizons, seed=3, **free)
        assert curves == [bt.loss_curve(self.policy, task, horizon=horizon, seed=3, **free) for horizon in horizons]

    def test_unknown_parameter_is_rejected_by_name(self) -> None:
        with pytest.raises(bt.ParameterError, match=f'no parameter "exploration"; it has .*{self.parameter}'):
            bt.play(self.policy, bt.Task([[1.0]]), horizon=1, exploration=1.0)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, "1", None, True, 1j])
    def test_bad_value_is_rejected(self, bad: object) -> None:
        with pytest.raises(bt.ParameterError, match=self.parameter):
            self.policy(2, **{self.parameter: bad})
        with pytest.raises(bt.ParameterError, match=self.parameter):
            bt.loss_curve(self.policy, bt.Task([[1.0]]), horizon=1, **{self.parameter: (0.0, bad)})

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", '{"policy": ["ucb"]}', '{"policy": "other"}', '{"policy": "ucb"}', "null", "\x00"]
    )
    def test_broken_state_is_rejected(self, text: str) -> None:
        with pytest.raises(bt.FileError):
            bt.policy_from_json(text)
