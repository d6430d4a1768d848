"""What was found as text: the table "paper | here | agrees?" in Markdown, and all numbers as JSON."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from banditune import __version__
from banditune.experiments.machinery.experiment import Experiment, Findings

HEADS = ("", "paper", "here", "agrees?")


def markdown(findings: Findings) -> str:
    """The table of an experiment, when each line is said to agree, and how the paper was read."""
    lines = [f"| {' | '.join(HEADS)} |", "|---|---|---|---|"]
    for claim in findings.claims:
        cells = (claim.what, claim.paper, claim.here, claim.agrees)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    criteria = dict.fromkeys(claim.criterion for claim in findings.claims if claim.criterion)
    lines += ["", "Criteria for agreement:", "", *(f"- {criterion}" for criterion in criteria)]
    if findings.readings:
        lines += ["", "Interpretation of the paper:", "", *(f"- {reading}" for reading in findings.readings)]
    return "\n".join(lines) + "\n"


def numbers(experiment: Experiment[Any, Any], settings: object, findings: Findings, seed: int) -> dict[str, Any]:
    """Everything that was found, with what it was made of, as it is written to JSON."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "place": experiment.place,
        "version": __version__,
        "seed": seed,
        "settings": plain(settings),
        **plain(findings),
    }


def plain(value: Any) -> Any:
    """A value as JSON holds it; what is not finite is null.

    >>> plain({"a": np.array([1.0, np.nan]), "b": (1, "x")})
    {'a': [1.0, None], 'b': [1, 'x']}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
