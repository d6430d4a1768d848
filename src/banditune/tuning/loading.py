"""Results of tuning read from files."""

import math
import os
from collections.abc import Mapping
from typing import Any

from banditune.curves.step_function import Interval, curve_from_json
from banditune.errors import FileError
from banditune.io import read_json
from banditune.policies.base import Policy
from banditune.policies.registry import find_policy
from banditune.tuning.details import Compared, Detail, Racing, Source
from banditune.tuning.replay import Replay
from banditune.tuning.result import Tuned
from banditune.tuning.search import Draws, Search, defaults
from banditune.tuning.search_result import DETAILS, FORMAT
from banditune.validation import format_value, whole_number


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
        return _read(saved)
    except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} is not a complete tuning result: {error!r}") from None


def _read(saved: Mapping[str, Any]) -> Tuned:
    policy, curve, limits = find_policy(saved["policy"]), curve_from_json(saved["curve"]), saved.get("reward_limits")
    params = _check_params(policy, saved["params"], saved["parameter"])
    fixed = {name: params.get(name, value) for name, value in defaults(policy).items() if name != saved["parameter"]}
    search = Search(
        policy,
        (saved["horizon"],),
        saved["parameter"],
        curve.low,
        curve.high,
        fixed,
        saved["loss_name"],
        saved["seed"],
        extend=True,
        knows_tasks=True,
        draws=Draws(whole_number("draws", saved.get("draws", 1), least=1)),
    )
    details: dict[type[Detail], Any] = {kind: saved.get(kind.key) for kind in DETAILS}
    if details[Replay] is not None:
        details[Replay] |= {"curve": saved["matched"]}
    if details[Racing] is not None:
        details[Racing] |= {"curve": saved["pilot"]}
    return Tuned(
        search,
        params,
        Interval(*saved["interval"]),
        Interval(*saved["within_one_se"]),
        curve,
        source=Source(
            _check_origin(saved.get("log")),
            None if limits is None else Interval(*limits),
            tuple(str(each) for each in saved.get("left_out", ())),
        ),
        compared=_read_steps(policy, saved, "compared"),
        steps=_read_steps(policy, saved, "steps"),
        details=tuple(kind.from_json(each) for kind, each in details.items() if each is not None),
        draw_error=math.nan if saved.get("draw_error") is None else float(saved["draw_error"]),
        **{name: saved[name] for name in ("loss", "n_tasks", "complexity", "histories")},
    )


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
