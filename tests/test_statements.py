"""What the paper says in between, and the table of docs/theory/maths.md that has a row for each of its statements."""

import math
import re
from itertools import pairwise, product

import numpy as np
import pytest

import banditune as bt
from banditune.experiments.catalogue import EXPERIMENTS
from tests.test_errata import ERRATA


def test_the_expected_reward_of_bernoulli_arms_is_a_step_function_as_section_2_says():
    horizon, rates, high = 4, (0.3, 0.7), 4.0
    coins = list(product((0.0, 1.0), repeat=horizon))
    curves, shares = [], []
    for rewards in product(coins, coins):
        task = bt.Task(rewards, means=rates)
        curves.append(bt.loss_curve(bt.UCB, task, horizon=horizon, alpha=(0.0, high), loss="reward"))
        shares.append(math.prod(p if r else 1 - p for row, p in zip(rewards, rates, strict=True) for r in row))
    assert math.fsum(shares) == pytest.approx(1.0)
    edges = sorted({edge for curve in curves for edge in curve.edges.tolist()})
    middles = [(left + right) / 2 for left, right in pairwise(edges)]
    expected = [math.fsum(p * curve(x) for p, curve in zip(shares, curves, strict=True)) for x in middles]
    jumps = [
        edge for edge, (left, right) in zip(edges[1:], pairwise(expected), strict=False) if abs(left - right) > 1e-9
    ]
    assert 0 < len(jumps) < len(edges) < 20  # finitely many pieces, and jumps between: no Lipschitz constant


def test_the_example_of_the_introduction_needs_no_exploration():
    rng = np.random.default_rng(0)
    for _ in range(20):  # two uniform arms of width 1 that do not overlap, in either order
        rewards = rng.random((2, 50)) + rng.permutation([0.0, 1.0 + rng.random()])[:, None]
        means = [row.mean() for row in rewards]
        curve = bt.loss_curve(bt.UCB, bt.Task(rewards, means=means), horizon=50, alpha=(0.0, 4.0))
        assert curve.argmin().low == 0.0
        assert curve(0.0) == pytest.approx(max(means) - min(means))  # the worse arm is pulled once
        assert curve(4.0) > curve(0.0)


NUMBERED = [
    *(f"Theorem {number}" for number in ("4.1", "6.1", "6.2", "7.1", "7.2", "7.3", "7.4", "8.1", "A.1", "A.2", "B.1")),
    *(
        f"{kind} {number}"
        for kind, last in (("Definition", 3), ("Algorithm", 5), ("Figure", 6))
        for number in range(1, last + 1)
    ),
    "Remark 1",
    "Example 1",
    "Table 1",
]


def table_of_statements() -> str:
    text = (ERRATA.parent / "maths.md").read_text(encoding="utf-8")
    return text[text.index("## Every statement") : text.index("## A run")]


def test_public_names_and_experiments_of_the_table_exist():
    table = table_of_statements()
    for name in re.findall(r"\bbt\.(\w+)", table):
        assert hasattr(bt, name), name
    assert {*re.findall(r"banditune reproduce ([\w-]+)", table)} == {*EXPERIMENTS}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_section_with_its_marks(name):
    page = (ERRATA.parent / "reproduction.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"^## {name}(?:: .*)?\n", page, flags=re.M)) == 1
    assert len(re.findall(rf"^<!-- {name} -->\n.*?^<!-- end of {name} -->$", page, flags=re.M | re.S)) == 1


@pytest.mark.parametrize("statement", NUMBERED)
def test_every_numbered_statement_of_the_paper_has_a_row(statement):
    rows = [line.split("|") for line in table_of_statements().splitlines() if line.startswith("| ")]
    mine = [row for row in rows if re.search(rf"{re.escape(statement)}\b", row[1])]
    assert mine
    for row in mine:
        assert row[2].strip()  # where it is computed
        assert "tests/" in row[3] or "the same" in row[3]
