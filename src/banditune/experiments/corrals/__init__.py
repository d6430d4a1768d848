"""What was learned from past tasks beside corrals, which learn within one: three experiments of one kind."""

from banditune.experiments.corrals.analysis import CorralFindings, analyse, draw
from banditune.experiments.corrals.runs import further_units, list_training_units, test_units
from banditune.experiments.corrals.settings import LARGE_GAP, SMALL_GAP, UNIFORM_GAUSSIAN, Settings, shorten
from banditune.experiments.machinery.experiment import Experiment, Results, Unit


def _experiment(name: str, title: str, place: str, full: Settings) -> Experiment[Settings, CorralFindings]:
    return Experiment(name, title, place, full, shorten(full), list_training_units, analyse, draw, then=_run)


def _run(settings: Settings, results: Results) -> list[Unit]:
    return [*test_units(settings, results), *further_units(settings, results)]


EXPERIMENTS = (
    _experiment(
        "corral",
        "Learned alpha against corrals: a small gap, and learning rates on CIFAR-10",
        "Figure 2, Section 9",
        SMALL_GAP,
    ),
    _experiment("corral-large-gap", "Learned alpha against corrals: a large gap", "Figure 3, Appendix I", LARGE_GAP),
    _experiment(
        "corral-uniform-gaussian",
        "Learned alpha against corrals: uniform and Gaussian rewards",
        "Figure 4, Appendix I",
        UNIFORM_GAUSSIAN,
    ),
)
