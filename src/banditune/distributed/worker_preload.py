"""What a worker of a cluster on this machine begins with: Ctrl-C is for the driver, which then ends its workers."""

import signal


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C to the driver, when Dask calls this in the process of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
