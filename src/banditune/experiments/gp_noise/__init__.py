"""GP-UCB's reward as a function of the noise that it believes in."""

from banditune.experiments.gp_noise.analysis import NoiseFindings, analyse, draw
from banditune.experiments.gp_noise.sweeps import FULL, QUICK, Settings, units
from banditune.experiments.machinery.experiment import Experiment

EXPERIMENT: Experiment[Settings, NoiseFindings] = Experiment(
    "gp-noise",
    "GP-UCB's total reward over the noise sigma^2",
    "Figure 6, Appendix J",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
