"""GP-UCB's noise and bonus in BoTorch."""

from typing import Any

from banditune.errors import ParameterError
from banditune.policies.exports import Export
from banditune.policies.gpucb.beta import Multiple
from banditune.validation import format_value


def _for_botorch(
    noise: float,
    kernel: object,
    length_scale: float,
    beta: float | None,
    mean_function: object,
    covariance: object,
    delta: float,
    center: float,
    scale: float,
    bonus: str,
) -> dict[str, Any]:
    if kernel != "rbf":
        raise ParameterError(f'only kernel="rbf" can be converted to BoTorch here, got {format_value(kernel)}')
    if mean_function != "zero":
        raise ParameterError('only mean_function="zero" can be converted to BoTorch here')
    if covariance != "kernel":
        raise ParameterError('only covariance="kernel" can be converted to BoTorch here')
    if bonus != "std":
        raise ParameterError('BoTorch\'s bonus is the spread: only bonus="std" can be converted')
    times = 1.0 if beta is None else float(beta)
    of_schedule = beta is None or isinstance(beta, Multiple)
    return {
        "noise": noise,
        "length_scale": length_scale,
        "beta": f"{times!r} * 2 * math.log(len(points) * t**2 * math.pi**2 / (6 * {delta!r}))"
        if of_schedule
        else times,
        "center": center,
        "scale": scale,
    }


EXPORTS = {
    "botorch": Export(  # mean + sqrt(beta) std
        _for_botorch,
        """\
import math
import random

import torch
from botorch.acquisition import UpperConfidenceBound
from botorch.models import SingleTaskGP
from gpytorch.kernels import RBFKernel
from gpytorch.means import ZeroMean

points = torch.rand(50, 2, dtype=torch.double)  # yours: where the arms sit


def pull(arm):  # yours: try the point and return its reward
    return random.random()


kernel = RBFKernel()
kernel.lengthscale = {length_scale!r}
tried, seen = [0], [(pull(0) - {center!r}) / {scale!r}]
for t in range(2, 21):
    y = torch.tensor(seen, dtype=torch.double)[:, None]
    noises = torch.full_like(y, {noise!r})
    model = SingleTaskGP(
        points[tried], y, noises, covar_module=kernel, mean_module=ZeroMean(), outcome_transform=None
    )
    index = UpperConfidenceBound(model, beta={beta})
    arm = int(index(points[:, None, :]).argmax())
    tried.append(arm)
    seen.append((pull(arm) - {center!r}) / {scale!r})
""",
        "The same index from the same history, with the noise as learned instead of fitted in each round; ties and "
        "last digits may be decided otherwise.",
    )
}
