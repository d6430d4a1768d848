"""Stacks of networks learn as each would alone by PyTorch's own gradients. Without PyTorch these tests are skipped."""

from collections.abc import Iterator

import numpy as np
import pytest

from scripts.cifar.draws import Draws
from scripts.cifar.images import TrainingData
from scripts.cifar.networks import accuracies, train_stack
from scripts.cifar.settings import CifarTask, Settings

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _leave_small_numbers_as_they_are() -> Iterator[None]:
    yield
    torch.set_flush_denormal(False)  # which training asks for: other tests run in this process


SETTINGS = Settings(images=100, side=2, width=16, epochs=3, batch=8, seed=5)
NETWORKS = [(0.001, 0), (0.05, 0), (0.05, 1), (0.2, 7)]


def clouds(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes, easy to tell: (n, 12) and (n,)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    centres = np.random.default_rng(0).normal(size=(3, 12))
    return (centres[labels] * 1.5 + rng.normal(size=(n, 12))).astype(np.float32), labels


DATA = TrainingData(*clouds(100, 1), *clouds(1200, 2), n_classes=3)


def by_autograd(task: CifarTask, rate: float, number: int) -> "torch.nn.Sequential":
    """One network by PyTorch's own layers, loss, gradients and optimiser."""
    draws = Draws(SETTINGS.seed, task, rate, number)
    sizes = [12, *[SETTINGS.width] * (task.depth - 1), 3]
    layers = []
    for matrix in draws.weights(sizes):
        layer = torch.nn.Linear(*matrix.shape)
        layer.weight.data, layer.bias.data = torch.from_numpy(matrix.T.copy()), torch.zeros(matrix.shape[1])
        layers += [layer, torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers[:-1])
    optimiser = torch.optim.SGD(network.parameters(), lr=rate)
    images, labels = torch.from_numpy(DATA.train), torch.from_numpy(draws.labels(DATA.train_labels, 3))
    for _ in range(SETTINGS.epochs):
        order = draws.order(100)
        for start in range(0, 96, 8):  # the last four wait for the next epoch
            chosen = order[start : start + 8]
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(network(images[chosen]), labels[chosen]).backward()
            optimiser.step()
    return network


@pytest.mark.parametrize("task", [CifarTask(2, 0.0), CifarTask(4, 0.3)], ids=lambda task: task.name)
def test_a_stack_learns_what_each_network_learns_alone(task: CifarTask) -> None:
    stack = train_stack(DATA, task, NETWORKS, SETTINGS)
    for place, (rate, number) in enumerate(NETWORKS):
        linear = [layer for layer in by_autograd(task, rate, number) if isinstance(layer, torch.nn.Linear)]
        for layer, weight, bias in zip(linear, stack.weights, stack.biases, strict=True):
            assert torch.allclose(weight[place], layer.weight.T, rtol=1e-3, atol=1e-5)
            assert torch.allclose(bias[place, 0], layer.bias, rtol=1e-3, atol=1e-5)


def test_accuracies_are_the_proportions_told_rightly() -> None:
    task = CifarTask(2, 0.1)
    told = [by_autograd(task, *network)(torch.from_numpy(DATA.test)).argmax(1).numpy() for network in NETWORKS]
    alone = [(each == DATA.test_labels).mean() for each in told]
    assert np.abs(accuracies(DATA, task, NETWORKS, SETTINGS) - alone).max() <= 2 / 1200  # ties of rounding
    assert alone[-1] > 0.8


def test_a_network_is_the_same_whatever_else_is_in_the_stack() -> None:
    task = CifarTask(6, 0.2)
    stacked = train_stack(DATA, task, NETWORKS, SETTINGS).weights
    for place, network in enumerate(NETWORKS):
        for together, alone in zip(stacked, train_stack(DATA, task, [network], SETTINGS).weights, strict=True):
            assert torch.allclose(together[place], alone[0], rtol=1e-3, atol=1e-5)


def test_networks_that_diverged_tell_class_0() -> None:
    chance = np.float32((DATA.test_labels == 0).mean())
    found = accuracies(DATA, CifarTask(4, 0.0), [(1e6, 0), (0.05, 0), (1e30, 0)], SETTINGS)
    assert found[0] == found[2] == chance
    assert found[1] > chance
