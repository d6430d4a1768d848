"""Results of tuning read from files."""

import math
import os
from collections.abc import Mapping
from typing import Any

from banditune.checks import shown
from banditune.errors import FileError
from banditune.exact_sum import Merged
from banditune.files import read_json
from banditune.policies import policy_named
from banditune.policies.policy import Policy
from banditune.prior_search import Candidate, LearnedPrior, PriorFindings
from banditune.proof import Proof
from banditune.replay import Replay
from banditune.saved_curves import curve_from_json
from banditune.step_function import Interval
from banditune.tuned import FORMAT, Compared, Tuned


def load(path: str | os.PathLike[str]) -> Tuned:
    """Read what `Tuned.save` wrote."""
    saved = read_json(path)
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
            curve=curve_from_json(saved["curve"]),
            compared=_saved_steps(policy, saved, "compared"),
            steps=_saved_steps(policy, saved, "steps"),
            proof=None if saved.get("proof") is None else Proof(**saved["proof"]),
            priors=None if saved.get("priors") is None else _saved_findings(saved["priors"]),
            merged=None if saved.get("merged") is None else Merged(**saved["merged"]),
            left_out=tuple(str(each) for each in saved.get("left_out", ())),
            reward_limits=None if saved.get("reward_limits") is None else Interval(*saved["reward_limits"]),
            replay=None if saved.get("replay") is None else _saved_replay(saved["replay"], saved["matched"]),
            **{name: saved[name] for name in _PLAIN},
        )
    except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
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
    return Replay(int(saved["events"]), curve_from_json(matched), Interval(*saved["interval"]), doubts)
