"""GP-UCB's noise: the settings. The paper states the grid's size, the functions and T."""

from dataclasses import dataclass, replace

FUNCTIONS = {"waves": "sin x + cos y", "bowl": "(x - 1)(x + 0.5) + (y - 1.5)(y + 1)", "slope": "x + y^2"}
N_POINTS = 576


@dataclass(frozen=True, slots=True)
class Reading:
    """What the paper does not state: where the grid lies, how noisy rewards are, which bonus."""

    name: str
    low: float
    high: float
    noise: float  # the standard deviation of the rewards
    bonus: str  # "std", or "variance" as the paper prints it


@dataclass(frozen=True, slots=True)
class Settings:
    """The noise that GP-UCB believes in, searched from `least` to `most` with proof."""

    readings: tuple[Reading, ...]
    n_tasks: int
    a_unit: int
    horizon: int = 20
    least: float = 1e-4
    most: float = 10.0


FULL = Settings(
    readings=(
        Reading("grid -2 to 2", -2.0, 2.0, 0.1, "std"),
        Reading("grid -5 to 5", -5.0, 5.0, 0.1, "std"),
        Reading("grid 0 to 1", 0.0, 1.0, 0.1, "std"),
        Reading("grid -2 to 2, no noise", -2.0, 2.0, 0.0, "std"),
        Reading("grid -2 to 2, noise 1", -2.0, 2.0, 1.0, "std"),
        Reading("grid -2 to 2, bonus as printed", -2.0, 2.0, 0.1, "variance"),
    ),
    n_tasks=40,
    a_unit=10,
)
QUICK = replace(FULL, readings=FULL.readings[:2], n_tasks=6, a_unit=6)
