"""All rows of a log in one table of the engine, each valid or rejected for a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from banditune.errors import FileError, ParameterError
from banditune.logs.account import EXAMPLES, RejectedRow
from banditune.logs.columns import Columns, Form, Found, find_columns
from banditune.logs.computed_columns import Source, compose_name, compute_number
from banditune.logs.engine import Engine, first_line, literal
from banditune.logs.parts import IrregularError, Part
from banditune.logs.validation import (
    NUMBER_LIKE,
    Rejection,
    Value,
    build_validation_query,
    category_value,
    configuration_value,
    name_value,
    number_value,
    time_value,
)
from banditune.tasks.encoding import NUMBER, ONE_HOT, Axis, Encoding
from banditune.tasks.summary import MOST_PULLS

MOST_CATEGORIES = 200  # of a feature, each of them a feature then
Limits = tuple[float, float]
SKIPPED = "not asked for"  # the reason of rows that are no part of the log
EVERY = Value("'all events'", ())  # the task of a contextual log that names none


# What the text of a time may mean, the narrowest first; dates as nanoseconds, of which the engine's own hold none.
TIMES = [
    ("whole number", r"CASE WHEN regexp_full_match(moment, '\s*[+-]?\d+\s*') THEN try_cast(moment AS HUGEINT) END"),
    (
        "number",
        r"CASE WHEN regexp_full_match(moment, '\s*[+-]?\d{1,27}(\.\d{0,10})?\s*') "
        "THEN try_cast(moment AS DECIMAL(38, 10)) END",
    ),
    ("number", "CASE WHEN isfinite(try_cast(moment AS DOUBLE)) THEN try_cast(moment AS DOUBLE) END"),
    (
        "date",
        "CAST(epoch_us(try_cast(moment AS TIMESTAMPTZ)) AS HUGEINT) * 1000 "
        r"+ CAST(rpad(regexp_extract(moment, '\.\d{6}(\d{1,3})', 1), 3, '0') AS INTEGER)",
    ),
]


class Order(NamedTuple):
    """What rows are sorted by."""

    kind: str  # "number" or "date"
    expression: str


def ingest(
    engine: Engine,
    parts: Sequence[Part],
    columns: Columns,
    limits: Limits | None,
    encoding: Encoding | None,
    only: dict[str, str],
) -> tuple[list[Part], Form, Order | None, Encoding | None]:
    """Fill the table `rows` (part, row, task, arm, ..., reason, blamed) from all parts.

    Returns the parts as they were read, the form of the log, what gives the order of its rows, if anything does, and
    how its features were encoded, if any are categories; `encoding` is that of an earlier log, to be used again. Rows
    that have other values than `only` says get the reason SKIPPED.
    """
    found = [replace(find_columns(columns, part.columns, part.path), only=only) for part in parts]
    for part, column in ((part, column) for part in parts for column in only if column not in part.columns):
        raise FileError(f'{part.path} has no column "{column}", by which rows are to be taken')
    for part, each in zip(parts, found, strict=True):
        if each.form != found[0].form:
            raise FileError(f"{part.path} must hold {found[0].form} as {parts[0].path} does, but it holds {each.form}")
        if odd := set(each.features) ^ set(found[0].features):
            names = ", ".join(f'"{name}"' for name in sorted(odd)[:10])
            raise FileError(f"{part.path} must have the same features as {parts[0].path}; only one of them has {names}")
    if found[0].form in ("totals", "moments") and limits is not None:
        what = "totals of 0 and 1" if found[0].form == "totals" else "means and standard deviations"
        raise ParameterError(f"reward_range is for logs of rewards, but these are {what}")
    categories = _find_categories(engine, parts[0], found[0], encoding) if found[0].form == "contexts" else ()
    found = [replace(each, features=found[0].features, categories=categories) for each in found]
    read = [_insert(engine, number, *each, limits) for number, each in enumerate(zip(parts, found, strict=True))]
    has_times = columns.time is not None and found[0].form not in ("totals", "moments")
    times = _parse_times(engine) if has_times else None
    if found[0].form == "contexts":
        _reject_single_arms(engine)
    if found[0].form == "moments":
        _reject_repetitions(engine)
    encoding = _encode_features(engine, found[0], encoding) if categories else None
    return read, found[0].form, times, encoding


def skip_rows(engine: Engine) -> int:
    """Remove the rows that were not asked for, and return how many they are."""
    ((count,),) = engine.rows(f"DELETE FROM rows WHERE reason = {literal(SKIPPED)}", "Leaving out rows")
    return int(count)


def _other_rows(only: Mapping[str, str], there: Mapping[str, Source]) -> Rejection | None:
    """Return the condition that a value is another than the one that is asked for."""
    differ = [f"coalesce(trim(CAST({there[name].column} AS VARCHAR)), '') <> {literal(only[name])}" for name in only]
    return Rejection(" OR ".join(differ), SKIPPED, "NULL") if differ else None


def list_rejected_rows(engine: Engine, parts: Sequence[Part]) -> tuple[RejectedRow, ...]:
    """Return the first rows that were rejected, with their places."""
    query = f"SELECT part, row, reason, blamed FROM rows WHERE reason IS NOT NULL ORDER BY part, row LIMIT {EXAMPLES}"
    first = engine.rows(query)
    places = {k: parts[k].places([row for part, row, *_ in first if part == k]) for k in {part for part, *_ in first}}
    return tuple(
        RejectedRow(parts[part].path, parts[part].unit, places[part][row], reason, _clip(blamed))
        for part, row, reason, blamed in first
    )


def _clip(text: str | None) -> str | None:
    return text if text is None or len(text) <= 60 else f"{text[:60]}..."


def _insert(engine: Engine, number: int, part: Part, found: Found, limits: Limits | None) -> Part:
    """Add the rows of one part to the table; an irregular file is read again with care."""
    try:
        relation = part.relation(engine, found.used)
        kinds = engine.describe(relation)
        there = {name: Source(f"w{k}", kinds[f"w{k}"]) for k, name in enumerate(found.used)}
        values = _values(found, there, part.path, limits)
        if "moment" in values and number > 0:
            values["moment"] = _as_before(engine, values["moment"])
        query = build_validation_query(relation, number, values, _other_rows(found.only, there))
        into = "CREATE TABLE rows AS" if number == 0 else "INSERT INTO rows"
        engine.run(f"Reading {part.path}", f"{into} {query}")
    except (IrregularError, engine.Error) as error:
        if (slowly := part.with_care()) is not None:
            return _insert(engine, number, slowly, found, limits)
        raise FileError(f"{part.path} cannot be read: {first_line(error)}") from None
    return part


def _values(found: Found, there: Mapping[str, Source], where: str, limits: Limits | None) -> dict[str, Value]:
    """Return what is kept of each row, by the form of the log."""

    def number(wanted: str, what: str, within: Limits | None, *, whole: bool = False) -> Value:
        (column, held), kind = there[found.names[wanted]], found.computed.get(wanted, "")
        if kind == "cost":
            what, within = "cost", None if within is None else (-within[1], -within[0])
        value = number_value(column, held, what, where, within, whole=whole)
        pulls = values["pulls"].expression if "pulls" in values else None
        return compute_number(value, kind, what, pulls) if kind else value

    values = {
        wanted: name_value(there[found.names[wanted]].column, wanted) if wanted in found.names else EVERY
        for wanted in ("task", "arm")
    }
    for wanted, parts in found.composed.items():
        values[wanted] = compose_name(parts, there, where)
    if found.form == "configurations":
        values["arm"] = configuration_value({name: there[name].column for name in found.parameters})
    if found.form in ("totals", "moments"):
        values["pulls"] = number("pulls", "number of pulls", (1.0, float(MOST_PULLS)), whole=True)
    if found.form == "moments":
        values["mean"], spread = number("mean", "mean", None), number("sd", "standard deviation", None)
        values["sd"] = spread.reject_if(f"{spread.expression} < 0.0", "the standard deviation is below 0")
        return values
    if found.form == "totals":
        successes = number("successes", "number of successes", (0.0, float(MOST_PULLS)), whole=True)
        counts = successes.expression, values["pulls"].expression
        both = f"printf('%d of %d', {', '.join(f'try_cast({each} AS BIGINT)' for each in counts)})"
        values["successes"] = successes.reject_if(" > ".join(counts), "there are more successes than pulls", both)
        return values
    values["reward"] = number("reward", "reward", limits)
    if "time" in found.names:
        values["moment"] = time_value(*there[found.names["time"]])
    if "propensity" in found.names:
        propensity = number("propensity", "propensity", (0.0, 1.0))
        zero = f"{propensity.expression} = 0.0"
        values["propensity"] = propensity.reject_if(zero, "the propensity is 0, yet the arm was chosen", "'0'")
    if found.form == "contexts":
        numbers = [name for name in found.features if name not in found.categories]
        features = [number_value(*there[name], f'feature "{name}"', where) for name in numbers]
        if found.categories:
            texts = [category_value(there[name].column, name) for name in found.categories]
            of_texts = tuple(r for text in texts for r in text.rejections)
            values["categories"] = Value(f"[{', '.join(text.expression for text in texts)}]", of_texts)
        listed = ", ".join(feature.expression for feature in features)
        values["features"] = Value(
            f"CAST([{listed}] AS DOUBLE[])",
            tuple(r for feature in features for r in feature.rejections),
            {name: expression for feature in features for name, expression in feature.numbers.items()},
        )
    return values


def _find_categories(engine: Engine, part: Part, found: Found, encoding: Encoding | None) -> tuple[str, ...]:
    """Return which features are categories: as said, as in an earlier log, or text that begins without any number."""
    if encoding is not None:
        known = {axis.name: axis.kind for axis in encoding.axes}
        if set(known) != set(found.features):
            odd = ", ".join(f'"{name}"' for name in sorted(set(known) ^ set(found.features))[:10])
            raise FileError(f"{part.path} must have the features that the encoding is of; only one of them has {odd}")
        return tuple(name for name in found.features if known[name] == ONE_HOT)
    texts = part.find_texts(engine, found.features, NUMBER_LIKE)
    return tuple(name for name in found.features if name in found.categories or name in texts)


def _encode_features(engine: Engine, found: Found, encoding: Encoding | None) -> Encoding:
    """Replace categories by features of 0 and 1, one for each category, among the others in their order."""
    if encoding is None:
        encoding = Encoding(tuple(_learn_axis(engine, found, name) for name in found.features))
    numbers = [name for name in found.features if name not in found.categories]
    values: dict[str, list[str]] = {name: [f"features[{k}]"] for k, name in enumerate(numbers, 1)}
    for axis in encoding.axes:
        if axis.kind == ONE_HOT:
            text = f"categories[{found.categories.index(axis.name) + 1}]"
            values[axis.name] = [f"CAST({text} = {literal(each)} AS DOUBLE)" for each in axis.categories]
    listed = ", ".join(value for axis in encoding.axes for value in values[axis.name])
    engine.run(
        "Encoding features",
        f"CREATE TABLE encoded AS SELECT * EXCLUDE (features, categories), [{listed}] AS features FROM rows",
    )
    engine.run("Encoding features", "DROP TABLE rows; ALTER TABLE encoded RENAME TO rows")
    return encoding


def _learn_axis(engine: Engine, found: Found, name: str) -> Axis:
    if name not in found.categories:
        return Axis(name, NUMBER)
    text = f"categories[{found.categories.index(name) + 1}]"
    query = f"SELECT DISTINCT {text} AS text FROM rows WHERE reason IS NULL ORDER BY text LIMIT {MOST_CATEGORIES + 1}"
    categories = tuple(row[0] for row in engine.rows(query))
    if len(categories) > MOST_CATEGORIES:
        raise FileError(
            f'feature "{name}" must be numbers, or text with at most {MOST_CATEGORIES} different values; it has more'
        )
    return Axis(name, ONE_HOT, categories=categories)


def _as_before(engine: Engine, moment: Value) -> Value:
    """Return times of the same type as those of the parts before; where they cannot be, all become text."""
    if moment.expression.endswith(f" AS {engine.describe('rows')['moment']})"):
        return moment
    engine.run("Reading times", "ALTER TABLE rows ALTER COLUMN moment TYPE VARCHAR")
    return Value(f"CAST({moment.expression} AS VARCHAR)", moment.rejections)


def _parse_times(engine: Engine) -> Order:
    """Return what rows are sorted by: whole numbers, numbers or dates, as most are. Others are rejected."""
    kind = engine.describe("rows")["moment"]
    if kind != "VARCHAR":
        return Order("date" if kind.startswith("TIMESTAMP") else "number", "moment")
    counted = ", ".join(f"count({expression})" for _, expression in TIMES)
    n_rows, *counts = engine.row(f"SELECT count(*), {counted} FROM rows WHERE reason IS NULL")
    most = max(counts)
    kind, expression = TIMES[counts.index(most)]
    if most < n_rows:
        reason = f"the time is not a {kind} as others are" if most else "the time is neither a number nor a date"
        others = f"reason IS NULL AND ({expression}) IS NULL"
        engine.run("Reading times", f"UPDATE rows SET reason = '{reason}', blamed = moment WHERE {others}")
    return Order("date" if kind == "date" else "number", expression)


def _reject_single_arms(engine: Engine) -> None:
    """Reject the events of tasks in which only one arm was chosen: there is nothing to compare."""
    single = "SELECT task FROM rows WHERE reason IS NULL GROUP BY task HAVING count(DISTINCT arm) = 1"
    blame = "reason = 'the task has choices of this arm alone', blamed = arm"
    engine.run("Checking arms", f"UPDATE rows SET {blame} WHERE reason IS NULL AND task IN ({single})")


def _reject_repetitions(engine: Engine) -> None:
    """Reject rows of moments beyond the first of their task and arm: which of them holds is not known."""
    first = "row_number() OVER (PARTITION BY task, arm ORDER BY part, row)"
    again = f"SELECT part, row FROM (SELECT part, row, {first} AS n FROM rows WHERE reason IS NULL) WHERE n > 1"
    blame = "reason = 'the task has another row of this arm', blamed = arm"
    engine.run("Checking arms", f"UPDATE rows SET {blame} WHERE reason IS NULL AND (part, row) IN ({again})")
