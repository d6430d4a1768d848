"""A process that chooses and rewards until it is killed; started again, it sends again what it may have sent before.

Every reward is noted before it is sent.
"""

import json
import time
from pathlib import Path
from typing import Any

from banditune.deployment import PostgresqlStore, SqliteStore, open_deployment, open_store


def reward_of(number: int) -> float:
    """What a decision gives: so that the sum of all is known exactly."""
    return float(number % 8)


def read_notes(notes: Path) -> list[list[Any]]:
    """Return what was noted: decision, reward, and the seconds of the choice and of the reward before."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [json.loads(line) for line in lines if line.endswith("]")]  # the last may have been cut short


def work(address: str, notes: Path, decisions: int, durable: bool, over: Path) -> None:
    """Send again the last reward that was noted, then choose and reward until there are so many.

    The last one waits for a file that tells that nobody will be killed any more.
    """
    store = open_store(address)
    if isinstance(store, SqliteStore | PostgresqlStore):
        store.durable = durable
    deployment = open_deployment(store)
    known, seconds = read_notes(notes), None
    with notes.open("a") as file:
        if known:
            deployment.reward(known[-1][0], known[-1][1])
            file.write("\n")  # after what may have been cut short
        for left in range(decisions - len(known), 0, -1):
            while left == 1 and not over.exists():
                time.sleep(0.005)
            began = time.perf_counter()
            decision = deployment.choose()
            reward, chose = reward_of(decision.number), time.perf_counter()
            file.write(json.dumps([decision.id, reward, chose - began, seconds]) + "\n")
            file.flush()
            noted = time.perf_counter()
            assert deployment.reward(decision.id, reward)
            seconds = time.perf_counter() - noted
    store.close()
