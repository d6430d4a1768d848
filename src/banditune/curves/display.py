"""How objects show themselves in notebooks: their names for users, small tables, and the axes of plots."""

from collections.abc import Collection, Iterable
from html import escape
from typing import TYPE_CHECKING

from banditune.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def list_names(shown: object, internal: Collection[str]) -> list[str]:
    """Return the names of an object for `dir`: Python's own, and those that are neither private nor internal."""
    names = object.__dir__(shown)
    return [name for name in names if name.startswith("__") or not (name.startswith("_") or name in internal)]


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of labels and texts as HTML, everything escaped.

    >>> html_table("a < b", [("n", 3)])
    '<table><caption>a &lt; b</caption><tr><th>n</th><td>3</td></tr></table>'
    """
    body = "".join(f"<tr><th>{escape(label)}</th><td>{escape(str(text))}</td></tr>" for label, text in rows)
    return f"<table><caption>{escape(title)}</caption>{body}</table>"


def format_losses(losses: Iterable[tuple[str, float]]) -> str:
    """Return named losses as a short text.

    >>> format_losses([("learned", 1.78211), ("alpha = 1", 2.66)])
    'learned: 1.782, alpha = 1: 2.66'
    """
    return ", ".join(f"{name}: {loss:.4g}" for name, loss in losses)


def take_axes(axes: "Axes | None") -> "Axes":
    """Return the axes to draw on: those given, or new ones of the current notebook or window."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise InputError('plot() needs Matplotlib: pip install "banditune[plot]"') from None
    return plt.subplots(layout="constrained")[1]
