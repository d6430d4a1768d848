"""What became of every row of a log."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banditune.validation import format_count

EXAMPLES = 10  # rejected rows that are shown
FEW_REWARDS = 10  # an arm with fewer is pointed out: what is drawn from them says little
COUNTS = ("one_arm_tasks", "arms_with_few_rewards", "duplicates", "out_of_order", "added_up")


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """One row that was not used, and why."""

    where: str  # the file or table
    unit: str  # "line" or "row"
    number: int
    reason: str
    value: str | None  # what stood there

    def __str__(self) -> str:
        value = "" if self.value is None else f": {self.value!r}"
        return f"{self.where}, {self.unit} {self.number}: {self.reason}{value}"


@dataclass(frozen=True, slots=True)
class Account:
    """What was read, used and rejected, and what is odd about what was used."""

    parts: tuple[str, ...]  # the files, or the table
    rows_read: int
    rows_used: int
    rejected: tuple[tuple[str, int], ...]  # reason, how many rows; the most frequent first
    examples: tuple[RejectedRow, ...]  # the first rejected rows
    n_tasks: int
    one_arm_tasks: int
    arms_with_few_rewards: int
    duplicates: int  # rows that repeat another's task, arm, time and reward
    out_of_order: int  # rows that stand in the log before the row that precedes them in time, of one task and arm
    added_up: int  # rows of totals beyond the first of their task and arm
    left_out: tuple[str, ...]  # files of a folder whose names say nothing that can be read
    single_rows: bool = False  # whether every arm of every task has one row, whose rewards are no 0 and 1
    encoded: tuple[str, ...] = ()  # which columns of categories became how many features
    reading: tuple[str, ...] = ()  # what the format of the log has decided, and what was left out as asked

    @classmethod
    def add(cls, accounts: Sequence["Account"]) -> "Account":
        """Return the account of several logs that have no task in common."""
        reasons: Counter[str] = Counter()
        for account in accounts:
            reasons.update(dict(account.rejected))
        numbers = ("rows_read", "rows_used", "n_tasks", *COUNTS)
        return cls(
            parts=tuple(part for account in accounts for part in account.parts),
            rejected=tuple(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))),
            examples=tuple(row for account in accounts for row in account.examples)[:EXAMPLES],
            left_out=tuple(file for account in accounts for file in account.left_out),
            reading=tuple(dict.fromkeys(note for account in accounts for note in account.reading)),
            **{name: sum(getattr(account, name) for account in accounts) for name in numbers},
        )

    @property
    def rows_rejected(self) -> int:
        """How many rows were not used."""
        return self.rows_read - self.rows_used

    def oddities(self) -> Iterator[str]:
        """Return what should be looked at, a sentence each; nothing for a spotless log."""
        if self.rows_rejected:
            yield f"{format_count(self.rows_rejected, 'row')} rejected"
        if self.one_arm_tasks:
            yield f"{format_count(self.one_arm_tasks, 'task')} with a single arm: their regret is 0"
        if self.arms_with_few_rewards:
            arms = format_count(self.arms_with_few_rewards, "arm")
            yield f"{arms} (counted per task) with fewer than {FEW_REWARDS} rewards: their means are imprecise"
        if self.single_rows:
            yield (
                "every arm has one row in each task: if these are rates or means, give totals (pulls=, successes=) or "
                "moments (pulls=, mean=, sd=), so that runs draw single rewards"
            )
        if self.duplicates:
            yield f"{format_count(self.duplicates, 'duplicate row')}: used like any other"
        if self.out_of_order:
            yield f"{format_count(self.out_of_order, 'row')} out of time order: sorted"

    def notes(self) -> Iterator[str]:
        """Return what was done that is nothing odd, a sentence each."""
        if self.left_out:
            more = ", ..." if len(self.left_out) > 3 else ""
            yield f"{format_count(len(self.left_out), 'file')} skipped by name: {', '.join(self.left_out[:3])}{more}"
        yield from self.reading
        yield from self.encoded
        if self.added_up:
            yield f"{format_count(self.added_up, 'row')} merged with others of the same task and arm"

    def lines(self) -> Iterator[str]:
        """Return the account in words."""
        files = self.parts[0] if len(self.parts) == 1 else f"{len(self.parts):,} files"
        used = f"{self.rows_used:,} used" if self.rows_rejected else "all used"
        yield f"Read {format_count(self.rows_read, 'row')} of {files}: {used}, {format_count(self.n_tasks, 'task')}."
        for note in self.notes():
            yield f"  {note}"
        for oddity in self.oddities():
            yield f"  {oddity}"
            if oddity.endswith("rejected"):
                for reason, count in self.rejected:
                    yield f"    {count:,} x {reason}"
                for row in self.examples:
                    yield f"    {row}"
                if self.rows_rejected > len(self.examples):
                    yield f"    ... and {self.rows_rejected - len(self.examples):,} more"

    def to_json(self) -> dict[str, object]:
        """Return the account as plain data."""
        return {
            "parts": list(self.parts),
            "rows_read": self.rows_read,
            "rows_used": self.rows_used,
            "rejected": dict(self.rejected),
            "examples": [str(row) for row in self.examples],
            **{name: getattr(self, name) for name in COUNTS},
            "left_out": list(self.left_out),
            **({"reading": list(self.reading)} if self.reading else {}),
        }
