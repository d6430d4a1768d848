"""The answer of a tuning, for a person and for a machine."""

from rich.console import Console
from rich.table import Table

from banditune.checks import counted
from banditune.guarantees.folds import UnseenLosses
from banditune.report.words import Words, at_an_end, span
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
    words = Words(tuned.loss_name)
    found = f"[bold green]{name} = {best:.4g}[/] {words.verb}: {words.measure} {words.shown(tuned.loss)}"
    console.print(f"{found} in {counted(tuned.horizon, 'round')}.\n")
    facts = Table.grid(padding=(0, 2))
    chosen = ", chosen to fit the scale of the rewards" if chose_range else ""
    facts.add_row("  searched", f"every {name} from {tuned.curve.low:g} to {tuned.curve.high:g}{chosen}")
    facts.add_row("  best", f"{span(tuned.interval)}: every value in it does as well")
    facts.add_row("  plausible", f"{span(tuned.plausible)}: outside it, every value is told apart from the best")
    console.print(facts)
    if at_an_end(tuned):
        console.print(
            f"\n  [yellow]The best lies at an end of the range; a wider one (--{name} LOW HIGH) may do better.[/]"
        )
    if unseen is not None:
        console.print(_unseen_table(unseen, name, words))
    pieces = f"{tuned.complexity:,.1f} pieces each on average"
    console.print(f"\n{counted(tuned.n_tasks, 'task')}, {pieces}, {seconds:.1f} s.")


def _unseen_table(unseen: UnseenLosses, name: str, words: Words) -> Table:
    table = Table(box=None, padding=(0, 2), title_justify="left", title_style="", show_header=False)
    table.title = f"\n  On tasks it did not learn from ({unseen.n_folds} folds), {words.measure}:"
    learned = float(unseen.learned.mean())
    table.add_row("", "learned", f"[bold green]{words.shown(learned)}[/]", "")
    for value, losses in unseen.fixed.items():
        loss = float(losses.mean())
        remark = f"{loss / learned:.1f} times as much" if words.lost and 0.0 < learned < loss else ""
        remark = "better than learned" if loss < learned else remark
        table.add_row("", f"{name} = {value:g}", words.shown(loss), remark)
    return table
