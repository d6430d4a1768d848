"""The files of a study: the result, the page and the figure."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from banditune.io.files import make_folder, write_text
from banditune.policies.exports import conversions
from banditune.report.curve_figure import draw_curve
from banditune.report.findings import gather_findings
from banditune.report.log_account import describe_reading, list_rejected_rows
from banditune.report.page import write_page
from banditune.report.wording import describe_skipped
from banditune.tuning.saved_result import name_curve_file
from banditune.validation import format_count

if TYPE_CHECKING:
    from banditune.tuning.study_result import Study


def _list_notes(study: "Study") -> list[tuple[str, str]]:
    """Return what was left out, and which tasks are shown."""
    notes, n_shown = describe_skipped(study.tuned.left_out), len(study.tasks)
    if n_shown < study.tuned.n_tasks:
        size = format_count(n_shown, "task")
        notes.append(f"single tasks, their numbers of pieces and the learning curve are of {size} drawn at random")
    return [("Note", note) for note in notes]


def write_report(
    study: "Study", folder: str | os.PathLike[str], progress: Callable[[float], None] | None = None
) -> list[Path]:
    """Write tuned.json with its curves beside it, report.html and curve.svg, and return their paths."""
    tuned, account = study.tuned, study.account
    converted = conversions(tuned.policy_class, tuned.recommended, tuned.list_unconverted())
    shown = gather_findings(
        tuned,
        study.curves,
        study.tasks,
        study.held_out,
        study.usual,
        reading=[*describe_reading(account, tuned.origin), *study.notes, *_list_notes(study)],
        rejected=[] if account is None else list_rejected_rows(account),
        n_rejected=0 if account is None else account.rows_rejected,
        libraries=[(each.library, each.code, each.remark) for each in converted],
        chose_range=study.chose_range,
        chose_horizon=study.chose_horizon,
        units=study.units,
        seconds=study.seconds,
        promised=study.guarantees,
        families=study.families,
        rollout=study.rollout,
        usual_losses=study.usual_losses,
        progress=progress,
    )
    texts = {"report.html": write_page(shown), "curve.svg": draw_curve(shown.picture)}
    target = make_folder(folder)  # now that there is something to write
    tuned.save(target / "tuned.json")
    for name, text in texts.items():
        write_text(target / name, text)
    return [target / "tuned.json", name_curve_file(target / "tuned.json"), *(target / name for name in texts)]
