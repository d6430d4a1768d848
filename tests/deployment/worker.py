"""A process that chooses and rewards until it is killed; started again, it sends again what it may have sent before.

`python -m tests.deployment.worker STORE NOTES DECISIONS`: every reward is noted before it is sent.
"""

import json
import sys
import time
from pathlib import Path

from banditune.deployment import PostgresqlStore, SqliteStore, open_deployment, open_store


def reward_of(number: int) -> float:
    """What a decision gives: so that the sum of all is known exactly."""
    return float(number % 8)


def work(address: str, notes: Path, decisions: int, *, durable: bool = False) -> None:
    """Send again the last reward that was noted, then choose and reward until there are so many."""
    store = open_store(address)
    if isinstance(store, SqliteStore | PostgresqlStore):
        store.durable = durable
    deployment = open_deployment(store)
    lines = notes.read_text().splitlines() if notes.exists() else []
    known = [json.loads(line) for line in lines if line.endswith("]")]  # the last may have been cut short
    with notes.open("a") as file:
        if lines and not lines[-1].endswith("]"):
            file.write("\n")
        if known:
            deployment.reward(known[-1][0], known[-1][1])
        for _ in range(decisions - len(known)):
            began = time.perf_counter()
            decision = deployment.choose()
            chose = time.perf_counter()
            reward = reward_of(decision.number)
            file.write(json.dumps([decision.id, reward, chose - began]) + "\n")
            file.flush()
            assert deployment.reward(decision.id, reward)
    store.close()


if __name__ == "__main__":
    work(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), durable="--durable" in sys.argv)
