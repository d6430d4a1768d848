"""How signals end the command: as cleanly as can be at the first, at once at the second."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(BaseException):
    """The process was told to end, by another signal than Ctrl-C's: nothing is to be made of what was found so far."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def told_signals() -> Iterator[None]:
    """Let the first signal that asks the process to end raise in the main thread; a second one ends it at once.

    So does one that comes after the block, which is to last as long as the process does something. A signal that is
    ignored stays so, as that of a terminal that is closed under `nohup`.
    """
    came = False

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal came
        if came:
            _end_at_once(number)
        came = True
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    for each in ENDING:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, end)
    try:
        yield
    finally:
        came = True


def ending(error: BaseException | None) -> tuple[str, int] | None:
    """What to tell, and the exit code, if a signal is behind an error; None if it is not.

    Within compiled code it comes as the cause of a SystemError.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return "interrupted", 128 + signal.SIGINT
        if isinstance(error, Terminated):
            name = signal.Signals(error.signal_number).name
            return f"ended by {name}", 128 + error.signal_number
        error = error.__cause__ or error.__context__
    return None


def _end_at_once(number: int) -> None:
    """End without waiting for anything but the removal of temporary files."""
    from banditune.scratch import remove_all

    remove_all()
    sys.stderr.write("banditune: ended at once\n")
    sys.stderr.flush()
    os._exit(128 + number)
