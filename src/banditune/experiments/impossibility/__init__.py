"""Theorem 4.1: what finding alpha online has to cost, beside what UCB and others really pay as the games grow."""

from banditune.experiments.impossibility.analysis import ImpossibilityFindings, analyse
from banditune.experiments.impossibility.definition import units
from banditune.experiments.impossibility.figure import draw
from banditune.experiments.impossibility.settings import FULL, QUICK, Settings
from banditune.experiments.machinery.experiment import Experiment

EXPERIMENT: Experiment[Settings, ImpossibilityFindings] = Experiment(
    "impossibility",
    "What finding alpha online has to cost, and what is really paid",
    "Theorem 4.1, not run in the paper",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
