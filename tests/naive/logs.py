"""The slow and obvious reader of logs: what every row of a text with delimiters should become."""

import csv
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
    """The tasks of a CSV file whose columns are all there, and how many of its rows are rejected."""
    text = content.decode("utf-8-sig", errors="surrogateescape")
    csv.field_size_limit(2**22)
    lines = re.findall("[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)
    header: list[str] = []
    used, rejected, at = [], 0, 0
    while at < len(lines):
        reader = csv.reader(lines[at : at + 1000], delimiter=delimiter, strict=True, skipinitialspace=True)
        try:
            row = next(reader)
        except csv.Error:
            if not header:
                raise ValueError("no names") from None
            row = ["broken"] * (len(header) + 1)
        if row and header and len(row) != len(header):
            rejected, at = rejected + 1, at + 1
            continue
        at += reader.line_num
        if row and not header:
            header = [name.strip() for name in row]
            places = [header.index(name) for name in columns]
        elif row:
            task, arm, reward = (row[k].strip(" ") for k in places)
            value = number(reward)
            if not task or not arm or value is None or re.search("[\ud800-\udfff]", task + arm + reward):
                rejected += 1
            else:
                used.append((task, arm, value))
    return grouped(used), rejected
