"""The pure pieces of benchmarks/hostile: what breaks files really breaks them, what looks for harm finds it."""

import doctest
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hostile import attack, command, injections, mutations, players, snapshots
from tests.naive.ucb import naive_arms, naive_prior_arms

CONTENT = b'{"arm": 0, "reward": 0.5}\n{"arm": 1, "reward": 0.25}\n'


@pytest.mark.parametrize("module", [command, injections, players, snapshots])
def test_examples_hold(module: object) -> None:
    failed, tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("content", [CONTENT, b"x", b"\0" * 600, b"no digit\n" * 3])
def test_mutations_change_the_bytes_and_follow_from_the_seed(content: bytes) -> None:
    seen = set()
    for seed in range(60):
        name, changed = mutations.mutate(content, np.random.default_rng(seed))
        assert changed != content
        assert (name, changed) == mutations.mutate(content, np.random.default_rng(seed))
        seen.add(name)
    assert len(seen) > 2


def test_snapshot_notices_every_kind_of_harm_and_no_other(tmp_path: Path) -> None:
    for name in ("kept", "written", "touched", "gone"):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (1e9, 1e9))
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    before = snapshots.take_snapshot(tmp_path)
    assert snapshots.name_harm(before, snapshots.take_snapshot(tmp_path)) == []
    (tmp_path / "folder" / "new").touch()
    assert snapshots.name_harm(before, snapshots.take_snapshot(tmp_path)) == []
    (tmp_path / "written").write_text("changed")
    os.utime(tmp_path / "written", (1e9, 1e9))
    os.utime(tmp_path / "touched", (2e9, 2e9))
    (tmp_path / "gone").unlink()
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("written")
    harm = set(snapshots.name_harm(before, snapshots.take_snapshot(tmp_path)))
    assert harm == {"written: content changed", "touched: time changed", "gone: gone", "link: content changed"}


@pytest.mark.parametrize(
    ("page", "harm"),
    [
        ("<p title='&lt;xhostile&gt;'>&lt;xhostile&gt; [red]</p><script>const a = '\\u003cxhostile';</script>", 0),
        ("<p><xhostile></p>", 1),
        ("<p title='' onxhostile=1>", 1),
        ("<a href='javascript:xhostile()'>", 1),
        ("<script>const a = '</script><xhostile></script>';</script>", 1),
        ("<script>const a = '<!--<script>';</script>", 1),
        ("<!-- xhostile -->", 1),
    ],
)
def test_what_data_put_into_a_page_is_found(page: str, harm: int) -> None:
    assert len(injections.find_in_page(page)) == harm


def test_names_are_dangerous_as_they_are() -> None:
    raw = {kind: injections.find_in_page(f"<p title='{name}'>{name}") for kind, name in injections.NAMES.items()}
    assert {"element", "attribute", "script", "comment"} <= {kind for kind, found in raw.items() if found}
    commands = {kind for kind, name in injections.NAMES.items() if injections.find_controls(name)}
    assert {"escape", "title", "c1", "bell", "return", "bidi", "nul"} <= commands
    assert injections.find_in_script(f'x = ("""{injections.NAMES["python"]}')


def test_players_agree_with_the_other_oracles() -> None:
    draw = np.random.default_rng(3)
    for _ in range(20):
        rewards = (draw.integers(0, 11, (3, 12)) / 10).tolist()
        alpha, priors = float(draw.choice([0.0, 0.3, 1.0])), draw.random(3).tolist()
        assert players.play_ucb(rewards, 12, alpha, None, 1.0) == naive_arms(rewards, 12, alpha)
        assert players.play_ucb(rewards, 12, alpha, priors, 2.5) == naive_prior_arms(rewards, 12, alpha, priors, 2.5)[0]


def test_linear_player_decides_ties_exactly() -> None:
    x = [Fraction(3), Fraction(4)]
    arms, close = players.play_linucb(
        [[x, x]] * 3, [[Fraction(1)] * 2] * 3, Fraction(1, 3), Fraction(1), disjoint=False
    )
    assert (arms, close) == ([0, 0, 0], [True] * 3)


def test_attack_tallies_failures_and_can_repeat_one() -> None:
    def fail(draw: attack.Draw) -> None:
        raise attack.GaveWayError(f"drew {draw.integers(10**9)}")

    def leave(draw: attack.Draw) -> None:
        raise attack.LeftOut("no root")

    cases = [attack.Case("good", lambda draw: "a word"), attack.Case("bad", fail), attack.Case("none", leave)]
    tally = attack.attack_for(60, cases, (5,))
    assert (tally.n_tried, dict(tally.kinds)) == (2, {"good": 1, "bad": 1})
    assert set(tally.notes.values()) == {"a word", "none left out: no root"}
    again = attack.attack_for(60, iter(cases), (5,), only=1)
    assert again.failures == tally.failures
    assert again.n_tried == 1
