"""Every format with rows written in it, for the tests that all of them pass."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = tuple[str, str, float]  # task, arm, reward; tasks are days


@dataclass(frozen=True)
class Case:
    """How rows are written in a format, one a line below some first lines, and read back."""

    format: str
    file: str  # the name of a file that holds it
    write: Callable[[Sequence[Row]], str]
    options: dict[str, Any] = field(default_factory=dict)  # beside what is recognised
    first_lines: int = 0
    lines_per_row: int = 1
    task: Callable[[str], str] = str  # what a task is called that was written as a day

    def save(self, rows: Sequence[Row], folder: Path) -> Path:
        path = folder / self.file
        path.write_text(self.write(rows), encoding="utf-8")
        return path


def write_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def write_json(rows: Sequence[Row]) -> str:
    return "".join(json.dumps({"task": t, "arm": a, "reward": r}) + "\n" for t, a, r in rows)


def write_open_bandit(rows: Sequence[Row]) -> str:
    header = ["", "timestamp", "item_id", "position", "click", "propensity_score", "user_feature_0"]
    return write_csv(header, [(k, f"{t} 10:00:00+00:00", a, 1, r, 0.5, "x") for k, (t, a, r) in enumerate(rows)])


def write_decisions(rows: Sequence[Row]) -> str:
    lines = []
    for k, (day, arm, reward) in enumerate(rows):
        action = {"_tag": arm, "item": {"id": arm, "size": k}}
        lines.append(
            {
                "_label_cost": -reward,
                "_label_probability": 0.25,
                "_label_Action": 2,
                "_labelIndex": 1,
                "Timestamp": f"{day}T10:00:00.0000000Z",
                "Version": "1",
                "EventId": f"e{k}",
                "a": [2, 1],
                "c": {"User": {"age": k, "new": k % 2 == 0}, "_multi": [{"item": {"id": "other"}}, action]},
                "p": [0.25, 0.75],
            }
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


def write_vw(rows: Sequence[Row]) -> str:
    return "".join(f"{a}:{-r!r}:0.25 {k} |day {t} |user age:{k} new\n" for k, (t, a, r) in enumerate(rows))


def write_adf(rows: Sequence[Row]) -> str:
    blocks = [
        f"shared |day {t} |user age:{k}\n|item other\n0:{-r!r}:0.5 |item {a}\n|item last\n"
        for k, (t, a, r) in enumerate(rows)
    ]
    return "\n".join(blocks)


CASES = [
    Case("csv", "log.csv", lambda rows: write_csv(["task", "arm", "reward"], rows), first_lines=1),
    Case("json", "log.jsonl", write_json),
    Case("openbandit", "men.csv", write_open_bandit, {}, 1, task=lambda day: f"men / {day}"),
    Case("dsjson", "log.json", write_decisions),
    Case("vw", "log.vw", write_vw, {"task": "|day"}),
    Case("vw", "several.vw", write_adf, {"task": "shared|day", "arm": "|item"}, lines_per_row=5),
]
