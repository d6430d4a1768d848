"""The command line: parse, call, print."""

import gc
import sys

from banditune.cli.signals import Terminated, end_soon, raise_signals, signal_behind

__all__ = ["main"]

NEW_OBJECTS = 200_000  # before garbage is looked for: modules that are loaded are none, and looking takes its time


def main() -> None:
    """Run the command that the arguments of the process ask for; signals end it with a line, not with a traceback."""
    with raise_signals() as signals:
        try:
            gc.set_threshold(NEW_OBJECTS)
            from banditune.cli.app import app  # takes a while, in which Ctrl-C may come

            app()
        except SystemExit as error:
            if signals and error.code in (1, 128 + signals[0]):  # 1: Typer itself was interrupted
                end_soon(signals[0])
            raise
        except (KeyboardInterrupt, Terminated, RuntimeError, SystemError) as error:
            number = signal_behind(error)
            if number is None:
                raise
            end_soon(number)
        finally:
            if "duckdb" not in sys.modules:  # which complains of what it has to leave behind
                gc.freeze()  # nor is what is there at the end garbage: Python would look through all of it
