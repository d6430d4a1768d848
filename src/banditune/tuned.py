"""What was learned: the parameter, how sure, and a policy ready for the next task."""

import base64
import json
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditune.checks import shown
from banditune.conversions import Conversion, convert
from banditune.errors import FileError, InputError, ParameterError
from banditune.files import read_text, write_text
from banditune.policies import policy_named
from banditune.policies.policy import Policy
from banditune.step_function import Interval, StepFunction

FORMAT = "banditune.tuned/1"


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The value of a parameter that loses least on past tasks.

    Also `tuned.alpha` and the like, by the parameter's name.
    """

    policy_class: type[Policy]
    params: dict[str, float]  # what to run the policy with
    interval: Interval  # every value in it has the least mean loss
    plausible: Interval  # outside it, every value is told apart from the best by these tasks
    curve: StepFunction  # the mean loss for every value
    loss: float  # the least mean loss
    loss_name: str  # "regret" or "reward"
    parameter: str  # which parameter was searched
    n_tasks: int
    horizon: int
    complexity: float  # the mean number of pieces of the tasks' loss functions: an estimate of Q_D
    histories: float  # the mean number of games the range was cut into: what a search without merging would visit
    seed: int
    origin: Mapping[str, object] | None = None  # how the log was read that the tasks came from: columns, files, rows

    def __getattr__(self, name: str) -> float:
        if name != "params" and name in self.params:  # "params" itself is not there yet while unpickling
            return self.params[name]
        raise AttributeError(f"a Tuned has no attribute {name!r}")

    def policy(
        self, n_arms: int | None = None, *, arms: Sequence[Hashable] | None = None, dim: int | None = None
    ) -> Policy:
        """The tuned policy for a new task with that many arms (or these arms), and `dim` features if any."""
        if (n_arms is None) == (arms is None):
            raise ParameterError("policy() needs n_arms or arms, one of them")
        if arms is not None and not isinstance(arms, Sequence):
            raise ParameterError(f"arms must be a list of names, got {shown(arms)}")
        count = n_arms if arms is None else len(arms)
        shape = {} if dim is None else {"dim": dim}
        try:
            return self.policy_class(count, **shape, **self.params)  # type: ignore[call-arg]  # a policy's own
        except TypeError:
            needed = "dim as well: it chooses by contexts" if dim is None else "no dim: it knows no contexts"
            raise ParameterError(f"policy() of a tuned {self.policy_class.__name__} needs {needed}") from None

    def to(self, library: str) -> Conversion:
        """The same exploration in the parameters of another library, such as "mabwiser" or "river"."""
        return convert(self.policy_class, self.params, library)

    def summary(self) -> dict[str, object]:
        """The result in plain numbers, without the curve."""
        return {
            "policy": self.policy_class.name,
            "params": self.params,
            "interval": list(self.interval),
            "plausible": list(self.plausible),
            "loss": self.loss,
            "loss_name": self.loss_name,
            "parameter": self.parameter,
            "range": [self.curve.low, self.curve.high],
            "n_tasks": self.n_tasks,
            "horizon": self.horizon,
            "complexity": self.complexity,
            "histories": self.histories,
            "seed": self.seed,
            "log": self.origin,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON; `load` gives it back with every bit of the mean curve."""
        curve = {"edges": _to_base64(self.curve.edges), "values": _to_base64(self.curve.values)}
        write_text(path, json.dumps({"format": FORMAT} | self.summary() | {"curve": curve}, indent=1) + "\n")


def load(path: str | os.PathLike[str]) -> Tuned:
    """Read what `Tuned.save` wrote."""
    try:
        saved = json.loads(read_text(path))
    except ValueError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{os.fspath(path)} is not JSON: {error}") from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        found = saved.get("format") if isinstance(saved, dict) else saved
        raise FileError(f'{os.fspath(path)} must have "format": "{FORMAT}", got {shown(found)}')
    try:
        policy = policy_named(saved["policy"])
        return Tuned(
            policy_class=policy,
            params=_checked_params(policy, saved["params"], saved["parameter"]),
            interval=Interval(*saved["interval"]),
            plausible=Interval(*saved["plausible"]),
            origin=_checked_origin(saved.get("log")),
            curve=StepFunction(_from_base64(saved["curve"]["edges"]), _from_base64(saved["curve"]["values"])),
            **{name: saved[name] for name in _PLAIN},
        )
    except (KeyError, TypeError, AttributeError, InputError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} is not a whole result of tuning: {error!r}") from None


_PLAIN = ("loss", "loss_name", "parameter", "n_tasks", "horizon", "complexity", "histories", "seed")


def _checked_params(policy: type[Policy], saved: Mapping[str, object], searched: object) -> dict[str, float]:
    if searched not in saved:
        raise KeyError(f"params must hold the parameter that was searched, {shown(searched)}")
    return {name: policy.parameters[name].value(value) for name, value in saved.items()}


def _checked_origin(saved: object) -> Mapping[str, object] | None:
    if saved is not None and not isinstance(saved, dict):
        raise TypeError(f"log must be an object or null, got {shown(saved)}")
    return saved


def _to_base64(array: NDArray[np.float64]) -> str:
    """The bytes of little-endian 64-bit floats as text."""
    return base64.b64encode(array.astype("<f8").tobytes()).decode("ascii")


def _from_base64(text: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(np.float64)
