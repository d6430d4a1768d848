"""A Gaussian prior and theta chosen by cross-fitting."""

from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.tuning.priors.fitted_prior import ALONE
from tests.tuning.priors.test_joint import recurring

ASKED = {"horizon": 12, "theta": (0.0, 3.0)}


def test_prior_of_recurring_arms_is_worth_much_and_is_named_in_the_result() -> None:
    tuned = bt.tune(bt.GaussianUCB, recurring(40), prior="auto", **ASKED)
    by_name = {each.name: each for each in tuned.priors.candidates}
    assert list(by_name) == [ALONE, "independent", "common", "full", "exchangeable"]
    assert by_name[tuned.priors.chosen].held_out == min(each.held_out for each in by_name.values())
    assert by_name[tuned.priors.chosen].held_out < 0.5 * by_name[ALONE].held_out
    assert tuned.loss <= by_name[ALONE].loss
    assert tuned.loss == tuned.curve(tuned.theta)
    best = max(tuned.priors.arms, key=lambda each: each.mean)
    assert (best.arm, best.n_tasks) == ("arm 2", 40)
    assert best.mean == pytest.approx(0.7, abs=0.05)
    policy = tuned.policy(arms=["arm 3", "new", "arm 2"])
    assert policy.select() == "arm 2"


def test_alpha_alone_is_what_ucb_learns() -> None:
    tasks = recurring(20)
    tuned = bt.tune(bt.GaussianUCB, tasks, prior="independent", schedule="log", **ASKED)
    alone = next(each for each in tuned.priors.candidates if each.name == ALONE)
    spread = max(task.spread for task in tasks)
    ucb = bt.tune(bt.UCB, tasks, horizon=12)
    assert spread <= 1.0
    assert alone.loss == pytest.approx(ucb.loss)
    assert tuned.priors.alpha == pytest.approx(ucb.alpha, rel=1e-6)


def test_no_prior_is_taken_where_none_helps() -> None:
    rng = np.random.default_rng(0)
    tasks = []
    for k in range(30):  # the arms change places in every task, and differ much: to be pulled once each
        means = rng.permutation([0.0, 0.0, 0.0, 1.0])
        tasks.append(bt.Task(np.repeat(means[:, None], 12, axis=1), arms=[f"{k} {i}" for i in range(4)]))
    tuned = bt.tune(bt.GaussianUCB, tasks, **ASKED)
    assert [each.name for each in tuned.priors.candidates] == [ALONE, "exchangeable"]
    alone = next(each for each in tuned.priors.candidates if each.name == ALONE)
    assert tuned.loss <= alone.loss
    if tuned.priors.chosen == ALONE:
        assert tuned.prior.is_flat
        assert "no prior helps" in str(tuned.priors)


def test_each_task_is_swept_with_a_prior_fitted_without_it() -> None:
    tasks = recurring(10)
    tuned = bt.tune(bt.GaussianUCB, tasks, prior="common", schedule="log", **ASKED)
    curves = [bt.loss_curve(bt.GaussianUCB, task, prior=tuned.prior, **ASKED) for task in tasks]
    assert tuned.prior.structure == "common"
    assert tuned.curve != bt.mean_curve(curves)  # the prior to be used was fitted to all of them


def test_saved_result_is_the_same(tmp_path: Path) -> None:
    tuned = bt.tune(bt.GaussianUCB, recurring(10), prior=["common", "full"], **ASKED)
    tuned.save(tmp_path / "tuned.json")
    again = bt.load(tmp_path / "tuned.json")
    assert again == tuned
    assert again.priors == tuned.priors
    assert isinstance(again.prior, GaussianPrior)
    assert again.policy(arms=["arm 1", "arm 2"]).to_json() == tuned.policy(arms=["arm 1", "arm 2"]).to_json()


def test_one_task_has_nothing_to_be_held_against(tmp_path: Path) -> None:
    tuned = bt.tune(bt.GaussianUCB, recurring(1), **ASKED)
    assert tuned.priors.chosen == ALONE
    tuned.save(tmp_path / "tuned.json")
    assert bt.load(tmp_path / "tuned.json") == tuned


def test_sampling_policy_is_tuned_over_draws_of_its_choices() -> None:
    once, often = (bt.tune(bt.GaussianTS, recurring(12), prior="common", draws=draws, **ASKED) for draws in (1, 6))
    assert (once.draws, often.draws) == (1, 6)
    assert once.curve != often.curve
    assert bt.tune(bt.GaussianTS, recurring(12), prior="common", draws=6, **ASKED).curve == often.curve


def test_study_compares_with_alpha_alone() -> None:
    found = bt.study(bt.GaussianUCB, recurring(20), horizon=12)
    assert [row.name for row in found.held_out.rows][:2] == ["learned", ALONE]
    assert found.held_out.rows[1].extra.mean > 0.0
    assert found.verdict.against in (ALONE, "equal split")


def test_structure_that_does_not_exist_is_rejected() -> None:
    with pytest.raises(bt.ParameterError, match="prior must be"):
        bt.tune(bt.GaussianUCB, recurring(3), prior="best", **ASKED)


def test_comparison_runs_each_task_with_what_is_expected_of_its_arms() -> None:
    compared = bt.compare(
        recurring(12), [bt.UCB, (bt.GaussianUCB, {"prior": "common"})], horizon=12, baselines=[], folds=3
    )
    assert [row["name"] for row in compared.table] == ["GaussianUCB, theta and priors learned", "UCB, alpha learned"]


def test_runs_that_were_killed_are_resumed_with_the_same_result(tmp_path: Path) -> None:
    tasks = recurring(8)
    fitted = bt.tune(bt.GaussianUCB, tasks, prior="common", **ASKED)
    for name, prior in (("word", "common"), ("prior", fitted.prior)):
        first, again = (bt.tune(bt.GaussianUCB, tasks, prior=prior, resume=tmp_path / name, **ASKED) for _ in range(2))
        assert first == again
