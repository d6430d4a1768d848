"""What a deployment did, as a log to learn from: decisions with rewards and propensities."""

import json
import os
from collections.abc import Collection, Iterable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from banditune.deployment.events import CHOOSE, REWARD, Arm, Event, format_id
from banditune.io.files import write_bytes

if TYPE_CHECKING:
    import pyarrow


def make_log(name: str, key: str, events: Iterable[Event]) -> "pyarrow.Table":
    """Return the decisions that have a reward as a table, in the order of the decisions."""
    import pyarrow as pa

    chosen: dict[int, Event] = {}
    rewards: dict[int, float] = {}
    for event in events:
        assert event.decision is not None or event.kind not in (CHOOSE, REWARD)
        if event.kind == CHOOSE:
            chosen[event.decision] = event  # type: ignore[index]
        elif event.kind == REWARD:
            rewards[event.decision] = event.reward  # type: ignore[index, assignment]
    rows = [(number, event) for number, event in chosen.items() if number in rewards]
    names = _name_arms({event.arm for _, event in rows if event.arm is not None})
    columns: dict[str, Any] = {
        "task": pa.array([name] * len(rows), pa.string()),
        "decision": pa.array([format_id(key, number) for number, _ in rows], pa.string()),
        "arm": pa.array([names[event.arm] for _, event in rows if event.arm is not None]),
        "reward": pa.array([rewards[number] for number, _ in rows], pa.float64()),
        "time": pa.array([event.at for _, event in rows], pa.float64()),
        "propensity": pa.array([event.propensity for _, event in rows], pa.float64()),
    }
    contexts = [(event.details or {}).get("contexts") for _, event in rows]
    if contexts and all(isinstance(each, list) and each and not isinstance(each[0], list) for each in contexts):
        for k, values in enumerate(zip(*contexts, strict=True)):
            columns[f"x{k}"] = pa.array(values, pa.float64())
    return pa.table(columns)


def _name_arms(arms: Collection[Arm]) -> dict[Arm, Arm]:
    """Return what arms are called in a log: a name that would be read as none or as another stands in quotes.

    >>> _name_arms(["a", " a", "1", 1, ""]) == {"a": "a", " a": '" a"', "1": '"1"', 1: "1", "": '""'}
    True
    """
    numbers = {str(arm) for arm in arms if isinstance(arm, int)}
    if len(numbers) == len(arms):
        return {arm: arm for arm in arms}
    return {arm: json.dumps(arm, ensure_ascii=False) if _needs_quotes(arm, numbers) else str(arm) for arm in arms}


def _needs_quotes(arm: Arm, numbers: Collection[str]) -> bool:
    return isinstance(arm, str) and (arm in numbers or not arm or arm[0] in ' "' or arm[-1] == " ")


def write_csv(table: "pyarrow.Table", path: str | os.PathLike[str]) -> None:
    """Write a table to a CSV file beside its place, and rename it."""
    from pyarrow import csv

    held = BytesIO()
    csv.write_csv(table, held)
    write_bytes(path, held.getbuffer())
