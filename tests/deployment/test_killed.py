"""Processes are killed at random moments: every reward that was sent counts exactly once."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import banditune as bt
from banditune.deployment import deploy, open_store

ROOT = Path(__file__).parents[2]
WORKERS, DECISIONS, KILLS = 2, 60, 4


@pytest.mark.parametrize("kind", ["lines", "sqlite", "postgresql"])
def test_rewards_count_once_whatever_is_killed(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    address = {"lines": str(tmp_path / "x.jsonl"), "sqlite": str(tmp_path / "x.db")}.get(kind)
    address = address or request.getfixturevalue("database")
    store = open_store(address)
    deployment = deploy(bt.UCB, arms=["a", "b", "c"], alpha=0.1, store=store)
    chance, kills = random.Random(kind), KILLS
    notes = [tmp_path / f"notes{k}" for k in range(WORKERS)]

    def start(k: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.deployment.worker", address, str(notes[k]), str(DECISIONS)]
        return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)

    running = {k: start(k) for k in range(WORKERS)}
    while running:
        for k, process in list(running.items()):
            begun = notes[k].exists() and notes[k].stat().st_size > 0
            if process.poll() is not None:
                assert process.returncode in (0, -signal.SIGKILL), process.communicate()[1].decode()
                process.communicate()
                del running[k]
                if process.returncode:
                    running[k] = start(k)
            elif kills and begun and chance.random() < 0.2:
                process.kill()
                kills -= 1
        time.sleep(0.01)
    assert kills == 0
    sent = [json.loads(line) for each in notes for line in each.read_text().splitlines() if line.endswith("]")]
    rewards = {decision: reward for decision, reward, _ in sent}
    assert len(sent) == len(rewards) == WORKERS * DECISIONS
    log = deployment.log()
    assert len(log) == len(rewards)
    assert dict(zip(log["decision"].to_pylist(), log["reward"].to_pylist(), strict=True)) == rewards
    table = deployment.table()
    assert sum(each.pulls for each in table) == WORKERS * DECISIONS
    assert sum(each.total for each in table) == sum(rewards.values())
    made = len(sent) + deployment.pending  # the rest were chosen by processes that were killed before they noted it
    assert deployment.choose().number == made + 1
    store.close()
