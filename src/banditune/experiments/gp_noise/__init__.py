"""GP-UCB's reward as a function of the noise that it believes in."""

from banditune.experiments.gp_noise.analysis import NoiseFindings, analyse
from banditune.experiments.gp_noise.definition import units
from banditune.experiments.gp_noise.figure import draw
from banditune.experiments.gp_noise.settings import FULL, QUICK, Settings
from banditune.experiments.machinery.experiment import Experiment

EXPERIMENT: Experiment[Settings, NoiseFindings] = Experiment(
    "gp-noise",
    "GP-UCB's total reward over the noise sigma^2",
    "the figure of GP-UCB",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
