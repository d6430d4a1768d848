"""banditune tune on people's own files."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import typer

import banditune as bt
from banditune.evaluation.recommended_value import recommend
from tests.cli.command import banditune, check_interruption


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["test;variant;won"]
    lines += [f"<b>{rng.integers(6)}</b>;[red]{rng.integers(3)};{rng.random() < 0.4}" for _ in range(900)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([*lines, "7;a;maybe"]))
    return path


COLUMNS = ("--task", "test", "--arm", "variant", "--reward", "won")


def test_a_log_is_tuned_on_and_accounted_for(log: Path, tmp_path: Path) -> None:
    done = banditune("tune", str(log), *COLUMNS, "--alpha", "0", "1", "--json", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "901 rows of" in done.stderr
    assert "line 902: the reward is not a number: 'maybe'" in done.stderr
    answer = json.loads(done.stdout)
    tasks = bt.read_log(log, task="test", arm="variant", reward="won")
    rounds = int(np.median([task.flat.size for task in tasks]))
    assert answer["horizon"] == rounds
    tuned = bt.tune(bt.UCB, tasks, horizon=rounds, alpha=(0.0, 1.0))
    assert answer["interval"] == list(tuned.interval)
    assert answer["log"]["columns"]["task"] == "test"
    page = (tmp_path / "out" / "report.html").read_text()
    for told in (done.stderr, page):
        assert f"all arms have fewer rewards than the {rounds} rounds of a run" in told
    assert "have fewer rewards than" not in banditune("tune", str(log), *COLUMNS, "--horizon", "9").stderr
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    assert "<b>1</b>" not in page
    assert "maybe" in page


def test_columns_are_taken_from_an_earlier_result(log: Path, tmp_path: Path) -> None:
    banditune("tune", str(log), *COLUMNS, "--horizon", "20", "--out", str(tmp_path / "out"))
    like = ("--like", str(tmp_path / "out" / "tuned.json"), "--horizon", "20", "--json")
    assert json.loads(banditune("tune", str(log), *like).stdout)["n_tasks"] == 6
    banditune("tune", "--horizon", "20", "--out", str(tmp_path / "bundled"))
    (tmp_path / "deep.json").write_text("[" * 99_999)
    done = banditune("tune", str(log), "--like", str(tmp_path / "deep.json"))
    assert done.returncode == 2
    assert "deep.json is nested too deeply" in " ".join(done.stderr.split())
    done = banditune("tune", str(log), "--like", str(tmp_path / "bundled" / "tuned.json"))
    assert done.returncode == 2
    assert "it records no columns" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], 'has no columns "task", "arm", "reward"; it has "test", "variant", "won"'),
        ([*COLUMNS, "--strict"], "which strict forbids: 1 row rejected"),
        ([*COLUMNS, "--reward-range", "5", "6"], "rows can be used"),
        ([*COLUMNS, "--reward-range", "x", "6"], "must be a number, got 'x'"),
        ([*COLUMNS, "--delimiter", "::"], "delimiter must be a single ASCII character"),
        ([*COLUMNS, "--memory", "much"], 'memory must be a size such as "2GB"'),
        ([*COLUMNS, "--loss", "clicks"], "loss must be one of"),
        ([*COLUMNS, "--time", "when"], 'has no column "when"'),
    ],
)
def test_mistakes_are_explained(log: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    done = banditune("tune", str(log), *arguments, "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_interruption_while_reading_ends_cleanly(tmp_path: Path) -> None:
    thousand = "".join(f'"t{k}",a{k % 5},{k % 2}\n' for k in range(1_000))
    (tmp_path / "log.csv").write_text("task,arm,reward\n" + 4_000 * thousand + "irregular\n")
    check_interruption("tune", "log.csv", "--out", "out", cwd=tmp_path, after=1.3)


@pytest.mark.parametrize("options", [["--task", "x"], ["--strict"], ["--memory", "1GB"], ["--reward-range", "0", "1"]])
def test_options_of_a_log_need_a_log(options: list[str]) -> None:
    done = banditune("tune", *options, "--horizon", "5")
    assert done.returncode == 2
    assert "need a LOG" in done.stderr


def test_interruption_within_compiled_code_is_an_interruption() -> None:
    from banditune.cli.app import explain_failures

    def command() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interruption:
            raise SystemError("returned a result with an exception set") from interruption

    with pytest.raises(typer.Exit) as ended:
        explain_failures(command)()
    assert ended.value.exit_code == 130


def test_lack_of_memory_is_told_with_the_sizes_that_need_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from banditune.cli.app import explain_failures

    def lacking(*_: object) -> None:
        raise MemoryError("Unable to allocate 64.0 GiB")

    monkeypatch.setattr(bt.UCB, "run", lacking)
    monkeypatch.setattr(bt.UCB, "sweep", lacking)
    tasks = [bt.Task([[0.5]] * n_arms) for n_arms in (2, 8000, 3)]
    sizes = r"8,000 arms and 2 rounds: 0.000119 GiB for its rewards alone; fewer rounds or arms need less \(Unable"
    for search in (bt.loss_curve, bt.play):
        with pytest.raises(MemoryError, match=f"the task is played with {sizes}"):
            search(bt.UCB, tasks[1], horizon=2, alpha=(0.0, 4.0) if search is bt.loss_curve else 1.0)
    with pytest.raises(typer.Exit) as ended:
        explain_failures(lambda: bt.tune(bt.UCB, tasks, horizon=2, alpha=(0.0, 4.0)))()
    assert ended.value.exit_code == 2
    assert "not enough memory: tasks[1] is played with 8,000 arms and 2 rounds" in capsys.readouterr().err


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["day,mail,visit,x_one,x_age"]
    for k in range(1_200):
        mail, age = rng.integers(3), rng.random()
        lines.append(f"{k // 300},[b]{mail},{int(rng.random() < (age if mail else 0.5))},1,{age:.3f}")
    path = tmp_path / "mails.csv"
    path.write_text("\n".join(lines))
    return path


CONTEXTS = ("--policy", "linucb", "--arm", "mail", "--reward", "visit", "--features", "x_")


def test_a_log_of_contexts_is_replayed(mails: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = banditune("tune", str(mails), *CONTEXTS, "--task", "day", "--out", str(out))
    assert done.returncode == 0, done.stderr
    tasks = bt.read_log(mails, task="day", arm="mail", reward="visit", features="x_")
    tuned = bt.tune(bt.LinUCB, tasks, horizon=300, loss="reward", alpha=(0.0, 2.0), disjoint=True)
    saved = bt.load(out / "tuned.json")
    advised = recommend(tuned.search.free_parameter, tuned.curve, tuned.n_tasks, draws=tuned.draws)
    assert saved.summary() == tuned.summary() | {"recommended": {**tuned.params, "alpha": advised}}
    assert tuned.replay is not None
    matched = int(tuned.replay.matched(advised))
    told = " ".join(done.stdout.split())
    for words in (
        "maximises the mean reward per event",
        f"matched {matched:,} of 1,200 events",
        "disjoint",
        "4 logs",
    ):
        assert words in told
    page = (out / "report.html").read_text()
    for words in ("Matched events", f"{matched:,} events matched.", "alpha = 0", "n_arms=3, dim=2"):
        assert words in page
    again = banditune("tune", str(mails), "--policy", "linucb", "--like", str(out / "tuned.json"), "--json")
    assert json.loads(again.stdout)["params"] == tuned.params


def test_a_log_without_tasks_is_one_and_too_few_events_are_told(mails: Path) -> None:
    options = ("--horizon", "50", "--ridge", "1", "--ridge", "10", "--scaling", "features")
    done = banditune("tune", str(mails), *CONTEXTS, *options)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "too few for a reliable estimate" in told
    assert "the best of 2 combinations" in told
    assert "scaling = features" in told
    assert "1 log," in told


def test_a_log_from_standard_input_gives_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{task},{arm},{int(rng.random() < 0.5)}" for task in range(6) for arm in "ab" for _ in range(12)]
    text = "\n".join(["task,arm,reward", *rows])
    (tmp_path / "log.csv").write_text(text)
    asked = ("--horizon", "10", "--alpha", "0", "1", "--json")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    piped = json.loads(banditune("tune", "-", *asked).stdout)
    read = json.loads(banditune("tune", tmp_path / "log.csv", *asked).stdout)
    assert {name: piped[name] for name in ("params", "interval", "loss")} == {
        name: read[name] for name in ("params", "interval", "loss")
    }
    done = banditune("tune", "-", tmp_path / "log.csv")
    assert done.returncode == 2
    assert "- (standard input) must be the only LOG" in done.stderr


def test_units_are_those_of_the_log_or_as_named(tmp_path: Path) -> None:
    """Totals are told in the name of their column, rewards in theirs, and what is not named has no unit."""
    path = tmp_path / "totals.csv"
    rows = [f"{task},{arm},{900 + arm},{20 + 7 * task % 11 + 9 * arm}" for task in range(12) for arm in range(2)]
    path.write_text("\n".join(["test,headline,views,clicks", *rows]))
    columns = ["--task", "test", "--arm", "headline", "--pulls", "views", "--successes", "clicks", "--draws", "4"]
    told = banditune("tune", str(path), *columns).stdout
    assert "minimises the mean regret in clicks" in told
    assert "over 1,801 views, the median length of the recorded tasks." in told
    assert "per 1,000 views" in told
    assert "streams for each task, as not every order or length is recorded" in " ".join(told.split())
    short = banditune("tune", str(path), *columns, "--horizon", "50", "--unit", "[b]sales").stdout
    assert "mean regret in [b]sales" in short
    assert "over 50 views." in short
    assert "per 1,000" not in short


def test_examples_are_named() -> None:
    done = banditune("tune", "--example", "nothing")
    assert done.returncode == 2
    assert "--example must be one of lcdb, headlines; got 'nothing'" in done.stderr
    told = banditune("tune", "--example", "headlines", "--horizon", "20", "--draws", "1").stdout
    assert "mean regret in clicks" in told
    assert "80 tasks" in told
