"""What was learned: the parameter, how sure, and a policy ready for the next task."""

import base64
import json
import math
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditune.checks import shown
from banditune.configurations import Encoding
from banditune.conversions import Conversion, convert
from banditune.errors import FileError, InputError, ParameterError
from banditune.exact_sum import Merged
from banditune.files import read_text, write_text
from banditune.policies import policy_named
from banditune.policies.policy import Policy
from banditune.prior_search import Candidate, LearnedPrior, PriorFindings
from banditune.proof import Proof
from banditune.replay import Replay
from banditune.step_function import Interval, StepFunction

FORMAT = "banditune.tuned/1"


class Compared(NamedTuple):
    """The best that was found with one combination of fixed parameters."""

    params: dict[str, Any]
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The value of a parameter that loses least on past tasks.

    Also `tuned.alpha` and the like, by the parameter's name.
    """

    policy_class: type[Policy]
    params: dict[str, Any]  # what to run the policy with
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
    compared: tuple[Compared, ...] = ()  # the best with each of the values that were compared, if any were
    replay: Replay | None = None  # how far to trust it, where the tasks were logs
    priors: PriorFindings | None = None  # what was compared and learned, where priors were searched for
    proof: Proof | None = None  # how far the pieces are proved, where that takes a proof
    steps: tuple[Compared, ...] = ()  # what each exact search found, where several parameters were searched in turn
    merged: Merged | None = None  # what merging breakpoints may have changed, where there were too many to hold
    left_out: tuple[str, ...] = ()  # tasks or files that could not be worked on, and why

    def __getattr__(self, name: str) -> Any:
        if name != "params" and name in self.params:  # "params" itself is not there yet while unpickling
            return self.params[name]
        raise AttributeError(f"a Tuned has no attribute {name!r}")

    def policy(
        self,
        n_arms: int | None = None,
        *,
        arms: Sequence[Hashable] | None = None,
        dim: int | None = None,
        points: ArrayLike | None = None,
        configurations: Sequence[Any] | None = None,
    ) -> Policy:
        """The tuned policy for a new task: of that many arms, or these, and `dim` features if any; or of points.

        Where past tasks were configurations, new `configurations` are encoded as those were.
        """
        if configurations is not None:
            if self.encoding is None or points is not None:
                raise ParameterError("configurations are for a result learned from them, instead of points")
            points = self.encoding.points(configurations)
        if arms is not None and (n_arms is not None or not isinstance(arms, Sequence) or isinstance(arms, str)):
            came = shown(arms) if n_arms is None else "both"
            raise ParameterError(f"policy() needs n_arms or arms, a list of names; got {came}")
        count = n_arms if arms is None else len(arms)
        given = {"n_arms": count, "dim": dim, "points": points}
        made_for = {name: value for name, value in given.items() if value is not None}
        if set(made_for) != set(self.policy_class.made_for):
            needed = " and ".join(self.policy_class.made_for).replace("n_arms", "n_arms or arms")
            came = " and ".join(made_for) or "nothing"
            raise ParameterError(f"policy() of a tuned {self.policy_class.__name__} needs {needed}, got {came}")
        return self.policy_class(**made_for, **self.policy_class.for_arms(self.params, arms))

    @property
    def encoding(self) -> Encoding | None:
        """How configurations become points, where past tasks were read as such."""
        saved = None if self.origin is None else self.origin.get("encoding")
        return None if saved is None else Encoding.from_json(saved)

    def to(self, library: str) -> Conversion:
        """The same exploration in the parameters of another library, such as "mabwiser" or "river"."""
        return convert(self.policy_class, self.params, library)

    def summary(self) -> dict[str, object]:
        """The result in plain numbers, without the curve."""
        return {
            "policy": self.policy_class.name,
            "params": self._plain(self.params),
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
            "compared": [{"params": self._plain(each.params), "loss": each.loss} for each in self.compared],
            "replay": None if self.replay is None else self._replay_summary(self.replay),
            "priors": None if self.priors is None else _plain_findings(self.priors),
            "proof": None if self.proof is None else asdict(self.proof),
            "steps": [{"params": self._plain(each.params), "loss": each.loss} for each in self.steps],
            "merged": None if self.merged is None else asdict(self.merged),
            "left_out": list(self.left_out),
        }

    def _plain(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters as JSON can hold them."""
        return {name: self.policy_class.parameters[name].plain(value) for name, value in params.items()}

    def _replay_summary(self, replay: Replay) -> dict[str, object]:
        return {
            "events": replay.events,
            "matched": int(replay.matched(self.params[self.parameter])),
            "interval": list(replay.interval),
            "warnings": list(replay.warnings),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON; `load` gives it back with every bit of the mean curve."""
        curves = {"curve": _to_json(self.curve)}
        if self.replay is not None:
            curves["matched"] = _to_json(self.replay.matched)
        write_text(path, json.dumps({"format": FORMAT} | self.summary() | curves, indent=1) + "\n")


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
            curve=_from_json(saved["curve"]),
            compared=_saved_steps(policy, saved, "compared"),
            steps=_saved_steps(policy, saved, "steps"),
            proof=None if saved.get("proof") is None else Proof(**saved["proof"]),
            merged=None if saved.get("merged") is None else Merged(**saved["merged"]),
            left_out=tuple(str(each) for each in saved.get("left_out", ())),
            priors=None if saved.get("priors") is None else _saved_findings(saved["priors"]),
            replay=None if saved.get("replay") is None else _saved_replay(saved["replay"], saved["matched"]),
            **{name: saved[name] for name in _PLAIN},
        )
    except (KeyError, TypeError, AttributeError, InputError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} is not a whole result of tuning: {error!r}") from None


_PLAIN = ("loss", "loss_name", "parameter", "n_tasks", "horizon", "complexity", "histories", "seed")


def _checked_params(policy: type[Policy], saved: Mapping[str, object], searched: object) -> dict[str, float]:
    if searched not in saved:
        raise KeyError(f"params must hold the parameter that was searched, {shown(searched)}")
    return {name: policy.parameters[name].value(value) for name, value in saved.items()}


def _saved_steps(policy: type[Policy], saved: Mapping[str, Any], name: str) -> tuple[Compared, ...]:
    return tuple(
        Compared(_checked_params(policy, each["params"], saved["parameter"]), float(each["loss"]))
        for each in saved.get(name, ())
    )


def _checked_origin(saved: object) -> Mapping[str, object] | None:
    if saved is not None and not isinstance(saved, dict):
        raise TypeError(f"log must be an object or null, got {shown(saved)}")
    return saved


def _plain_findings(found: PriorFindings) -> dict[str, Any]:
    known = asdict(found)
    for candidate in known["candidates"]:
        candidate |= {name: None for name in ("unseen", "error") if math.isnan(candidate[name])}
    return known


def _saved_findings(saved: Mapping[str, Any]) -> PriorFindings:
    candidates = tuple(
        Candidate(each["name"], each["loss"], *(_number(each[name]) for name in ("unseen", "error")))
        for each in saved["candidates"]
    )
    arms = tuple(LearnedPrior(**{**each, "plausible": Interval(**each["plausible"])}) for each in saved["arms"])
    return PriorFindings(**{**saved, "candidates": candidates, "arms": arms})


def _number(saved: float | None) -> float:
    return math.nan if saved is None else float(saved)


def _saved_replay(saved: Mapping[str, Any], matched: Mapping[str, str]) -> Replay:
    doubts = tuple(str(doubt) for doubt in saved["warnings"])
    return Replay(int(saved["events"]), _from_json(matched), Interval(*saved["interval"]), doubts)


def _to_json(curve: StepFunction) -> dict[str, str]:
    """The bytes of little-endian 64-bit floats as text."""
    parts = {"edges": curve.edges, "values": curve.values}
    return {name: base64.b64encode(part.astype("<f8").tobytes()).decode("ascii") for name, part in parts.items()}


def _from_json(saved: Mapping[str, str]) -> StepFunction:
    return StepFunction(*(_from_base64(saved[name]) for name in ("edges", "values")))


def _from_base64(text: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(np.float64)
