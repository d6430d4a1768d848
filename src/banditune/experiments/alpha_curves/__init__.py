"""The regret as a function of alpha, for three kinds of rewards and for learning rates on CIFAR-10."""

from banditune.experiments.alpha_curves.analysis import CurvesFindings, analyse
from banditune.experiments.alpha_curves.definition import units
from banditune.experiments.alpha_curves.figure import draw
from banditune.experiments.alpha_curves.settings import FULL, QUICK, Settings
from banditune.experiments.machinery.experiment import Experiment

EXPERIMENT: Experiment[Settings, CurvesFindings] = Experiment(
    "alpha-curves",
    "Which alpha is best depends on the tasks, and is often below 1",
    "the figure of regret over alpha",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
