"""The files of a study: the result, the page and the figure."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from banditune.io.files import make_folder, write_text
from banditune.report.curve_figure import draw_curve
from banditune.report.findings import gather_findings
from banditune.report.page import write_page
from banditune.tuning.results.saved_result import name_curve_file

if TYPE_CHECKING:
    from banditune.tuning.results.study_result import Study


def write_report(
    study: "Study", folder: str | os.PathLike[str], progress: Callable[[float], None] | None = None
) -> list[Path]:
    """Write tuned.json with its curves beside it, report.html and curve.svg, and return their paths."""
    tuned, shown = study.tuned, gather_findings(study, progress)
    texts = {"report.html": write_page(shown), "curve.svg": draw_curve(shown.picture)}
    target = make_folder(folder)  # now that there is something to write
    tuned.save(target / "tuned.json")
    for name, text in texts.items():
        write_text(target / name, text)
    return [target / "tuned.json", name_curve_file(target / "tuned.json"), *(target / name for name in texts)]
