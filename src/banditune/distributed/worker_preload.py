"""What a worker of a cluster on this machine begins with: Ctrl-C is for the driver, which then ends its workers."""

import signal


def dask_setup(_worker: object) -> None:
    """Called by Dask in the worker's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
