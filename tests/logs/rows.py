"""Rows of a log as tests draw them, as text and as a table; tasks as plain dictionaries."""

import csv
import io

import pyarrow as pa
from hypothesis import strategies as st

import banditune as bt
from tests.naive import logs as naive

names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5
) | st.sampled_from(["1", "2", "10", "-3", "<b>", 'a"b', "x,y", "two\nlines", "é", "🙂", " "])
rewards = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.6g}")).filter(lambda x: x == 0.0 or abs(x) > 1e-100)
tables = st.lists(st.tuples(names, names, rewards), min_size=1, max_size=30)
Rows = list[tuple[str, str, float]]
ROWS = [("t2", "b", 1.0), ("t1", "a", 0.0), ("t2", "a", 0.5), ("t1", "b", 2.0), ("t2", "b", 3.0)]


def as_dict(log: bt.Log) -> naive.Tasks:
    return {t.name: {a: r.tolist() for a, r in zip(t.arms, t.rewards, strict=True)} for t in log}


def csv_text(rows: Rows, **style: object) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, **style)  # type: ignore[arg-type]
    writer.writerow(["task", "arm", "reward"])
    writer.writerows([task, arm, repr(reward)] for task, arm, reward in rows)
    return text.getvalue()


def as_table(rows: Rows) -> pa.Table:
    tasks, arms, values = (list(column) for column in zip(*rows, strict=True))
    return pa.table({"task": tasks, "arm": arms, "reward": values})
