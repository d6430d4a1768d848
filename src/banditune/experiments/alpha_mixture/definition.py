"""Swapped Gaussians: the curves of sampled tasks."""

from banditune.experiments.alpha_mixture.settings import Settings
from banditune.experiments.machinery.curve_units import curves_of
from banditune.experiments.machinery.experiment import Arrays, Unit
from banditune.problems import swapped_gaussians


def units(settings: Settings) -> list[Unit]:
    """All units, mean by mean."""
    return [unit for mean in settings.means for unit in units_of(settings, mean)]


def units_of(settings: Settings, mean: float) -> list[Unit]:
    """The units for one mu."""
    return [
        Unit(
            f"mu-{mean:g}-{first}",
            swept,
            {
                "mean": mean,
                "sd": settings.sd,
                "first": first,
                "count": min(settings.a_unit, settings.n_tasks - first),
                "horizon": settings.horizon,
                "most": settings.most,
            },
        )
        for first in range(0, settings.n_tasks, settings.a_unit)
    ]


def swept(*, seed: int, mean: float, sd: float, first: int, count: int, horizon: int, most: float) -> Arrays:
    """The curves of some tasks."""
    problem = swapped_gaussians(mean, sd)
    return curves_of(problem, seed=seed, first=first, count=count, horizon=horizon, most=most)
