"""GP-UCB with what other data sets taught, beside libraries that fit in each round. python -m benchmarks.gp_baselines

Each of the bundled data sets is left out in turn: noise (and beta, and the length scale) are learned on the others, and
everybody plays on the one left out, with the same rewards, from several seeds. What is not installed is left
out: scikit-learn, BoTorch, Optuna.
"""

import argparse
import math
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import banditune as bt
from banditune.policies.gpucb.beta import schedule
from banditune.policies.gpucb.covariance import covariances
from banditune.rng import generator

LENGTH_SCALES = [0.1, 0.2, 0.5, 1.0]
Array = NDArray[np.float64]
Pull = Callable[[int], float]
Baseline = Callable[[Array, Pull, int, int, dict[str, Any]], None]  # points, pull, rounds, seed, what was learned


class TaskRun:
    """One run on a task: pulls it, and adds up what that loses."""

    def __init__(self, task: bt.Task, rounds: int, seed: int) -> None:
        self._streams = task.extend(rounds, seed=seed).rewards
        self._gaps = task.means.max() - task.means
        self._pulls = np.zeros(task.n_arms, np.int64)
        self.regret, self.simple = 0.0, float(self._gaps.max())  # of all rounds, and of the best arm tried

    def pull(self, arm: int) -> float:
        """The next reward of an arm."""
        self._pulls[arm] += 1
        self.regret += float(self._gaps[arm])
        self.simple = min(self.simple, float(self._gaps[arm]))
        return float(self._streams[arm][self._pulls[arm] - 1])


def play_rounds(policy: bt.GPUCB, pull: Pull, rounds: int) -> None:
    """Play one of our policies."""
    for _ in range(rounds):
        arm = policy.select()
        policy.update(arm, pull(arm))


def at_random(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """Any point, each as likely as the others."""
    rng = generator(seed, "random")
    for _ in range(rounds):
        pull(int(rng.integers(len(points))))


def fixed_noise(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """GP-UCB with noise = 0.01, all else as learned."""
    play_rounds(bt.GPUCB(points, **learned | {"noise": 0.01, "beta": None}), pull, rounds)


def learned_noise(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """GP-UCB with the noise that was learned."""
    play_rounds(bt.GPUCB(points, **learned), pull, rounds)


def fitted_noise(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """GP-UCB whose noise is fitted in each round by marginal likelihood, all else as learned."""
    made = covariances("rbf", points, learned["length_scale"])
    widths = schedule(len(points), 0.1, np.arange(1, rounds + 1))
    chosen, seen = [0], [(pull(0) - learned["center"]) / learned["scale"]]
    for t in range(1, rounds):
        values, vectors = np.linalg.eigh(made[np.ix_(chosen, chosen)])
        turned = vectors.T @ np.array(seen)
        noises = np.geomspace(1e-6, 10.0, 60)
        spreads = np.maximum(values, 0.0)[None] + noises[:, None]
        noise = noises[np.argmin((turned**2 / spreads + np.log(spreads)).sum(axis=1))]
        known = vectors.T @ made[chosen]
        mean = (turned / (values + noise)) @ known
        variance = 1.0 - (known**2 / (values + noise)[:, None]).sum(axis=0)
        chosen.append(int(np.argmax(mean + widths[t] * np.sqrt(np.maximum(variance, 0.0)))))
        seen.append((pull(chosen[-1]) - learned["center"]) / learned["scale"])


def scikit_learn(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """scikit-learn's GP with a WhiteKernel, all fitted in each round; GP-UCB's schedule."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    widths = schedule(len(points), 0.1, np.arange(1, rounds + 1))
    chosen, seen = [0], [pull(0)]
    for t in range(1, rounds):
        kernel = ConstantKernel() * RBF(0.2) + WhiteKernel(0.1)
        model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(points[chosen], seen)
        mean, spread = model.predict(points, return_std=True)
        chosen.append(int(np.argmax(mean + widths[t] * spread)))
        seen.append(pull(chosen[-1]))


def botorch(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """BoTorch's SingleTaskGP with its own priors, fitted in each round; GP-UCB's schedule."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    everywhere = torch.tensor(points)
    widths = schedule(len(points), 0.1, np.arange(1, rounds + 1))
    chosen = [0, len(points) - 1]  # it standardises what it sees, which takes two
    seen = [pull(arm) for arm in chosen]
    for t in range(2, rounds):
        model = SingleTaskGP(everywhere[chosen], torch.tensor(seen, dtype=everywhere.dtype)[:, None])
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        with torch.no_grad():
            index = UpperConfidenceBound(model, beta=float(widths[t] ** 2))(everywhere[:, None, :])
        chosen.append(int(index.argmax()))
        seen.append(pull(chosen[-1]))


def optuna_gp(points: Array, pull: Pull, rounds: int, seed: int, learned: dict[str, Any]) -> None:
    """Optuna's GPSampler as it comes: it looks for the best point, not for little regret on the way."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    axes = [np.unique(axis).tolist() for axis in points.T]
    place = {tuple(point): arm for arm, point in enumerate(points.tolist())}
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=seed))

    def objective(trial: Any) -> float:
        steps = [trial.suggest_int(str(k), 0, len(axis) - 1) for k, axis in enumerate(axes)]
        return pull(place[tuple(axis[step] for axis, step in zip(axes, steps, strict=True))])

    study.optimize(objective, n_trials=rounds)


OF_LIBRARIES: dict[str, tuple[str, Baseline]] = {
    "scikit-learn, WhiteKernel": ("sklearn", scikit_learn),
    "BoTorch": ("botorch", botorch),
    "Optuna's GPSampler": ("optuna", optuna_gp),
}


def baselines() -> Iterator[tuple[str, str, Baseline]]:
    """Everybody who can play: a name, what of the learned is used, and how they play."""
    yield "learned noise", "noise", learned_noise
    yield "learned noise and beta", "both", learned_noise
    yield "noise = 0.01", "noise", fixed_noise
    yield "noise fitted in each round", "noise", fitted_noise
    for name, (module, baseline) in OF_LIBRARIES.items():
        if find_spec(module) is not None:
            yield name, "noise", baseline
        else:
            print(f"{name}: not installed, left out")
    yield "at random", "noise", at_random


def learned_without(tasks: list[bt.Task], left_out: int, rounds: int) -> dict[str, dict[str, Any]]:
    """What is learned on the other tasks: noise and length scale, and with that length scale noise and beta in turn."""
    past = [task for k, task in enumerate(tasks) if k != left_out]
    noise: Any = (1e-4, 100.0)
    units: dict[str, Any] = {"center": "learned", "scale": "learned"}
    alone = bt.tune(bt.GPUCB, past, horizon=rounds, noise=noise, length_scale=LENGTH_SCALES, **units)
    units["length_scale"] = alone.length_scale
    both = bt.tune(bt.GPUCB, past, horizon=rounds, noise=noise, beta=(0.0, 1.0), **units)
    return {"noise": alone.params, "both": both.params}


def measure(rounds: int, seeds: int) -> None:
    """Everybody on every data set that nothing was learned from."""
    tasks = bt.datasets.hpobench()
    players = list(baselines())
    regrets: dict[str, list[list[float]]] = {name: [[] for _ in tasks] for name, *_ in players}
    for k, task in enumerate(track(tasks, f"{rounds} rounds")):
        learned = learned_without(tasks, k, rounds)
        assert task.points is not None
        for seed in range(1, seeds + 1):
            for name, which, baseline in players:
                run = TaskRun(task, rounds, seed)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of fits that did not converge
                    baseline(task.points, run.pull, rounds, seed, learned[which])
                regrets[name][k].append(run.regret)
    _print(regrets, tasks, rounds, seeds)


def _print(regrets: dict[str, list[list[float]]], tasks: list[bt.Task], rounds: int, seeds: int) -> None:
    title = f"Mean regret in {rounds} rounds on the data set left out, {seeds} seeds each"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for head in ("mean", "standard error", *(str(task.name) for task in tasks)):
        table.add_column(head, justify="right")
    for name, rows in regrets.items():
        means = [float(np.mean(row)) for row in rows]
        error = float(np.std(means, ddof=1)) / math.sqrt(len(means))
        table.add_row(name, f"{np.mean(means):.2f}", f"{error:.2f}", *(f"{each:.2f}" for each in means))
    Console(width=160).print(table)


def main() -> None:
    """Play for each number of rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, nargs="+", default=[20, 40], help="rounds of a run (default: 20 40)")
    parser.add_argument("--seeds", type=int, default=5, help="runs on each data set (default: 5)")
    options = parser.parse_args()
    for rounds in options.rounds:
        measure(rounds, options.seeds)


if __name__ == "__main__":
    main()
