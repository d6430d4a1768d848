"""How signals end the command: as cleanly as can be at the first, at once at the second."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from banditune.errors import escape_controls

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

PATIENCE_SECONDS = 1.0
AGAIN_SECONDS = 0.05
CAME: list[int] = []  # the signals since the command began


class Terminated(BaseException):
    """The process was told to end, by another signal than Ctrl-C's: nothing is to be made of what was found so far."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def raise_signals() -> Iterator[list[int]]:
    """Let the first signal that asks the process to end raise in the main thread; a second one ends it at once.

    So does one that comes after the block, which is to last as long as the process does something. Yields a list of
    the signals that came. One that is ignored stays so, as that of a terminal that is closed under `nohup`. One that
    comes where Python cannot hand an exception on, as in a callback of the compiler's, comes again when that is over.
    """
    CAME.clear()
    over, complain = False, sys.unraisablehook

    def end(number: int, _frame: FrameType | None) -> None:
        if CAME or over:
            sys.stderr.write("banditune: ended at once\n")
            _leave(128 + number)
        CAME.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    def repeat(lost: "sys.UnraisableHookArgs") -> None:
        if CAME and isinstance(lost.exc_value, KeyboardInterrupt | Terminated):
            again = threading.Timer(AGAIN_SECONDS, _send, (CAME.pop(),))
            again.daemon = True
            again.start()
        else:
            complain(lost)

    for each in ENDING:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, end)
    sys.unraisablehook = repeat
    try:
        yield CAME
    finally:
        over, sys.unraisablehook = True, complain


def _send(number: int) -> None:
    """Send the main thread a signal, which wakes it if it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(signal.Signals(number))


def signal_behind(error: BaseException | None) -> int | None:
    """Return the signal that is behind an error, if any.

    Within compiled code it comes as the cause of a SystemError; while DuckDB hands rows over, as its own RuntimeError.
    """
    while error is not None:
        if CAME and isinstance(error, RuntimeError) and "interrupted" in str(error).lower():
            return CAME[0]
        if isinstance(error, KeyboardInterrupt):
            return signal.SIGINT
        if isinstance(error, Terminated):
            return error.signal_number
        error = error.__cause__ or error.__context__
    return None


@contextmanager
def tell_resumption(folder: Path | None) -> Iterator[None]:
    """Say where a run that a signal ends can go on, if it keeps checkpoints and any work is finished."""
    try:
        yield
    except BaseException as error:
        if signal_behind(error) is not None and folder is not None and folder.exists():
            place = escape_controls(str(folder))
            again = f"run the same command with --resume {place} to continue"
            sys.stderr.write(f"banditune: finished work is saved; {again}\n")
        raise


def end_soon(number: int) -> NoReturn:
    """Say that a signal ends the process, and end it; threads that are still at work are waited for but briefly.

    One may be compiling a kernel, which takes a while; Python would wait for it.
    """
    told = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    sys.stderr.write(f"banditune: {told}\n")
    until = time.monotonic() + PATIENCE_SECONDS
    at_work = [each for each in threading.enumerate() if each is not threading.current_thread() and not each.daemon]
    for thread in at_work:
        thread.join(max(0.0, until - time.monotonic()))
    if any(thread.is_alive() for thread in at_work):
        _leave(128 + number)
    raise SystemExit(128 + number) from None


def _leave(code: int) -> NoReturn:
    """End the process, of which only its temporary files are tidied up."""
    from banditune.temporary_folders import remove_all

    remove_all()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
