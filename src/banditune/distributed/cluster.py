"""The workers of a Dask cluster: reached, checked, and given work whose results stay with them."""

import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from banditune.checkpoints.checkpoint_files import version
from banditune.distributed.files import TOKEN, is_shared_folder
from banditune.errors import BanditTuneError, ParameterError
from banditune.io.files import write_text
from banditune.temporary_folders import ScratchFolder, remove_abandoned_folders

CONNECT_SECONDS = 30.0
LOOK_SECONDS = 20.0  # while nothing ends, so often is looked whether there are workers
ALONE_SECONDS = 300.0  # without any worker
UNINTERRUPTED = "banditune.distributed.worker_preload"  # what workers begin with that are started here
FAN_IN = 4  # sums that are added up at once
CLUSTER_LOST = "the connection to the cluster was lost; with a checkpoint folder, the same command resumes"
WORKERS_LOST = "workers were lost on every retry; start more, or with more memory each"


class ClusterError(BanditTuneError):
    """The cluster cannot be reached, or cannot be used."""


@contextmanager
def connect(address: str, n_workers: int = 1) -> Iterator[Any]:
    """Return a client of the scheduler at an address; "local" starts one here, with so many processes."""
    try:
        import distributed
    except ImportError:
        raise ParameterError('a cluster needs Dask: pip install "banditune[cluster]"') from None
    if address == "local":
        import dask

        # or the cluster would give up a worker that is killed again while it starts anew
        patient = {"distributed.deploy.lost-worker-timeout": "1 day", "distributed.worker.preload": [UNINTERRUPTED]}
        quiet = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
        size = {"n_workers": n_workers, "threads_per_worker": 1}
        try:
            with (
                ScratchFolder() as room,
                dask.config.set(patient | {"temporary-directory": str(room.path)}),
                distributed.LocalCluster(**size, **quiet) as cluster,
                distributed.Client(cluster) as client,
            ):
                yield client
        finally:
            remove_abandoned_folders()  # workers that were at work when the cluster was ended could not tidy up
        return
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost cluster is reported by `outcome`
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, TypeError, ValueError, TimeoutError) as error:  # tls:// without certificates is a TypeError
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(f"no Dask scheduler answers at {address}: {reason}") from None
    with client:
        yield client


def check_workers(client: Any, folder: Path | None) -> None:
    """Reject workers of another version, or that do not see the folder in which finished work is kept."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        raise ClusterError(f"no worker has joined the cluster within {CONNECT_SECONDS:g} s; start some: dask worker "
f"{client.scheduler.address}") from None  # fmt: skip
    for worker, found in client.run(version, on_error="return").items():
        if isinstance(found, ImportError | AttributeError):
            raise ClusterError(f"worker {worker} cannot import banditune: {found}")
        if isinstance(found, str) and found != version():
            raise ClusterError(
                f"worker {worker} has banditune {found}, this process {version()}; they must be the same"
            )
    if folder is not None:
        token = uuid.uuid4().hex
        write_text(folder / TOKEN, token)
        for worker, seen in client.run(is_shared_folder, folder, token, on_error="return").items():
            if seen is False:  # a worker that was lost meanwhile says nothing
                raise ClusterError(
                    f"worker {worker} does not see {folder}; checkpoints need a folder that all workers share"
                )


@contextmanager
def open_executor(client: Any) -> Iterator[Executor]:
    """Return what hands work to the workers as an executor of threads would; that they are lost is an error."""
    check_workers(client, None)
    try:
        yield client.get_executor()
    except CancelledError as error:
        raise ClusterError(CLUSTER_LOST) from error
    except Exception as error:
        if was_killed(error):
            raise ClusterError(WORKERS_LOST) from error
        raise


def as_they_end(client: Any, under_way: Collection[Any]) -> Iterator[Any]:
    """Futures as they end, also those that are added meanwhile, until there are no more; each must then be taken out.

    Where there is no worker for long, nothing would ever end: that is an error.
    """
    from distributed import as_completed

    alone_since = None
    while under_way:
        here = set(under_way)
        try:
            for future in as_completed(list(here), timeout=LOOK_SECONDS):
                alone_since = None
                yield future
                if not here.issuperset(under_way):  # others were added
                    break
        except TimeoutError:
            if client.nthreads():
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since >= ALONE_SECONDS:
                raise ClusterError(f"the cluster has had no worker for {ALONE_SECONDS:g} s") from None


def outcome(future: Any) -> tuple[Any, BaseException | None]:
    """Return the result of a future, or why it failed; that the cluster was lost is an error."""
    try:
        return future.result(), None
    except Exception as error:
        if future.status != "error":
            raise ClusterError(CLUSTER_LOST) from error
        return None, error


def was_killed(failure: BaseException) -> bool:
    """Tell whether a future failed because workers were lost that worked on it."""
    return type(failure).__name__ == "KilledWorker"


class Pool:
    """Sums that workers add up in a tree, in whatever order they come. None is nothing to add."""

    def __init__(self, client: Any, merge: Callable[..., Any], *options: Any) -> None:
        self._client, self._merge, self._options = client, merge, options
        self._waiting: list[list[Any]] = []  # of each height of the tree: sums that wait for others

    def add(self, future: Any, height: int = 0) -> None:
        """Add a future that holds a sum, or will."""
        if height == len(self._waiting):
            self._waiting.append([])
        self._waiting[height].append(future)
        if len(self._waiting[height]) == FAN_IN:
            together, self._waiting[height] = self._waiting[height], []
            self.add(self._merge_futures(together), height + 1)

    def future(self) -> Any:
        """Return the sum of all, once there is; None if there is nothing to add."""
        return self._merge_futures([future for futures in self._waiting for future in futures])

    def _merge_futures(self, futures: Sequence[Any]) -> Any:
        return self._client.submit(merge_some, self._merge, list(futures), *self._options, pure=False)


def merge_some(merge: Callable[..., Any], parts: Sequence[Any], *options: Any) -> Any:
    """Merge those parts that are there."""
    there = [part for part in parts if part is not None]
    return merge(there, *options) if there else None
