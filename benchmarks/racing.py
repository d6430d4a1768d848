"""Racing on a simulated archive: which share of the work is left, and whether the minimiser is that of all the work."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from rich.console import Console
from rich.table import Table

import banditune as bt
from banditune.datasets import ARMS_OF_A_TEST, BETWEEN_TESTS, CLICK_RATE, WITHIN_A_TEST
from banditune.rng import generator

HIGH = 4.0  # of alpha
SAMPLE = 200  # tasks from which the work without racing is known, where it is not done


def draw_archive(n_tasks: int, horizon: int) -> list[bt.Task]:
    """Draw headline tests like the bundled ones, with known rates and every reward."""
    random = generator(0, "racing archive")
    tasks = []
    for n_arms in random.choice(list(ARMS_OF_A_TEST), n_tasks, p=list(ARMS_OF_A_TEST.values())):
        level = np.log(CLICK_RATE) + random.normal(0.0, BETWEEN_TESTS)
        rates = np.minimum(np.exp(random.normal(level, WITHIN_A_TEST, n_arms)), 1.0)
        clicks = random.random((n_arms, horizon)) < rates[:, None]
        tasks.append(bt.Task(clicks.astype(np.float64), means=rates))
    return tasks


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.racing", description=__doc__)
    parser.add_argument("--tasks", type=int, nargs="*", default=[1761])
    parser.add_argument("--horizon", type=int, default=1000)
    parser.add_argument("--whole", action="store_true", help="also do all the work, and compare the minimisers")
    given = parser.parse_args()
    table = Table(title=f"T = {given.horizon:,}, alpha in [0, {HIGH:g}], seconds of one core", title_justify="left")
    for name in ("tasks", "raced", "all", "share", "swept on all tasks", "same minimiser"):
        table.add_column(name, justify="right")
    with ThreadPoolExecutor(1) as executor:
        how = {"horizon": given.horizon, "alpha": (0.0, HIGH), "executor": executor}
        bt.tune(bt.UCB, draw_archive(2, given.horizon), racing=True, **how)  # loads the compiled code
        for n_tasks in given.tasks:
            tasks = draw_archive(n_tasks, given.horizon)
            began = time.process_time()
            raced = bt.tune(bt.UCB, tasks, racing=True, **how)
            seconds = time.process_time() - began
            compared = tasks if given.whole else tasks[:SAMPLE]
            began = time.process_time()
            whole = bt.tune(bt.UCB, compared, racing=False, **how)
            in_all = (time.process_time() - began) * n_tasks / len(compared)
            kept = f"{raced.curve.low:.4g} to {raced.curve.high:.4g}"
            same = ("yes" if whole.interval == raced.interval else "NO") if given.whole else "-"
            cells = (f"{seconds:.1f}", f"{in_all:.1f}", f"{seconds / in_all:.2f}", kept, same)
            table.add_row(f"{n_tasks:,}", *cells)
    Console(width=110, highlight=False).print(table)


if __name__ == "__main__":
    main()
