"""A page without scripts: a headline, drawn figures and tables. It opens offline and asks the network for nothing."""

from collections.abc import Sequence
from string import Template

from banditune import __version__
from banditune.report.markup import facts, fold, plain
from banditune.report.page import read_asset


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
