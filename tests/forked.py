"""Processes that are forked off one which has loaded all they need: they are killed like others, and start at once."""

from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from typing import Any

import banditune as bt
from banditune.deployment import MemoryStore, deploy

LOADED = ["distributed", "banditune.distributed.tune", "tests.distributed.deadly", "tests.forked_from"]


@cache
def load_kernels() -> None:
    """Load what deployments and sweeps of UCB call, or compile it."""
    deployment = deploy(bt.UCB, arms=["a", "b", "c"], alpha=0.1, store=MemoryStore())
    for _ in range(4):
        deployment.reward(deployment.choose().id, 1.0)
    bt.tune(bt.UCB, [bt.Task([[0.0, 1.0], [1.0, 0.0]])] * 2, horizon=30, alpha=(0.0, 2.0))


@cache
def prepare_forks() -> None:
    """Start the process that others are forked off."""
    load_kernels()  # here first: processes of the tests share what they compile
    forkserver.set_forkserver_preload(LOADED)
    forkserver.ensure_running()


def start_forked(work: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Start a process that does some work: a function of a module, with arguments that can be pickled."""
    prepare_forks()
    process = get_context("forkserver").Process(target=work, args=arguments)
    process.start()
    return process
