"""The errors banditune raises on purpose, its warning, and how text from data is shown in them: literally."""

import unicodedata

OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, directions and joiners, half characters, line ends


def escape_controls(text: str) -> str:
    r"""Show a text as it is, but for what a terminal would obey or not show: that as Python writes it.

    Names in logs may hold anything: an escape code would recolour or rewrite what a person sees, a line end would begin
    a line that nobody wrote.

    >>> escape_controls("café\x1b[31m \n"), escape_controls("caf\u202egnp.exe")
    ('café\\x1b[31m \\n', 'caf\\u202egnp.exe')
    """
    if text.isprintable():
        return text
    return "".join(
        each.encode("unicode_escape").decode() if unicodedata.category(each) in OBEYED else each for each in text
    )


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


class StoreError(BanditTuneError, OSError):
    """A place where deployments are kept cannot be used now; nothing is lost if the call is made again."""


class ReplayWarning(UserWarning):
    """What was learned from logs is less certain than it looks."""
