"""The page of a stopping rule: whole, escaped, and its headline is the verdict's."""

from dataclasses import replace

import pytest

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.report.stop_page import write_stopping_page
from banditune.stopping.result import Stopping
from banditune.tasks.units import Units
from tests.report.test_page import HOSTILE, Elements


@pytest.fixture(scope="module")
def found() -> Stopping:
    tests = [bt.Task.from_counts([400, 400], [40, 30 + 2 * k]) for k in range(12)]
    learned = bt.stopping.learn_threshold(tests, horizon=400, rollout=4000, draws=1)
    return replace(learned, units=Units(HOSTILE[1], HOSTILE[2]))


def test_page_is_whole_and_hostile_names_stay_text(found: Stopping) -> None:
    text = write_stopping_page(found, [(text, text) for text in HOSTILE], 1.0)
    elements = Elements(text)
    assert elements.open_tags == []
    assert "script" not in elements.tags
    assert "img" not in elements.tags
    assert elements.tags.count("svg") == 2  # for wide and for narrow screens


def test_headline_is_the_rule_only_where_it_is_to_be_used(found: Stopping) -> None:
    text = write_stopping_page(found, [], 1.0)
    assert found.verdict.choice != "learned"
    assert f"<h1>{found.verdict.headline}" in text
    assert found.held_out is not None
    better = {name: losses + 100.0 for name, losses in found.held_out.others.items()}
    used = replace(found, held_out=replace(found.held_out, others=better))
    assert used.verdict.choice == "learned"
    assert "<h1>Stop when the leader is expected" in write_stopping_page(used, [], 1.0)


def test_recommended_threshold_beyond_one_standard_error_is_explained(found: Stopping) -> None:
    why = "so is the recommended one, as the minimum is a narrow dip that is largely noise"
    inside, outside = Interval(0.0, found.threshold + 1.0), Interval(found.threshold + 1.0, found.threshold + 2.0)
    assert why not in write_stopping_page(replace(found, within_one_se=inside), [], 1.0)
    assert why in write_stopping_page(replace(found, within_one_se=outside), [], 1.0)


def test_one_test_alone_has_no_other_rules_beside_it() -> None:
    alone = bt.stopping.learn_threshold([bt.Task([[1.0, 0.0], [0.0, 0.0]])], rollout=10)
    text = write_stopping_page(alone, [], 1.0)
    assert "Comparison with other rules" not in text
    assert "no verdict" in text
