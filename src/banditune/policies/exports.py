"""The same exploration in another library's own parameters.

Our index is mean + sqrt(alpha log t / pulls). Others put the constant elsewhere, and mean other things by alpha.
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import sqrt
from typing import Any

from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.policies.gpucb.beta import Multiple
from banditune.validation import format_value, one_of


@dataclass(frozen=True, slots=True, eq=False)
class Conversion(Mapping[str, float]):
    """Another library's parameters by name, with code that uses them; printed, it is a script.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> converted = convert(UCB, {"alpha": 0.02}, "mabwiser")
    >>> converted["alpha"], dict(converted)
    (0.1, {'alpha': 0.1})
    """

    library: str
    params: dict[str, float]
    code: str  # runs as it stands; `arms` and `pull` are to be replaced
    remark: str  # what differs from the policy that was tuned

    def __getitem__(self, name: str) -> float:
        return self.params[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self.params)

    def __str__(self) -> str:
        return textwrap.fill(self.remark, 100, initial_indent="# ", subsequent_indent="# ") + f"\n{self.code}"


def convert(policy: type[Policy], params: Mapping[str, float], library: str) -> Conversion:
    """What makes a library explore as the policy does with these parameters.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> convert(UCB, {"alpha": 0.02}, "vowpal")
    Traceback (most recent call last):
    banditune.errors.ParameterError: library must be one of mabwiser, river, smpybandits, banditpylib; got 'vowpal'
    """
    recipes = RECIPES[policy.name]
    recipe = recipes[one_of("library", library, recipes)]
    if params.get("prior_means") is not None:
        raise ParameterError("other libraries know no prior means: only a result without them can be converted")
    theirs = recipe.params(**{name: value for name, value in params.items() if not name.startswith("prior_")})
    return Conversion(library, theirs, recipe.code.format(**theirs), recipe.remark)


def conversions(policy: type[Policy], params: Mapping[str, float]) -> list[Conversion]:
    """The conversions to every library there is one for.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> [(converted.library, dict(converted)) for converted in conversions(UCB, {"alpha": 0.02})][:2]
    [('mabwiser', {'alpha': 0.1}), ('river', {'delta': 0.1})]
    """
    made = []
    for library in RECIPES[policy.name]:
        with suppress(ParameterError):  # it has no policy like this
            made.append(convert(policy, params, library))
    return made


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a library is told to explore: its parameters from ours, code that takes them by name, and what differs."""

    params: Callable[..., dict[str, float]]
    code: str
    remark: str


def _script(line: str, body: str, *, contexts: bool = False) -> str:
    """A program that imports the library with this line and plays with it."""
    context = """\
def context():  # yours: the features of the next decision
    return [random.random() for _ in range(4)]


"""
    return f"""\
import random

{line}

arms = [0, 1, 2]  # yours


{context if contexts else ""}def pull(arm):  # yours: pull the arm and return its reward
    return random.random()


{body}"""


_ROUND_BEFORE = (
    "The same exploration, not the same sequence: its logarithm is that of the pulls so far, one less than ours."
)

_UCB = {
    "mabwiser": Recipe(  # mean + alpha sqrt(2 log(pulls so far) / pulls)
        lambda alpha: {"alpha": sqrt(alpha / 2.0)},
        _script(
            "from mabwiser.mab import MAB, LearningPolicy",
            """\
mab = MAB(arms, LearningPolicy.UCB1(alpha={alpha!r}))
mab.fit(arms, [pull(arm) for arm in arms])  # every arm once
for _ in range(100):
    arm = mab.predict()
    mab.partial_fit([arm], [pull(arm)])
""",
        ),
        f"{_ROUND_BEFORE} It scores an arm that was never pulled 0, so pull every arm once before it decides.",
    ),
    "river": Recipe(  # mean + delta sqrt(2 log(pulls so far) / pulls)
        lambda alpha: {"delta": sqrt(alpha / 2.0)},
        _script(
            "from river import bandit",
            """\
policy = bandit.UCB(delta={delta!r}, seed=0)
for _ in range(100):
    arm = policy.pull(arms)
    policy.update(arm, pull(arm))
""",
        ),
        f"{_ROUND_BEFORE} Ties are broken at random, also among arms that were never pulled. Give it no reward_scaler: "
        "the exploration was learned for the rewards as they are.",
    ),
    "smpybandits": Recipe(  # mean + sqrt(alpha log(pulls so far) / (2 pulls))
        lambda alpha: {"alpha": 2.0 * alpha},
        _script(
            "from SMPyBandits.Policies import UCBalpha",
            """\
policy = UCBalpha(len(arms), alpha={alpha!r})
policy.startGame()
for _ in range(100):
    chosen = policy.choice()
    policy.getReward(chosen, pull(arms[chosen]))
""",
        ),
        f"{_ROUND_BEFORE} Ties are broken at random. Leave lower and amplitude alone: they rescale the rewards. "
        "From the source of SMPyBandits 0.9.7, not tested with the library: it cannot be imported with current SciPy.",
    ),
    "banditpylib": Recipe(  # mean + sqrt(alpha log t / pulls)
        lambda alpha: {"alpha": alpha},
        """\
from banditpylib.learners.mab_learner import UCB

learner = UCB(arm_num=3, alpha={alpha!r})  # as many arms as you have
learner.reset()
""",
        "The same index in the same round, and ties go to the lowest arm too; but rewards are kept in 32 bits, and "
        "alpha = 0 is rejected. From the source at github.com/Alanthink/banditpylib, not tested with the library: it "
        "is "
        "not on PyPI, and how pulls and rewards are passed differs from version to version.",
    ),
}


def _disjoint_only(
    alpha: float, ridge: float = 1.0, disjoint: bool = False, scaling: object = "none"
) -> dict[str, float]:
    if not disjoint:
        raise ParameterError("MABWiser's LinUCB has a regression for each arm: only disjoint=True can be converted")
    if scaling != "none":
        raise ParameterError('MABWiser scales features in its own way: only scaling="none" can be converted')
    return {"alpha": alpha, "l2_lambda": ridge}


_LINUCB = {
    "mabwiser": Recipe(  # weights . x + alpha sqrt(x' A^-1 x), A = l2_lambda I + sum x x', for each arm
        _disjoint_only,
        _script(
            "from mabwiser.mab import MAB, LearningPolicy",
            """\
mab = MAB(arms, LearningPolicy.LinUCB(alpha={alpha!r}, l2_lambda={l2_lambda!r}))
first = [context() for _ in arms]
mab.fit(arms, [pull(arm) for arm in arms], first)  # every arm once
for _ in range(100):
    x = context()
    arm = mab.predict([x])
    mab.partial_fit([arm], [pull(arm)], [x])
""",
            contexts=True,
        ),
        "The same index from the same history. For an arm that was never chosen it takes l2_lambda I as the inverse of "
        "itself, which is the same at 1 only: choose every arm once first. All arms share a context.",
    ),
}


def _for_botorch(
    noise: float,
    kernel: object,
    length_scale: float,
    beta: float | None,
    delta: float,
    center: float,
    scale: float,
    bonus: str,
) -> dict[str, Any]:
    if kernel != "rbf":
        raise ParameterError(f'only kernel="rbf" can be converted to BoTorch here, got {format_value(kernel)}')
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


_GPUCB = {
    "botorch": Recipe(  # mean + sqrt(beta) std
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
    ),
}

RECIPES: dict[str, dict[str, Recipe]] = {"ucb": _UCB, "linucb": _LINUCB, "gpucb": _GPUCB}  # by policy, then by library
