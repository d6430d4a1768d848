"""Tests of an archive of A/B tests with click rates of about 1%: simulated ones, and real ones where there are any."""

import csv
import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.datasets import headlines
from banditune.kernels.lines.batch import Batch, without_priors
from banditune.rng import generator


def simulated_rates(n_tasks: int) -> list[NDArray[np.float64]]:
    """The click rates of the first bundled tests, which are drawn with the parameters of a real archive."""
    return [task.means for task in headlines()[:n_tasks]]


def read_rates(path: Path, n_tasks: int) -> list[NDArray[np.float64]]:
    """The click rates of the first tests of a table: task, arm, impressions, clicks, suspect_randomisation."""
    rates: dict[str, list[float]] = {}
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row.get("suspect_randomisation", "False") == "False":
                rates.setdefault(row["task"], []).append(int(row["clicks"]) / int(row["impressions"]))
    return [np.array(each) for each in rates.values() if len(each) > 1][:n_tasks]


def draw_tasks(rates: list[NDArray[np.float64]], horizon: int) -> Batch:
    """Tests with those rates, as a batch."""
    random = generator(0, "clicks", horizon)
    streams = np.concatenate([random.random((each.size, horizon)) < each[:, None] for each in rates]).astype(np.float64)
    gaps = np.concatenate([each.max() - each for each in rates])
    return without_priors(streams, gaps, np.cumsum([0, *(each.size for each in rates)]), 0.0)
