"""What a value of a log must be: expressions of the engine, and the reasons for which rows are rejected."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from banditune.errors import FileError
from banditune.logs.engine import literal
from banditune.tasks.arrays import LARGEST, SMALLEST

SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
WHOLE = (*SIGNED, *(f"U{kind}" for kind in SIGNED))
DATES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
NUMBERS = (*WHOLE, "FLOAT", "DOUBLE", "DECIMAL", '"NULL"')
NUMBER_PATTERN = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
COMMA_PATTERN = r"\s*[+-]?[\d.]*\d,\d[\d,.]*\s*"  # 0,5 and 1,000: a decimal comma, or one between thousands
NUMBER_LIKE = rf"{NUMBER_PATTERN}|(?i)\s*([+-]?(nan|inf|infinity)|true|false)\s*"
NOT_FINITE_PATTERN = r"(?i)\s*[+-]?(nan|inf|infinity)\s*"


@dataclass(frozen=True, slots=True)
class Rejection:
    """A condition under which a row is rejected, why, and the value that is to blame (expressions of the engine)."""

    condition: str
    reason: str
    value: str


@dataclass(frozen=True, slots=True)
class Value:
    """One value of each row: how it is computed, and when the row must be rejected for it.

    `numbers` are columns that both refer to, by name: long expressions, which the engine would take long to read again
    and again.
    """

    expression: str
    rejections: tuple[Rejection, ...]
    numbers: Mapping[str, str] = field(default_factory=dict)

    def reject_if(self, condition: str, reason: str, shown: str | None = None) -> "Value":
        """Return the value with one more reason to reject its row, and what to show for it: itself by default."""
        more = Rejection(condition, reason, f"CAST({self.expression} AS VARCHAR)" if shown is None else shown)
        return replace(self, rejections=(*self.rejections, more))


def name_value(column: str, what: str) -> Value:
    """Return the name of a task or an arm: any text that is there."""
    text = f"CAST({column} AS VARCHAR)"
    return Value(text, (Rejection(f"{text} IS NULL OR {text} = ''", f"there is no {what}", "NULL"),))


def configuration_value(columns: Mapping[str, str]) -> Value:
    """Return the values of several columns as one text, a JSON list; a number is the same however it is written."""
    texts = {name: f"trim(CAST({column} AS VARCHAR))" for name, column in columns.items()}
    rejections = [
        Rejection(f"coalesce({text}, '') = ''", f'there is no value of "{name}"', "NULL")
        for name, text in texts.items()
    ]
    written = []
    for text in texts.values():
        number = f"try_cast({text} AS DOUBLE)"
        whole = f"{number} = floor({number}) AND abs({number}) < 1e15"
        plain = f"CASE WHEN {whole} THEN CAST(CAST({number} AS BIGINT) AS VARCHAR) ELSE CAST({number} AS VARCHAR) END"
        is_number = f"regexp_full_match({text}, {literal(NUMBER_PATTERN)}) AND isfinite({number})"
        written.append(f"CASE WHEN {is_number} THEN {plain} ELSE {text} END")
    return Value(f"CAST(to_json([{', '.join(written)}]) AS VARCHAR)", tuple(rejections))


def category_value(column: str, name: str) -> Value:
    """Return the text of a category."""
    text = f"trim(CAST({column} AS VARCHAR))"
    return Value(text, (Rejection(f"coalesce({text}, '') = ''", f'there is no feature "{name}"', "NULL"),))


def time_value(column: str, kind: str) -> Value:
    """Return a time that sorts: of whole numbers and dates as they are, of anything else the text."""
    if kind in WHOLE:
        sortable = "HUGEINT" if "HUGE" in kind or kind == "UBIGINT" else "BIGINT"
    elif kind in DATES:
        sortable = "TIMESTAMP_NS" if kind == "TIMESTAMP_NS" else "TIMESTAMP"
    else:
        sortable = "VARCHAR"
    missing = f"{column} IS NULL" if sortable != "VARCHAR" else f"coalesce(trim(CAST({column} AS VARCHAR)), '') = ''"
    return Value(f"CAST({column} AS {sortable})", (Rejection(missing, "there is no time", "NULL"),))


def number_value(
    column: str, kind: str, what: str, where: str, limits: tuple[float, float] | None = None, *, whole: bool = False
) -> Value:
    """Return a number that a task can hold; from text it must be written as one, and must not be rounded to zero."""
    text = f"CAST({column} AS VARCHAR)"
    missing = f"{column} IS NULL" + (f" OR trim({text}) = ''" if kind == "VARCHAR" else "")
    numbers, comma = {}, ""
    if kind == "VARCHAR":
        number = f"number_{column}"
        comma = f"{number} IS NULL AND regexp_full_match({text}, {literal(COMMA_PATTERN)})"
        numbers[number] = (
            f"CASE WHEN regexp_full_match({text}, {literal(NUMBER_PATTERN)}) THEN try_cast({text} AS DOUBLE) "
            f"WHEN regexp_full_match({text}, {literal(NOT_FINITE_PATTERN)}) THEN 'nan'::DOUBLE "
            f"WHEN lower(trim({text})) = 'true' THEN 1.0 WHEN lower(trim({text})) = 'false' THEN 0.0 END"
        )
        vanished = f" OR ({number} = 0.0 AND regexp_matches({text}, '^[^eE]*[1-9]'))"
    elif kind == "BOOLEAN":
        number, vanished = f"CAST(CAST({column} AS INTEGER) AS DOUBLE)", ""
    elif kind.split("(")[0] in NUMBERS:
        number, vanished = f"CAST({column} AS DOUBLE)", ""
    else:
        raise FileError(f"{where}: the column of {what} must hold numbers, but it holds {kind.lower()} values")
    outside = f"abs({number}) > {LARGEST!r} OR ({number} <> 0.0 AND abs({number}) < {SMALLEST!r}){vanished}"
    rejections = [
        Rejection(missing, f"there is no {what}", "NULL"),
        *([Rejection(comma, f"the {what} has a comma (numbers are written as 0.5 or 1000)", text)] if comma else []),
        Rejection(f"{number} IS NULL", f"the {what} is not a number", text),
        Rejection(f"NOT isfinite({number})", f"the {what} is not finite", text),
        Rejection(outside, f"the {what} is too large or too small to compute with", text),
    ]
    if whole:
        rejections.append(Rejection(f"{number} <> floor({number})", f"the {what} is not a whole number", text))
    if limits is not None:
        low, high = limits
        beyond = f"{number} < {low!r}::DOUBLE OR {number} > {high!r}::DOUBLE"
        rejections.append(Rejection(beyond, f"the {what} is not from {low:g} to {high:g}", text))
    return Value(number, tuple(rejections), numbers)


def build_validation_query(relation: str, part: int, values: dict[str, Value], skipped: Rejection | None) -> str:
    """Write the query for all rows of a part: its number, row, values by name, and why it is rejected, if it is.

    Rows that are `skipped` are nothing else.
    """
    rejections = [] if skipped is None else [skipped]
    rejections += [rejection for value in values.values() for rejection in value.rejections]
    numbers = {name: number for value in values.values() for name, number in value.numbers.items()}
    computed = "".join(f", {number} AS {name}" for name, number in numbers.items())
    faults = "".join(f" WHEN {each.condition} THEN {k}" for k, each in enumerate(rejections, 1))
    reasons = "".join(f" WHEN {k} THEN {literal(each.reason)}" for k, each in enumerate(rejections, 1))
    blamed = "".join(f" WHEN {k} THEN {each.value}" for k, each in enumerate(rejections, 1))
    named = ", ".join(f"{value.expression} AS {name}" for name, value in values.items())
    known = f"SELECT *{computed} FROM ({relation})"
    judged = f"SELECT *, CASE WHEN problem IS NOT NULL THEN 0{faults} END AS fault FROM ({known})"
    return (
        f"SELECT {part} AS part, row, {named}, CASE fault WHEN 0 THEN problem{reasons} END AS reason, "
        f"CASE fault WHEN 0 THEN NULL{blamed} END AS blamed FROM ({judged})"
    )
