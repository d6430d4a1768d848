"""The arm that is recommended after each pull, against its definition; rewards are tenths, so that means tie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines.run import recommend_after, recommend_so_far
from tests.naive.recommended_arm import naive_recommended

PULLS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5).map(lambda k: k / 10)), min_size=1, max_size=30)


@pytest.mark.parametrize("by", ["mean", "pulls"])
@given(PULLS)
def test_recommended_arm_is_the_best_after_every_pull(by: str, pulls: list[tuple[int, float]]) -> None:
    arms, rewards = (list(column) for column in zip(*pulls, strict=True))
    asked = np.array(arms), np.array(rewards), 3, by == "pulls"
    expected = [naive_recommended(arms[:t], rewards[:t], by) for t in range(1, len(arms) + 1)]
    assert recommend_so_far(*asked).tolist() == expected
    assert recommend_after(*asked) == expected[-1]
