"""How many tasks does it take to learn alpha?"""

from banditune.experiments.machinery.experiment import Experiment
from banditune.experiments.sample_complexity.analysis import ComplexityFindings, analyse
from banditune.experiments.sample_complexity.definition import units
from banditune.experiments.sample_complexity.figure import draw
from banditune.experiments.sample_complexity.settings import FULL, QUICK, Settings

EXPERIMENT: Experiment[Settings, ComplexityFindings] = Experiment(
    "sample-complexity",
    "How many tasks does it take to learn alpha?",
    "the figure of regret over training tasks",
    FULL,
    QUICK,
    units,
    analyse,
    draw,
)
