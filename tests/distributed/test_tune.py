"""Partitions on a real cluster: the bits of the whole log on one machine."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import banditune as bt
from banditune.distributed.cross_validation import TaskOrder
from banditune.distributed.partition_sums import FirstSums, Known, Sample, SecondSums
from banditune.distributed.retries import Attempts
from banditune.distributed.sweep import Sweep
from banditune.distributed.tune import find_best, make_result, tune_partitions
from banditune.logs.columns import Columns
from banditune.logs.reading import How
from banditune.tuning.results.details import Source
from banditune.tuning.results.study_result import Study
from banditune.tuning.search import Search
from tests.distributed.logs import divided, jobs_of, joined, rows_of, write, write_parts

ASKED = {"horizon": 25, "alpha": (0.0, 2.0), "draws": 1}


def same(one: bt.Tuned, other: bt.Tuned) -> bool:
    """Alike in every bit, but for the names of the files, and what a study recommends, which `bt.tune` does not."""
    known = [each.summary() | {"log": None, "recommended": None} for each in (one, other)]
    return one.curve == other.curve and known[0] == known[1]


def tuned_on(client: Any, *sources: Path, **options: Any) -> Study:
    return tune_partitions(client, bt.UCB, [str(source) for source in sources], **options)


def test_executor_of_a_cluster_gives_the_same_bits(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bt.UCB, "chunk", 300)
    rng = np.random.default_rng(1)
    tasks = [bt.Task(rng.random((int(rng.integers(2, 5)), 25)), name=f"t{k}", means=None) for k in range(40)]
    tasks += [bt.Task([[1.0], [0.5, 0.25]], arms=["a", "b"], means=[0.9, 0.4], points=[[0.0], [1.0]])]
    contextual = [bt.ContextualTask(rng.random((30, 3, 2)), rng.random((30, 3))) for _ in range(3)]
    with client.get_executor() as executor:
        there = bt.tune(bt.UCB, iter(tasks), executor=executor, **ASKED)
        assert same(there, bt.tune(bt.UCB, tasks, **ASKED))
        there = bt.tune(bt.LinUCB, contextual, horizon=20, alpha=(0.0, 1.0), executor=executor)
        assert same(there, bt.tune(bt.LinUCB, contextual, horizon=20, alpha=(0.0, 1.0)))
        with pytest.raises(bt.TaskError, match=r"tasks\[41\] must be a bt.Task, got 3"):
            bt.tune(bt.UCB, [*tasks, 3], executor=executor, **ASKED)
        large = bt.ContextualTask(rng.random((30_000, 10, 6)), rng.random((30_000, 10)))  # Dask warns of such
        bt.tune(bt.LinUCB, [large], horizon=3, alpha=(0.0, 1.0), executor=executor)


def test_partitions_give_the_bits_of_the_whole_log(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path)
    there = tuned_on(client, tmp_path, **ASKED).tuned
    log = bt.read_log(tmp_path)
    here = bt.tune(bt.UCB, log, **ASKED)
    assert same(there, here)
    assert there.n_tasks == 60
    assert there.origin == here.origin
    assert there.merged is None
    assert there.left_out == ()


def same_held_out(one: Study, other: Study) -> bool:
    """Alike in every bit: the folds, what was learned without each, and every loss of every task."""
    here, there = one.held_out, other.held_out
    assert here is not None
    assert there is not None
    arrays = [[each.fold, each.values, *each.losses.values()] for each in (here, there)]
    return list(here.losses) == list(there.losses) and all(map(np.array_equal, *arrays))


@pytest.mark.parametrize(
    ("named_by", "current"),  # names are in the order of text, or of numbers
    [("task {}", None), ("{}", {"alpha": 0.3}), ("{}", {"schedule": "constant"})],
)
def test_held_out_losses_are_those_of_the_whole_log(
    client: Any, tmp_path: Path, named_by: str, current: dict[str, object] | None
) -> None:
    for k, rows in enumerate(divided(rows_of(70, seed=2, levels=5), 3)):  # whose tasks take turns
        rows["task"] = [named_by.format(str(name).split()[1]) for name in rows["task"]]
        write(tmp_path / f"{k}.parquet", rows)
    asked: dict[str, Any] = {"horizon": 25, "alpha": (0.0, 1.5), "draws": 1, "current": current}  # 2, usual, is outside
    there, here = tuned_on(client, tmp_path, **asked), bt.study(bt.UCB, bt.read_log(tmp_path), **asked)
    assert same(there.tuned, here.tuned)
    assert there.tuned.recommended == here.tuned.recommended
    assert same_held_out(there, here)
    assert there.usual_losses == here.usual_losses
    there.save(tmp_path / "there")
    here.save(tmp_path / "here")
    pages = [(tmp_path / where / "report.html").read_text() for where in ("there", "here")]
    shown = [re.sub(rf"{found.seconds:.1f} s\b", "", page) for page, found in zip(pages, (there, here), strict=True)]
    tables_apart = [re.sub(r"<section>\s*<h2>Horizon</h2>.*?</section>", "", page, flags=re.S) for page in shown]
    assert "<h2>Horizon</h2>" not in shown[0]  # the tasks are not here to be run for other lengths
    assert "".join(tables_apart[0].split()) == "".join(tables_apart[1].split())


def test_of_many_tasks_a_sample_is_shown_and_all_are_measured(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 3)
    sweep = Sweep(Attempts(client, skip=False, keep_going=False), 1_000)
    jobs = jobs_of(tmp_path)
    sums = sweep.run(jobs)
    whole = bt.study(bt.UCB, bt.read_log(tmp_path), horizon=10, alpha=(0.0, 2.0), draws=1)
    names = [task.name for task in whole.tasks]
    order = TaskOrder.of(sweep)
    assert order.names.to_pylist() == names
    sample, places = order.arrange_sample(sums.sample.take(np.arange(9)))
    assert [task.name for task in sample.tasks] == [names[place] for place in places]
    assert (np.diff(places) > 0).all()
    assert (sample.curves.at(0.3) == whole.curves.at(0.3)[places]).all()
    shown = replace(whole, tasks=sample.tasks, curves=sample.curves, usual={})
    assert shown.usual_losses == whole.usual_losses
    shown.save(tmp_path / "out")
    assert "are of 9 tasks drawn at random" in (tmp_path / "out" / "report.html").read_text()


def test_single_task_leaves_none_to_hold_out(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 1, 1)
    there, here = tuned_on(client, tmp_path, **ASKED), bt.study(bt.UCB, bt.read_log(tmp_path), **ASKED)
    assert there.held_out is here.held_out is None
    assert there.usual_losses == here.usual_losses


@pytest.mark.parametrize("folds", [1, 3])
def test_folds_are_as_many_as_are_asked_for(client: Any, tmp_path: Path, folds: int) -> None:
    write_parts(tmp_path, 2)
    there = tuned_on(client, tmp_path, folds=folds, **ASKED)
    here = bt.study(bt.UCB, bt.read_log(tmp_path), folds=folds, **ASKED)
    assert same(there.tuned, here.tuned)
    assert there.tuned.recommended == here.tuned.recommended
    if folds == 1:
        assert there.held_out is here.held_out is None
    else:
        assert same_held_out(there, here)


def test_horizon_and_range_are_chosen_as_for_the_whole_log(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 3, levels=3)
    there = tuned_on(client, tmp_path)
    log = bt.read_log(tmp_path)
    horizon = int(np.median(log.rounds))
    here = bt.tune(bt.UCB, log, horizon=horizon, alpha=bt.UCB.default_range("alpha", log), draws=1)
    assert there.chose_range
    assert same(there.tuned, here)


def test_times_totals_text_files_and_rejected_rows(client: Any, tmp_path: Path) -> None:
    for k, path in enumerate(write_parts(tmp_path, 3)):
        table = pa.parquet.read_table(path).to_pylist()
        table.append({"task": f"task {12 * k}", "arm": "2", "reward": None, "when": 1})
        pa.csv.write_csv(pa.Table.from_pylist(table), path.with_suffix(".csv"))
        path.unlink()
    (tmp_path / "part3.csv").write_text("task,arm,reward,when\ntask 99,a,much,1\n")  # nothing can be used
    how = How.parse(Columns(time="when"), None)
    there = tuned_on(client, tmp_path, how=how, **ASKED)
    log = bt.read_log(tmp_path, time="when")
    assert same(there.tuned, bt.tune(bt.UCB, log, **ASKED))
    assert there.account == log.account
    assert log.account.rows_rejected == 4

    totals = tmp_path / "totals"
    totals.mkdir()
    for k in range(3):
        rows = {"task": [f"{k}", f"{k}"], "arm": ["x", "y"], "pulls": [20, 30 + k], "successes": [3, k]}
        write(totals / f"{k}.parquet", rows)
    there = tuned_on(client, totals, **ASKED)
    assert same(there.tuned, bt.tune(bt.UCB, bt.read_log(totals), **ASKED))


def test_arms_with_numbers_in_some_partitions_only(client: Any, tmp_path: Path) -> None:
    first, second, third = (rows_of(10, seed=k, first=10 * k) for k in range(3))
    for rows in (first, second):
        rows["arm"] = ["10" if arm == "2" else arm for arm in rows["arm"]]  # as text before "9"
    third["arm"] = [f"arm {arm}" for arm in third["arm"]]
    for k, rows in enumerate((first, second, third)):
        write(tmp_path / f"{k}.parquet", rows)
    log = bt.read_log(tmp_path)
    assert same(tuned_on(client, tmp_path, **ASKED).tuned, bt.tune(bt.UCB, log, **ASKED))
    only_numbers = bt.read_log([tmp_path / "0.parquet", tmp_path / "1.parquet"])
    assert log[0].arms != only_numbers[0].arms  # what is tested makes a difference


def test_task_in_two_partitions_is_named(client: Any, tmp_path: Path) -> None:
    rows = rows_of(10)
    write(tmp_path / "a.parquet", rows)
    write(tmp_path / "b.parquet", rows_of(10, first=9))
    with pytest.raises(bt.FileError, match=r"those of task 'task 9' are in .*a\.parquet and in .*b\.parquet"):
        tuned_on(client, tmp_path, **ASKED)


def test_times_that_mean_something_else_are_rejected(client: Any, tmp_path: Path) -> None:
    first, second = rows_of(5), rows_of(5, first=5)
    second["when"] = ["2024-01-01" for _ in second["when"]]
    write(tmp_path / "a.parquet", first)
    write(tmp_path / "b.parquet", second)
    with pytest.raises(bt.FileError, match="must have times of the same kind"):
        tuned_on(client, tmp_path, how=How.parse(Columns(time="when"), None), **ASKED)


def test_files_left_out_by_their_names_are_told(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 2)
    (tmp_path / "notes.md").write_text("of the log")
    account = tuned_on(client, tmp_path, **ASKED).account
    assert account is not None
    assert account.left_out == bt.read_log(tmp_path).account.left_out == (str(tmp_path / "notes.md"),)


def test_addresses_in_a_store_are_read(client: Any, tmp_path: Path) -> None:
    write_parts(tmp_path, 2)
    there = tune_partitions(client, bt.UCB, [f"file://{tmp_path}/part*.parquet"], **ASKED).tuned
    assert same(there, bt.tune(bt.UCB, bt.read_log(tmp_path), **ASKED))
    with pytest.raises(bt.FileError, match=r"there is no file file://.*none"):
        tune_partitions(client, bt.UCB, [f"file://{tmp_path}/none*.parquet"], **ASKED)
    with pytest.raises(bt.FileError, match=r"cannot read nosuchstore://a.parquet: ValueError"):
        tune_partitions(client, bt.UCB, ["nosuchstore://a.parquet"], **ASKED)


def test_merged_breakpoints_are_the_same_however_tasks_are_divided(client: Any, tmp_path: Path) -> None:
    whole = joined([rows_of(150, seed=4, levels=1001), rows_of(150, seed=5, first=150, levels=1001)])
    found = []
    for n_parts in (1, 3, 4):
        folder = tmp_path / str(n_parts)
        folder.mkdir()
        for k, rows in enumerate(divided(whole, n_parts)):
            write(folder / f"{k}.parquet", rows)
        found.append(tuned_on(client, folder, breakpoints=1_000, **ASKED))
    exact = bt.tune(bt.UCB, bt.read_log(tmp_path / "3"), **ASKED)
    assert exact.curve.n_pieces > 1_000
    for each in found:
        assert same(each.tuned, found[0].tuned)
        assert [task.name for task in each.tasks] == [task.name for task in found[0].tasks]
        assert same_held_out(each, found[0])
    tuned = found[0].tuned
    assert tuned.merged is not None
    assert 0 < tuned.merged.breakpoints <= 1_000
    points = np.union1d(exact.curve.edges, tuned.curve.edges)
    assert np.abs(exact.curve(points) - tuned.curve(points)).max() <= tuned.merged.error
    assert tuned.loss == exact.curve(tuned.alpha)
    held_out, exactly = found[0].held_out, bt.study(bt.UCB, bt.read_log(tmp_path / "3"), **ASKED).held_out
    assert held_out is not None
    assert exactly is not None
    assert held_out.learned.mean() == pytest.approx(exactly.learned.mean(), abs=2 * tuned.merged.error)
    assert all((held_out.usual[value] == losses).all() for value, losses in exactly.usual.items())
    assert 0.0 <= tuned.loss - exact.loss <= tuned.merged.excess
    tuned.save(tmp_path / "tuned.json")
    assert same(bt.load(tmp_path / "tuned.json"), tuned)


def test_policies_that_need_all_tasks_are_rejected(client: Any, tmp_path: Path) -> None:
    with pytest.raises(bt.ParameterError, match=r"for linucb, alpha, bt.study\(\.\.\., executor="):
        tune_partitions(client, bt.LinUCB, [str(tmp_path)], horizon=3, alpha=(0.0, 1.0))


def test_times_are_compared_by_what_they_are_and_not_by_how_they_are_written(client: Any, tmp_path: Path) -> None:
    how = How.parse(Columns(time="when"), None)
    first, second, third = rows_of(5), rows_of(5, seed=1, first=5), rows_of(5, seed=2, first=10)
    write(tmp_path / "a.parquet", first)
    pa.csv.write_csv(pa.table(second), tmp_path / "b.csv")
    third["when"] = [float(str(when)) + 0.5 for when in third["when"]]
    pa.csv.write_csv(pa.table(third), tmp_path / "c.csv")
    there = tuned_on(client, tmp_path, how=how, **ASKED).tuned
    assert same(there, bt.tune(bt.UCB, bt.read_log(tmp_path, time="when"), **ASKED))
    dated = pa.table(rows_of(5, seed=3, first=15))
    when = dated["when"].cast(pa.timestamp("us"))
    pa.parquet.write_table(dated.set_column(dated.schema.get_field_index("when"), "when", when), tmp_path / "d.parquet")
    with pytest.raises(bt.FileError, match=r"d\.parquet must have times of .*a\.parquet: numbers, got dates"):
        tuned_on(client, tmp_path, how=how, **ASKED)


def test_empty_first_partition_says_nothing_of_the_log(client: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,arm,pulls,successes\n")
    write(tmp_path / "b.parquet", rows_of(5))
    there = tuned_on(client, tmp_path, **ASKED).tuned
    here = bt.tune(bt.UCB, bt.read_log(tmp_path / "b.parquet"), **ASKED)
    assert there.origin is not None
    assert here.origin is not None
    assert (there.origin["form"], there.origin["columns"]) == (here.origin["form"], here.origin["columns"])
    assert there.reward_limits is here.reward_limits is None


def test_sources_may_be_given_in_several_ways(client: Any, tmp_path: Path) -> None:
    parts = write_parts(tmp_path, 2)
    there = [tune_partitions(client, bt.UCB, given, **ASKED).tuned for given in (tmp_path, str(tmp_path), iter(parts))]
    assert same(there[0], there[1])
    assert same(there[0], there[2])


@pytest.mark.parametrize(
    ("sources", "asked", "message"),
    [
        ([], ASKED, "a log must have at least one file, got none"),
        (3, ASKED, "the files of a log must be given by their paths, got 3"),
        (".", {"horizon": 0, "alpha": (0.0, 1.0)}, "horizon must be .*got 0"),
        (".", {"horizon": 0}, "horizon must be .*got 0"),
        (
            ".",
            ASKED | {"prior_means": (0.0, 1.0)},
            "one parameter of a policy .*; for ucb, alpha, prior_means, bt.study",
        ),
        (".", {"aplha": (0.0, 1.0)}, 'UCB has no parameter "aplha"'),
        (".", {"alpha": 2.0}, "one parameter must be given as a range"),
    ],
)
def test_what_cannot_be_meant_is_rejected(client: Any, sources: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(bt.ParameterError, match=message):
        tune_partitions(client, bt.UCB, sources, **asked)


@pytest.mark.parametrize("limit", [20, 60, 100])
def test_within_one_se_values_are_not_lost_by_merging(limit: int) -> None:
    search = Search.of(bt.UCB, [25], {"alpha": (0.0, 2.0)}, loss="regret", seed=0, extend=True)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        swept = search.curves([bt.Task(rng.random((3, 12)), name=f"{k}") for k in range(30)])
        (curves,) = swept.losses
        sample = Sample(np.empty(0, np.uint64), (), curves)
        first = FirstSums(curves.sum().within(limit), 1, curves.largest, sample)
        assert first.losses.level > 0
        second = SecondSums.of(curves, find_best(search, first.losses), Known(first.losses.level, first.largest))
        exact, merged = (
            curves.find_within_one_se(find_best(search, first.losses)),
            make_result(search, first, second, np.ones((3, 30)), Source()).within_one_se,
        )
        assert merged.low <= exact.low
        assert exact.high <= merged.high <= 2.0
