"""The commands whose answers are recorded, on logs that are written anew."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

COMMANDS = {
    "tune": "tune --json",
    "tune-long": "tune --horizon 400 --alpha 0 0.001 --json",
    "tune-priors": "tune --horizon 10 --prior-means 0 1 --json",
    "tune-rows": "tune rows.csv --json",
    "tune-reward": "tune rows.csv --horizon 120 --loss reward --seed 4 --json",
    "tune-certify": "tune rows.csv --certify 0.05 --bound 60 --json",
    "tune-totals": "tune totals.csv --horizon 200 --json",
    "tune-contexts": "tune contexts.csv --policy linucb --features x_ --ridge 1 --ridge 4 --json",
    "tune-points": "tune --policy gpucb --horizon 4 --length-scale 0.5 --json",
    "tune-cluster": "tune parts --cluster local --workers 2 --horizon 60 --json",
    "plan": "plan rows.csv --bound 60 --json",
    "compare": "compare rows.csv --repetitions 1 --json",
    "convert": "convert tuned/tuned.json --to mabwiser --json",
    "reproduce": "reproduce --all --quick --out reproduced --json",
}


def write_logs(folder: Path) -> None:
    """Write the logs that the commands read."""
    rng = np.random.default_rng(7)
    rows = [
        (f"task {task}", arm, int(rng.random() < rate))
        for task in range(30)
        for arm, rate in zip("abc", rng.random(3), strict=True)
        for _ in range(60)
    ]
    _write(folder / "rows.csv", ("task", "arm", "reward"), rows)
    (folder / "parts").mkdir()
    for part in range(2):
        _write(folder / "parts" / f"{part}.csv", ("task", "arm", "reward"), rows[part * 2700 : (part + 1) * 2700])
    totals = [
        (f"test {task}", arm, 1000, int(rng.binomial(1000, rate)))
        for task in range(40)
        for arm, rate in zip("xyz", 0.1 * rng.random(3), strict=True)
    ]
    _write(folder / "totals.csv", ("task", "arm", "pulls", "successes"), totals)
    contexts = [
        ("mail", f"m{rng.integers(3)}", round(float(rng.random()), 3), *np.round(rng.normal(size=2), 4).tolist())
        for _ in range(400)
    ]
    _write(folder / "contexts.csv", ("task", "arm", "reward", "x_0", "x_1"), contexts)


def _write(path: Path, heads: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)


def run(name: str, folder: Path) -> Any:
    """What a command prints as JSON; of `reproduce`, the numbers in the files that it writes."""
    if name == "convert":
        _run("tune rows.csv --out tuned --json", folder)
    printed = json.loads(_run(COMMANDS[name], folder))
    if name != "reproduce":
        return printed
    written = sorted((folder / "reproduced").glob("*.md")) + sorted((folder / "reproduced").glob("*.json"))
    return {path.name: _digest_numbers(path.read_text()) for path in written}


def _digest_numbers(text: str) -> dict[str, object]:
    """How many numbers a text has, and a digest of them: its wording may change."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)
    return {"numbers": len(numbers), "sha256": hashlib.sha256(" ".join(numbers).encode()).hexdigest()[:16]}


def _run(command: str, folder: Path) -> str:
    program = [sys.executable, "-c", "from banditune.cli import main; main()", *command.split()]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        raise RuntimeError(f"banditune {command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout
