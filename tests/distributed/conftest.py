"""One real cluster for these tests: a scheduler, and two workers in processes of their own."""

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from tests.compilation import share_compilation
from tests.forked import prepare_forks

if importlib.util.find_spec("distributed") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="package")  # it ends with these tests: its heartbeats cost as long as it lives
def client() -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    # a task that kills is found out about soon; a worker that is killed again while it starts is not given up
    quick = {"distributed.scheduler.allowed-failures": 1, "distributed.deploy.lost-worker-timeout": "1 day"}
    # who wants something from a worker that was killed gives up sooner than after half a minute of refused connections
    quick |= {"distributed.comm.timeouts.connect": "5s"}
    # workers that take the place of killed ones are forked off a process that has loaded everything
    quick |= {"distributed.worker.multiprocessing-method": "forkserver"}
    # nobody looks at how busy the machine is, at what calls take or how much memory there is: a tenth of a core
    quick |= {"distributed.admin.system-monitor.interval": "1h", "distributed.worker.profile.enabled": False}
    quick |= {f"distributed.worker.memory.{limit}": False for limit in ("target", "spill", "pause", "terminate")}
    quick |= {"distributed.admin.tick.interval": "1s"}
    how = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 100}
    prepare_forks()
    with dask.config.set(quick), LocalCluster(n_workers=2, **how) as cluster, Client(cluster) as client:
        client.register_worker_callbacks(share_compilation)
        yield client


@pytest.fixture
def quick_to_blame(client: Any) -> Iterator[None]:
    """What a worker dies of is believed at once, without a second one that dies of it."""
    scheduler = client.cluster.scheduler
    before, scheduler.allowed_failures = scheduler.allowed_failures, 0
    yield
    scheduler.allowed_failures = before
