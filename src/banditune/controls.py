"""Characters that a terminal obeys or that show nothing, as text that can be read."""

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
