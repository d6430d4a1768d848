"""Results of tuning read from files."""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from banditune.curves.step_function import Interval, StepFunction, curve_from_json
from banditune.errors import FileError
from banditune.io import read_json
from banditune.policies.base import Policy
from banditune.policies.registry import find_tunable
from banditune.tuning.curve_file import await_curve, name_curve_file, read_curves
from banditune.tuning.details import Compared, Detail, Racing, Source
from banditune.tuning.replay import Replay
from banditune.tuning.search import Draws, Search, defaults
from banditune.tuning.search_result import DETAILS, FORMAT
from banditune.tuning.tuned import Tuned
from banditune.validation import format_value, whole_number

FIRST_FORMAT = "banditune.tuned/1"  # with the curves in the JSON itself
CURVES = ("curve", "matched", "pilot")


def load(path: str | os.PathLike[str]) -> Tuned:
    """Read a result that `Tuned.save` wrote.

    Parameters
    ----------
    path : path
        The JSON file. The curves are in a file beside it: of tuned.json, in tuned.curve.npz.

    Returns
    -------
    Tuned
        The result; the loss curves of single tasks are not saved. Without the file of the curves, `.curve` is an error
        that says so, and all else can be used.

    Raises
    ------
    FileError
        If the file is not a complete result, or the file of the curves belongs to another one.

    Examples
    --------
    >>> import os, tempfile
    >>> import banditune as bt
    >>> tuned = bt.tune(bt.UCB, [bt.Task([[0, 1, 1], [1, 0, 0]])], horizon=5, alpha=(0.0, 1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tuned.save(os.path.join(folder, "tuned.json"))
    ...     bt.load(os.path.join(folder, "tuned.json")) == tuned
    True
    """
    saved = read_json(path)
    if not isinstance(saved, dict) or saved.get("format") not in (FORMAT, FIRST_FORMAT):
        found = saved.get("format") if isinstance(saved, dict) else saved
        raise FileError(f'{os.fspath(path)} must have "format": "{FORMAT}", got {format_value(found)}')
    try:
        return _read(saved, _find_curves(saved, path))
    except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} is not a complete tuning result: {error!r}") from None


def _find_curves(saved: Mapping[str, Any], path: str | os.PathLike[str]) -> Mapping[str, StepFunction]:
    """Return the curves of a result by name: from the file beside it, or from the result where they are in it."""
    if saved["format"] == FIRST_FORMAT:
        return {name: curve_from_json(saved[name]) for name in CURVES if name in saved}
    beside = name_curve_file(path)
    if not beside.exists():  # the result may have got another name
        beside = beside.with_name(Path(saved["curves"]["file"]).name)
    if beside.exists():
        return read_curves(beside, saved["curves"]["digest"], path)
    return dict.fromkeys(CURVES, await_curve(beside, path, Interval(*saved["range"])))


def _read(saved: Mapping[str, Any], curves: Mapping[str, StepFunction]) -> Tuned:
    policy, curve, limits = find_tunable(saved["policy"]), curves["curve"], saved.get("reward_limits")
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
        details[Replay] |= {"curve": curves["matched"]}
    if details[Racing] is not None:
        details[Racing] |= {"curve": curves["pilot"]}
    read = tuple(kind.from_json(each) for kind, each in details.items() if each is not None and kind.is_saved_as(each))
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
        details=read,
        smoothed=_read_smoothed(saved),
        draw_error=math.nan if saved.get("draw_error") is None else float(saved["draw_error"]),
        **{name: saved[name] for name in ("loss", "n_tasks", "complexity", "histories")},
    )


def _check_params(policy: type[Policy[Any]], saved: Mapping[str, object], searched: object) -> dict[str, float]:
    if searched not in saved:
        raise KeyError(f"params must hold the parameter that was searched, {format_value(searched)}")
    return {name: policy.parameters[name].value(value) for name, value in saved.items()}


def _read_smoothed(saved: Mapping[str, Any]) -> float | None:
    """Return the value that a study recommends; None where it is that of params."""
    name = saved["parameter"]
    value = saved.get("recommended", saved["params"])[name]
    return None if value == saved["params"][name] else float(value)


def _read_steps(policy: type[Policy[Any]], saved: Mapping[str, Any], name: str) -> tuple[Compared, ...]:
    return tuple(
        Compared(_check_params(policy, each["params"], saved["parameter"]), float(each["loss"]))
        for each in saved.get(name, ())
    )


def _check_origin(saved: object) -> Mapping[str, object] | None:
    if saved is not None and not isinstance(saved, dict):
        raise TypeError(f"log must be an object or null, got {format_value(saved)}")
    return saved
