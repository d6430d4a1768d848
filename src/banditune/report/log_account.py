"""How a log was read, as the page tells it."""

from collections.abc import Mapping
from typing import Any

from banditune.logs.account import Account


def describe_reading(account: Account | None, origin: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Say how a log was read, if tasks are from one: what, and a text."""
    if account is None or origin is None:
        return []
    used = origin["columns"]
    more = f" and {len(account.parts) - 10} more" if len(account.parts) > 10 else ""
    return [
        ("Source", ", ".join(account.parts[:10]) + more),
        ("Columns", ", ".join(_name_column(name, column) for name, column in used.items())),
        ("Rows", f"{account.rows_read:,} read, {account.rows_used:,} used, {account.rows_rejected:,} rejected"),
        *(("Rejected", f"{count:,} x {reason}") for reason, count in account.rejected),
        *(("Note", note) for note in account.notes()),
        *(("Note", oddity) for oddity in account.oddities() if not oddity.endswith("rejected")),
    ]


def list_rejected_rows(account: Account) -> list[tuple[str, str, str, str]]:
    """Return the first rows that were rejected: file, place, reason, value."""
    return [(row.where, f"{row.unit} {row.number:,}", row.reason, row.value or "") for row in account.examples]


def _name_column(wanted: str, column: Any) -> str:
    """Return a column, and what it is called if that is something else."""
    called = column if isinstance(column, str) else ", ".join(column)
    return wanted if called == wanted else f"{wanted} = {called}"
