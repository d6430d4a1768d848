"""Baselines beside what was learned, in words: ratios and differences first, units where they are known."""

from dataclasses import replace

import numpy as np
import pytest

from banditune.evaluation.cross_validation import HeldOutLosses
from banditune.evaluation.intervals import Estimate
from banditune.report.gains import LEVELS, describe_difference, describe_ratio, list_gains
from banditune.report.page import write_page
from banditune.report.wording import Words
from banditune.tasks.units import Units
from tests.report.results import result, some_tasks

TOTALS = {"columns": {"task": "test", "arm": "headline", "pulls": "views", "successes": "clicks"}}


def compared(learned: list[float], **others: list[float]) -> HeldOutLosses:
    arrays = {name: np.array(losses) for name, losses in others.items()}
    fold = np.arange(len(learned)) % 5
    return HeldOutLosses(5, fold, np.zeros(5), np.array(learned), {}, "alpha", others=arrays)


def test_a_baseline_is_told_by_its_ratio_and_its_difference() -> None:
    learned = [1.0, 2.0, 3.0] * 10
    held_out = compared(
        learned,
        double=[2.5 * loss for loss in learned],
        little=[loss + 0.2 for loss in learned],
        better=[loss - 0.5 for loss in learned],
        same=[loss + (-1.0) ** k for k, loss in enumerate(learned)],
    )
    first, double, little, better, same = list_gains(held_out.rows, Words("regret"), 100)
    assert (first.remark, first.difference, first.level) == ("", "", "2")
    assert double.remark == "2.5 times as high"
    assert double.difference.startswith("+3 (+2.")
    assert little.remark == "10% more"
    assert better.remark == "better than learned (25% less)"
    assert same.remark == "no clear difference"
    assert {gain.rate for gain in (first, double)} == {""}


def test_no_difference_has_no_sign_of_less() -> None:
    assert describe_difference(Estimate(0.0, 0.0, 0.0), Words("reward")) == "+0 (+0 to +0)"


def test_a_share_is_told_in_percent_and_never_as_one_times() -> None:
    ratios = np.geomspace(0.3, 5.0, 101)
    for ratio in ratios.tolist():
        assert not describe_ratio(ratio).startswith(("1 times", "1.0 times", "0%"))


def test_long_runs_are_also_told_by_the_thousand() -> None:
    held_out = compared([14.0] * 12, usual=[28.0 + k % 2 for k in range(12)])
    words = Words("regret", units=Units.infer(TOTALS))
    assert words.measure == "mean regret in clicks"
    assert [gain.rate for gain in list_gains(held_out.rows, words, 14_000)] == ["1", "2.036"]


def test_rewards_have_no_ratio_and_less_is_negative() -> None:
    held_out = compared([-10.0 - k % 2 for k in range(20)], usual=[-8.0 - k % 3 / 9.0 for k in range(20)])
    gain = list_gains(held_out.rows, Words("reward"), 100)[1]
    assert gain.remark == "worse"
    assert gain.difference.startswith("-2.")


def test_page_says_units_levels_and_horizons() -> None:
    text = write_page(replace(result(some_tasks(12)), units=Units("<b>clicks</b>", "views")).findings())
    assert "mean regret in &lt;b&gt;clicks&lt;/b&gt;" in text
    assert "40 views" in text
    assert LEVELS in text
    assert "<b>clicks" not in text


@pytest.mark.parametrize("loss", ["regret", "reward"])
def test_only_regret_has_a_level_that_is_too_high(loss: str) -> None:
    assert (LEVELS in write_page(result(some_tasks(12), loss=loss).findings())) == (loss == "regret")
