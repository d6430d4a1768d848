"""The answer of a comparison: for a person, for a machine, and as files."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from banditune.cli.output import UNBOUNDED, literal, terminal
from banditune.io.files import write_texts
from banditune.report.comparison_page import (
    advise,
    describe_knowledge,
    describe_standing,
    draw_comparison,
    rate_of,
    shows_rates,
    write_comparison_page,
)
from banditune.simulation.comparison_result import Comparison, Standing
from banditune.validation import format_count


def summarize_comparison(compared: Comparison, seconds: float) -> dict[str, object]:
    """Return the comparison as one JSON object."""
    return {
        "reference": compared.reference,
        "simplest": compared.simplest,
        "standings": [_summarize_standing(standing) for standing in compared.standings],
        "n_tasks": compared.n_tasks,
        "horizon": compared.horizon,
        "unit": compared.units.reward or None,
        "folds": compared.n_folds,
        "repetitions": compared.repetitions,
        "learned": _summarize_params(compared),
        "rounds": compared.rounds.tolist(),
        "curves": {name: curve.tolist() for name, curve in compared.curves.items()},
        "seed": compared.seed,
        **({"loss_name": compared.loss.name, **compared.loss.to_json()} if compared.loss.later else {}),
        "learning_seconds": round(compared.learning_seconds, 3),
        "seconds": round(seconds, 3),
    }


def _summarize_params(compared: Comparison) -> dict[str, list[dict[str, object]]]:
    """Return the parameters that were learned for each tuned policy without each of the folds, as JSON holds them."""
    return {
        name: [
            {key: compared.searched[name].policy.parameters[key].plain(value) for key, value in each.items()}
            for each in params
        ]
        for name, params in compared.learned.items()
    }


def _summarize_standing(standing: Standing) -> dict[str, object]:
    return {
        "name": standing.name,
        "knowledge": standing.knowledge,
        "regret": standing.regret,
        "error": standing.error,
        "extra": standing.extra,
        "interval": list(standing.interval),
        "worse": standing.worse,
        "better": standing.better,
        "rank": standing.rank,
        "seconds_per_run": standing.seconds,
        "level": standing.is_level,
    }


def print_comparison(compared: Comparison, seconds: float) -> None:
    """Print how all stand, and what that means."""
    console = terminal(soft_wrap=True)
    console.print(f"{literal(advise(compared))}\n")
    table = _list_standings(compared, has_times=True)
    if console.measure(table, options=console.options.update(max_width=UNBOUNDED)).maximum > console.width:
        table = _list_standings(compared, has_times=False)
    console.print(table)
    console.print("\n  Prior knowledge:")
    for knowledge, names in describe_knowledge(compared).items():
        console.print(f"    {literal(knowledge)}: [dim]{literal('; '.join(names))}[/]")
    runs = (
        f"{format_count(compared.repetitions, 'run')} of each policy on each of "
        f"{format_count(compared.n_tasks, 'task')}"
    )
    console.print(f"\n{runs}, cross-validation ({compared.n_folds} folds), {seconds:.1f} s.")


def _list_standings(compared: Comparison, *, has_times: bool) -> Table:
    """Return how all stand, with the time of a run where the terminal is wide enough."""
    table = Table(box=None, padding=(0, 1), title_justify="left", title_style="")
    measure = literal(compared.measure)
    table.title = (
        f"  {measure[0].upper()}{measure[1:]} on held-out tasks, and the difference from {literal(compared.reference)}"
    )
    rate = [literal(compared.units.per_thousand)] if shows_rates(compared) else []
    for head in ("", "regret", *rate, "extra", "95% interval", "rank", *(["time per run"] if has_times else [])):
        table.add_column(head, justify="right" if head else "left", no_wrap=bool(head))
    for standing in compared.standings:
        is_reference = standing.name == compared.reference
        name = f"[bold green]{literal(standing.name)}[/]" if is_reference else literal(standing.name)
        extra, interval = ("", "") if is_reference else (f"{standing.extra:+.3g}", describe_standing(standing))
        level = [f"{standing.regret:.4g}", *([f"{rate_of(standing, compared):.4g}"] if rate else [])]
        taken = [_format_time(standing.seconds)] if has_times else []
        table.add_row(f"  {name}", *level, extra, interval, f"{standing.rank:.1f}", *taken)
    return table


def _format_time(seconds: float) -> str:
    """Format the time of a run.

    >>> _format_time(0.00002), _format_time(0.5), _format_time(0.0)
    ('20 µs', '500 ms', '')
    """
    if seconds == 0.0:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def write_comparison(
    folder: Path, compared: Comparison, reading: Sequence[tuple[str, str]], seconds: float
) -> list[Path]:
    """Write compared.json, compared.html and compared.svg, and return their paths."""
    texts = {
        "compared.json": json.dumps(summarize_comparison(compared, seconds), indent=1) + "\n",
        "compared.html": write_comparison_page(compared, reading, seconds),
        "compared.svg": draw_comparison(compared),
    }
    return write_texts(folder, texts)
