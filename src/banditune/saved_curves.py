"""Curves as text that loses no bit."""

import base64
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from banditune.step_function import StepFunction


def curve_to_json(curve: StepFunction) -> dict[str, str]:
    """The bytes of little-endian 64-bit floats as text."""
    parts = {"edges": curve.edges, "values": curve.values}
    return {name: base64.b64encode(part.astype("<f8").tobytes()).decode("ascii") for name, part in parts.items()}


def curve_from_json(saved: Mapping[str, str]) -> StepFunction:
    """The curve of such text."""
    return StepFunction(*(_from_base64(saved[name]) for name in ("edges", "values")))


def _from_base64(text: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(np.float64)
