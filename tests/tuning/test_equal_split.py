"""The arm that an equal split recommends, against its definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.tuning.equal_split import count_equally, recommend_of
from tests.naive.recommended_arm import naive_recommended

TENTHS = st.lists(st.integers(1, 3).map(lambda k: k / 10), min_size=7, max_size=7)


@given(st.lists(TENTHS, min_size=2, max_size=4), st.integers(1, 20))
def test_equal_split_recommends_as_a_run_that_pulled_the_same(rows: list[list[float]], rounds: int) -> None:
    rounds = min(rounds, 7 * len(rows))
    pulls = count_equally(len(rows), rounds)
    arms = np.repeat(np.arange(len(rows)), pulls).tolist()
    rewards = [reward for row, n in zip(rows, pulls, strict=True) for reward in row[:n]]
    assert recommend_of(np.array(rows), pulls) == naive_recommended(arms, rewards)


def test_means_that_are_equal_but_for_the_order_of_their_sum_are_a_tie() -> None:
    task = bt.Task([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]], means=[0.0, 1.0])
    found = bt.study(bt.UCB, [task] * 4, horizon=6, loss="simple")
    assert found.held_out is not None
    assert next(row.loss.mean for row in found.held_out.rows if row.name == "equal split") == 1.0
