"""Pictures by hand: the core carries no drawing library, and its pictures need none."""

from collections.abc import Iterable

from banditune.report.markup import plain

INK, SOFT, GRID = "#1f2933", "#52606d", "#e4e7eb"
CURVE, BEST, RANGE, DEFAULT = "#0072b2", "#009e73", "#cdeee2", "#d55e00"
HALO = 'paint-order="stroke" stroke="#ffffff" stroke-opacity="0.8" stroke-width="3"'  # keeps text clear of lines
FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def document(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """A self-contained SVG document of some parts, on white."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="{FONT}" role="img">',
        f"<title>{plain(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def text(
    x: float, y: float, words: str, *, size: int = 12, colour: str = INK, anchor: str = "start", weight: int = 400
) -> str:
    """Words that begin, end or are centred at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}" {HALO}>{plain(words)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>'


def dot(x: float, y: float, colour: str) -> str:
    """A mark."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" stroke="#ffffff" stroke-width="1.5"/>'
