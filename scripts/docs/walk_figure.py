"""The lemma of the walk in a picture: runs that stay in a box of counts, and the lines that keep them in it."""

from itertools import pairwise, product
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import banditune as bt
from banditune.curves.palette import BLUE, GREEN, GREY, PINK, RANGE, RED
from banditune.kernels.lines.index import LOG, growth_at

START, END = 16, 40  # rounds
THETAS = np.linspace(0.2, 0.8, 300)


class Example(NamedTuple):
    """Runs of an interval of theta that differ on the way, and for which the lemma proves how they end."""

    means: NDArray[np.float64]  # (2, END) of the first rewards of each arm
    runs: NDArray[np.int64]  # (runs, END) the arms they pull
    low: float
    high: float

    @property
    def ends(self) -> NDArray[np.int64]:
        """The counts at the end."""
        return np.bincount(self.runs[0], minlength=2)

    @property
    def box(self) -> NDArray[np.int64]:
        """The least counts at the start."""
        second = self.runs[:, :START].sum(axis=1)
        return np.array([START - second.max(), second.min()])

    def line(self, arm: int, pulls: int, x: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """The index of an arm after so many pulls."""
        return np.asarray(self.means[arm, pulls - 1] + x / np.sqrt(pulls))

    def is_proved(self) -> bool:
        """Whether each line that is to be pulled is above the blocked one at both ends: two arms, so weights of 1."""
        for arm, theta in product((0, 1), (self.low, self.high)):
            for missing in range(1, self.ends[arm] - self.box[arm] + 1):
                x = theta * growth_at(LOG, 0.0, END - missing + 1.0)
                if self.line(arm, self.ends[arm] - missing, x) <= self.line(1 - arm, self.ends[1 - arm], x):
                    return False
        return True


def find_example() -> Example:
    """Draw tasks until runs of an interval part after the start, and yet end together by the lemma."""
    rng = np.random.default_rng(0)
    while True:
        rewards = (rng.random((2, END)) < [[0.55], [0.5]]).astype(float)
        task, means = bt.Task(rewards), np.cumsum(rewards, axis=1) / np.arange(1, END + 1)
        runs = np.array([bt.play(bt.UCB, task, horizon=END, alpha=theta**2).arms for theta in THETAS])
        pulls = runs.sum(axis=1)
        edges = np.flatnonzero(np.diff(pulls, prepend=-1, append=-1))
        for first, stop in pairwise(edges):
            example = Example(means, runs[first:stop], THETAS[first], THETAS[stop - 1])
            early = np.unique(example.runs[:, :START].sum(axis=1))
            is_square = example.ends.min() > 0.35 * END and early.size > 1
            if is_square and len(np.unique(example.runs, axis=0)) > 2 and example.is_proved():
                return example


def draw_box_and_lines() -> plt.Figure:
    """Draw the box of counts beside the lines."""
    example = find_example()
    ends, box, low, high = example.ends, example.box, example.low, example.high
    figure, (counts, indices) = plt.subplots(1, 2, figsize=(10.5, 4.2))
    counts.add_patch(plt.Rectangle(tuple(box), *(ends - box), color=RANGE, lw=0))
    colours = (BLUE, GREEN, PINK, GREY)
    for k, run in enumerate(np.unique(example.runs, axis=0)[:4]):
        second = np.concatenate([[0], np.cumsum(run)])[START:]
        first = np.arange(START, END + 1) - second
        counts.plot(first - 0.08 * k, second - 0.08 * k, color=colours[k % 4], lw=1.8)
    counts.plot([box[0], ends[0], ends[0]], [ends[1], ends[1], box[1]], color=RED, lw=2.5)
    counts.plot(*ends, "o", color="black", ms=7, zorder=5)
    counts.annotate(f"A: the counts at time {END}", ends, (-8, 9), textcoords="offset points", ha="right")
    counts.annotate(f"b: the least at time {START}", box, (6, -18), textcoords="offset points", color=GREY)
    counts.set(xlabel="pulls of arm 0", ylabel="pulls of arm 1", title="Different runs, the same counts")
    counts.set(xlim=(box[0] - 1.5, ends[0] + 1.5), ylim=(box[1] - 1.5, ends[1] + 1.8))

    first = int(END - (ends[0] - box[0]) + 1)
    left, right = low * growth_at(LOG, 0.0, float(first)), high * growth_at(LOG, 0.0, float(END))
    x = np.linspace(0.4 * left, 1.5 * right, 200)
    for pulls in range(ends[0] - 1, box[0] - 1, -1):
        indices.plot(x, example.line(0, pulls, x), color=BLUE, lw=1.0)
    indices.plot(x, example.line(1, int(ends[1]), x), color=RED, lw=2.5)
    indices.axvspan(left, right, color=RANGE, lw=0)
    words = f"theta from {low:.2f} to {high:.2f},\nrounds {first} to {END}"
    indices.annotate(words, (left, indices.get_ylim()[0]), (4, 6), textcoords="offset points")
    indices.set(xlabel=r"$x = \theta\, g(t)$", ylabel="index", xlim=(x[0], x[-1]))
    indices.set_title("To be pulled: blue. Blocked: red")
    return figure
