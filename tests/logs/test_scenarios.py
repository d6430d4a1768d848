"""ASlib's scenarios: algorithms as arms, timeouts counted as the description says."""

from pathlib import Path

import pytest

import banditune as bt

DESCRIPTION = """scenario_id: SAT-2026  # a comment
performance_measures: [runtime]
maximize:
    - false
performance_type:
    - runtime
algorithm_cutoff_time: 100
"""
RUNS = """% runs
@RELATION ALGORITHM_RUNS_SAT-2026
@ATTRIBUTE instance_id STRING
@ATTRIBUTE 'repetition' NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout, crash}

@DATA
easy/a.cnf,1,lingeling,3.5,ok
easy/a.cnf,1,'clasp, tuned',100,timeout
hard/b.cnf,1,lingeling,?,memout
hard/b.cnf,1,'clasp, tuned',7,ok
hard/b.cnf,1,clasp
"""
FOLDS = """@RELATION CV
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE fold NUMERIC
@DATA
easy/a.cnf,1,1
hard/b.cnf,1,2
easy/a.cnf,2,2
"""


def save(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / {"cv": "cv.arff", "description": "description.txt", "runs": "algorithm_runs.arff"}[name]).write_text(
            text
        )
    return folder


def test_runs_that_do_not_end_count_ten_times_the_cutoff(tmp_path: Path) -> None:
    log = bt.read_log(save(tmp_path, description=DESCRIPTION, runs=RUNS))
    (task,) = log
    assert task.name == "SAT-2026"
    assert {arm: rewards.tolist() for arm, rewards in zip(task.arms, task.rewards, strict=True)} == {
        "clasp, tuned": [-1000.0, -7.0],
        "lingeling": [-3.5, -1000.0],
    }
    assert [(row.number, row.reason) for row in log.account.examples] == [(14, "the line has 3 values, not 5")]
    assert "runs that are not ok count 1,000, 10 times the cutoff (PAR10)" in list(log.account.notes())
    assert list(bt.read_log(tmp_path, task="folder").names) == ["easy", "hard"]
    assert list(bt.read_log(tmp_path, task="instance_id").names) == ["easy/a.cnf", "hard/b.cnf"]


def test_folds_are_tasks_where_there_are_some(tmp_path: Path) -> None:
    log = bt.read_log(save(tmp_path, description=DESCRIPTION, runs=RUNS, cv=FOLDS))
    assert list(log.names) == ["SAT-2026 / 1", "SAT-2026 / 2"]


def test_qualities_are_taken_as_they_are_recorded(tmp_path: Path) -> None:
    quality = DESCRIPTION.replace("    - runtime", "    - solution_quality").replace("- false", "- true")
    log = bt.read_log(save(tmp_path, description=quality, runs=RUNS))
    assert log[0].rewards[1].tolist() == [3.5]
    assert ("there is no reward", 1) in log.account.rejected


@pytest.mark.parametrize(
    ("description", "runs", "words"),
    [
        (DESCRIPTION.replace("100", "?"), RUNS, "algorithm_cutoff_time must be a number, got '\\?'"),
        ("scenario_id: x\n", RUNS, "must name performance_measures"),
        (DESCRIPTION.replace("    - false\n", ""), RUNS, "must name maximize"),
        (DESCRIPTION.replace("- false", "- perhaps"), RUNS, "maximize must be true or false, got 'perhaps'"),
        (DESCRIPTION, RUNS.replace("@DATA", "@data "), None),
        (DESCRIPTION, RUNS.replace("@DATA\n", "@DATA"), "line 9 must be @RELATION, @ATTRIBUTE or @DATA"),
        (DESCRIPTION, RUNS.replace("@DATA\n", "").replace("easy/a.cnf,1,'", "@DATA\neasy/a.cnf,1,'"), "line 9 must be"),
        (DESCRIPTION, RUNS.split("@DATA")[0], "has no @DATA"),
        (DESCRIPTION, RUNS.replace("runtime NUMERIC", "time NUMERIC"), "it has no runtime"),
        (DESCRIPTION, RUNS.split("easy")[0], "has no rows"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, description: str, runs: str, words: str | None) -> None:
    save(tmp_path, description=description, runs=runs)
    if words is None:
        assert bt.read_log(tmp_path).account.rows_used == 4
        return
    with pytest.raises(bt.FileError, match=words):
        bt.read_log(tmp_path)
    with pytest.raises(bt.FileError, match="must be the folder of a scenario of ASlib"):
        bt.read_log(__file__, format="aslib")
