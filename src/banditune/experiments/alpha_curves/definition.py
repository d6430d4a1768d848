"""The regret as a function of alpha: the exact curves of sampled tasks."""

from banditune.experiments.alpha_curves.settings import Kind, Settings
from banditune.experiments.machinery.curve_units import curve_units
from banditune.experiments.machinery.experiment import Unit


def units(settings: Settings) -> list[Unit]:
    """All units, kind by kind."""
    return [unit for kind in settings.kinds for unit in kind_units(settings, kind)]


def kind_units(settings: Settings, kind: Kind) -> list[Unit]:
    """The units of one kind of tasks."""
    return curve_units(
        f"{kind.tasks}-{kind.second}",
        kind.tasks,
        n_tasks=settings.n_tasks,
        a_unit=settings.a_unit,
        horizon=kind.horizon,
        most=settings.most,
        second=kind.second,
    )
