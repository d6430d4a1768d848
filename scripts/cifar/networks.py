"""Many fully connected networks trained at once: every step is a few products of stacks of matrices.

The networks of a stack share nothing but their shape and the images. All that is random in one has an address, (seed,
task, rate, number): its first weights, its wrong labels and its order of the images are the same whatever else is in
the stack. PyTorch is imported when training begins.
"""

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from scripts.cifar.draws import Draws
from scripts.cifar.images import TrainingData
from scripts.cifar.settings import CifarTask, Settings

if TYPE_CHECKING:
    from torch import Tensor

TESTED_AT_ONCE = 500  # images


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Networks of one shape: for each layer `weights` (networks, inputs, outputs), `biases` (networks, 1, outputs)."""

    weights: "list[Tensor]"
    biases: "list[Tensor]"

    def forward(self, batch: "Tensor") -> "list[Tensor]":
        """The batch, and what each layer makes of it, the last one without ReLU: (networks, images, size) each."""
        seen = [batch]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            seen.append(bias.baddbmm(seen[-1], weight).relu_())
        seen.append(self.biases[-1].baddbmm(seen[-1], self.weights[-1]))
        return seen

    def descend(self, seen: "list[Tensor]", error: "Tensor") -> None:
        """One step down the gradient, in place; `error` is the last layer's gradient times minus the rate."""
        for layer in range(len(self.weights) - 1, -1, -1):
            weight = self.weights[layer]
            below = error.bmm(weight.transpose(1, 2)).mul_(seen[layer] > 0) if layer > 0 else error
            weight.baddbmm_(seen[layer].transpose(1, 2), error)
            self.biases[layer].add_(error.sum(1, keepdim=True))
            error = below

    def accuracies(self, images: "Tensor", labels: "Tensor") -> NDArray[np.float32]:
        """The proportion of images told rightly: (networks,). Where an output is not finite, class 0 is what is told.

        So a network whose weights have overflowed has the accuracy of chance: the proportion of class 0.
        """
        right = np.zeros(len(self.weights[0]), dtype=np.int64)
        for start in range(0, len(images), TESTED_AT_ONCE):
            part = images[start : start + TESTED_AT_ONCE]
            output = self.forward(part.expand(len(right), -1, -1))[-1]
            told = output.argmax(-1).masked_fill_(~output.isfinite().all(-1), 0)
            right += (told == labels[start : start + TESTED_AT_ONCE]).sum(1).numpy()
        return (right / len(images)).astype(np.float32)


def accuracies(
    data: TrainingData, task: CifarTask, networks: list[tuple[float, int]], settings: Settings
) -> NDArray[np.float32]:
    """The test accuracy of each network, (rate, number), after training: (networks,)."""
    torch = _torch()
    stack = train_stack(data, task, networks, settings)
    return stack.accuracies(torch.from_numpy(data.test), torch.from_numpy(data.test_labels))


def train_stack(data: TrainingData, task: CifarTask, networks: list[tuple[float, int]], settings: Settings) -> Stack:
    """The networks, (rate, number), after plain gradient descent on the mean cross-entropy of batches."""
    torch = _torch()
    draws = [Draws(settings.seed, task, rate, number) for rate, number in networks]
    sizes = [data.train.shape[1], *[settings.width] * (task.depth - 1), data.n_classes]
    first = [draw.weights(sizes) for draw in draws]
    stack = Stack(
        weights=[torch.from_numpy(np.stack(layer)) for layer in zip(*first, strict=True)],
        biases=[torch.zeros(len(networks), 1, size) for size in sizes[1:]],
    )
    labels = torch.from_numpy(np.stack([draw.labels(data.train_labels, data.n_classes) for draw in draws]))
    images = torch.from_numpy(data.train)
    rates = torch.tensor([rate for rate, _ in networks], dtype=torch.float32).view(-1, 1, 1)
    steps = -rates / settings.batch
    one = torch.ones(len(networks), settings.batch, 1)
    for _ in range(settings.epochs):
        order = torch.from_numpy(np.stack([draw.order(len(images)) for draw in draws]))
        for start in range(0, len(images) - settings.batch + 1, settings.batch):
            chosen = order[:, start : start + settings.batch]
            batch = images.index_select(0, chosen.reshape(-1)).view(len(networks), settings.batch, -1)
            seen = stack.forward(batch)
            error = seen[-1].softmax(-1).scatter_add_(2, labels.gather(1, chosen).unsqueeze(2), -one)
            stack.descend(seen, error.mul_(steps))
    return stack


def _torch() -> ModuleType:
    """PyTorch, on one thread; numbers too small for full precision count as 0, for they are slow."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise ParameterError('training needs PyTorch: pip install "banditune[cifar]"') from None
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    return torch
