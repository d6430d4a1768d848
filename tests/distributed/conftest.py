"""One real cluster for these tests: a scheduler, and two workers in processes of their own."""

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

if importlib.util.find_spec("distributed") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    # a task that kills is found out about soon; a worker that is killed again while it starts is not given up
    quick = {"distributed.scheduler.allowed-failures": 1, "distributed.deploy.lost-worker-timeout": "1 day"}
    how = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 100}
    with dask.config.set(quick), LocalCluster(n_workers=2, **how) as cluster, Client(cluster) as client:
        yield client
