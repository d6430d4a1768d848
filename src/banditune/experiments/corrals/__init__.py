"""What was learned from past tasks beside corrals, which learn within one: three experiments of one kind."""

from banditune.experiments.corrals.analysis import CorralFindings, analyse, draw
from banditune.experiments.corrals.learning import list_training_units
from banditune.experiments.corrals.playing import further_units, test_units
from banditune.experiments.corrals.settings import (
    LARGE_GAP,
    LARGE_GAP_QUICK,
    SMALL_GAP,
    SMALL_GAP_QUICK,
    UNIFORM_GAUSSIAN,
    UNIFORM_GAUSSIAN_QUICK,
    Settings,
)
from banditune.experiments.machinery.experiment import Experiment, Results, Unit


def _experiment(
    name: str, title: str, place: str, full: Settings, quick: Settings
) -> Experiment[Settings, CorralFindings]:
    return Experiment(name, title, place, full, quick, list_training_units, analyse, draw, then=_run)


def _run(settings: Settings, results: Results) -> list[Unit]:
    return [*test_units(settings, results), *further_units(settings, results)]


EXPERIMENTS = (
    _experiment(
        "corral",
        "Learned alpha against corrals: a small gap, and learning rates on CIFAR-10",
        "Figure 2, Section 9",
        SMALL_GAP,
        SMALL_GAP_QUICK,
    ),
    _experiment(
        "corral-large-gap",
        "Learned alpha against corrals: a large gap",
        "Figure 3, Appendix I",
        LARGE_GAP,
        LARGE_GAP_QUICK,
    ),
    _experiment(
        "corral-uniform-gaussian",
        "Learned alpha against corrals: uniform and Gaussian rewards",
        "Figure 4, Appendix I",
        UNIFORM_GAUSSIAN,
        UNIFORM_GAUSSIAN_QUICK,
    ),
)
