"""What is random in a network depends on its address alone, and is distributed as described."""

import numpy as np

from scripts.cifar.draws import Draws
from scripts.cifar.settings import CifarTask

TRUE = np.arange(20_000) % 10


def test_labels_are_wrong_in_the_proportion_and_evenly_so() -> None:
    labels = Draws(0, CifarTask(2, 0.3), 0.1, 0).labels(TRUE, 10)
    wrong = labels != TRUE
    assert abs(wrong.mean() - 0.3) < 0.02
    shifts = np.bincount((labels - TRUE)[wrong] % 10, minlength=10)
    assert shifts[0] == 0
    assert abs(shifts[1:] / wrong.sum() - 1 / 9).max() < 0.02
    assert (Draws(0, CifarTask(2, 0.0), 0.1, 0).labels(TRUE, 10) == TRUE).all()


def test_weights_have_the_variance_of_he() -> None:
    for matrix in Draws(0, CifarTask(2, 0.3), 0.1, 0).weights([192, 300, 400]):
        assert abs(matrix.var() * len(matrix) / 2 - 1) < 0.03
        assert matrix.dtype == np.float32


def test_every_part_of_the_address_matters_and_nothing_else() -> None:
    def drawn(seed: int, depth: int, noise: float, rate: float, number: int) -> bytes:
        draws = Draws(seed, CifarTask(depth, noise), rate, number)
        order = draws.order(50).tobytes()  # asked for in another order than in training
        return order + draws.labels(TRUE, 10).tobytes() + draws.weights([4, 3])[0].tobytes()

    address = (0, 2, 0.1, 0.1, 0)
    others = [(1, 2, 0.1, 0.1, 0), (0, 4, 0.1, 0.1, 0), (0, 2, 0.2, 0.1, 0), (0, 2, 0.1, 0.2, 0), (0, 2, 0.1, 0.1, 1)]
    assert len({drawn(*each) for each in [address, *others, address]}) == 6


def test_each_epoch_has_its_own_order_of_all_images() -> None:
    draws = Draws(0, CifarTask(2, 0.0), 0.1, 0)
    first, second = draws.order(100), draws.order(100)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first.tolist() != second.tolist()
