"""Processes that share a deployment, are killed at random and started again; and the count of what they did."""

import random
import signal
import time
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from banditune.deployment import Deployment
from tests.deployment.worker import read_notes, work
from tests.forked import start_forked


class Count(NamedTuple):
    """What processes sent, and what became of it."""

    sent: dict[str, float]  # the reward of each decision, as noted before it was sent
    lost: int  # rewards that were sent and do not count
    repeated: int  # that count more than once
    wrong: int  # that count as something else
    orphans: int  # decisions of processes that were killed before they noted them
    choosing: list[float]  # seconds
    rewarding: list[float]


def run_crowd(
    address: str,
    notes: Sequence[Path],
    decisions: int,
    *,
    kills: int,
    pause: float,
    seed: str,
    options: Sequence[str] = (),
) -> float:
    """Let a process for each file of notes make so many decisions, and kill some; return the seconds it took."""
    chance = random.Random(seed)
    began, after, over = time.perf_counter(), 0.0, notes[0].with_name("over")

    def start(each: Path) -> BaseProcess:
        return start_forked(work, address, each, decisions, "--durable" in options, over)

    over.unlink(missing_ok=True)  # left by a crowd before
    running = {each: start(each) for each in notes}
    try:
        while running:
            for each, process in list(running.items()):
                if process.exitcode is not None:
                    if process.exitcode not in (0, -signal.SIGKILL):
                        raise RuntimeError(f"a process ended with {process.exitcode}; its traceback is on stderr")
                    del running[each]
                    if process.exitcode:
                        running[each] = start(each)
            busy = [each for each in running if each.exists() and each.stat().st_size > 0]
            if kills and busy and time.perf_counter() > after:
                running[chance.choice(busy)].kill()
                kills, after = kills - 1, time.perf_counter() + chance.expovariate(1.0 / pause)
            if not kills:
                over.touch()
            time.sleep(0.005)
    finally:
        for process in running.values():
            process.kill()
            process.join()
    assert kills == 0, f"all was done before the last {kills} kills"
    return time.perf_counter() - began


def count_rewards(deployment: Deployment, notes: Sequence[Path]) -> Count:
    """Set what was noted against what the deployment has."""
    noted = [line for each in notes for line in read_notes(each)]
    sent = {decision: reward for decision, reward, _, _ in noted}
    log = deployment.log()
    counted: dict[str, list[float]] = {}
    for decision, reward in zip(log["decision"].to_pylist(), log["reward"].to_pylist(), strict=True):
        counted.setdefault(decision, []).append(reward)
    return Count(
        sent,
        lost=sum(decision not in counted for decision in sent),
        repeated=sum(len(rewards) - 1 for rewards in counted.values()) + sum(each not in sent for each in counted),
        wrong=sum(counted.get(decision, [reward])[0] != reward for decision, reward in sent.items()),
        orphans=deployment.pending,
        choosing=[line[2] for line in noted],
        rewarding=[line[3] for line in noted if line[3] is not None],
    )
