"""What an arm gives when it is pulled for the k-th time: what was recorded, then draws from its distribution."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import beta_number, normal_quantile, random_bits, uniform

RECORDED, BERNOULLI, GAUSSIAN, UNIFORM, BETA = range(5)


class Source(NamedTuple):
    """The n arms of a run: what `reward_at` draws from."""

    kinds: Integers  # (n,)
    numbers: Floats  # (n, 2)
    keys: NDArray[np.uint64]  # (n,) of the arms' random numbers
    recorded: Floats  # the recorded rewards of all arms end to end
    starts: Integers  # (n + 1,)


@inline
def reward_at(
    arm: int, pull: int, kinds: Integers, numbers: Floats, keys: NDArray[np.uint64], recorded: Floats, starts: Integers
) -> float:
    """Return the reward of pull 0, 1, ... of an arm, the same for whoever pulls it.

    The recorded rewards recorded[starts[arm]:starts[arm + 1]] come first. Then numbers (n, 2) say more: an arm of kind
    BERNOULLI pays 1 with the first as its probability, GAUSSIAN has them as mean and standard deviation, UNIFORM lies
    between them, BETA has them as its shapes. RECORDED draws from its recorded rewards with replacement.
    """
    begin, size = starts[arm], starts[arm + 1] - starts[arm]
    reward = 0.0
    if pull < size:
        reward = recorded[begin + pull]
    else:
        kind, first, second, u = kinds[arm], numbers[arm, 0], numbers[arm, 1], uniform(keys[arm], pull)
        if kind == BERNOULLI:
            reward = (u < first) * 1.0  # without a branch, which would be guessed wrong too often
        elif kind == GAUSSIAN:
            reward = first + second * normal_quantile(u)
        elif kind == UNIFORM:
            reward = first + (second - first) * u
        elif kind == BETA:
            reward = beta_number(first, second, random_bits(keys[arm], pull))
        else:
            reward = recorded[begin + int(u * size)]
    return reward


@jit
def draw_rewards(source: Source, rewards: Floats) -> None:
    """Fill rewards (n, T) with those of the first T pulls of each arm."""
    kinds, numbers, keys, recorded, starts = source
    for arm in range(rewards.shape[0]):
        for pull in range(rewards.shape[1]):
            rewards[arm, pull] = reward_at(arm, pull, kinds, numbers, keys, recorded, starts)
