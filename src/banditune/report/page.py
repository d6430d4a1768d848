"""Pages, each one file that opens offline and asks the network for nothing; and the files of a study."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from string import Template

from banditune import __version__
from banditune.curves.thinning import Line
from banditune.io.files import make_folder, write_texts
from banditune.report import sections, sentences
from banditune.report.curve_figure import draw_curve
from banditune.report.findings import Findings, Lines, count_pieces, gather_findings
from banditune.report.markup import facts, fold, plain
from banditune.report.wording import Words
from banditune.tuning.results.saved_result import name_curve_file
from banditune.tuning.results.study_result import Study
from banditune.validation import format_count

MOST_ARMS = 40  # that a chart shows
UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"}


def dump_charts(found: Findings) -> str:
    """Return what page.js draws, with everything escaped that could end a script element."""
    return json.dumps(gather_charts(found), ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(
        UNSAFE
    )


def gather_charts(found: Findings) -> dict[str, object]:
    """Return the charts' numbers; losses have become what is spoken of, regret or reward."""
    words = found.words
    return {
        "parameter": found.parameter,
        "measure": words.measure,
        "lost": words.lost,
        "curve": _gather_curve(found, words.sign),
        "matched": None if found.matched is None else _gather_lines(found.matched, 1.0),
        "priors": _gather_priors(found),
        "comparison": _gather_comparison(found, words),
        "learning": _gather_learning(found, words.sign),
        "pieces": asdict(count_pieces(found.study.curves.n_pieces)),
    }


def _gather_curve(found: Findings, sign: float) -> dict[str, object]:
    tuned, usual = found.tuned, found.study.usual_losses
    return {
        **_gather_lines(found.curve, sign),
        "scale": "log" if found.opens_log else "linear",
        "learned": [found.learned, sign * found.loss],
        "within_one_se": list(tuned.within_one_se),
        "defaults": [[value, sign * loss] for value, loss in usual.items() if value in tuned.searched],
    }


def _gather_priors(found: Findings) -> dict[str, object] | None:
    if found.priors is None or not found.priors.arms:
        return None
    arms = sorted(found.priors.arms, key=lambda each: -each.mean)[:MOST_ARMS]
    return {
        "names": [str(each.arm)[:40] for each in arms],
        "means": [[each.mean, each.within_one_se.low, each.within_one_se.high] for each in arms],
        "observed": [each.observed for each in arms],
    }


def _gather_lines(lines: Lines, sign: float) -> dict[str, object]:
    log = None if lines.log is None else _gather_line(lines.log, sign)
    return {"linear": _gather_line(lines.linear, sign), "log": log}


def _gather_line(line: Line, sign: float) -> dict[str, object]:
    """Return the points to as many digits as a chart can show."""
    return {
        "x": [float(f"{x:.12g}") for x in line.x.tolist()],
        "y": [float(f"{sign * y:.6g}") for y in line.y.tolist()],
        "thinned": line.thinned,
    }


def _gather_comparison(found: Findings, words: Words) -> dict[str, object] | None:
    if not found.held_out:
        return None
    return {
        "names": [row.name for row in found.held_out],
        "means": [row.loss.flip(words.sign).to_list() for row in found.held_out],
        "extra": [row.extra.to_list() for row in found.held_out[1:]],
        "extraTitle": "extra regret per task" if words.lost else "reward missed per task",
    }


def _gather_learning(found: Findings, sign: float) -> dict[str, object] | None:
    if found.learning is None:
        return None
    return {"sizes": found.learning.sizes, "losses": [loss.flip(sign).to_list() for loss in found.learning.losses]}


ASSETS = resources.files("banditune.report") / "assets"


def write_page(found: Findings) -> str:
    """Return the findings as a self-contained HTML document."""
    tuned = found.tuned
    made = (
        f"Made by banditune {__version__} in {found.study.seconds:.1f} s, random seed {tuned.seed}. "
        f"{tuned.policy_class.__name__}, "
        f"{format_count(tuned.horizon, 'event') if tuned.replay else found.words.units.count(tuned.horizon)}, "
        f"{format_count(tuned.n_tasks, 'log' if tuned.replay else 'task')}. This page is self-contained: it loads "
        "nothing from the network."
    )
    return Template(read_asset("page.html")).substitute(
        headline=plain(sentences.write_headline(found)),
        answer=sections.write_answer(found),
        sections="\n\n".join(sections.write_sections(found)),
        made=plain(made),
        style=read_asset("page.css"),
        data=dump_charts(found),
        plotly=read_asset("plotly-basic.min.js"),
        licence=read_asset("LICENSE.plotly"),
        script=read_asset("page.js"),
    )


def write_static_page(
    *, kicker: str, headline: str, answer: str, sections: Sequence[str], reading: Sequence[tuple[str, str]], made: str
) -> str:
    """Put together a self-contained HTML document; `answer` and `sections` are HTML, `reading` pairs of texts."""
    how = [fold("How the data was read", facts(reading))] if reading else []
    nothing_loaded = "This page is self-contained: it loads nothing from the network."
    return Template(read_asset("static.html")).substitute(
        style=read_asset("page.css"),
        kicker=plain(kicker),
        headline=plain(headline),
        answer=answer,
        sections="\n\n".join((*sections, *how)),
        made=plain(f"Made by banditune {__version__} {made}. {nothing_loaded}"),
    )


def write_report(
    study: Study, folder: str | os.PathLike[str], progress: Callable[[float], None] | None = None
) -> list[Path]:
    """Write tuned.json with its curves beside it, report.html and curve.svg, and return their paths."""
    tuned, shown = study.tuned, gather_findings(study, progress)
    texts = {"report.html": write_page(shown), "curve.svg": draw_curve(shown.picture)}
    target = make_folder(folder)  # now that there is something to write
    saved = target / "tuned.json"
    tuned.save(saved)
    return [saved, name_curve_file(saved), *write_texts(target, texts)]


def read_asset(name: str) -> str:
    """Return the text of a part of the pages."""
    return (ASSETS / name).read_text(encoding="utf-8")
