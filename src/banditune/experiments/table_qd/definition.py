"""Table 1: the curves of every family of tasks."""

from banditune.experiments.machinery.curve_units import curve_units
from banditune.experiments.machinery.experiment import Unit
from banditune.experiments.table_qd.settings import FAMILIES, SPREADS, Settings


def units(settings: Settings) -> list[Unit]:
    """All units, family by family."""
    return [unit for family in FAMILIES for spread in SPREADS for unit in family_units(settings, family, spread)]


def family_units(settings: Settings, family: str, spread: float) -> list[Unit]:
    """The units of one cell of the table."""
    return curve_units(
        f"{family}-{spread}",
        f"{family}({spread})",
        n_tasks=settings.n_tasks,
        a_unit=settings.a_unit,
        horizon=settings.horizon,
        most=settings.most,
    )
