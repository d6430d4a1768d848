"""What people tune a bandit's exploration with: a grid, Optuna, SMAC, irace, each on the same compiled simulator."""

import math
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import banditune as bt
from banditune.kernels.jit import jit
from banditune.kernels.lines.bonus import COINS, NORMAL, coin_at
from banditune.kernels.lines.index import growth_of_rounds
from banditune.kernels.numerics.counter_random import random_bits
from banditune.policies.batches import Terms, batch_streams
from banditune.policies.parameters import SCALES
from banditune.tasks.draws import list_draws
from banditune.tuning.search import Search

GRID = 100
IRACE = str(Path(__file__).resolve().with_name("irace.R"))
LONGEST_START = 60.0  # seconds that R may take to start
LEAST_RUNS = 100  # with fewer, irace does not begin
DECADES = 6.0  # how far below the top of the range those begin who search its logarithm


@dataclass(frozen=True)
class Simulator:
    """Runs of one policy on drawn tasks, in plain floats: as quick as one value after the other can be played."""

    streams: NDArray[np.float64]  # (all arms, T)
    gaps: NDArray[np.float64]  # (all arms,) what a pull costs
    starts: NDArray[np.int64]  # (runs + 1,) the draws of a task side by side
    factors: NDArray[np.float64]  # (T,) what theta is multiplied with in a round
    coins: NDArray[np.float64]  # (all arms, T) or (0, 0): and further for an arm
    to_theta: Callable[[float], float]

    @classmethod
    def of(cls, search: Search, tasks: Sequence[bt.Task]) -> "Simulator":
        """Draw what the sweep draws for these tasks: the same rewards, and the same coins."""
        horizon, drawn = search.horizons[-1], search.policy.is_randomised
        again = [each for task in tasks for each in list_draws(task, horizon, search.draws.number, always=drawn)]
        terms = Terms(horizon, search.loss, search.seed, search.extend, search.fixed)
        batch, coins = batch_streams(again, terms), np.empty((0, 0))
        factors = np.ones(horizon) if drawn else growth_of_rounds(0, 0.0, horizon)[1:]
        if drawn:
            keys = np.array([task.address.key(search.seed) for task in again], np.uint64)
            coins = draw_coins(keys, batch.starts, horizon)
        there, _ = SCALES[search.free_parameter.scale]
        return cls(batch.streams, batch.gaps, batch.starts, factors, coins, there)

    def play(self, value: float) -> NDArray[np.float64]:
        """The loss of each run with one value of the parameter: (runs,)."""
        return play_all(self.streams, self.gaps, self.starts, self.factors, self.coins, self.to_theta(value))

    def lose(self, value: float) -> float:
        """The mean loss of all tasks and draws."""
        return float(self.play(value).mean())


@jit
def draw_coins(keys: NDArray[np.uint64], starts: NDArray[np.int64], horizon: int) -> NDArray[np.float64]:
    """The standard normal numbers of all arms and rounds: (all arms, T)."""
    coins = np.empty((starts[-1], horizon))
    for task in range(keys.size):
        own_key = random_bits(keys[task], COINS)
        for t in range(horizon):
            round_key = random_bits(own_key, t + 1)
            for row in range(starts[task], starts[task + 1]):
                coins[row, t] = coin_at(NORMAL, round_key, row - starts[task])
    return coins


@jit
def play_all(
    streams: NDArray[np.float64],
    gaps: NDArray[np.float64],
    starts: NDArray[np.int64],
    factors: NDArray[np.float64],
    coins: NDArray[np.float64],
    theta: float,
) -> NDArray[np.float64]:
    """The loss of each run with the index mean + theta * factor * coin / sqrt(pulls)."""
    horizon, losses = streams.shape[1], np.zeros(starts.size - 1)
    has_coins = coins.shape[0] > 0
    inverse_roots = 1.0 / np.sqrt(np.arange(1, horizon + 2))
    widest = np.diff(starts).max()
    counts, sums, means, roots = np.empty(widest, np.int64), np.empty(widest), np.empty(widest), np.empty(widest)
    for task in range(starts.size - 1):
        first = starts[task]
        n_arms = starts[task + 1] - first
        for arm in range(n_arms):
            counts[arm], sums[arm], means[arm], roots[arm] = 1, streams[first + arm, 0], streams[first + arm, 0], 1.0
        for t in range(n_arms, horizon):
            x, best, highest = theta * factors[t], 0, -np.inf
            for arm in range(n_arms):
                slope = x * coins[first + arm, t] if has_coins else x
                index = means[arm] + slope * roots[arm]
                best = arm if index > highest else best
                highest = index if index > highest else highest
            sums[best] += streams[first + best, counts[best]]
            counts[best] += 1
            means[best], roots[best] = sums[best] / counts[best], inverse_roots[counts[best] - 1]
        for arm in range(n_arms):
            losses[task] += counts[arm] * gaps[first + arm]
    return losses


Tuner = Callable[[Search, Sequence[bt.Task], int], float]  # a search, tasks, a random seed: the value found


def by_grid(search: Search, tasks: Sequence[bt.Task], seed: int) -> float:
    """0, and values spaced evenly in the logarithm."""
    return best_of(search, tasks, np.append(0.0, np.geomspace(lowest(search), search.high, GRID - 1)))


def by_even_grid(search: Search, tasks: Sequence[bt.Task], seed: int) -> float:
    """Values in equal steps, as one who does not know where to look would lay them."""
    return best_of(search, tasks, np.linspace(search.low, search.high, GRID))


def best_of(search: Search, tasks: Sequence[bt.Task], values: NDArray[np.float64]) -> float:
    """The value with the least loss."""
    simulator = Simulator.of(search, tasks)
    return float(values[np.argmin([simulator.lose(value) for value in values.tolist()])])


def by_optuna(trials: int) -> Tuner:
    """Optuna's TPE as it comes, on the logarithm of the parameter."""

    def tune(search: Search, tasks: Sequence[bt.Task], seed: int) -> float:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        simulator = Simulator.of(search, tasks)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        low, high = lowest(search), search.high
        study.optimize(lambda trial: simulator.lose(trial.suggest_float("x", low, high, log=True)), n_trials=trials)
        return float(study.best_params["x"])

    return tune


def by_smac(trials: int) -> Tuner:
    """SMAC's facade for hyperparameters as it comes, on the logarithm of the parameter."""

    def tune(search: Search, tasks: Sequence[bt.Task], seed: int) -> float:
        from ConfigSpace import ConfigurationSpace, Float
        from smac import HyperparameterOptimizationFacade, Scenario

        simulator = Simulator.of(search, tasks)
        space = ConfigurationSpace(seed=seed)
        space.add(Float("x", (lowest(search), search.high), log=True))

        def lose(config: Any, seed: int = 0) -> float:
            return simulator.lose(config["x"])

        with TemporaryDirectory() as folder:
            scenario = Scenario(space, deterministic=True, n_trials=trials, seed=seed, output_directory=folder)
            facade = HyperparameterOptimizationFacade(scenario, lose, overwrite=True, logging_level=False)
            return float(facade.optimize()["x"])

    return tune


def by_irace(trials: int) -> Tuner:
    """irace as it comes, on the logarithm of the parameter: it races values over tasks, one run being one task.

    It has as many runs of a task as trials on all tasks take.
    """

    def tune(search: Search, tasks: Sequence[bt.Task], seed: int) -> float:
        each = [Simulator.of(search, [task]) for task in tasks]
        runs = max(trials * len(tasks), LEAST_RUNS)
        with socket.create_server(("127.0.0.1", 0)) as server, TemporaryDirectory() as folder:
            server.settimeout(LONGEST_START)
            asked = server.getsockname()[1], len(tasks), runs, lowest(search), search.high, 1 + seed
            command = ["Rscript", "--vanilla", IRACE, *map(repr, asked)]
            with (
                subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL),  # waited for at the end
                server.accept()[0] as connection,
                connection.makefile("rw") as lines,
            ):
                for line in lines:
                    what, value = line.split()
                    if what == "found":
                        return float(value)
                    lines.write(f"{each[int(what) - 1].lose(float(value))!r}\n")
                    lines.flush()
        raise SystemExit("irace ended without an answer: what it says is above")

    return tune


def has_irace() -> bool:
    """Whether R and its package irace are installed."""
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "--vanilla", "-e", "library(irace)"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def lowest(search: Search) -> float:
    """Where a search of the logarithm begins."""
    return max(search.low, search.high / math.pow(10.0, DECADES))


def list_tuners(trials: Sequence[int]) -> dict[str, Tuner]:
    """The tuners that are installed; optimisers with these numbers of trials, SMAC and irace with the least of them."""
    tuners: dict[str, Tuner] = {f"grid of {GRID}, log": by_grid, f"grid of {GRID}, even": by_even_grid}
    if find_spec("optuna"):
        tuners |= {f"Optuna TPE, {each} trials": by_optuna(each) for each in trials}
    if find_spec("smac"):
        tuners[f"SMAC3, {min(trials)} trials"] = by_smac(min(trials))
    if has_irace():
        tuners[f"irace, {min(trials)} runs a task"] = by_irace(min(trials))
    return tuners


def list_missing() -> list[str]:
    """What is not installed, as sentences."""
    known = {"Optuna": find_spec("optuna"), "SMAC3": find_spec("smac"), "irace (an R package)": has_irace()}
    return [f"{name} is not installed, and left out." for name, is_there in known.items() if not is_there]
