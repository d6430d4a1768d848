"""Streams of rewards that are longer than what was observed, for many tasks at once.

The draws of a task are those of NumPy's `default_rng([*words, key])`: its SeedSequence (O'Neill's randutils) and PCG64
(O'Neill, 2014), computed here, as making a generator object takes longer than all that a short task draws from it.
"""

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, jit

HALF = np.uint64(0xFFFFFFFF)
BY_1, BY_11, BY_16, BY_32, BY_58 = np.uint64(1), np.uint64(11), np.uint64(16), np.uint64(32), np.uint64(58)
ZERO, MOST_ROTATED = np.uint64(0), np.uint64(63)
POOL = 4  # words of a SeedSequence
FIRST_A, TIMES_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
FIRST_B, TIMES_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
MIX_LEFT, MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
STEP_HIGH, STEP_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)
UNIT = 2.0**-53


@inline
def _hash(word: np.uint64, factor: np.uint64, times: np.uint64) -> tuple[np.uint64, np.uint64]:
    """32 bits mixed with a factor, and the next factor."""
    word = word ^ factor
    factor = (factor * times) & HALF
    word = (word * factor) & HALF
    return word ^ (word >> BY_16), factor


@inline
def _mix(one: np.uint64, other: np.uint64) -> np.uint64:
    """32 bits of two."""
    result = (MIX_LEFT * one - MIX_RIGHT * other) & HALF
    return result ^ (result >> BY_16)


@jit
def _seed_state(words: NDArray[np.uint64], state: NDArray[np.uint64]) -> None:
    """Fill the state (4,) of a PCG64, high and low part of its number and of its step, from a seed of 32-bit words."""
    pool = np.zeros(POOL, np.uint64)
    factor = FIRST_A
    for k in range(POOL):
        pool[k], factor = _hash(words[k] if k < words.size else ZERO, factor, TIMES_A)
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                word, factor = _hash(pool[source], factor, TIMES_A)
                pool[target] = _mix(pool[target], word)
    for source in range(POOL, words.size):
        for target in range(POOL):
            word, factor = _hash(words[source], factor, TIMES_A)
            pool[target] = _mix(pool[target], word)
    factor = FIRST_B
    for k in range(4):
        low, factor = _hash(pool[2 * k % POOL], factor, TIMES_B)
        high, factor = _hash(pool[(2 * k + 1) % POOL], factor, TIMES_B)
        state[k] = low | (high << BY_32)
    number_high, number_low = state[0], state[1]
    state[2], state[3] = (state[2] << BY_1) | (state[3] >> MOST_ROTATED), (state[3] << BY_1) | BY_1
    state[0], state[1] = state[2], state[3]  # one step from 0
    state[1] += number_low
    state[0] += number_high + (BY_1 if state[1] < number_low else ZERO)
    _step(state)


@inline
def _step(state: NDArray[np.uint64]) -> None:
    """Move on: number * factor + step, in 128 bits."""
    high, low = state[0], state[1]
    a, b, c, d = low >> BY_32, low & HALF, STEP_LOW >> BY_32, STEP_LOW & HALF
    middle = a * d + ((b * d) >> BY_32)
    other = b * c + (middle & HALF)
    carried = a * c + (middle >> BY_32) + (other >> BY_32)
    state[1] = low * STEP_LOW + state[3]
    more = BY_1 if state[1] < state[3] else ZERO
    state[0] = carried + high * STEP_LOW + low * STEP_HIGH + state[2] + more


@inline
def _uniform(state: NDArray[np.uint64]) -> float:
    """The next number of a PCG64, at least 0 and less than 1."""
    _step(state)
    bits, turn = state[0] ^ state[1], state[0] >> BY_58
    if turn > ZERO:
        bits = (bits >> turn) | (bits << (BY_1 + MOST_ROTATED - turn))
    return float(np.float64(bits >> BY_11) * UNIT)


@jit
def extend_streams(
    flat: NDArray[np.float64],
    begins: NDArray[np.int64],
    tasks: NDArray[np.int64],
    words: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    streams: NDArray[np.float64],
) -> None:
    """Fill streams (all arms, T): the observed rewards of each arm, then draws from them with replacement.

    Arm i has the rewards flat[begins[i]:begins[i + 1]], task k the arms tasks[k]:tasks[k + 1]. An arm without rewards
    is given some of all arms of its task. The draws of task k depend on the seed, 32-bit words, and keys[k] alone.
    """
    rounds = streams.shape[1]
    seed = np.zeros(words.size + 2, np.uint64)
    seed[: words.size] = words
    state = np.zeros(4, np.uint64)
    for task in range(tasks.size - 1):
        first, last = tasks[task], tasks[task + 1]
        shortest = rounds
        for arm in range(first, last):
            known = min(rounds, begins[arm + 1] - begins[arm])
            shortest = min(shortest, known)
            for position in range(known):
                streams[arm, position] = flat[begins[arm] + position]
        if shortest == rounds:
            continue
        seed[words.size], seed[words.size + 1] = keys[task] & HALF, keys[task] >> BY_32
        _seed_state(seed if keys[task] > HALF else seed[:-1], state)
        for position in range(rounds):
            for arm in range(first, last):
                number = _uniform(state)
                begin, size = begins[arm], begins[arm + 1] - begins[arm]
                if position < size:
                    continue
                if size == 0:
                    begin, size = begins[first], begins[last] - begins[first]
                streams[arm, position] = flat[begin + int(number * size)]
