"""Broken logs by the thousand: each must give a clear error or the right tasks with a full account."""

import argparse
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

import banditune as bt
from tests.naive import logs as naive

WORDS = [
    "",
    "NaN",
    "inf",
    "-Infinity",
    "2024-01-01",
    "12:30",
    "one",
    "1,5",
    "1_000",
    "0x1f",
    "1e999",
    "1e-999",
    "٣",
    "$4",
]
WORDS += [" 7 ", "+.5", "5.", "TRUE", "false", "null", "None", "<b>1</b>", "1 2", "--1", "1e", "9" * 40, "-0.0", "0e9"]
DELIMITERS = [",", ";", "\t", "|"]
Draw = np.random.Generator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.log_fuzz", description=__doc__)
    parser.add_argument("--logs", type=int, default=10_000, metavar="N", help="how many logs to break")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed")
    options = parser.parse_args()
    console = Console(width=100, highlight=False)
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in track(range(options.logs), "Reading broken logs", console=console):
            outcomes[fuzz_log(Path(folder), np.random.default_rng((options.seed, number)))] += 1
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    console.print(f"{options.logs:,} broken logs: {told}; no traceback, no wrong number")


def fuzz_log(folder: Path, draw: Draw) -> str:
    """Break one log, read it, and hold the answer against the slow and obvious reader's; say how it ended."""
    kind = draw.choice(["csv", "csv", "csv", "csv.gz", "jsonl", "parquet"])
    path = folder / f"log.{kind}"
    delimiter = str(draw.choice(DELIMITERS))
    lines = drawn_lines(draw, delimiter)
    if kind.startswith("csv"):
        content = broken(draw, lines, delimiter)
        path.write_bytes(gzip.compress(content) if kind == "csv.gz" else content)
        expected = naive_answer(content, delimiter)
    elif kind == "jsonl":
        content, rows, rejected = json_lines(draw)
        path.write_bytes(content)
        expected = (naive.grouped(rows), rejected) if rows else None
    else:
        content = bytes(draw.integers(0, 256, draw.integers(0, 400), dtype=np.uint8))
        path.write_bytes((b"PAR1" if draw.random() < 0.5 else b"") + content)
        expected = None
    try:
        log = bt.read_log(path, delimiter=delimiter if kind.startswith("csv") else None)
    except bt.InputError as error:
        if expected is not None and expected[0]:
            raise AssertionError(f"rejected, but it can be read: {error}\n{path.read_bytes()[:500]!r}") from error
        return "rejected with an error"
    tasks = {t.name: {a: r.tolist() for a, r in zip(t.arms, t.rewards, strict=True)} for t in log}
    if expected is None or (tasks, log.account.rows_rejected) != expected:
        raise AssertionError(f"read {tasks}, {log.account}\nexpected {expected}\n{path.read_bytes()[:500]!r}")
    return "read with rows rejected" if log.account.rows_rejected else "read whole"


def drawn_lines(draw: Draw, delimiter: str) -> list[str]:
    """A log before it is broken, line by line."""
    names = [["task", "arm", "reward"], ["reward", "note", "arm", "task"], ["task", "arm", "reward", "day"]][
        draw.integers(3)
    ]
    lines = [delimiter.join(names)]
    for _ in range(draw.integers(0, 30)):
        values = {
            "task": f"t{draw.integers(3)}",
            "arm": str(draw.choice(["a", "b", '"c"', f'"x{delimiter}y"', '"two\nlines"', '"q""q"', "é", "🙂"])),
            "reward": str(draw.choice(WORDS)) if draw.random() < 0.1 else f"{draw.normal():.4g}",
            "note": str(draw.choice(["", "fine", '"a, b; c|d\te"'])),
            "day": "2024-01-01",
        }
        if delimiter in values["reward"]:
            values["reward"] = f'"{values["reward"]}"'
        lines.append(delimiter.join(values[name] for name in names))
    return lines


def broken(draw: Draw, lines: list[str], delimiter: str) -> bytes:
    """The log with up to three things wrong."""
    ways: list[Callable[[list[str]], list[str]]] = [
        lambda lines: lines,
        lambda lines: _at_random(draw, lines, lambda line: line + delimiter + "more"),
        lambda lines: _at_random(draw, lines, lambda line: line.rpartition(delimiter)[0]),
        lambda lines: _at_random(draw, lines, lambda line: line.replace(delimiter, str(draw.choice(DELIMITERS)), 1)),
        lambda lines: _at_random(draw, lines, lambda line: line + '"'),
        lambda lines: _at_random(draw, lines, lambda line: '"' + line),
        lambda lines: _at_random(draw, lines, lambda line: line[: len(line) // 2] + '"' + line[len(line) // 2 :]),
        lambda lines: _at_random(draw, lines, lambda line: line + delimiter + "x" * 200_000),
        lambda lines: _at_random(draw, lines, lambda line: "x" * 200_000 + line),
        lambda lines: _at_random(draw, lines, lambda line: "\n\n" + line),
        lambda lines: _at_random(draw, lines, lambda line: line.replace("t", "\0")),
        lambda lines: lines[1:],
        lambda lines: lines[:1],
        lambda lines: [],
        lambda lines: [lines[0].replace("reward", "arm"), *lines[1:]] if lines else [],
    ]
    for _ in range(draw.integers(1, 4)):
        lines = ways[draw.integers(len(ways))](lines)
    end = str(draw.choice(["\n", "\n", "\r\n", "\r"]))
    content = (end.join(lines) + (end if draw.random() < 0.7 else "")).encode()
    way = draw.integers(8)
    if way == 0 and content:
        place = int(draw.integers(len(content)))
        content = content[:place] + bytes(draw.integers(128, 256, 3, dtype=np.uint8)) + content[place:]
    elif way == 1:
        content = content.decode().encode(str(draw.choice(["utf-16", "utf-8-sig"])))
    elif way == 2:
        content = content.decode().encode("latin-1", errors="replace")
    elif way == 3:
        content = content[: draw.integers(len(content) + 1)]
    return content


def naive_answer(content: bytes, delimiter: str) -> tuple[naive.Tasks, int] | None:
    """What the slow reader makes of a CSV file; None if it is no log at all."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    try:
        return naive.read_text(content, delimiter)
    except ValueError:
        return None


def json_lines(draw: Draw) -> tuple[bytes, list[tuple[str, str, float]], int]:
    """Lines of JSON, some of them broken; the rows that can be used, and how many cannot."""
    lines, rows, rejected = [b'{"task": "t", "arm": "a", "reward": 1}'], [("t", "a", 1.0)], 0
    for _ in range(draw.integers(0, 30)):
        task, arm, reward = f"t{draw.integers(3)}", str(draw.choice(["a", 'b"', "🙂\n"])), float(f"{draw.normal():.4g}")
        whole = json.dumps({"note": [1, {}], "task": task, "arm": arm, "reward": reward}).encode()
        spoiled = [
            whole[: len(whole) // 2],
            b"[" + whole + b"]",
            b"\xff" + whole,
            json.dumps({"task": task, "arm": arm, "reward": draw.choice(["", "soon", "1e999"])}).encode(),
            json.dumps({"task": task, "arm": arm, "reward": [reward]}).encode(),
            json.dumps({"task": task, "arm": None, "reward": reward}).encode(),
            json.dumps({"task": task, "reward": reward}).encode(),
            json.dumps({"task": task, "arm": arm, "reward": float("nan")}).encode(),
        ]
        if draw.random() < 0.2:
            lines.append(spoiled[draw.integers(len(spoiled))])
            rejected += 1
        else:
            lines.append(whole)
            rows.append((task, arm, reward))
    return b"\n".join(lines), rows, rejected


def _at_random(draw: Draw, lines: list[str], change: Callable[[str], str]) -> list[str]:
    """The lines with one or two of them changed."""
    chosen = set(draw.integers(0, len(lines), 2).tolist()) if lines else set()
    return [change(line) if number in chosen else line for number, line in enumerate(lines)]


if __name__ == "__main__":
    main()
