"""The same exploration in another library's own parameters.

Our index is mean + sqrt(alpha log t / pulls). Others put the constant elsewhere, and mean other things by alpha.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banditune.errors import ParameterError
from banditune.validation import format_value

if TYPE_CHECKING:
    from banditune.policies.base import Policy


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


def convert(
    policy: "type[Policy[Any]]", params: Mapping[str, float], library: str, notes: Sequence[str] = ()
) -> Conversion:
    """Return what makes a library explore as the policy does with these parameters; `notes` are added to what differs.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> convert(UCB, {"alpha": 0.02}, "vowpal")
    Traceback (most recent call last):
    banditune.errors.ParameterError: library must be one of mabwiser, river, smpybandits, banditpylib, or a platform \
(growthbook, statsig, optimizely); got 'vowpal'
    """
    from banditune.policies.ab_platforms import PLATFORMS

    recipes = policy.exports
    late: Any = params.get("updates")
    late_note = [f"It was tuned with {late.describe()}: run it that way, which this code does not."] if late else []
    further = "".join(f" {note}" for note in (*late_note, *notes))
    if library in PLATFORMS and library not in recipes:
        remark, code = PLATFORMS[library].explain(policy, params)
        return Conversion(library, {}, code, remark + further)
    if library not in recipes:
        libraries = [name for name in recipes if name not in PLATFORMS]
        known = f"one of {', '.join(libraries)}, or a platform" if libraries else "a platform"
        raise ParameterError(f"library must be {known} ({', '.join(PLATFORMS)}); got {format_value(library)}")
    recipe = recipes[library]
    policy.check_export(params)
    taken = inspect.signature(recipe.params).parameters
    theirs = recipe.params(**{name: params[name] for name in params if name in taken})
    return Conversion(library, theirs, recipe.code.format(**theirs), recipe.remark + further)


def conversions(
    policy: "type[Policy[Any]]", params: Mapping[str, float], notes: Sequence[str] = ()
) -> list[Conversion]:
    """Return the conversions to every library there is one for.

    >>> from banditune.policies.ucb.ucb import UCB
    >>> [(converted.library, dict(converted)) for converted in conversions(UCB, {"alpha": 0.02})][:2]
    [('mabwiser', {'alpha': 0.1}), ('river', {'delta': 0.1})]
    """
    made = []
    for library in policy.exports:
        with suppress(ParameterError):  # it has no policy like this
            made.append(convert(policy, params, library, notes))
    return made


@dataclass(frozen=True, slots=True)
class Export:
    """The same exploration in another library: its parameters from ours, code that takes them, and what differs."""

    params: Callable[..., dict[str, float]]
    code: str
    remark: str


def write_script(line: str, body: str, *, contexts: bool = False) -> str:
    """Write a program that imports the library with this line and runs its policy."""
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
