"""Estimate the parameters of `bt.datasets.headlines` from an archive of real tests.

python -m scripts.headline_parameters ARCHIVE: a table with a row for each arm of a test: task, arm, impressions, clicks
and, if it is known, suspect_randomisation (True: the row is left out). Logarithms of rates are taken as normal: a level
for each test, the arms around it. What is only the noise of counting clicks is subtracted from both spreads.
"""

import csv
import gzip
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Test = tuple[NDArray[np.int64], NDArray[np.int64]]  # impressions and clicks of each arm


def read_tests(path: Path) -> dict[str, tuple[int, Test]]:
    """The week, and the impressions and clicks of the arms, of each test of an archive that has at least two arms."""
    rows: dict[str, list[tuple[int, int, int]]] = {}
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row.get("suspect_randomisation", "False") == "False":
                counts = int(row.get("test_week", 0)), int(row["impressions"]), int(row["clicks"])
                rows.setdefault(row["task"], []).append(counts)
    tests = {}
    for name, each in rows.items():
        weeks, impressions, clicks = np.array(each).T
        if len(each) > 1:
            tests[name] = int(weeks[0]), (impressions, clicks)
    return tests


def estimate_parameters(tests: list[Test]) -> Mapping[str, object]:
    """The moments of an archive of tests: what `bt.datasets.headlines` draws from."""
    known = [(views, clicks) for views, clicks in tests if clicks.sum() > 0]
    sizes, times = np.unique([views.size for views, _ in known], return_counts=True)
    per_arm = np.log([views.mean() for views, _ in known])
    within, noise_of_level, levels, weights = [], [], [], []
    for views, clicks in known:
        rates, level = clicks / views, clicks.sum() / views.sum()
        noise = level * (1.0 - level)
        within.append((rates.var(ddof=1) - noise * np.mean(1.0 / views)) / level**2)
        weights.append(level)  # of a low rate, the spread is hardly known
        levels.append(np.log(level))
        noise_of_level.append(noise / views.sum() / level**2)
    arms = np.log1p(np.average(within, weights=weights))  # the variance of the logarithm, from that of relative rates
    mean_size = float(np.mean([views.size for views, _ in known]))
    between = np.var(levels, ddof=1) - np.mean(noise_of_level) - arms / mean_size
    return {
        "tests": len(known),
        "arms": dict(zip(sizes.tolist(), (times / times.sum()).round(3).tolist(), strict=True)),
        "views of an arm: mean and sd of the logarithm": [
            round(float(per_arm.mean()), 3),
            round(float(per_arm.std()), 3),
        ],
        "views of a test: quartiles": np.quantile([views.sum() for views, _ in known], (0.25, 0.5, 0.75)).tolist(),
        "rate of a test: exp(mean logarithm)": float(np.exp(np.mean(levels)).round(5)),
        "sd of its logarithm between tests": float(np.sqrt(between).round(3)),
        "sd of the logarithm of the arms' rates within a test": float(np.sqrt(arms).round(3)),
    }


if __name__ == "__main__":
    for what, value in estimate_parameters([test for _, test in read_tests(Path(sys.argv[1])).values()]).items():
        print(f"{what}: {value}")
