"""GP-UCB on tables of results that share their configurations, beside what people use. python -m benchmarks.gp_tables

Data sets are divided into folds; everything is learned on the others and run on those left out. Without --table these
are the bundled ones, each left out in turn; else an .npz file with `accuracy` (data sets, configurations) and `points`
(configurations, d). Cumulative regret is of all rounds, simple regret that of the best configuration tried, the same
for everybody. With --record FILE folds that are done are kept, and the same command goes on from there.
"""

import argparse
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import banditune as bt
from banditune.interruption import n_cores
from banditune.policies.gpucb.covariance import covariances
from banditune.policies.gpucb.mean import MeanFunction
from banditune.rng import generator
from benchmarks.gp_baselines import TaskRun, at_random, botorch, fitted_noise, play_rounds

Array = NDArray[np.float64]
Play = Callable[[Sequence[bt.Task], bt.Task, TaskRun, int], None]  # past tasks, the task, its run, the rounds
UNITS: dict[str, Any] = {"center": "learned", "scale": "learned"}
NOISE: Any = (1e-4, 100.0)
BETA: Any = (0.0, 1.0)
LENGTH_SCALE = 0.5
OURS = "learned: the best of these"
PRIORS: dict[str, dict[str, Any]] = {
    "mean zero": {},
    "mean learned": {"mean_function": "learned"},
    "mean and 0.3 of covariances learned": {"mean_function": "learned", "covariance": 0.3},
    "mean and 0.7 of covariances learned": {"mean_function": "learned", "covariance": 0.7},
}
USED = [  # what is set by hand: noise, beta, length scale
    {"noise": noise, "beta": beta, "length_scale": length_scale}
    for noise, beta, length_scale in product((1e-4, 1e-2, 0.1), (None, {"of_schedule": 0.2}, 4.0, 1.0), (0.2, 0.5, 1.0))
]


def learn(past: Sequence[bt.Task], rounds: int, *, is_quick: bool) -> dict[str, dict[str, Any]]:
    """Learn settings, by their names: the bonus with each prior, exactly over its whole range.

    If not quick, also with the prior that loses least the noise, and then the bonus again.
    """
    given: dict[str, Any] = {"horizon": rounds, "length_scale": LENGTH_SCALE, **UNITS}
    found = {}
    for name, prior in PRIORS.items():
        found[name] = bt.tune(bt.GPUCB, past, noise=0.01, beta=BETA, **prior, **given)
    best = min(found, key=lambda name: found[name].loss)
    print(f"the least of {', '.join(f'{name}: {each.loss:.3f}' for name, each in found.items())}", file=sys.stderr)
    learned = {f"learned beta, {name}": each.params for name, each in found.items()}
    chosen = found[best]
    if not is_quick:
        by_noise = bt.tune(bt.GPUCB, past, noise=NOISE, beta=chosen.beta, **PRIORS[best], **given)
        again = bt.tune(bt.GPUCB, past, noise=by_noise.noise, beta=BETA, **PRIORS[best], **given)
        chosen = min(chosen, by_noise, again, key=lambda each: each.loss)
    return learned | {OURS: chosen.params}


def run(task: bt.Task, game: TaskRun, rounds: int, settings: dict[str, Any]) -> None:
    """Run GP-UCB."""
    assert task.points is not None
    play_rounds(bt.GPUCB(task.points, **settings), game.pull, rounds)


def units_of(past: Sequence[bt.Task]) -> dict[str, float]:
    """Return the units in which past tasks are of mean 0 and variance 1."""
    means = np.array([task.means for task in past])
    return {"center": float(means.mean()), "scale": float(means.std())}


def set_by_hand(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int, *, setting: dict[str, Any]) -> None:
    """GP-UCB with a fixed setting."""
    run(task, game, rounds, {**setting, **units_of(past)})


def fit_each_round(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int) -> None:
    """GP-UCB whose noise is fitted in each round by marginal likelihood."""
    assert task.points is not None
    fitted_noise(task.points, game.pull, rounds, 0, {"length_scale": LENGTH_SCALE, **units_of(past)})


def pre_train(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int) -> None:
    """HyperBO's way: mean and kernel by the marginal likelihood of past tasks, then mean + 3 standard deviations."""
    assert task.points is not None
    mean, units, best = MeanFunction.of_tasks(past), units_of(past), (-math.inf, 1.0, 1.0, 1.0)
    means = np.array([each.means for each in past])
    rest = (means - mean.at(task.points, 1.0)) / units["scale"]
    for length_scale in (0.1, 0.2, 0.5, 1.0):
        values, vectors = np.linalg.eigh(covariances("rbf", task.points, length_scale))
        squares = ((rest @ vectors) ** 2).mean(axis=0)
        for amplitude, noise in product(np.geomspace(0.01, 3.0, 10), np.geomspace(1e-4, 1.0, 9)):
            spread = amplitude * np.maximum(values, 0.0) + noise
            best = max(best, (-float((squares / spread + np.log(spread)).sum()), length_scale, amplitude, noise))
    _, length_scale, amplitude, noise = best
    units["scale"] *= math.sqrt(amplitude)  # in these units the kernel has variance 1
    setting = {"noise": noise / amplitude, "length_scale": length_scale, "beta": 9.0, "mean_function": mean}
    run(task, game, rounds, {**setting, **units})


def play_botorch(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int) -> None:
    """BoTorch: noise, length scales and all else by marginal likelihood in each round."""
    assert task.points is not None
    botorch(task.points, game.pull, rounds, 1, {})


def play_randomly(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int) -> None:
    """Random search."""
    assert task.points is not None
    at_random(task.points, game.pull, rounds, 1, {})


def play_tpe(past: Sequence[bt.Task], task: bt.Task, game: TaskRun, rounds: int) -> None:
    """Optuna's TPE; the configuration nearest to what it suggests is tried."""
    import optuna

    assert task.points is not None
    points = task.points
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))

    def objective(trial: Any) -> float:
        at = [trial.suggest_float(str(k), axis.min(), axis.max()) for k, axis in enumerate(points.T)]
        return game.pull(int(((points - at) ** 2).sum(axis=1).argmin()))

    study.optimize(objective, n_trials=rounds)


def read_tasks(table: Path | None) -> list[bt.Task]:
    """The tables, one task each."""
    if table is None:
        return list(bt.datasets.hpobench())
    kept = np.load(table, allow_pickle=False)
    points = kept["points"].astype(np.float64)
    return [bt.Task(row.astype(np.float64)[:, None], points=points) for row in kept["accuracy"]]


def run_fold(
    tasks: list[bt.Task], fold: Array, k: int, rounds: int, plays: dict[str, Play], is_quick: bool
) -> dict[str, list[tuple[float, float]]]:
    """The regrets (tasks left out, 2), cumulative and simple, of everybody in a fold."""
    past = [task for task, own in zip(tasks, fold, strict=True) if own != k]
    here = [task for task, own in zip(tasks, fold, strict=True) if own == k]
    learned = learn(past, rounds, is_quick=is_quick)
    found: dict[str, list[tuple[float, float]]] = {}
    for task in here:
        for name, settings in learned.items():
            game = TaskRun(task, rounds, 1)
            run(task, game, rounds, settings)
            found.setdefault(name, []).append((game.regret, game.simple))
        for name, play in plays.items():
            game = TaskRun(task, rounds, 1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                play(past, task, game, rounds)
            found.setdefault(name, []).append((game.regret, game.simple))
    return found


def list_plays() -> dict[str, Play]:
    """Everybody but those that learn from past tasks by exact curves."""
    plays: dict[str, Play] = {f"by hand: {setting}": partial(set_by_hand, setting=setting) for setting in USED}
    plays["noise fitted in each round"] = fit_each_round
    plays["pre-trained mean and kernel, mean + 3 sd"] = pre_train
    if find_spec("botorch") is not None:
        plays["BoTorch: all by marginal likelihood"] = play_botorch
    if find_spec("optuna") is not None:
        plays["Optuna's TPE"] = play_tpe
    return plays | {"random search": play_randomly}


def bound_ratio(ours: Array, theirs: Array) -> tuple[float, float]:
    """A 95% interval of the ratio of two mean regrets, by resampling data sets in pairs."""
    rng = generator(0, "ratio")
    drawn = rng.integers(len(ours), size=(10_000, len(ours)))
    low, high = np.quantile(ours[drawn].mean(axis=1) / theirs[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def run_folds(folds: Iterable[int], record: Path | None, call: Callable[[int], Any]) -> dict[int, Any]:
    """What a call returns of each fold; those that are on record are not run again."""
    known = {} if record is None or not record.exists() else dict(map(json.loads, record.read_text().splitlines()))
    left = [k for k in folds if k not in known]
    with ProcessPoolExecutor(n_cores()) as executor:
        for k, found in zip(left, track(executor.map(call, left), total=len(left)), strict=True):
            known[k] = found
            if record is not None:
                with record.open("a") as file:
                    print(json.dumps([k, found]), file=file)
    return known


def measure(table: Path | None, folds: int, rounds: int, record: Path | None, *, is_quick: bool) -> None:
    """Everybody on every data set that nothing was learned from."""
    tasks = read_tasks(table)
    folds = min(folds, len(tasks))
    fold = generator(0, "folds").permutation(np.arange(len(tasks)) % folds)
    play = partial(run_fold, tasks, fold, rounds=rounds, plays=list_plays(), is_quick=is_quick)
    parts = run_folds(range(folds), record, play)
    order = np.argsort(np.concatenate([np.flatnonzero(fold == k) for k in range(folds)]))
    regrets = {name: np.concatenate([np.array(parts[k][name]) for k in range(folds)])[order] for name in parts[0]}
    hands = {name: each for name, each in regrets.items() if name.startswith("by hand")}
    best = min(hands, key=lambda name: hands[name][:, 0].mean())
    default = next(name for name in hands if "0.01, 'beta': None, 'length_scale': 0.5" in name)
    shown = {name: each for name, each in regrets.items() if name not in hands or name in (best, default)}
    _print(shown, best, default, f"{len(tasks)} data sets, {folds} folds, {rounds} rounds")


def _print(regrets: dict[str, Array], best: str, default: str, title: str) -> None:
    shown = Table(title=title, title_justify="left")
    heads = (
        "mean regret",
        "s.e.",
        "simple regret",
        "ratio to the best by hand",
        "95% interval",
        "lower than noise = 0.01",
    )
    for head in ("", *heads):
        shown.add_column(head, justify="left" if not head else "right")
    for name, each in sorted(regrets.items(), key=lambda item: item[1][:, 0].mean()):
        cumulative, simple = each.T
        ratio = cumulative.mean() / regrets[best][:, 0].mean()
        low, high = bound_ratio(cumulative, regrets[best][:, 0])
        fewer = int((cumulative < regrets[default][:, 0]).sum())
        error = cumulative.std(ddof=1) / math.sqrt(len(cumulative))
        cells = (f"{cumulative.mean():.3f}", f"{error:.3f}", f"{simple.mean():.4f}", f"{ratio:.2f}")
        shown.add_row(name, *cells, f"{low:.2f} to {high:.2f}", f"{fewer} of {len(cumulative)}")
    Console(width=170).print(shown)
    for name in regrets:
        if name != OURS:
            fewer = int((regrets[OURS][:, 0] < regrets[name][:, 0]).sum())
            ratio = regrets[OURS][:, 0].mean() / regrets[name][:, 0].mean()
            print(f"{OURS}: {ratio:.2f} of {name}, lower on {fewer} of {len(regrets[OURS])}")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, help="an .npz file with accuracy and points (default: the bundled ones)")
    parser.add_argument("--folds", type=int, default=8, help="at most as many as data sets (default: 8)")
    parser.add_argument("--rounds", type=int, default=40, help="of each run (default: 40)")
    parser.add_argument("--record", type=Path, help="file of the folds that are done, to go on from")
    parser.add_argument("--quick", action="store_true", help="learn beta alone, with noise = 0.01")
    options = parser.parse_args()
    measure(options.table, options.folds, options.rounds, options.record, is_quick=options.quick)


if __name__ == "__main__":
    main()
