"""SVG documents and what pictures are made of that need no drawing library: words, lines and dots."""

from collections.abc import Iterable
from itertools import groupby

from banditune.curves.palette import INK, PAPER
from banditune.report.markup import plain

HALO = f'paint-order="stroke" stroke="{PAPER}" stroke-opacity="0.8" stroke-width="3"'  # keeps text clear of lines
FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def write_document(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return a self-contained SVG document of some parts, on white."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="{FONT}" role="img">',
        f"<title>{plain(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def write_text(
    x: float, y: float, words: str, *, size: int = 12, colour: str = INK, anchor: str = "start", weight: int = 400
) -> str:
    """Words that begin, end or are centred at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}" {HALO}>{plain(words)}</text>'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>'


def draw_polyline(points: Iterable[tuple[float, float]], colour: str, width: float, extra: str = "") -> str:
    """Return a line through points; those that are drawn at the place of the one before are left out."""
    places = " ".join(place for place, _ in groupby(f"{x:.1f},{y:.1f}" for x, y in points))
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}" {extra}/>'


def draw_dot(x: float, y: float, colour: str) -> str:
    """Return a mark."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" stroke="{PAPER}" stroke-width="1.5"/>'
