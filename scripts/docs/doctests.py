"""Examples in docstrings as blocks of code, for the reference of the site; mkdocs.yml names this file."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^ *>>> .*\n?(?:^(?! *$).*\n?)*)", flags=re.M)


def fence_examples(text: str) -> str:
    """Put each doctest into a fence: an example that begins with >>> is a quotation to Markdown."""
    if re.search(r"^Examples\n-+$", text, flags=re.M):  # which the reader of numpydoc sections knows by itself
        return text
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class FencedExamples(griffe.Extension):
    """Fences examples while docstrings are read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one class, function or module."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)
