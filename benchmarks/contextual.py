"""Does LinUCB's exploration transfer between real tasks? python -m benchmarks.contextual DATA

DATA is a folder with any of these, which are not part of this repository:

  classification_tasks.npz   NAME/X and NAME/y of labelled data sets (Penn Machine Learning Benchmarks): arms are the
                             classes, the reward is 1 for the right one
  aslib/*.npz                X, the features of problem instances, and perf, the run times of algorithms on them, or
                             their accuracies if none is above 1 (ASlib): arms are the algorithms
  hillstrom.csv.gz           customers who were sent one of three e-mails at random, and whether they came to visit
                             (MineThatData): a log, to be replayed

Alpha is learned on some data sets or batches and measured on others, beside alpha = 1, alpha = 0.1 and greedy.
"""

import argparse
import csv
import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.rng import generator
from banditune.tuning.parallel_sweep import sweep_tasks
from banditune.tuning.search import Search

Array = NDArray[np.float64]
FIXED = {"alpha = 1": 1.0, "alpha = 0.1": 0.1, "greedy": 0.0}
RANGE = (0.0, 2.0)
RELATED = ("allbp allrep", "cmc contraceptive", "wine-quality-red wine-quality-white", "mfeat-karhunen mfeat-zernike")


def with_constant(features: Array) -> Array:
    """Features of mean 0, and contexts of length 1 on average, with a constant for the intercept."""
    spread = features.std(axis=0)
    standard = (features - features.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    contexts: Array = np.column_stack((np.ones(len(features)), standard)) / np.sqrt(1.0 + (spread > 0.0).sum())
    return contexts


def classification(path: Path, rounds: int, orders: int) -> dict[str, list[bt.ContextualTask]]:
    """Of each data set, some tasks: its rows in random orders."""
    with np.load(path, allow_pickle=False) as stored:
        names = sorted({name.split("/")[0] for name in stored.files})
        data = {name: (stored[f"{name}/X"].astype(float), stored[f"{name}/y"]) for name in names}
    tasks = {}
    for name, (features, labels) in data.items():
        contexts, classes = with_constant(features), np.unique(labels)
        rewards = (labels[:, None] == classes).astype(float)
        tasks[name] = [_in_some_order(contexts, rewards, rounds, name, order) for order in range(orders)]
    return tasks


def selection(folder: Path, rounds: int, orders: int, components: int = 10) -> dict[str, list[bt.ContextualTask]]:
    """Of each scenario, some tasks: its instances in random orders, by the principal components of their features."""
    tasks = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as stored:
            features, measured = stored["X"].astype(float), stored["perf"].astype(float)
        known = np.where(np.isnan(features), np.nanmean(features, axis=0), features)
        scaled = with_constant(np.sign(known) * np.log1p(np.abs(known)))[:, 1:]
        left, sizes, _ = np.linalg.svd(scaled, full_matrices=False)
        contexts = with_constant((left * sizes)[:, :components])
        rewards = measured if measured.max() <= 1.0 else 1.0 - np.log1p(measured) / np.log1p(measured.max())
        tasks[path.stem] = [_in_some_order(contexts, rewards, rounds, path.stem, order) for order in range(orders)]
    return tasks


def _in_some_order(contexts: Array, rewards: Array, rounds: int, name: str, order: int) -> bt.ContextualTask:
    rows = generator(order, name).permutation(len(contexts))[:rounds]
    return bt.ContextualTask(contexts[rows], rewards[rows], name=f"{name} {order}")


def mails(path: Path, size: int) -> list[bt.LoggedTask]:
    """The customers in batches of that size, in random order."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    columns: list[Sequence[float]] = [
        [1.0] * len(rows),
        [float(row["recency"]) / 12.0 for row in rows],
        [np.log1p(float(row["history"])) / 8.0 for row in rows],
        *([float(row[name]) for row in rows] for name in ("mens", "womens", "newbie")),
    ]
    for name in ("zip_code", "channel"):
        columns += [[float(row[name] == value) for row in rows] for value in sorted({row[name] for row in rows})]
    contexts = np.array(columns).T
    names = sorted({row["treatment"] for row in rows})
    arms = np.array([names.index(row["treatment"]) for row in rows])
    visits = np.array([float(row["visit"]) for row in rows])
    order = generator(0, "mails").permutation(len(rows))
    batches = [order[first : first + size] for first in range(0, len(order), size)]
    return [bt.LoggedTask(contexts[rows], arms[rows], visits[rows], arm_names=names) for rows in batches]


def curves_of(tasks: Sequence[Any], rounds: int, loss: str) -> tuple[Search, CurveSet]:
    """The exact losses of the tasks, which share contexts among their arms."""
    parameters = {"alpha": RANGE, "disjoint": True}
    search = Search.of(bt.LinUCB, [rounds], parameters, loss=loss, seed=0, extend=True)
    (swept,) = sweep_tasks([search], tasks)
    return search, swept.losses[0]


def transfer(tasks: dict[str, list[bt.ContextualTask]], rounds: int, title: str) -> None:
    """Leave out one data set after the other, with those that are of the same kind; a table of regrets."""
    groups = [next((related.split() for related in RELATED if name in related.split()), [name]) for name in tasks]
    flat = [task for each in tasks.values() for task in each]
    owner = np.repeat(np.arange(len(tasks)), [len(each) for each in tasks.values()])
    started = time.perf_counter()
    search, curves = curves_of(flat, rounds, "regret")
    seconds = time.perf_counter() - started
    table = Table(title=f"{title}: mean regret in {rounds} rounds", title_justify="left")
    heads = ("left out", "arms", "features", "pieces", "learned alpha", "learned", *FIXED, "best in hindsight")
    for k, head in enumerate(heads):
        table.add_column(head, justify="right" if k else "left")
    columns: dict[str, list[float]] = {name: [] for name in ("learned", *FIXED)}
    for k, (name, own) in enumerate(tasks.items()):
        others = ~np.isin(owner, [list(tasks).index(related) for related in groups[k] if related in tasks])
        alpha = search.free_parameter.inside(*curves.mean(others).argmin())
        here = owner == k
        losses = {"learned": float(curves.at(alpha)[here].mean())}
        losses |= {label: float(curves.at(value)[here].mean()) for label, value in FIXED.items()}
        for label, loss in losses.items():
            columns[label].append(loss)
        best = curves.mean(here).minimum()
        shape = (str(own[0].n_arms), str(own[0].dim), f"{curves.n_pieces[here].mean():,.0f}", f"{alpha:.3g}")
        table.add_row(name, *shape, *(f"{loss:.1f}" for loss in losses.values()), f"{best:.1f}")
    table.add_section()
    table.add_row("mean", "", "", "", "", *(f"{np.mean(column):.1f}" for column in columns.values()), "")
    console = Console(width=150)
    console.print(table)
    for label in FIXED:
        extra = np.array(columns[label]) - columns["learned"]
        error = extra.std(ddof=1) / np.sqrt(extra.size)
        worse = int((extra > 0.0).sum())
        console.print(f"{label}: {extra.mean():+.2f} (standard error {error:.2f}), worse on {worse} of {extra.size}")
    console.print(f"{len(flat)} tasks swept in {seconds:.1f} s\n")


def replay(logs: Sequence[bt.LoggedTask], splits: int) -> None:
    """Learn on one half of the batches, measure on the other; and the whole log at once."""
    search, curves = curves_of(logs, max(map(len, logs)), "reward")
    console = Console(width=150)
    rewards: dict[str, list[float]] = {name: [] for name in ("learned", *FIXED)}
    alphas = []
    for split in range(splits):
        learns = np.zeros(len(logs), bool)
        learns[generator(split, "halves").permutation(len(logs))[: len(logs) // 2]] = True
        alphas.append(search.free_parameter.inside(*curves.mean(learns).argmin()))
        for name, alpha in {"learned": alphas[-1], **FIXED}.items():
            rewards[name].append(-float(curves.at(alpha)[~learns].mean()))
    console.print(f"E-mails: visits of an event, replayed on half of {len(logs)} batches of {len(logs[0]):,} events,")
    console.print(f"learned on the other half; {splits} splits, learned alpha {min(alphas):.3g} to {max(alphas):.3g}")
    for name, each in rewards.items():
        gap = np.array(rewards["learned"]) - each
        beside = "" if name == "learned" else f"   learned is {gap.mean():+.4f}, better in {(gap > 0).sum()} splits"
        console.print(f"  {name:12} {np.mean(each):.4f}{beside}")
    whole = bt.LoggedTask(
        np.concatenate([log.contexts for log in logs]),
        np.concatenate([log.arms for log in logs]),
        np.concatenate([log.rewards for log in logs]),
        arm_names=logs[0].arm_names,
    )
    started = time.perf_counter()
    tuned = bt.tune(bt.LinUCB, [whole], horizon=len(whole), loss="reward", alpha=RANGE, disjoint=True)
    seconds = time.perf_counter() - started
    assert tuned.replay is not None
    low, high = sorted(-end for end in tuned.replay.interval)
    console.print(f"\nThe whole log at once: {len(whole):,} events, {whole.dim} features, {seconds:.1f} s")
    console.print(
        f"  alpha = {tuned.alpha:.4g}: {-tuned.loss:.4f} visits of an event, 95% interval {low:.4f} to {high:.4f}"
    )
    console.print(f"  {tuned.complexity:,.0f} pieces; {int(tuned.replay.matched(tuned.alpha)):,} events matched")
    for name, alpha in FIXED.items():
        console.print(f"  {name:12} {-tuned.curve(alpha):.4f}")
    shares = [f"{name} {whole.rewards[whole.arms == k].mean():.4f}" for k, name in enumerate(whole.arm_names)]
    console.print(f"  always the same mail: {', '.join(shares)}")


def main() -> None:
    """Measure on whatever of the data is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of the data")
    parser.add_argument("--rounds", type=int, default=500, help="of a classification task (default: 500)")
    parser.add_argument("--orders", type=int, default=5, help="random orders of each data set (default: 5)")
    parser.add_argument("--batch", type=int, default=2_000, help="events of a batch of e-mails (default: 2,000)")
    options = parser.parse_args()
    if (path := options.data / "classification_tasks.npz").exists():
        transfer(classification(path, options.rounds, options.orders), options.rounds, "Classification")
    if (folder := options.data / "aslib").is_dir():
        transfer(selection(folder, 100, 4 * options.orders), 100, "Algorithm selection")
    if (path := options.data / "hillstrom.csv.gz").exists():
        replay(mails(path, options.batch), splits=50)


if __name__ == "__main__":
    main()
