"""Results of tuning read from files."""

import math
import os
from collections.abc import Mapping
from typing import Any

from banditune.curves.exact_sum import Merged
from banditune.curves.step_function import Interval, curve_from_json
from banditune.errors import FileError
from banditune.io import read_json
from banditune.policies.base import Policy
from banditune.policies.registry import find_policy
from banditune.tuning.prior_search import Candidate, LearnedPrior, PriorFindings
from banditune.tuning.proof import Proof
from banditune.tuning.replay import Replay
from banditune.tuning.result import FORMAT, Compared, Tuned
from banditune.validation import format_value


def load(path: str | os.PathLike[str]) -> Tuned:
    """Read a result that `Tuned.save` wrote.

    Parameters
    ----------
    path : path
        The JSON file.

    Returns
    -------
    Tuned
        The result; the loss curves of single tasks are not saved.

    Raises
    ------
    FileError
        If the file is not a complete result.

    Examples
    --------
    >>> import os, tempfile
    >>> import banditune as bt
    >>> tuned = bt.tune(bt.UCB, [bt.Task([[0, 1, 1], [1, 0, 0]])], horizon=5, alpha=(0.0, 1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tuned.save(os.path.join(folder, "tuned.json"))
    ...     bt.load(os.path.join(folder, "tuned.json")).params == tuned.params
    True
    """
    saved = read_json(path)
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        found = saved.get("format") if isinstance(saved, dict) else saved
        raise FileError(f'{os.fspath(path)} must have "format": "{FORMAT}", got {format_value(found)}')
    try:
        policy = find_policy(saved["policy"])
        return Tuned(
            policy_class=policy,
            params=_check_params(policy, saved["params"], saved["parameter"]),
            interval=Interval(*saved["interval"]),
            within_one_se=Interval(*saved["within_one_se"]),
            origin=_check_origin(saved.get("log")),
            curve=curve_from_json(saved["curve"]),
            compared=_read_steps(policy, saved, "compared"),
            steps=_read_steps(policy, saved, "steps"),
            proof=None if saved.get("proof") is None else Proof(**saved["proof"]),
            priors=None if saved.get("priors") is None else _read_findings(saved["priors"]),
            merged=None if saved.get("merged") is None else Merged(**saved["merged"]),
            left_out=tuple(str(each) for each in saved.get("left_out", ())),
            reward_limits=None if saved.get("reward_limits") is None else Interval(*saved["reward_limits"]),
            replay=None if saved.get("replay") is None else _read_replay(saved["replay"], saved["matched"]),
            **{name: saved[name] for name in _PLAIN},
        )
    except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} is not a complete tuning result: {error!r}") from None


_PLAIN = ("loss", "loss_name", "parameter", "n_tasks", "horizon", "complexity", "histories", "seed")


def _check_params(policy: type[Policy[Any]], saved: Mapping[str, object], searched: object) -> dict[str, float]:
    if searched not in saved:
        raise KeyError(f"params must hold the parameter that was searched, {format_value(searched)}")
    return {name: policy.parameters[name].value(value) for name, value in saved.items()}


def _read_steps(policy: type[Policy[Any]], saved: Mapping[str, Any], name: str) -> tuple[Compared, ...]:
    return tuple(
        Compared(_check_params(policy, each["params"], saved["parameter"]), float(each["loss"]))
        for each in saved.get(name, ())
    )


def _check_origin(saved: object) -> Mapping[str, object] | None:
    if saved is not None and not isinstance(saved, dict):
        raise TypeError(f"log must be an object or null, got {format_value(saved)}")
    return saved


def _read_findings(saved: Mapping[str, Any]) -> PriorFindings:
    candidates = tuple(
        Candidate(each["name"], each["loss"], *(_number(each[name]) for name in ("held_out", "error")))
        for each in saved["candidates"]
    )
    arms = tuple(LearnedPrior(**{**each, "within_one_se": Interval(**each["within_one_se"])}) for each in saved["arms"])
    return PriorFindings(**{**saved, "candidates": candidates, "arms": arms})


def _number(saved: float | None) -> float:
    return math.nan if saved is None else float(saved)


def _read_replay(saved: Mapping[str, Any], matched: Mapping[str, str]) -> Replay:
    doubts = tuple(str(doubt) for doubt in saved["warnings"])
    return Replay(int(saved["events"]), curve_from_json(matched), Interval(*saved["interval"]), doubts)
