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
    words = Words(tuned.loss_name)
    found = f"[bold green]{name} = {best:.4g}[/] {words.verb}: {words.measure} {words.shown(tuned.loss)}"
    console.print(f"{found} in {counted(tuned.horizon, 'round')}.\n")
    facts = Table.grid(padding=(0, 2))
    chosen = ", chosen to fit the scale of the rewards" if chose_range else ""
    facts.add_row("  searched", f"every {name} from {tuned.curve.low:g} to {tuned.curve.high:g}{chosen}")
    facts.add_row("  best", f"{span(tuned.interval)}: every value in it does as well")
    facts.add_row("  plausible", f"{span(tuned.plausible)}: outside it, every value is told apart from the best")
    console.print(facts)
    if _at_an_end(tuned):
        console.print(
            f"\n  [yellow]The best lies at an end of the range; a wider one (--{name} LOW HIGH) may do better.[/]"
        )
    if unseen is not None:
        console.print(_unseen_table(unseen, name, words))
    pieces = f"{tuned.complexity:,.1f} pieces each on average"
    console.print(f"\n{counted(tuned.n_tasks, 'task')}, {pieces}, {seconds:.1f} s.")


class Words:
    """How a loss is spoken of: regret is lost, reward is earned."""

    def __init__(self, loss_name: str) -> None:
        self.lost = loss_name == "regret"
        self.verb = "loses least" if self.lost else "earns most"
        self.measure = "mean regret" if self.lost else "mean total reward"

    def shown(self, loss: float) -> str:
        """The loss, or the reward it stands for."""
        return f"{loss if self.lost else -loss:.4g}"


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "round"), counted(1000, "round")
    ('1 round', '1,000 rounds')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _at_an_end(tuned: Tuned) -> bool:
    """Whether a wider range might hold something better. Below 0 there is nothing."""
    low, high = tuned.interval
    return high == tuned.curve.high or (low == tuned.curve.low and low > 0.0)


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
