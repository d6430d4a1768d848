"""Results of tuning on disk: JSON that stays small and readable, and the curves in a binary file beside it."""

import hashlib
import io
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.step_function import Interval, StepFunction, curve_from_json
from banditune.errors import BanditTuneError, FileError
from banditune.io.files import read_all_arrays, write_together
from banditune.io.json_text import read_json
from banditune.policies.base import Policy
from banditune.policies.losses import read_loss
from banditune.policies.registry import find_tunable
from banditune.policies.settings import list_defaults
from banditune.tasks.costs import check_costs
from banditune.tuning.replay import Replay
from banditune.tuning.results.details import Compared, Detail, Racing, Source
from banditune.tuning.results.search_result import DETAILS
from banditune.tuning.results.tuned import Tuned
from banditune.tuning.search import Draws, Search
from banditune.validation import format_value, whole_number

FORMAT = "banditune.tuned/2"
FIRST_FORMAT = "banditune.tuned/1"  # with the curves in the JSON itself
CURVES = ("curve", "matched", "pilot")
ENDING = ".curve.npz"


def write_result(result: Tuned, path: str | os.PathLike[str]) -> None:
    """Write a result to a JSON file, and its curves beside it."""
    beside = name_curve_file(path)
    packed, digest = pack_curves(result.list_curves())
    known = {"format": FORMAT} | result.summary() | {"curves": {"file": beside.name, "digest": digest}}
    write_together({path: (json.dumps(known, indent=1) + "\n").encode("utf-8"), beside: packed})


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
        reason = error if isinstance(error, BanditTuneError) else repr(error)
        raise FileError(f"{os.fspath(path)} is not a complete tuning result: {reason}") from None


def _find_curves(saved: Mapping[str, Any], path: str | os.PathLike[str]) -> Mapping[str, StepFunction]:
    """Return the curves of a result by name: from the file beside it, or from the result where they are in it.

    Without that file, an error says so when one is asked for.
    """
    if saved["format"] == FIRST_FORMAT:
        return {name: curve_from_json(saved[name]) for name in CURVES if name in saved}
    beside = name_curve_file(path)
    if not beside.exists():  # the result may have got another name
        beside = beside.with_name(Path(saved["curves"]["file"]).name)
    if beside.exists():
        return read_curves(beside, saved["curves"]["digest"], path)

    def fail() -> StepFunction:
        raise FileError(
            f"the loss curve of {os.fspath(path)} is in {beside.name}, which is not beside it: copy both files of the "
            "result"
        )

    return dict.fromkeys(CURVES, SavedCurve(fail, Interval(*saved["range"])))


def _read(saved: Mapping[str, Any], curves: Mapping[str, StepFunction]) -> Tuned:
    policy, curve, limits = find_tunable(saved["policy"]), curves["curve"], saved.get("reward_limits")
    params = _check_params(policy, saved["params"], saved["parameter"])
    fixed = {
        name: params.get(name, value) for name, value in list_defaults(policy).items() if name != saved["parameter"]
    }
    search = Search(
        policy,
        (saved["horizon"],),
        saved["parameter"],
        curve.low,
        curve.high,
        fixed,
        read_loss(saved),
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
            None if saved.get("costs") is None else check_costs(saved["costs"]),
        ),
        compared=_read_steps(policy, saved, "compared"),
        steps=_read_steps(policy, saved, "steps"),
        details=read,
        smoothed=_read_recommended_value(saved),
        draw_error=math.nan if saved.get("draw_error") is None else float(saved["draw_error"]),
        **{name: saved[name] for name in ("loss", "n_tasks", "complexity", "histories")},
    )


def _check_params(policy: type[Policy[Any]], saved: Mapping[str, object], searched: object) -> dict[str, float]:
    if searched not in saved:
        raise KeyError(f"params must hold the parameter that was searched, {format_value(searched)}")
    return {name: policy.parameters[name].value(value) for name, value in saved.items()}


def _read_recommended_value(saved: Mapping[str, Any]) -> float | None:
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


class SavedCurve(StepFunction):
    """A curve that is read from its file when it is first asked for; only its range is known before."""

    __slots__ = ("_ends", "_read")

    _read: Callable[[], StepFunction]
    _ends: Interval

    def __init__(self, read: Callable[[], StepFunction], ends: Interval) -> None:
        object.__setattr__(self, "_read", read)
        object.__setattr__(self, "_ends", ends)

    def __getattr__(self, name: str) -> NDArray[np.float64]:  # only what is not there yet is looked for here
        if name not in ("edges", "values"):
            raise AttributeError(name)
        curve = self._read()
        for each in ("edges", "values"):
            object.__setattr__(self, each, getattr(curve, each))
        return getattr(self, name)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[type[StepFunction], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        return StepFunction, (self.edges, self.values)

    @property
    def low(self) -> float:
        """The left end."""
        return self._ends.low

    @property
    def high(self) -> float:
        """The right end."""
        return self._ends.high


def name_curve_file(path: str | os.PathLike[str]) -> Path:
    """Return where the curves of a result are that is saved at a path.

    >>> name_curve_file("results/tuned.json").name
    'tuned.curve.npz'
    """
    try:
        saved = Path(path)
    except TypeError as error:
        raise FileError(f"cannot write {path!r}: {error}") from None
    return saved.with_name(saved.name.removesuffix(".json") + ENDING)


def pack_curves(curves: Mapping[str, StepFunction]) -> tuple[bytes, str]:
    """Return curves as the content of a file, and their digest, by which it is known to belong to a result."""
    arrays = {f"{name}_{part}": getattr(curve, part) for name, curve in curves.items() for part in ("edges", "values")}
    held = io.BytesIO()
    np.savez_compressed(held, allow_pickle=False, **arrays)
    return held.getvalue(), _digest(arrays)


def read_curves(path: Path, digest: object, owner: str | os.PathLike[str]) -> dict[str, StepFunction]:
    """Read the curves of a result; a file that belongs to another one is rejected."""
    arrays = read_all_arrays(path)
    if any(array.dtype != np.float64 for array in arrays.values()) or _digest(arrays) != digest:
        raise FileError(
            f"{path} does not belong to {os.fspath(owner)}: its checksum is another. Copy both files of the result; "
            f"without {path.name}, all but the curve can be used"
        )
    names = [name.removesuffix("_edges") for name in arrays if name.endswith("_edges")]
    return {name: StepFunction(arrays[f"{name}_edges"], arrays[f"{name}_values"]) for name in names}


def _digest(arrays: Mapping[str, NDArray[np.float64]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].shape}\n".encode())
        digest.update(np.ascontiguousarray(arrays[name], "<f8").tobytes())
    return digest.hexdigest()
