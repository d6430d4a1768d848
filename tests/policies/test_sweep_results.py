"""What a sweep found, as arrays and back."""

import numpy as np
import pytest

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.policies.sweep_results import CURVES, Swept


@pytest.mark.parametrize("known", [(), ("matched", "events"), Swept._fields[1:]], ids=len)
def test_all_that_a_sweep_found_comes_back_from_arrays(known: tuple[str, ...]) -> None:
    curves = [CurveSet.of([bt.StepFunction([0.0, end, 2.0], [1.0, end])]) for end in (0.5, 1.0)]
    swept = Swept(curves, **{name: curves if name in CURVES else np.array([len(name)]) for name in known})
    again = Swept.from_arrays(swept.to_arrays("7.0."), "7.0.")
    for name, ours, theirs in zip(Swept._fields, swept, again, strict=True):
        if name in CURVES and ours is not None:
            found = [(each.low, each.high, each.left.tolist(), each.values.tolist()) for each in theirs]
            assert found == [(each.low, each.high, each.left.tolist(), each.values.tolist()) for each in ours]
        else:
            assert ours is theirs is None or (ours == theirs).all()
