"""Extended streams: the draws of NumPy's own generator, for many tasks at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from banditune.kernels.lines.extension import extend_streams
from banditune.rng import generator, seed_words, stable_hash

TASKS = st.lists(st.lists(st.floats(-1, 1), max_size=4), min_size=1, max_size=3).filter(any)
KEYS = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**64 - 1]))


def extended_by_numpy(rows: list[list[float]], horizon: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The observed rewards of the arms of a task, then draws from them; an arm without any draws from all."""
    everything = [reward for row in rows for reward in row]
    uniform = rng.random((horizon, len(rows)))
    return np.array(
        [
            [row[t] if t < len(row) else (row or everything)[int(uniform[t, arm] * len(row or everything))]
             for t in range(horizon)]
            for arm, row in enumerate(rows)
        ]
    )  # fmt: skip


@given(
    st.lists(TASKS, min_size=1, max_size=3),
    st.integers(1, 12),
    st.one_of(st.integers(0, 3), st.integers(0, 2**100)),
    st.data(),
)  # fmt: skip
def test_streams_are_those_of_numpy(
    tasks: list[list[list[float]]], horizon: int, seed: int, data: st.DataObject
) -> None:
    keys = [data.draw(KEYS) for _ in tasks]
    flat = np.array([reward for task in tasks for row in task for reward in row])
    begins = np.cumsum([0, *(len(row) for task in tasks for row in task)])
    arms = np.cumsum([0, *(len(task) for task in tasks)])
    streams = np.empty((int(arms[-1]), horizon))
    extend_streams(flat, begins, arms, seed_words(seed, "extend"), np.array(keys, np.uint64), streams)
    for k, task in enumerate(tasks):
        expected = extended_by_numpy(task, horizon, generator(seed, "extend", keys[k]))
        assert streams[arms[k] : arms[k + 1]].tolist() == expected.tolist()


def test_many_numbers_are_those_of_numpy() -> None:
    flat, key = np.arange(1000.0), stable_hash(b"a task")
    streams = np.empty((1, 50_000))
    places = np.array([0, 1000])
    extend_streams(flat, places, np.array([0, 1]), seed_words(3, "extend"), np.array([key], np.uint64), streams)
    uniform = generator(3, "extend", key).random(50_000)
    assert streams[0, 1000:].tolist() == np.floor(uniform * 1000)[1000:].tolist()
