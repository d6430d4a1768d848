"""The figure of swapped Gaussians: priors cannot help, exploration can."""

from banditune.experiments.alpha_mixture.analysis import MixtureFindings, analyse
from banditune.experiments.alpha_mixture.definition import units
from banditune.experiments.alpha_mixture.figure import draw
from banditune.experiments.alpha_mixture.settings import FULL, QUICK, Settings
from banditune.experiments.machinery.experiment import Experiment

EXPERIMENT: Experiment[Settings, MixtureFindings] = Experiment(
    "alpha-mixture",
    "Which alpha is best where the two arms are swapped at random?",
    "the figure of symmetric Gaussians",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
