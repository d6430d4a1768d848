"""All experiments, in the order in which they are done."""

from collections.abc import Iterable
from typing import Any

from banditune.errors import ParameterError
from banditune.experiments import (
    alpha_curves,
    alpha_mixture,
    corrals,
    gp_noise,
    impossibility,
    sample_complexity,
    table_qd,
)
from banditune.experiments.machinery.experiment import Experiment
from banditune.validation import format_names, format_value

EXPERIMENTS: dict[str, Experiment[Any, Any]] = {
    each.name: each
    for each in (
        table_qd.EXPERIMENT,
        alpha_mixture.EXPERIMENT,
        alpha_curves.EXPERIMENT,
        sample_complexity.EXPERIMENT,
        *corrals.EXPERIMENTS,
        gp_noise.EXPERIMENT,
        impossibility.EXPERIMENT,
    )
}


def choose_experiments(names: Iterable[str]) -> list[Experiment[Any, Any]]:
    """Return the experiments of these names, each once.

    >>> [each.name for each in choose_experiments(["table-qd"])]
    ['table-qd']
    """
    wanted = dict.fromkeys(names)
    for name in wanted:
        if name not in EXPERIMENTS:
            raise ParameterError(f"there is no experiment {format_value(name)}; there are {format_names(EXPERIMENTS)}")
    return [EXPERIMENTS[name] for name in wanted]
