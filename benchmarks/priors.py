"""A Gaussian prior over recurring arms: exact, fast, and worth how much? python -m benchmarks.priors

On the bundled data sets: everything is learned on four fifths of them and measured on the rest, five times over. Beside
alpha alone: UCB with prior means searched along lines (section "priors and alpha together"), and Thompson sampling with
the same Gaussian prior, by the book (scale 1, "meta-Thompson sampling") and with its scale tuned. `--check` sets curves
against runs, `--few` learns from ten tasks only, fifty times, and `--time` takes the time of one tuning of all tasks.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.evaluation.folds import assign_folds
from banditune.evaluation.intervals import estimate_ratio, estimate_skewed_mean
from banditune.interruption import n_cores
from banditune.policies.gaussian.expectation_maximisation import fit_prior
from banditune.policies.losses import LOSSES
from banditune.rng import generator
from banditune.tuning.priors.fitted_prior import ALONE
from banditune.tuning.priors.joint import JOINT
from banditune.tuning.priors.line_search import Box, PriorSearch, Tasks
from banditune.tuning.search import Draws, Search

FOLDS = 5
DRAWS = 4  # of each held-out task, where a run is longer than what is recorded
SAMPLES = 20  # runs of Thompson sampling on each task
LEARNED, TEXTBOOK, SAMPLING = "Gaussian prior, learned", "Thompson, scale 1", "Thompson, scale learned"
Array = NDArray[np.float64]


def losses_of(policy: Any, tasks: list[bt.Task], horizon: int, draws: int, params: dict[str, Any]) -> Array:
    """What each task loses: (tasks,)."""
    name = "alpha" if policy is bt.UCB else "theta"
    fixed = {other: value for other, value in params.items() if other != name}
    how = {"loss": "regret", "seed": 1, "extend": True}
    search = Search.of(policy, [horizon], {name: (0.0, 4.0), **fixed}, **how)  # type: ignore[arg-type]
    return replace(search, draws=Draws(draws)).losses_at(tasks, params[name])


def learn(
    past: list[bt.Task], horizon: int, draws: int | None, ways: set[str]
) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Tune every policy on past tasks: its parameters by name."""
    how: dict[str, Any] = {"horizon": horizon, "draws": draws}
    tuned = bt.tune(bt.GaussianUCB, past, theta=(0.0, 3.0), prior="auto", **how)
    textbook = {"theta": 1.0, "prior": fit_prior(past, "full")}
    found: dict[str, tuple[Any, dict[str, Any]]] = {
        ALONE: (bt.UCB, bt.tune(bt.UCB, past, alpha=(0.0, 4.0), **how).params),
        LEARNED: (bt.GaussianUCB, tuned.params),
        TEXTBOOK: (bt.GaussianTS, textbook),
    }
    if "sampling" in ways:
        sampling = bt.tune(bt.GaussianTS, past, horizon=horizon, theta=(0.0, 3.0), prior="full", draws=2)
        found[SAMPLING] = bt.GaussianTS, sampling.params
    if "lines" in ways:
        found[JOINT] = bt.UCB, search_lines(past, horizon)
    return found


def search_lines(past: list[bt.Task], horizon: int) -> dict[str, Any]:
    """Search prior means and alpha together, along exact lines."""
    packed = Tasks.of(past, horizon, loss=LOSSES["regret"], seed=0, extend=True)
    with ThreadPoolExecutor(n_cores()) as executor:
        search = PriorSearch(packed, Box(Interval(0.0, 1.0), Interval(0.0, 2.0)), executor, 0)
        point = search.joint(np.ones(len(past), bool), [1.0])
    return {"alpha": point.theta**2, "prior_means": dict(zip(packed.arms, point.means.tolist(), strict=True))}


def measure(horizon: int, draws: int | None, divisions: int, ways: set[str]) -> None:
    """Print what every policy loses on held-out data sets, each data set in the mean of the divisions."""
    tasks = list(bt.datasets.lcdb())
    losses: dict[str, Array] = {}
    chosen = []
    for number in track(range(divisions * FOLDS), f"{horizon} rounds"):
        is_held = assign_folds(len(tasks), FOLDS, seed=1 + number // FOLDS) == number % FOLDS
        past = [task for task, held in zip(tasks, is_held, strict=True) if not held]
        rest = [task for task, held in zip(tasks, is_held, strict=True) if held]
        for name, (policy, params) in learn(past, horizon, draws, ways).items():
            n_draws = SAMPLES if policy is bt.GaussianTS else DRAWS
            lost = losses_of(policy, rest, horizon, n_draws, params)
            losses.setdefault(name, np.zeros(len(tasks)))[is_held] += lost / divisions
            chosen += [f"{params['prior'].structure}, theta {params['theta']:.3g}"] if name == LEARNED else []
    table = Table(title=f"Mean regret in {horizon} rounds on data sets not learned from", title_justify="left")
    for head in ("", "mean regret", "SE", "of alpha alone (95%)", "more than the Gaussian prior (95%)"):
        table.add_column(head, justify="left" if not head else "right")
    for name, each in losses.items():
        error, ratio = each.std(ddof=1) / np.sqrt(each.size), estimate_ratio(each, losses[ALONE])
        extra = estimate_skewed_mean(each - losses[LEARNED])
        share = f"{ratio.mean:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
        table.add_row(
            name,
            f"{each.mean():.3f}",
            f"{error:.3f}",
            share,
            f"{extra.mean:+.3f} ({extra.low:+.3f} to {extra.high:+.3f})",
        )
    Console(width=120).print(table)
    print(f"chosen in the folds: {'; '.join(chosen)}\n", flush=True)


def check(probes: int) -> None:
    """Set curves against runs: beside every edge, and at random values."""
    tasks, tried, differ, number = list(bt.datasets.lcdb()), 0, 0, 0
    priors = [fit_prior(tasks, name) for name in ("independent", "common", "full", "exchangeable")]
    while tried < probes:
        rng = generator(0, "probes", number)
        policy, horizon = (bt.GaussianUCB, bt.GaussianTS)[number % 2], int(rng.integers(2, 80))
        prior = priors[number % 4].scale_noise(float(rng.choice([0.03, 0.3, 1.0])))
        task, schedule = tasks[number % len(tasks)], str(rng.choice(["log", "constant", "remaining"]))
        how: dict[str, Any] = {"horizon": horizon, "prior": prior, "schedule": schedule}
        curve = bt.loss_curve(policy, task, theta=(0.0, 3.0), **how)
        beside = [np.nextafter(edge, side) for edge in curve.edges[1:-1] for side in (-np.inf, np.inf)]
        some = rng.permutation(beside)[:20].tolist() + (3.0 * rng.random(20)).tolist()
        for theta in some:
            tried += 1
            differ += curve(theta) != bt.play(policy, task, theta=theta, **how).regret[-1]
        number += 1
    print(f"{tried:,} values on {number:,} curves, half of them next to an edge: {differ} mismatches with bt.play\n")


def learn_from_few(horizon: int, repetitions: int, n_tasks: int = 10) -> None:
    """Learn from few tasks, many times, and measure on all others."""
    tasks = list(bt.datasets.lcdb())
    alone, learned, clearly = [], [], 0
    for number in track(range(repetitions), f"{n_tasks} tasks"):
        order = generator(0, "few", number).permutation(len(tasks))
        past, held = [tasks[k] for k in order[:n_tasks]], [tasks[k] for k in order[n_tasks:]]
        tuned = bt.tune(bt.GaussianUCB, past, horizon=horizon, theta=(0.0, 3.0), prior="auto")
        ucb = bt.tune(bt.UCB, past, horizon=horizon, alpha=(0.0, 4.0))
        one = losses_of(bt.GaussianUCB, held, horizon, 1, tuned.params)
        other = losses_of(bt.UCB, held, horizon, 1, ucb.params)
        alone.append(float(other.mean()))
        learned.append(float(one.mean()))
        clearly += estimate_skewed_mean(one - other).low > 0.0
    ratio = np.array(learned) / np.array(alone)
    means = f"mean regret {np.mean(learned):.3f}, alpha alone {np.mean(alone):.3f}"
    spread = f"ratio {np.median(ratio):.2f} (median), {ratio.min():.2f} to {ratio.max():.2f}"
    print(f"{n_tasks} tasks, {horizon} rounds, {repetitions} random subsets: {means}; {spread}")
    print(f"clearly worse than alpha alone: {clearly} of {repetitions}\n", flush=True)


def take_time(horizon: int) -> None:
    """Take the time of fitting and choosing, all structures and folds, on all tasks."""
    tasks = list(bt.datasets.lcdb())
    bt.tune(bt.GaussianUCB, tasks[:10], horizon=5, prior="auto")  # kernels are loaded
    wall, cpu = time.perf_counter(), time.process_time()
    tuned = bt.tune(bt.GaussianUCB, tasks, horizon=horizon, theta=(0.0, 3.0), prior="auto")
    spent = f"{time.perf_counter() - wall:.1f} s by the clock, {time.process_time() - cpu:.1f} s of processor time"
    print(
        f"{len(tasks)} tasks, {horizon} rounds, {tuned.draws} draws of each: {spent} on {n_cores()} cores\n", flush=True
    )


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizons", type=int, nargs="*", default=[25, 100, 400], help="rounds of runs")
    parser.add_argument(
        "--draws", type=int, metavar="N", help="streams drawn for each task learned from (default: settled)"
    )
    parser.add_argument("--divisions", type=int, default=1, metavar="N", help="of the data sets into folds")
    parser.add_argument("--no-lines", action="store_true", help="leave out the search along lines, the slowest")
    parser.add_argument("--no-sampling", action="store_true", help="leave out Thompson sampling with a learned scale")
    parser.add_argument("--check", type=int, default=0, metavar="N", help="set N values of curves against runs")
    parser.add_argument("--few", type=int, default=0, metavar="N", help="learn from ten tasks, N times")
    parser.add_argument("--time", type=int, default=0, metavar="T", help="take the time of a tuning with T rounds")
    options = parser.parse_args()
    if options.check:
        check(options.check)
    if options.time:
        take_time(options.time)
    if options.few:
        learn_from_few(options.horizons[0], options.few)
    if not (options.check or options.time or options.few):
        ways = {"lines", "sampling"} - ({"lines"} if options.no_lines else set())
        ways -= {"sampling"} if options.no_sampling else set()
        for horizon in options.horizons:
            measure(horizon, options.draws, options.divisions, ways)


if __name__ == "__main__":
    main()
