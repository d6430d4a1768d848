"""What a grid cannot do: the mean loss at its best point beside the exact minimum, on the same and on new tasks."""

from collections.abc import Callable
from functools import partial

from rich.table import Table

from banditune.kernels.lines.batch import Batch
from benchmarks.drawn_tasks import CLICK_RATES, bernoulli_batch, gaussian_batch
from benchmarks.grids import GRID
from benchmarks.methods import HIGH, LOW, by_numpy_grid, by_sweep, sweep_curves


def problems(n_tasks: int) -> dict[str, Callable[[int], Batch]]:
    """Batches of that many tasks, drawn from a seed."""
    return {
        "2 arms, any rates, T = 100": partial(_draw_seeded, bernoulli_batch, 2, 100, n_tasks),
        "10 arms, any rates, T = 300": partial(_draw_seeded, bernoulli_batch, 10, 300, n_tasks),
        "5 arms, rates 1 to 5%, T = 1,000": partial(
            _draw_seeded, partial(bernoulli_batch, rates=CLICK_RATES), 5, 1000, n_tasks
        ),
        "5 normal arms, sd 0.1, T = 300": partial(_draw_seeded, partial(gaussian_batch, spread=0.1), 5, 300, n_tasks),
        "5 normal arms, sd 1, T = 300": partial(_draw_seeded, gaussian_batch, 5, 300, n_tasks),
    }


def miss(draw: Callable[[int], Batch]) -> list[str]:
    """What the grid misses on tasks of one kind: the best of both, and ratios of their losses, on new tasks, too."""
    tasks, new_tasks = draw(0), draw(1)
    grid, exact = by_numpy_grid(tasks), by_sweep(tasks)
    unseen, _ = sweep_curves(new_tasks)
    new_grid, new_exact = (float(unseen.at(answer.alpha).mean()) for answer in (grid, exact))
    found = [f"{grid.alpha:g}", f"{grid.loss:.2f}", f"{exact.alpha:.4f}", f"{exact.loss:.2f}"]
    return [*found, f"{grid.loss / exact.loss:.2f}", f"{new_grid / new_exact:.2f}"]


def table(n_tasks: int) -> Table:
    """The misses on all problems."""
    shown = Table(
        title=f"What a grid misses: the best of alpha = {GRID[0]:g}, {GRID[1]:g}, ..., {GRID[-1]:g} and of all "
        f"[{LOW:g}, {HIGH:g}], mean regret of {n_tasks} tasks",
        title_justify="left",
    )
    shown.add_column("tasks")
    for name in ("grid alpha", "regret", "exact alpha", "regret", "grid / exact", "on new tasks"):
        shown.add_column(name, justify="right")
    for name, draw in problems(n_tasks).items():
        shown.add_row(name, *miss(draw))
    return shown


def _draw_seeded(draw: Callable[..., Batch], n_arms: int, horizon: int, n_tasks: int, seed: int) -> Batch:
    return draw(n_arms, horizon, n_tasks, seed=seed)
