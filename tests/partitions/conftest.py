"""One real cluster for these tests: a scheduler, and two workers in processes of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    import dask

    quick = {"distributed.scheduler.allowed-failures": 1, "distributed.deploy.lost-worker-timeout": "1 day"}
    with (
        dask.config.set(quick),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=100
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
