"""The command line: parse, call, print."""

import sys

from banditune.cli.signals import Terminated, end_soon, ending, told_signals

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments of the process ask for; signals end it with a line, not with a traceback."""
    with told_signals() as signals:
        try:
            from banditune.cli.app import app  # takes a while, in which Ctrl-C may come

            app()
        except SystemExit as error:
            if signals and error.code == 128 + signals[0]:
                end_soon(error.code)
            raise
        except (KeyboardInterrupt, Terminated, SystemError) as error:
            told = ending(error)
            if told is None:
                raise
            message, code = told
            sys.stderr.write(f"banditune: {message}\n")
            end_soon(code)
