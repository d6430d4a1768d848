"""The errors banditune raises on purpose, and its warning.

BanditTuneError
└── InputError (also a ValueError)   something given cannot be used; says what was needed, what came, and where
    ├── TaskError                    a task
    ├── ParameterError               a parameter, a range, a horizon, an option
    └── FileError                    a file or a text that was to be read
"""

from banditune.controls import escape_controls


class BanditTuneError(Exception):
    r"""Any error that banditune raises on purpose.

    Each argument is a line of its message. What a terminal would obey is shown instead: messages quote names from logs.

    >>> str(BanditTuneError("there is no file a\x1b[31m"))
    'there is no file a\\x1b[31m'
    """

    def __str__(self) -> str:
        return "\n".join(escape_controls(str(line)) for line in self.args)


class InputError(BanditTuneError, ValueError):
    """Something given cannot be used."""


class TaskError(InputError):
    """A task cannot be used."""


class ParameterError(InputError):
    """A parameter, a range, a horizon or another option cannot be used."""


class FileError(InputError):
    """A file or a text does not hold what it should."""


class ReplayWarning(UserWarning):
    """What was learned from logs is less certain than it looks."""
