"""The files of a result: the answer, the page and the figure."""

from functools import partial
from pathlib import Path

from banditune.cli.cluster import SampledTasks
from banditune.cli.learning import Outcome
from banditune.cli.output import share_bar
from banditune.cli.past_tasks import PastTasks
from banditune.io import write_text
from banditune.policies.exports import conversions
from banditune.report.curve_figure import curve_picture, svg
from banditune.report.findings import findings
from banditune.report.page import page


def write_results(folder: Path, found: Outcome, past: PastTasks | SampledTasks) -> list[Path]:
    """Write tuned.json, report.html and curve.svg, and return their paths."""
    tuned = found.tuned
    with share_bar("Writing the page") as progress:
        shown = findings(
            tuned,
            found.curves,
            past.tasks,
            found.unseen,
            found.fixed,
            reading=[*past.reading, *([("Note", found.redrawn)] if found.redrawn else [])],
            rejected=past.rejected,
            n_rejected=past.n_rejected,
            libraries=[
                (each.library, each.code, each.remark) for each in conversions(tuned.policy_class, tuned.params)
            ],
            chose_range=found.chose_range,
            seconds=found.seconds,
            promised=found.promises,
            defaults=found.defaults,
            progress=partial(progress, "Learning from fewer tasks"),
        )
    texts = {"report.html": page(shown), "curve.svg": svg(curve_picture(tuned, found.defaults))}
    tuned.save(folder / "tuned.json")
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / "tuned.json", *(folder / name for name in texts)]
