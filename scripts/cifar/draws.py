"""All that is random in one network, by its address."""

import itertools

import numpy as np
from numpy.typing import NDArray

from banditune.rng import generator
from scripts.cifar.settings import CifarTask


class Draws:
    """What is drawn for the network with a number among those of a task and a rate.

    >>> draws = Draws(0, CifarTask(depth=2, noise=0.3), rate=0.1, number=7)
    >>> [matrix.shape for matrix in draws.weights([192, 64, 10])]
    [(192, 64), (64, 10)]
    """

    def __init__(self, seed: int, task: CifarTask, rate: float, number: int) -> None:
        address = ("cifar", task.depth, f"{task.noise:g}", f"{rate:g}", number)
        self._noise = task.noise
        self._labels = generator(seed, *address, "labels")
        self._weights = generator(seed, *address, "weights")
        self._order = generator(seed, *address, "order")

    def labels(self, true: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
        """The labels to train on: each with the probability `noise` one of the other classes, all as likely."""
        wrong = self._labels.random(len(true)) < self._noise
        shift = self._labels.integers(1, n_classes, len(true))
        return np.where(wrong, (true + shift) % n_classes, true)

    def weights(self, sizes: list[int]) -> list[NDArray[np.float32]]:
        """He's initial weights, normal with variance 2 / inputs: a matrix (inputs, outputs) for each layer."""
        shapes = list(itertools.pairwise(sizes))
        scales = [np.float32(np.sqrt(2.0 / inputs)) for inputs, _ in shapes]
        drawn = [self._weights.standard_normal(shape, dtype=np.float32) for shape in shapes]
        return [matrix * scale for matrix, scale in zip(drawn, scales, strict=True)]

    def order(self, n: int) -> NDArray[np.int64]:
        """The order of the images in the next epoch."""
        return self._order.permutation(n)
