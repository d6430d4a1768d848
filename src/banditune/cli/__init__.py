"""The command line: parse, call, print."""

from banditune.cli.signals import Terminated, end_soon, raise_signals, signal_behind

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments of the process ask for; signals end it with a line, not with a traceback."""
    with raise_signals() as signals:
        try:
            from banditune.cli.app import app  # takes a while, in which Ctrl-C may come

            app()
        except SystemExit as error:
            if signals and error.code in (1, 128 + signals[0]):  # 1: Typer itself was interrupted
                end_soon(signals[0])
            raise
        except (KeyboardInterrupt, Terminated, SystemError) as error:
            number = signal_behind(error)
            if number is None:
                raise
            end_soon(number)
