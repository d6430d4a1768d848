"""Text as HTML. Whatever comes from data passes through here and is shown, never interpreted."""

import re
from collections.abc import Iterable, Sequence
from html import escape

NOT_FOR_PAGES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
SHOWN, TITLE = 60, 300  # characters of a long text that are shown, and that appear when it is pointed at


def plain(text: str) -> str:
    """Return text as HTML; what no page can hold (control characters, halves of surrogate pairs) is replaced.

    >>> plain("<b> & co")
    '&lt;b&gt; &amp; co'
    """
    return escape(NOT_FOR_PAGES.sub("\N{REPLACEMENT CHARACTER}", text))


def clip(text: str, most: int = SHOWN) -> str:
    """Return text as HTML, shortened where it is long; pointing at it shows more."""
    if len(text) <= most:
        return f"<bdi>{plain(text)}</bdi>"
    title = text if len(text) <= TITLE else f"{text[:TITLE]} … ({len(text):,} characters)"
    return f'<bdi title="{plain(title)}">{plain(text[:most])}…</bdi>'


def paragraphs(*texts: str, kind: str = "") -> str:
    """Paragraphs of plain text; empty ones are left out."""
    opening = f'<p class="{kind}">' if kind else "<p>"
    return "\n".join(f"{opening}{plain(text)}</p>" for text in texts if text)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "") -> str:
    """Return a table of cells that are HTML already; the first cell of a row names it."""
    titles = "".join(f'<th scope="col">{plain(title)}</th>' for title in head)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    body = "\n".join(lines)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{plain(caption)}">\n'
        f'<table class="{kind}"><caption>{plain(caption)}</caption>\n<thead><tr>{titles}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def chart(name: str, label: str) -> str:
    """Return the place of a chart; the label says what is to be seen."""
    return f'<div class="chart" id="{name}" role="img" aria-label="{plain(label)}"></div>'


def place_figure(wide: str, narrow: str | None = None) -> str:
    """Return a figure that is drawn already, and for narrow screens a narrow one, if there is one."""
    if narrow is None:
        return f'<figure class="drawn">{wide}</figure>'
    return f'<figure class="drawn"><div class="wide">{wide}</div><div class="narrow">{narrow}</div></figure>'


def section(title: str, content: str) -> str:
    """Return a part of a page under its title."""
    return f"<section>\n<h2>{plain(title)}</h2>\n{content}\n</section>"


def fold(title: str, content: str) -> str:
    """Return a part of a page that opens when its title is clicked."""
    return f'<details class="fold"><summary><h2>{plain(title)}</h2></summary>\n{content}\n</details>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return texts, each beside what it is about."""
    shown = "".join(f"<div><dt>{clip(label)}</dt><dd>{clip(text, 600)}</dd></div>" for label, text in pairs)
    return f'<dl class="facts">{shown}</dl>' if shown else ""
