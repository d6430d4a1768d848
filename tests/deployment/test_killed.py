"""Processes are killed at random moments: every reward that was sent counts exactly once."""

from pathlib import Path

import pytest

import banditune as bt
from banditune.deployment import deploy, open_store
from tests.deployment.crowd import count_rewards, run_crowd

WORKERS, DECISIONS, KILLS = 2, 150, 4


@pytest.mark.parametrize("kind", ["lines", "sqlite", "postgresql"])
def test_rewards_count_once_whatever_is_killed(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    address = {"lines": str(tmp_path / "x.jsonl"), "sqlite": str(tmp_path / "x.db")}.get(kind)
    address = address or request.getfixturevalue("database")
    store = open_store(address)
    deployment = deploy(bt.UCB, arms=["a", "b", "c"], alpha=0.1, store=store)
    notes = [tmp_path / f"notes{k}" for k in range(WORKERS)]
    run_crowd(address, notes, DECISIONS, kills=KILLS, pause=0.03, seed=kind)
    found, table = count_rewards(deployment, notes), deployment.table()
    store.close()
    assert len(found.sent) == WORKERS * DECISIONS
    assert (found.lost, found.repeated, found.wrong) == (0, 0, 0)
    assert sum(each.pulls for each in table) == len(found.sent)
    assert sum(each.total for each in table) == sum(found.sent.values())
