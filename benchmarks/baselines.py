"""Baselines in long runs: how fast, and how much they lose. python -m benchmarks.baselines

First the speed of UCB's compiled run on two Bernoulli arms, in arm-rounds a second on one core. Then both corrals over
ten UCBs for a million rounds. Then what everything loses on Bernoulli .5 and .7, the alphas of the paper's grid beside
corrals, references and online tuners, all on the same rewards.
"""

import argparse
import time
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import banditune as bt
from banditune import baselines, problems
from banditune.interruption import n_cores
from banditune.policies.registry import find_policies
from banditune.simulation.simulate import pulls_of, simulate
from benchmarks.timing import shown_seconds, time_call

PAIR = problems.fixed([problems.Bernoulli(0.5), problems.Bernoulli(0.7)], "Bernoulli .5 and .7")
BASELINES = [policy for policy in find_policies().values() if issubclass(policy, baselines.Baseline)]
GRID = [baselines.entry(bt.UCB, alpha=alpha) for alpha in baselines.GRID]
CORRALS = [
    baselines.corral_entry(corral, GRID, feedback=feedback)
    for corral in (bt.Corral, bt.StochasticCorral)
    for feedback in ("own", "importance")
]
FAST, SLOW = 50e6, 20.0  # arm-rounds a second to reach; seconds for a corral's million rounds not to pass
LIMITS = {"CORRAL": (150.0, 700.0), "stochastic corral": (120.0, 450.0), "Thompson (Beta)": (0.0, 30.0)}
BEST_FIXED = 15.0


def speed(console: Console, rounds: int) -> None:
    """UCB's compiled run, for a cautious and a bold alpha and for each kind of reward."""
    sources = {
        "Bernoulli": PAIR.bandit(0),
        "uniform": problems.fixed([problems.Uniform(0.0, 1.0), problems.Uniform(0.2, 1.2)]).bandit(0),
        "Gaussian": problems.fixed([problems.Gaussian(0.5, 0.5), problems.Gaussian(0.7, 0.5)]).bandit(0),
    }
    last = np.array([rounds])
    calls = {
        f"{name}, alpha = {alpha:g}": partial(pulls_of, bt.UCB(2, alpha=alpha), bandit.source(), last)
        for name, bandit in sources.items()
        for alpha in (0.2, 2.0)
    }
    for call in calls.values():
        call()  # compiled before the clock runs
    least = dict.fromkeys(calls, np.inf)
    for _ in range(20):  # in turns; seconds of the processor, for other programs may run beside this one
        for name, call in calls.items():
            start = time.thread_time()
            call()
            least[name] = min(least[name], time.thread_time() - start)
    table = Table(title=f"UCB's run, 2 arms, {rounds:,} rounds, one core", title_justify="left")
    for head in ("rewards", "a round", "million arm-rounds a second"):
        table.add_column(head, justify="left" if head == "rewards" else "right")
    for name, seconds in least.items():
        table.add_row(name, shown_seconds(seconds / rounds), f"{2 * rounds / seconds / 1e6:.1f}")
    console.print(table)
    reached = min(2 * rounds / least[f"Bernoulli, alpha = {alpha:g}"] for alpha in (0.2, 2.0))
    console.print(f"Bernoulli: at least {FAST / 1e6:g} million wanted: {'reached' if reached >= FAST else 'MISSED'}\n")


def long_corrals(console: Console, rounds: int) -> None:
    """Both corrals over ten UCBs, in both modes of feedback."""
    table = Table(title=f"Corrals over ten UCBs, 2 arms, {rounds:,} rounds", title_justify="left")
    for head in ("", "seconds", "regret"):
        table.add_column(head, justify="right" if head else "left")
    slowest = 0.0
    for each in CORRALS:
        seconds, played = time_call(partial(simulate, [each], PAIR.bandits(1), horizon=rounds))
        slowest = max(slowest, seconds)
        table.add_row(each.name, f"{seconds:.2f}", f"{played.final(each.name)[0]:.0f}")
    console.print(table)
    console.print(f"at most {SLOW:g} s wanted: {'reached' if slowest <= SLOW else 'MISSED'}\n")


def regrets(console: Console, rounds: int, runs: int) -> None:
    """Everything on the same rewards."""
    entries = [*GRID, *CORRALS, *(baselines.entry(baseline) for baseline in BASELINES)]
    with Progress(transient=True) as bar:
        job = bar.add_task("Playing", total=len(entries) * runs)
        played = simulate(
            entries, PAIR.bandits(runs), horizon=rounds, progress=lambda done: bar.update(job, completed=done)
        )
    table = Table(title=f"Regret on {PAIR.name}, {rounds:,} rounds, {runs} runs", title_justify="left")
    for head in ("", "mean", "standard error", "a round", "knows beforehand"):
        table.add_column(head, justify="right" if head in ("mean", "standard error", "a round") else "left")
    for each, seconds in zip(entries, played.seconds, strict=True):
        final = played.final(each.name)
        error = f"{final.std(ddof=1) / np.sqrt(runs):.1f}" if runs > 1 else "-"
        table.add_row(each.name, f"{final.mean():.1f}", error, shown_seconds(seconds / rounds / runs), each.knowledge)
    console.print(table)
    best = min(played.final(each.name).mean() for each in GRID)
    console.print(f"best fixed alpha {best:.1f}, below {BEST_FIXED:g} wanted: {_verdict(best, 0.0, BEST_FIXED)}")
    for each in entries:
        for name, (low, high) in LIMITS.items():
            if each.name.startswith(name):
                mean = played.final(each.name).mean()
                console.print(f"{each.name} {mean:.1f}, {low:g} to {high:g} wanted: {_verdict(mean, low, high)}")


def _verdict(value: float, low: float, high: float) -> str:
    return "reached" if low <= value <= high else "MISSED"


def main() -> None:
    """Measure one after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000, help="of the runs that are timed")
    parser.add_argument("--horizon", type=int, default=20_000, help="of the runs that are compared")
    parser.add_argument("--runs", type=int, default=20, help="of each policy that is compared")
    options = parser.parse_args()
    console = Console(width=118, highlight=False)
    pulls_of(
        CORRALS[0].start_on(0, 2, 10, 0), PAIR.bandit(0).source(), np.array([10])
    )  # compiled before the clock runs
    console.print(f"{n_cores()} cores\n")
    speed(console, options.rounds)
    long_corrals(console, options.rounds)
    regrets(console, options.horizon, options.runs)


if __name__ == "__main__":
    main()
