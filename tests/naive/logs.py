"""The slow and obvious reader of logs: what every row of a text with delimiters should become."""

import csv
import io
import math
import re
from collections import defaultdict

NUMBER = re.compile(r"[ \t\n\r\f\v]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\r\f\v]*")

Tasks = dict[str, dict[str, list[float]]]


def number(text: str) -> float | None:
    """The reward that a text stands for, if a task can hold it."""
    word = text.strip(" ").lower()
    if word in ("true", "false"):
        return 1.0 if word == "true" else 0.0
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    mantissa = re.split("[eE]", text)[0]
    if value == 0.0:
        return None if re.search("[1-9]", mantissa) else value
    return value if math.isfinite(value) and 1e-150 <= abs(value) <= 1e150 else None


def natural(names: list[str]) -> list[str]:
    """Names in the order of the numbers they all are, or else of their letters."""
    if all(re.fullmatch("-?[0-9]{1,18}", name) for name in names):
        return sorted(names, key=lambda name: (int(name), name))
    return sorted(names)


def grouped(rows: list[tuple[str, str, float]]) -> Tasks:
    """The rewards of each arm of each task, in the order of the rows; names in their natural order."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for task, arm, reward in rows:
        found[task][arm].append(reward)
    arms = natural(list({arm for task in found.values() for arm in task}))
    return {task: {arm: found[task][arm] for arm in arms if arm in found[task]} for task in natural(list(found))}


def read_text(
    content: bytes, delimiter: str, columns: tuple[str, str, str] = ("task", "arm", "reward")
) -> tuple[Tasks, int]:
    """The tasks of a CSV file whose columns are all there, and how many of its rows are refused."""
    text = content.decode("utf-8-sig", errors="surrogateescape")
    csv.field_size_limit(2**22)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    used, refused = [], 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error:
            if not header:
                raise ValueError("no names") from None
            refused += 1
            continue
        if not row:
            continue
        if not header:
            header = [name.strip() for name in row]
            places = [header.index(name) for name in columns]
            continue
        broken = len(row) != len(header) or any(re.search("[\ud800-\udfff]", row[k]) for k in places)
        task, arm, reward = ("", "", "") if broken else (row[k] for k in places)
        value = number(reward)
        if broken or not task or not arm or value is None:
            refused += 1
        else:
            used.append((task, arm, value))
    return grouped(used), refused
