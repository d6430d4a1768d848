"""The answer of a tuning, for a person and for a machine."""

from rich.console import Console
from rich.table import Table

from banditune.guarantees.folds import UnseenLosses
from banditune.step_function import Interval
from banditune.tuned import Tuned


def summary(tuned: Tuned, unseen: UnseenLosses | None, seconds: float) -> dict[str, object]:
    """The answer as one JSON object."""
    result = tuned.summary() | {"seconds": round(seconds, 3), "unseen": None}
    if unseen is not None:
        fixed = [{tuned.parameter: value, "loss": float(losses.mean())} for value, losses in unseen.fixed.items()]
        result["unseen"] = {"folds": unseen.n_folds, "learned": float(unseen.learned.mean()), "defaults": fixed}
    return result


def answer(tuned: Tuned, unseen: UnseenLosses | None, seconds: float, *, chose_range: bool) -> None:
    """Print the answer as a few lines that a person understands."""
    console = Console(highlight=False, soft_wrap=True)
    name, best = tuned.parameter, tuned.params[tuned.parameter]
    what = "mean regret" if tuned.loss_name == "regret" else "minus mean total reward"
    console.print(
        f"[bold green]{name} = {best:.4g}[/] loses least: {what} {tuned.loss:.4g} in {tuned.horizon:,} rounds.\n"
    )
    facts = Table.grid(padding=(0, 2))
    chosen = ", chosen to fit the scale of the rewards" if chose_range else ""
    facts.add_row("  searched", f"every {name} from {tuned.curve.low:g} to {tuned.curve.high:g}{chosen}")
    facts.add_row("  best", f"{span(tuned.interval)}: every value in it loses as little")
    facts.add_row("  plausible", f"{span(tuned.plausible)}: not told apart from the best by these tasks")
    console.print(facts)
    if unseen is not None:
        console.print(_unseen_table(unseen, name, what))
    console.print(f"\n{tuned.n_tasks:,} tasks, {tuned.complexity:,.1f} pieces each, {seconds:.1f} s.")


def _unseen_table(unseen: UnseenLosses, name: str, what: str) -> Table:
    table = Table(box=None, padding=(0, 2), title_justify="left", title_style="", show_header=False)
    table.title = f"\n  On tasks it did not learn from ({unseen.n_folds} folds), {what}:"
    learned = float(unseen.learned.mean())
    table.add_row("", "learned", f"[bold green]{learned:.4g}[/]", "")
    for value, losses in unseen.fixed.items():
        loss = float(losses.mean())
        ratio = f"{loss / learned:.1f} times as much" if learned > 0.0 and loss > 0.0 else ""
        table.add_row("", f"{name} = {value:g}", f"{loss:.4g}", ratio)
    return table


def span(interval: Interval) -> str:
    """An interval with as many digits as its ends need to differ, at least four.

    >>> span(Interval(0.123456, 0.123457)), span(Interval(0.0, 4.0))
    ('0.123456 to 0.123457', '0 to 4')
    """
    for digits in range(4, 18):
        low, high = f"{interval.low:.{digits}g}", f"{interval.high:.{digits}g}"
        if low != high:
            break
    return f"{low} to {high}"
