"""Table 1: how many pieces the loss of a task has."""

from banditune.experiments.machinery.experiment import Experiment
from banditune.experiments.table_qd.analysis import QdFindings, analyse
from banditune.experiments.table_qd.definition import units
from banditune.experiments.table_qd.figure import draw
from banditune.experiments.table_qd.settings import FULL, QUICK, Settings

EXPERIMENT: Experiment[Settings, QdFindings] = Experiment(
    "table-qd", "How many pieces has the loss of a task?", "Table 1", FULL, QUICK, units, analyse, draw
)
