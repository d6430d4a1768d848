"""The command line as a person uses it."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import banditune as bt
from banditune.cli.app import Commands
from banditune.evaluation.recommended_value import recommend
from banditune.policies.registry import find_tunable_policies
from tests.cli.command import banditune, check_interruption


def test_answer_says_what_a_person_needs() -> None:
    done = banditune("tune", "--horizon", "40")
    assert done.returncode == 0, done.stderr
    wanted = ("alpha = ", "minimises the mean regret", "within 1 SE", "held-out tasks", "alpha = 1 ", "alpha = 2 ")
    for words in (*wanted, "160 tasks", " s.", "from 0 to 4 (chosen to fit the scale of the rewards)"):
        assert words in done.stdout
    assert "Traceback" not in done.stderr


def test_json_is_one_object_on_stdout_that_agrees_with_python() -> None:
    done = banditune("tune", "--horizon", "30", "--alpha", "0", "0.5", "--seed", "3", "--workers", "1", "--json")
    answer = json.loads(done.stdout)
    tuned = bt.tune(bt.UCB, bt.datasets.lcdb(), horizon=30, alpha=(0.0, 0.5), seed=3, draws=1)
    known = tuned.summary()
    advised = recommend(tuned.search.free_parameter, tuned.curve, tuned.n_tasks, draws=tuned.draws)
    assert {name: answer[name] for name in known} == known | {"recommended": {"alpha": advised}}
    assert answer["policy"] == "ucb"
    assert answer["held_out"]["folds"] == 10
    assert [row["alpha"] for row in answer["held_out"]["defaults"]] == [1.0, 2.0]


def test_all_policies_are_tuned_and_one_is_chosen(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"{task},{arm},{(task + arm * k) % 3 // 2}" for task in range(6) for arm in (1, 2) for k in range(8)]
    log.write_text("\n".join(["task,arm,reward", *rows]))
    folder = tmp_path / "results"
    done = banditune("tune", str(log), "--policy", "all", "--horizon", "10", "--draws", "1", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    for words in ("Policies on held-out tasks", "MOSS", "epsilon-greedy", "UCB, remaining"):
        assert words in done.stdout
    assert "Which policy?" in (folder / "report.html").read_text()
    wrong = banditune("tune", str(log), "--policy", "all", "--alpha", "0", "1")
    assert wrong.returncode == 2
    assert "--alpha is for a single policy" in wrong.stderr


def test_folder_gets_the_result_and_the_figure(tmp_path: Path) -> None:
    done = banditune("tune", "--horizon", "25", "--loss", "reward", "--out", str(tmp_path / "new" / "results"))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "new" / "results"
    assert sorted(path.name for path in folder.iterdir()) == [
        "curve.svg",
        "report.html",
        "tuned.curve.npz",
        "tuned.json",
    ]
    assert bt.load(folder / "tuned.json").n_tasks == 160
    ElementTree.parse(folder / "curve.svg")
    assert "tuned.json" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--horizon", "0"], "--horizon must be a whole number from 1 to 1000000000, got 0"),
        (["--horizon", "2.5"], "must be a whole number, got '2.5'"),
        (["--horizon", "ten"], "must be a whole number, got 'ten'"),
        (["--horizon", "999999999999"], "--horizon must be a whole number from 1"),
        (["--alpha", "x", "1"], "Invalid value for --alpha: must be a number, got 'x'"),
        (["--alpha", "4", "0"], "low < high"),
        (["--alpha", "-1", "2"], "the low end of --alpha must be a finite number of at least 0, got -1.0"),
        (["--current", "-1"], "--current: alpha must be a finite number of at least 0, got -1.0"),
        (["--alpha", "nan", "2"], "finite"),
        (["--alpha", "1"], "'--alpha' requires 2 arguments"),
        (["--policy", "greedy"], f"--policy must be one of {', '.join(find_tunable_policies())}, all; got 'greedy'"),
        (["--policy", "linucb"], "linucb is a contextual bandit: it needs a LOG, and --features"),
        (["--policy", "linucb", "--features", "x_"], "options for reading a log need a LOG"),
        (["--features", "x_"], "ucb uses no contexts; --features is for --policy linucb"),
        (["--propensity", "p"], "options for reading a log need a LOG"),
        (["--prior-weight", "1", "2"], "--prior-weight needs --prior-means"),
        (["--prior-means", "1", "0"], "low < high"),
        (["--policy", "linucb", "--features", "x_", "--loss", "regret"], "estimates rewards only"),
        (["--policy", "ucbv", "--ucbv-reward-range", "-1"], "--ucbv-reward-range must be a finite number"),
        (["--policy", "betathompson", "--prior", ""], "--prior must be two numbers"),
        (["--ridge", "1"], "UCB has no --ridge, which is an option of linucb, lints"),
        (
            ["--policy", "linucb", "--features", "x_", "--ridge", "-1"],
            "ridge must be a finite number",
        ),
        (
            ["--policy", "linucb", "--features", "x_", "--scaling", "all"],
            "scaling must be",
        ),
        (["--loss", "clicks"], "--loss must be one of regret, reward"),
        (["--loss", "rollout"], "needs --rollout, the number of rounds after the run"),
        (["--loss", "simple", "--rollout", "5"], "no other loss takes it; got 5 with the loss 'simple'"),
        (["--rollout", "0"], "--rollout must be a whole number from 1"),
        (["--recommend", "pulls"], "--recommend is for the losses"),
        (["--tail", "2"], "--tail must be a finite number of at least 0 and at most 1"),
        (["--tail", "0.1", "--certify", "0.05"], "--certify needs the mean over all tasks: leave out --tail"),
        (["--seed", "-1"], "seed must be a whole number"),
        (["--workers", "0"], "--workers must be a whole number of at least 1"),
        (["--colour", "red"], "--colour"),
        (["nowhere.csv"], "there is no file nowhere.csv"),
    ],
)
def test_mistake_is_explained_with_exit_code_2(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = banditune("tune", "--out", "results", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_answer_warns_where_a_wider_range_may_do_better() -> None:
    done = banditune("tune", "--horizon", "30", "--alpha", "3", "4")
    assert "at an end of the range" in done.stdout
    assert "better than learned" in done.stdout


def test_reward_is_told_as_what_is_earned() -> None:
    done = banditune("tune", "--horizon", "1", "--loss", "reward")
    assert "All values of alpha have the same mean total reward: 0." in done.stdout
    assert "over 1 round." in done.stdout
    assert "maximises the mean total reward" in banditune("tune", "--horizon", "50", "--loss", "reward").stdout


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = banditune("tune", "--out", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "a file has that name" in done.stderr
    done = banditune("tune", "--out", str(tmp_path / "file" / "results"))
    assert done.returncode == 2
    assert "cannot create the folder" in done.stderr


def test_help_shows_every_option_and_an_example() -> None:
    done = banditune("tune", "--help")
    assert done.returncode == 0
    for word in (
        "--policy",
        "--horizon",
        "--alpha",
        "LOW HIGH",
        "--loss",
        "--seed",
        "--workers",
        "--out",
        "--json",
        "Example:",
    ):
        assert word in done.stdout


def test_help_does_not_load_the_compiler() -> None:
    code = """
import sys
import time
from banditune.cli import main
try:
    main()
except SystemExit:
    print("numba" in sys.modules, "numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"


def test_interruption_ends_cleanly_and_writes_nothing(tmp_path: Path) -> None:
    check_interruption("tune", "--horizon", "3000", "--out", ".", cwd=tmp_path, after=1.1)


def test_list_of_commands_says_what_each_says_of_itself() -> None:
    for name, summary in Commands.summaries.items():
        assert Commands.load(name).help.splitlines()[0] == summary


def test_test_and_roll_out_are_told_in_the_units_of_the_rewards(tmp_path: Path) -> None:
    asked = ["--example", "headlines", "--horizon", "100", "--alpha", "0", "1", "--draws", "1", "--rollout", "900"]
    done = banditune("tune", *asked, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "minimises the mean regret of test and roll-out in clicks" in said
    assert "over 100 views and 900 views of roll-out" in said
    assert "roll-out loses" in said
    assert "more than an arm at random" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The test costs" in page
    assert "all given to the arm with the highest mean at the end of the run" in page
    answer = json.loads(banditune("tune", *asked, "--json").stdout)
    assert (answer["loss_name"], answer["rollout"], answer["recommend"]) == ("rollout", 900, "mean")
    parts = answer["after_test"]
    assert parts["rounds"] == 900
    assert parts["earned"] == parts["random"] - parts["after"]
    assert bt.load(tmp_path / "tuned.json").search.loss.later == 900.0
