"""Every format with rows written in it, for the tests that all of them pass."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = tuple[str, str, float]  # task, arm, reward; tasks are days


@dataclass(frozen=True)
class Case:
    """How rows are written in a format, some lines each below some first lines, and read back."""

    format: str
    file: str  # the name of a file that holds it
    write: Callable[[Sequence[Row]], str | bytes]
    options: dict[str, Any] = field(default_factory=dict)  # beside what is recognised
    first_lines: int = 0
    lines_per_row: int = 1  # 0: a broken line is not a row of its own
    packed: bool = True  # whether it may be packed
    beside: dict[str, str] = field(default_factory=dict)  # further files in its folder
    task: Callable[[str], str] = str  # what a task is called that was written as a day

    def save(self, rows: Sequence[Row], folder: Path) -> Path:
        path = folder / self.file
        written = self.write(rows)
        path.write_bytes(written.encode() if isinstance(written, str) else written)
        for name, text in self.beside.items():
            (folder / name).write_text(text)
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


def write_journal(rows: Sequence[Row]) -> str:
    days = list(dict.fromkeys(day for day, _, _ in rows))
    lines: list[dict[str, Any]] = [{"op_code": 0, "study_name": day, "directions": [2]} for day in days]
    choices = list(dict.fromkeys(arm for _, arm, _ in rows))
    distribution = json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": choices}})
    for k, (day, arm, reward) in enumerate(rows):
        lines.append({"op_code": 4, "study_id": days.index(day), "datetime_start": "2026-01-01T00:00:00"})
        set_to = {"param_name": "arm_name", "param_value_internal": choices.index(arm), "distribution": distribution}
        lines.append({"op_code": 5, "trial_id": k, **set_to})
        ended = {"state": 1, "values": [reward], "datetime_complete": "2026-01-01T00:00:00"}
        lines.append({"op_code": 6, "trial_id": k, **ended})
    return "".join(json.dumps({"worker_id": "w", **line}) + "\n" for line in lines)


OPTUNA_TABLES = """
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name TEXT);
CREATE TABLE study_directions (study_id INTEGER, direction TEXT, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state TEXT,
                     datetime_complete TEXT);
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name TEXT, param_value FLOAT,
                           distribution_json TEXT);
CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value FLOAT, value_type TEXT);
"""


def write_sqlite(fill: Callable[[sqlite3.Connection], None]) -> bytes:
    connection = sqlite3.connect(":memory:")
    fill(connection)
    return connection.serialize()


def write_optuna_database(rows: Sequence[Row]) -> bytes:
    days = list(dict.fromkeys(day for day, _, _ in rows))
    choices = list(dict.fromkeys(arm for _, arm, _ in rows))
    distribution = json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": choices}})

    def fill(connection: sqlite3.Connection) -> None:
        connection.executescript(OPTUNA_TABLES)
        connection.executemany("INSERT INTO studies VALUES (?, ?)", list(enumerate(days)))
        connection.executemany(
            "INSERT INTO study_directions VALUES (?, 'MAXIMIZE', 0)", [(k,) for k in range(len(days))]
        )
        for k, (day, arm, reward) in enumerate(rows):
            trial = (k, k, days.index(day), "COMPLETE", "2026-01-01 00:00:00")
            connection.execute("INSERT INTO trials VALUES (?, ?, ?, ?, ?)", trial)
            parameter = (k, k, "arm_name", choices.index(arm), distribution)
            connection.execute("INSERT INTO trial_params VALUES (?, ?, ?, ?, ?)", parameter)
            connection.execute("INSERT INTO trial_values VALUES (?, 0, ?, 'FINITE')", (k, reward))
        connection.commit()

    return write_sqlite(fill)


def write_database(rows: Sequence[Row]) -> bytes:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE log (day TEXT, arm TEXT, reward FLOAT)")
        connection.executemany("INSERT INTO log VALUES (?, ?, ?)", rows)
        connection.commit()

    return write_sqlite(fill)


def write_runs(rows: Sequence[Row]) -> str:
    names = [
        "instance_id STRING",
        "repetition NUMERIC",
        "algorithm STRING",
        "quality NUMERIC",
        "runstatus {ok, timeout}",
    ]
    lines = [f"{day}/i{k},1,{arm},{reward!r},ok" for k, (day, arm, reward) in enumerate(rows)]
    head = ["@RELATION ALGORITHM_RUNS_test", *(f"@ATTRIBUTE {name}" for name in names), "@DATA"]
    return "".join(f"{line}\n" for line in (*head, *lines))


QUERY = "SELECT day AS task, * FROM log"
DESCRIPTION = """scenario_id: test
performance_measures:
    - quality
maximize:
    - true
performance_type: solution_quality
algorithm_cutoff_time: 900
"""

CASES = [
    Case("csv", "log.csv", lambda rows: write_csv(["task", "arm", "reward"], rows), first_lines=1),
    Case("json", "log.jsonl", write_json),
    Case("openbandit", "men.csv", write_open_bandit, {}, 1, task=lambda day: f"men / {day}"),
    Case("dsjson", "log.json", write_decisions),
    Case("vw", "log.vw", write_vw, {"task": "|day"}),
    Case("vw", "several.vw", write_adf, {"task": "shared|day", "arm": "|item"}, lines_per_row=5),
    Case("optuna", "journal.log", write_journal, lines_per_row=0),
    Case("optuna", "studies.db", write_optuna_database, lines_per_row=0, packed=False),
    Case(
        "sqlite", "log.db", write_database, {"query": "SELECT day AS task, * FROM log"}, lines_per_row=0, packed=False
    ),
    Case(
        "aslib",
        "algorithm_runs.arff",
        write_runs,
        {"task": "folder"},
        7,
        packed=False,
        beside={"description.txt": DESCRIPTION},
    ),
]
