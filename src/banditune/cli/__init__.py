"""The command line: parse, call, print."""

from banditune.cli.app import main

__all__ = ["main"]
