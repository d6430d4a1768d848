"""The section on a learned prior, and its pictures."""

import re
from pathlib import Path

import numpy as np

import banditune as bt
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.report.learned_prior import draw_correlation, draw_means, order_arms
from banditune.tuning.priors.fitted_prior import FittedArm
from tests.tuning.priors.test_joint import recurring


def test_arms_that_go_together_stand_side_by_side() -> None:
    groups = np.array([0, 1, 0, 1, 2, 0, 1, 2])
    correlation = np.where(groups[:, None] == groups, 0.9, 0.1)
    np.fill_diagonal(correlation, 1.0)
    ordered = groups[order_arms(correlation)]
    assert (np.diff(ordered) != 0).sum() == 2
    assert sorted(order_arms(correlation)) == list(range(8))
    assert order_arms(np.eye(2)) == [0, 1]


def test_pictures_hold_every_arm_and_nothing_that_a_name_brings() -> None:
    names = ["<script>alert(1)</script>", "b & c", "x" * 200]
    prior = GaussianPrior.of(names, [0.1, 0.2, 0.3], [[1.0, -0.5, 0.0], [-0.5, 1.0, 0.2], [0.0, 0.2, 1.0]], 0.1)
    arms = [FittedArm(name, 0.1 * k, 0.5, 0.2, 3) for k, name in enumerate(names)]
    for picture in (draw_means(arms), draw_correlation(prior)):
        assert "<script" not in picture
        assert "b &amp; c" in picture
        assert "x" * 200 not in picture.replace("<title>", "").split("</title>")[-1]
    assert len(re.findall("<rect", draw_correlation(prior))) == 9 + 24 + 1  # cells, the key, the ground
    assert "-.50" in draw_correlation(prior)


def test_page_tells_what_was_compared_and_draws_it(tmp_path: Path) -> None:
    found = bt.study(bt.GaussianUCB, recurring(20), horizon=12, prior=["common", "full"])
    found.report(tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "Priors over arms" in text
    assert "alpha alone" in text
    assert "Which arms rise and fall together" in text
    assert "arm 2 has the highest prior mean" in text


def test_page_without_recurring_arms_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    tasks = [bt.Task(rng.random((3, 12)), arms=[f"{k} {i}" for i in range(3)]) for k in range(12)]
    found = bt.study(bt.GaussianUCB, tasks, horizon=12)
    found.report(tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "exchangeable prior" in text
    assert "Which arms rise and fall together" not in text
