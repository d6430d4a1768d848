"""What the command says on stderr while it works: how long it will take, and where an ended run goes on."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import banditune as bt
from banditune.cli.output import RemainingTime, share_bar, stage_bar
from banditune.cli.signals import Terminated, tell_resumption
from banditune.cli.tune_output import _fit_held_out_table, print_study
from banditune.curves.step_function import Interval
from banditune.report.wording import Words
from banditune.tasks.units import Units


def test_long_work_is_announced_once_from_its_first_seconds() -> None:
    estimate = RemainingTime("Sweeping", 2)
    assert estimate.update(4, 1000, now=60.0) == []  # after a minute of compiling, which is not counted
    assert estimate.update(8, 1000, now=61.0) == []
    assert estimate.update(14, 1000, now=62.0) == ["Sweeping: about 3 minutes on 2 cores."]
    assert estimate.update(20, 1000, now=63.0) == []


def test_short_work_is_not_announced() -> None:
    estimate = RemainingTime("Sweeping", 1)
    estimate.update(1, 100, now=0.0)
    assert estimate.update(31, 100, now=3.0) == []
    assert estimate.update(32, 100, now=9.0) == []


def test_a_run_that_is_ended_says_where_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in (KeyboardInterrupt(), Terminated(15)):
        with pytest.raises(type(ending)), tell_resumption(tmp_path):
            raise ending
        assert f"run the same command with --resume {tmp_path} to continue" in capsys.readouterr().err
    for folder, ending in (
        (tmp_path, ValueError()),
        (None, KeyboardInterrupt()),
        (tmp_path / "x", KeyboardInterrupt()),
    ):
        with pytest.raises(type(ending)), tell_resumption(folder):
            raise ending
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("columns", [60, 70, 80, 120])
def test_the_comparison_fits_the_terminal(columns: int) -> None:
    study = bt.study(bt.UCB, bt.datasets.headlines()[:12], horizon=60, draws=1, current={"alpha": 0.5})
    assert study.held_out is not None
    written = io.StringIO()
    console = Console(file=written, width=columns, highlight=False)
    words = Words("regret", replayed=False, units=Units("clicks", "impressions"))
    console.print(_fit_held_out_table(study.held_out, words, 2_000, console))
    shown = written.getvalue()
    assert "…" not in shown
    names = [line.strip().split("  ")[0] for line in shown.splitlines()[-5:]]
    assert names == ["learned", "alpha = 1", "alpha = 2", "equal split", "alpha = 0.5 (current)"]
    assert ("per run" in shown, "per 1,000 impressions" in shown, "+" in shown) == (
        True,
        columns > 80,
        columns > 60,
    )


def test_recommended_value_beyond_one_standard_error_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [bt.Task.from_counts([20, 20], [k, 10]) for k in range(12)]
    found = bt.study(bt.UCB, tasks, horizon=30, draws=1)
    why = "so is the recommended one, as the minimum is a narrow dip that is largely noise"
    assert found.tuned.smoothed is not None
    for within, is_explained in (
        (Interval(0.0, 2.0 * found.tuned.smoothed), False),
        (Interval(2.0 * found.tuned.smoothed, 3.0 * found.tuned.smoothed), True),
    ):
        print_study(replace(found, tuned=replace(found.tuned, within_one_se=within)))
        assert (why in " ".join(capsys.readouterr().out.split())) == is_explained


def test_batch_beyond_the_horizon_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [bt.Task.from_counts([20, 20], [k, 10]) for k in range(12)]
    for batch, is_explained in ((5000, True), (30, True), (5, False)):
        found = bt.study(bt.UCB, tasks, horizon=30, draws=1, updates=bt.Batches(batch))
        print_study(found)
        why = f"No reward becomes known within a run of 30 rounds (rewards known in batches of {batch:,} rounds)"
        assert (why in " ".join(capsys.readouterr().out.split())) == is_explained
        assert (f"no {why[3:]}" in found.verdict.text) == is_explained
    blind = bt.study(bt.UCB, tasks, horizon=30, draws=1, updates=bt.Delay(30))
    blind.report(tmp_path)
    assert "No reward becomes known within a run of 30 rounds (rewards known 30 rounds late)" in (
        tmp_path / "report.html"
    ).read_text(encoding="utf-8")


def test_bars_leave_nothing_where_no_terminal_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    with share_bar("Reading") as share, stage_bar("Loading", 2) as progress:
        share("Reading", 0.5)
        progress("Sweeping", 1, 2)
    assert capsys.readouterr().err == ""
