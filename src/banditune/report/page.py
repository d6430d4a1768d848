"""The page: one file that opens offline and asks the network for nothing."""

from importlib import resources
from string import Template

from banditune import __version__
from banditune.report import sections, sentences
from banditune.report.chart_data import dump_charts
from banditune.report.findings import Findings
from banditune.report.markup import plain
from banditune.validation import format_count

ASSETS = resources.files("banditune.report") / "assets"


def write_page(found: Findings) -> str:
    """The findings as a self-contained HTML document."""
    made = (
        f"Made by banditune {__version__} in {found.seconds:.1f} s, random seed {found.seed}. {found.policy}, "
        f"{format_count(found.horizon, 'event') if found.replay else found.words.units.count(found.horizon)}, "
        f"{format_count(found.n_tasks, 'log' if found.replay else 'task')}. This page is self-contained: it loads "
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


def read_asset(name: str) -> str:
    """The text of a part of the pages."""
    return (ASSETS / name).read_text(encoding="utf-8")
