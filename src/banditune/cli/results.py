"""The files of a result: the answer, the page and the figure."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banditune.cli.output import share_bar
from banditune.cli.past_tasks import PastTasks
from banditune.conversions import conversions
from banditune.curve_set import CurveSet
from banditune.files import write_text
from banditune.guarantees.folds import UnseenLosses
from banditune.report.curve_picture import curve_picture, svg
from banditune.report.findings import findings
from banditune.report.page import page
from banditune.tuned import Tuned


def write_results(
    folder: Path,
    tuned: Tuned,
    curves: CurveSet,
    past: PastTasks,
    unseen: UnseenLosses | None,
    fixed: Mapping[float, NDArray[np.float64]],
    seconds: float,
    *,
    chose_range: bool,
) -> list[Path]:
    """Write tuned.json, report.html and curve.svg, and return their paths."""
    with share_bar("Writing the page") as progress:
        found = findings(
            tuned,
            curves,
            past.tasks,
            unseen,
            fixed,
            reading=past.reading,
            refused=past.refused,
            n_refused=past.n_refused,
            libraries=[
                (each.library, each.code, each.remark) for each in conversions(tuned.policy_class, tuned.params)
            ],
            chose_range=chose_range,
            seconds=seconds,
            progress=partial(progress, "Learning from fewer tasks"),
        )
    defaults = {value: float(losses.mean()) for value, losses in fixed.items()}
    texts = {"report.html": page(found), "curve.svg": svg(curve_picture(tuned, defaults))}
    tuned.save(folder / "tuned.json")
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / "tuned.json", *(folder / name for name in texts)]
