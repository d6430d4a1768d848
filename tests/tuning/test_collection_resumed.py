"""Whatever ends a collection, no reward is lost and none is asked for twice."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import banditune as bt
from banditune.checkpoints import reward_journal as journal_module
from banditune.checkpoints.reward_journal import RewardJournal
from tests.strategies import tasks
from tests.worlds import World, rows_of

ASKED = {"n_arms": 3, "horizon": 25, "alpha": (0.0, 1.0)}
STREAMS = rows_of(bt.problems.bernoulli(3).bandit(7).task(25))
SHORT = ASKED | {"horizon": 12}
ON_FILES = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def whole(asked: dict[str, object] = ASKED) -> World:
    world = World(STREAMS)
    bt.collect(bt.UCB, world.pull, **asked)
    return world


def given_by(lines: list[bytes]) -> list[int]:
    """How many rewards of each arm some lines of a journal hold."""
    arms = [json.loads(line)["arm"] for line in lines]
    return [arms.count(arm) for arm in range(3)]


@pytest.mark.parametrize("error", [ConnectionError, KeyboardInterrupt, SystemExit])
def test_an_exception_at_any_pull_loses_nothing_with_a_file(tmp_path: Path, error: type[BaseException]) -> None:
    expected = whole(SHORT).asked
    for position in range(len(expected)):
        file = tmp_path / f"{position}.jsonl"
        broken = World(STREAMS, fails_after=position, error=error)
        with pytest.raises(error, match="out of reach") as caught:
            bt.collect(bt.UCB, broken.pull, save=file, **SHORT)
        assert any(f"save={str(file)!r} resumes with them" in note for note in caught.value.__notes__)
        before = [broken.asked.count(arm) for arm in range(3)]
        rest = World(STREAMS, given=before)
        task = bt.collect(bt.UCB, rest.pull, save=file, **SHORT)
        assert broken.asked + rest.asked == expected
        assert rows_of(task) == [row[: expected.count(arm)] for arm, row in enumerate(STREAMS)]


def test_an_exception_at_any_pull_loses_nothing_without_a_file() -> None:
    expected = whole(SHORT).asked
    for position in range(len(expected)):
        broken = World(STREAMS, fails_after=position)
        with pytest.raises(ConnectionError) as caught:
            bt.collect(bt.UCB, broken.pull, **SHORT)
        before = [len(row) for row in caught.value.collected]
        assert before == [broken.asked.count(arm) for arm in range(3)]
        rest = World(STREAMS, given=before)
        task = bt.collect(bt.UCB, rest.pull, known=caught.value.collected, **SHORT)
        assert broken.asked + rest.asked == expected
        assert task.total_pulls == len(expected)


def test_a_finished_file_is_the_task(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    first = bt.collect(bt.UCB, World(STREAMS).pull, save=file, **ASKED)
    again = bt.collect(bt.UCB, World([]).pull, save=str(file), **ASKED)
    assert rows_of(again) == rows_of(first)


@ON_FILES
@given(st.data(), tasks(most_arms=3, most_rewards=6))
def test_rewards_come_back_from_a_file_to_the_last_bit(tmp_path: Path, data: st.DataObject, task: bt.Task) -> None:
    file = tmp_path / "bits.jsonl"
    file.unlink(missing_ok=True)
    full = task.extend(12)
    asked = {"n_arms": task.n_arms, "horizon": 12, "alpha": (0.0, 1.0), "save": file}
    broken = World(rows_of(full), fails_after=data.draw(st.integers(0, 12)))
    try:
        first = bt.collect(bt.UCB, broken.pull, **asked)
    except ConnectionError:
        first = bt.collect(
            bt.UCB, World(rows_of(full), [broken.asked.count(a) for a in range(task.n_arms)]).pull, **asked
        )
    assert rows_of(bt.collect(bt.UCB, World([]).pull, **asked)) == rows_of(first)


def test_a_journal_cut_at_any_byte_is_gone_on_with(tmp_path: Path) -> None:
    short = ASKED | {"horizon": 4}
    expected, file = World(STREAMS), tmp_path / "x.jsonl"
    bt.collect(bt.UCB, expected.pull, save=file, **short)
    text = file.read_bytes()
    for size in range(len(text)):
        file.write_bytes(text[:size])
        left = text[:size].split(b"\n")[1:-1]  # whole lines after the first
        rest = World(STREAMS, given=given_by(left))
        bt.collect(bt.UCB, rest.pull, save=file, **short)
        assert rest.asked == expected.asked[len(left) :]
        assert file.read_bytes() == text


def test_known_rewards_go_into_the_file(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    known = [row[:4] for row in STREAMS]
    broken = World(STREAMS, given=[4, 4, 4], fails_after=5)
    with pytest.raises(ConnectionError):
        bt.collect(bt.UCB, broken.pull, known=known, save=file, **ASKED)
    rest = World(STREAMS, given=[4 + broken.asked.count(arm) for arm in range(3)])
    task = bt.collect(bt.UCB, rest.pull, known=known, save=file, **ASKED)
    assert rows_of(task) == rows_of(bt.collect(bt.UCB, World([]).pull, known=known, save=file, **ASKED))
    given = given_by(file.read_bytes().splitlines()[1:])
    assert given == [whole().asked.count(arm) for arm in range(3)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 26}, r"another run: horizon was 25 and is 26\. Give the same arguments, or another file"),
        ({"alpha": (0.0, 2.0)}, r"alpha was \[0.0, 1.0\] and is \[0.0, 2.0\]"),
        ({"n_arms": 4}, "n_arms was 3 and is 4"),
        ({"arms": ["a", "b", "c"]}, r"arms was None and is \['a', 'b', 'c'\]"),
        ({"name": "other"}, "name was None and is 'other'"),
        ({"prior_means": [0.1, 0.2, 0.3]}, r"prior_means was None and is \[0.1, 0.2, 0.3\]"),
    ],
)
def test_a_file_of_other_settings_is_rejected_and_left_alone(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    file = tmp_path / "x.jsonl"
    bt.collect(bt.UCB, World(STREAMS).pull, save=file, **ASKED)
    text = file.read_bytes()
    with pytest.raises(bt.FileError, match=message):
        bt.collect(bt.UCB, World([]).pull, save=file, **ASKED | change)
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    "text", [b"arm,reward\n0,1\n", b"some notes", b'{"kind": 1}\n{}\n', b"\x00\xff", b"[]\n", b"\n"]
)
def test_a_file_that_is_no_journal_is_rejected_and_left_alone(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(text)
    with pytest.raises(bt.FileError, match="is not a journal of collected rewards: it begins with"):
        bt.collect(bt.UCB, World(STREAMS).pull, save=file, **ASKED)
    assert file.read_bytes() == text


def test_no_changed_byte_of_a_journal_is_taken(tmp_path: Path) -> None:
    short, file = ASKED | {"horizon": 5}, tmp_path / "x.jsonl"
    bt.collect(bt.UCB, World(STREAMS).pull, save=file, **short)
    text = file.read_bytes()
    for place in range(len(text)):
        damaged = bytearray(text)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        with pytest.raises(bt.FileError) as caught:
            bt.collect(bt.UCB, World([]).pull, save=file, **short)
        line = text[:place].count(b"\n") + 1
        assert f"{file}, line {line} is damaged" in str(caught.value)
        assert file.read_bytes() == damaged


def journal_lines(file: Path) -> list[bytes]:
    bt.collect(bt.UCB, World(STREAMS).pull, save=file, **ASKED)
    return file.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("place", [1, 2, 7])
@pytest.mark.parametrize("what", ["lost", "repeated", "moved", "of another journal"])
def test_a_line_that_is_lost_repeated_or_moved_is_noticed(tmp_path: Path, what: str, place: int) -> None:
    file = tmp_path / "x.jsonl"
    lines = journal_lines(file)
    before, line, after = lines[:place], lines[place], lines[place + 1 :]
    changed = {
        "lost": [*before, *after],
        "repeated": [*before, line, line, *after],
        "moved": [*before, after[0], line, *after[1:]],
        "of another journal": [*before, b'{"arm": 0, "reward": 1.0, "check": "0123abcd"}\n', *after],
    }[what]
    file.write_bytes(b"".join(changed))
    number = place + 2 if what == "repeated" else place + 1
    with pytest.raises(bt.FileError, match=rf"x\.jsonl, line {number} is damaged: its checksum .* remove this line"):
        bt.collect(bt.UCB, World([]).pull, save=file, **ASKED)
    file.write_bytes(b"".join(changed[: number - 1]))  # as the message says
    rest = World(STREAMS, given=given_by(changed[1 : number - 1]))
    bt.collect(bt.UCB, rest.pull, save=file, **ASKED)
    assert file.read_bytes() == b"".join(lines)


def test_a_journal_without_checksums_is_rejected_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    text = b"".join(re.sub(rb', "check": "[0-9a-f]+"', b"", line) for line in journal_lines(file))
    file.write_bytes(text)
    with pytest.raises(bt.FileError, match=r"x\.jsonl is from an earlier version, without checksums.*known="):
        bt.collect(bt.UCB, World([]).pull, save=file, **ASKED)
    assert file.read_bytes() == text


def purpose_of(file: Path) -> dict[str, object]:
    purpose: dict[str, object] = json.loads(journal_lines(file)[0])
    del purpose["check"]
    file.unlink()
    return purpose


@pytest.mark.parametrize(
    ("arm", "reward", "message"),
    [
        (2, 1.0, "line 2 must hold a reward of arm 0, got one of 2"),
        (False, 1.0, "line 2 must hold a reward of arm 0, got one of False"),
        (0, "1", "line 2: the reward must be a finite number, got '1'"),
        (0, float("nan"), "line 2 must hold an arm and a reward, got"),
    ],
)
def test_a_line_that_does_not_belong_is_rejected_by_its_number(
    tmp_path: Path, arm: int, reward: float, message: str
) -> None:
    file = tmp_path / "x.jsonl"
    with RewardJournal(file, purpose_of(file)) as journal:
        journal.append(arm, reward)
    with pytest.raises(bt.FileError, match=message):
        bt.collect(bt.UCB, World([]).pull, save=file, **ASKED)


def test_lines_that_nothing_asked_for_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    purpose = purpose_of(file)
    lines = journal_lines(file)
    with RewardJournal(file, purpose) as journal:
        journal.append(0, 1.0)
    with pytest.raises(bt.FileError, match=f"line {len(lines) + 1}: this reward is not needed"):
        bt.collect(bt.UCB, World([]).pull, save=file, **ASKED)


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.jsonl"
    written = os.write
    room = [700]

    def write(handle: int, data: bytes) -> int:
        if room[0] == 0:
            raise OSError(28, "No space left on device")
        part = data[: room[0]]
        room[0] -= len(part)
        return written(handle, part)

    monkeypatch.setattr(journal_module.os, "write", write)
    world = World(STREAMS)
    with pytest.raises(bt.FileError, match="No space left on device") as caught:
        bt.collect(bt.UCB, world.pull, save=file, **ASKED)
    assert sum(map(len, caught.value.collected)) == len(world.asked)
    monkeypatch.undo()
    rest = World(STREAMS, given=[world.asked.count(arm) for arm in range(3)])
    bt.collect(bt.UCB, rest.pull, save=file, known=caught.value.collected, **ASKED)
    assert world.asked + rest.asked == whole().asked


def test_two_programs_do_not_collect_into_one_file(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    with (
        RewardJournal(file, {"kind": "a test"}),
        pytest.raises(bt.FileError, match="another program is collecting into it"),
    ):
        RewardJournal(file, {"kind": "a test"})
    with RewardJournal(file, {"kind": "a test"}) as free:
        assert free.recorded == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing can be killed like that here")
def test_a_killed_program_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    expected = whole().asked
    killed = len(expected) // 2
    code = f"""
        import os, signal
        import banditune as bt
        from tests.worlds import World
        world = World({STREAMS!r})
        def pull(arm):
            if len(world.asked) == {killed}:
                os.kill(os.getpid(), signal.SIGKILL)
            return world.pull(arm)
        bt.collect(bt.UCB, pull, save={str(file)!r}, **{ASKED!r})
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=Path(__file__).parents[2], check=False)
    assert run.returncode == -signal.SIGKILL
    rest = World(STREAMS, given=given_by(file.read_bytes().splitlines()[1:]))
    bt.collect(bt.UCB, rest.pull, save=file, **ASKED)
    assert rest.asked == expected[killed:]
