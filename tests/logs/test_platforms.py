"""Exports of A/B platforms, by an example of each: what they say is what is read, and nothing is lost in silence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import banditune as bt
from banditune.logs.layouts import LAYOUTS
from tests.strategies import share

EXAMPLES = Path(__file__).parent / "examples"
PLATFORMS: dict[str, dict[str, Any]] = {"growthbook": {}, "statsig": {}, "optimizely": {"format": "optimizely"}}
every_platform = pytest.mark.parametrize("name", PLATFORMS)


def test_growthbook_is_read_as_moments_or_as_totals() -> None:
    path = EXAMPLES / "growthbook.csv"
    log = bt.read_log(path)
    assert list(log.names) == ["growthbook / Purchases", "growthbook / Revenue"]
    assert log.form == "moments"
    revenue = log[1]
    assert (revenue.arms, revenue.means.tolist()) == (("Control", "Treatment"), [5.2, 5.5446])
    assert revenue.summary.sds.tolist() == [3.1, 3.4]
    totals = bt.read_log(path, successes="totalValue", only={"metric": "Purchases"})
    assert (totals.form, totals[0].summary.successes.tolist()) == ("totals", [130, 150])
    assert "only metric = Purchases: 2 other rows left out" in list(totals.account.notes())
    own = bt.read_log(path, task="metric", mean="totalValue:total")
    assert own[1].means == pytest.approx([5.2, 5600 / 1010])


def test_statsig_is_read_as_moments_of_the_whole_population() -> None:
    log = bt.read_log(EXAMPLES / "statsig.csv")
    (task,) = log
    assert (task.name, task.arms) == ("checkout / purchase", ("Control", "Test"))
    np.testing.assert_allclose(task.summary.sds, [0.02 * 1000**0.5, 0.021 * 990**0.5], rtol=1e-15)
    assert "only metric_dimension = !statsig_topline: 1 other row left out" in list(log.account.notes())
    mobile = bt.read_log(EXAMPLES / "statsig.csv", only={"metric_dimension": "mobile"})
    assert mobile[0].summary.pulls.tolist() == [400]


def test_optimizely_is_read_as_totals_where_it_is_chosen() -> None:
    with pytest.raises(bt.FileError, match="has no columns"):
        bt.read_log(EXAMPLES / "optimizely.csv")
    (task,) = bt.read_log(EXAMPLES / "optimizely.csv", format="optimizely")
    assert (task.name, task.arms) == ("optimizely / Clicks", ("Original", "Variation #1"))
    assert task.summary.successes.tolist() == [120, 150]
    by_hand = {"task": ":file", "arm": "Variation Name", "pulls": "Visitors", "successes": "Conversions"}
    (same,) = bt.read_log(EXAMPLES / "optimizely.csv", **by_hand)
    assert same.summary.pulls.tolist() == task.summary.pulls.tolist()


@every_platform
def test_rows_of_breakdowns_are_not_mixed_with_others(name: str, tmp_path: Path) -> None:
    """A second row of a metric and a variation is rejected, or, of totals, said to be added up."""
    lines = (EXAMPLES / f"{name}.csv").read_text().splitlines()
    path = tmp_path / f"{name}.csv"
    path.write_text("\n".join([*lines, lines[1]]))
    account = bt.read_log(path, **PLATFORMS[name]).account
    assert account.rows_rejected + account.added_up == 1


@every_platform
@given(data=st.data())
@share(20)
def test_whatever_an_export_holds_all_rows_are_accounted_for(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray((EXAMPLES / f"{name}.csv").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        size = data.draw(st.sampled_from([0, 1, 3, 40]))
        odd = st.sampled_from([b"\n", b"nan", b"1e999", b"-1", b"\0", b'"', b",", b"\xff"])
        content[at : at + size] = data.draw(st.binary(max_size=6) | odd)
    path = tmp_path_factory.mktemp("export") / f"{name}.csv"
    path.write_bytes(content)
    try:
        log = bt.read_log(path, **PLATFORMS[name])
    except bt.InputError:
        return
    assert log.account.rows_read == log.account.rows_used + sum(count for _, count in log.account.rejected)
    "\n".join(log.account.lines()).encode()


def test_every_layout_of_summaries_has_an_example() -> None:
    summaries = {name for name, layout in LAYOUTS.items() if "pulls" in layout.usual}
    assert summaries == {*PLATFORMS}
