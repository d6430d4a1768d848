"""Tasks as Hypothesis draws them: ties, constants, ragged lengths, many arms, negative and huge rewards."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import banditune as bt

REWARDS = {
    "bernoulli": st.sampled_from([0.0, 1.0]),
    "tenths": st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.7]),
    "constant": st.just(0.3),
    "few": st.sampled_from([-1.0, 0.5, 2.0]),
    "unit": st.integers(0, 2**53).map(lambda k: k / 2**53),
    "negative": st.floats(-5.0, -1.0),
    "huge": st.floats(-1e100, 1e100).map(lambda x: float(np.round(x / 1e90) * 1e90)),
    "tiny": st.integers(-8, 8).map(lambda k: k * 1e-149),
    "offset": st.integers(0, 50).map(lambda k: 1e6 + k / 7),
}


def share(percent: int) -> settings:
    """So many of a hundred examples that would be drawn otherwise: for slow oracles. Hunting still draws many."""
    return settings(max_examples=max(1, (settings.default or settings()).max_examples * percent // 100))


@st.composite
def tasks(draw: st.DrawFn, most_arms: int = 6, most_rewards: int = 12) -> bt.Task:
    """A task whose arms have rewards of one kind and, often, different lengths."""
    reward = REWARDS[draw(st.sampled_from(sorted(REWARDS)))]
    n_arms = draw(st.integers(1, most_arms))
    rows = st.lists(reward, min_size=1, max_size=most_rewards)
    return bt.Task(draw(st.lists(rows, min_size=n_arms, max_size=n_arms)))


def drawn_task(rng: np.random.Generator, n_arms: int, horizon: int, kind: str) -> bt.Task:
    """A task drawn by a NumPy generator, for tests over many tasks."""
    shape = (n_arms, horizon)
    if kind == "bernoulli":
        return bt.Task((rng.random(shape) < rng.random((n_arms, 1))).astype(float))
    if kind == "tenths":
        return bt.Task(rng.integers(0, 10, shape) / 10)
    if kind == "uniform":
        return bt.Task(rng.random(shape) * rng.random((n_arms, 1)))
    return bt.Task(rng.normal(rng.normal(size=(n_arms, 1)), 1.0, shape))
