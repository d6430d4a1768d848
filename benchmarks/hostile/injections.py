"""Names that try to become something else: markup, code, commands to a terminal; and whether they did."""

import ast
import unicodedata
from html.parser import HTMLParser

MARK = "xhostile"  # an element, an attribute or a function of this name can only come from data

NAMES = {
    "escape": f"\x1b[31m{MARK}\x1b[0m",
    "title": f"\x1b]0;{MARK}\x07",
    "c1": f"\x9b31m{MARK}",
    "bell": f"{MARK}\x07\x08\x08",
    "return": f"{MARK}\rwell",
    "newline": f"{MARK}\nbanditune: all is well",
    "bidi": f"{MARK}\u202efed\u2066x",
    "separator": f"{MARK}\u2028x\u0085y",
    "emoji": f":bomb: {MARK}",
    "markup": f"[red]{MARK}[/red] [/] [link=https://example.org]",
    "element": f"<{MARK} on{MARK}=1>",
    "attribute": f"\"' on{MARK}=1 x='\"><{MARK}>",
    "script": f"</script><{MARK}></script>",
    "comment": f"<!--<script><{MARK}>",
    "entity": f"&lt;{MARK}&gt;&#60;{MARK}&#62;",
    "python": f'"""); {MARK}(); ("""\n{MARK}()\n#',
    "formula": f"={MARK}()",
    "format": f"{{0}}{{{MARK}}}%s%n",
    "nul": f"{MARK}\0x",
    "long": MARK * 2000,
}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def find_controls(text: str) -> list[str]:
    r"""Characters that command a terminal or turn text around, other than newlines and tabs.

    >>> find_controls("fine\n\tso far"), find_controls("a\x1b[0m\u202e")
    ([], ['U+001B', 'U+202E'])
    """
    bad = {c for c in text if (unicodedata.category(c) == "Cc" and c not in "\n\t") or c in BIDI}
    return sorted(f"U+{ord(c):04X}" for c in bad)


def find_rendered(text: str) -> list[str]:
    """Codes of rich in the data that were not printed as they are.

    >>> find_rendered(":bomb: [red]xhostile[/red]"), find_rendered("\U0001f4a3")
    ([], [':bomb: became a picture'])
    """
    return [":bomb: became a picture"] if "\N{BOMB}" in text else []


class _Page(HTMLParser):
    """Whatever in a page bears the mark where only the page's own words may stand."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.in_script = tag == "script"
        if MARK in tag:
            self.found.append(f"element {tag}")
        self.found += [f"attribute {name} of {tag}" for name, _ in attrs if MARK in name]
        self.found += [
            f"link {value[:40]}" for name, value in attrs if value and name in ("href", "src") and MARK in value
        ]

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_comment(self, data: str) -> None:
        if MARK in data:
            self.found.append("comment")

    def handle_data(self, data: str) -> None:
        # "<!--" makes browsers pass over the script's own end
        if self.in_script and ("<!--" in data or "<script" in data):
            self.found.append("a script that data can end, or keep from ending")


def find_in_page(page: str) -> list[str]:
    """Elements, attributes, links and comments of a page that came from data.

    >>> find_in_page("<p>&lt;xhostile&gt;</p>"), find_in_page("<p><xhostile onxhostile=1></p>")
    ([], ['element xhostile', 'attribute onxhostile of xhostile'])
    """
    parser = _Page()
    parser.feed(page)
    parser.close()
    return parser.found


def find_in_script(script: str) -> list[str]:
    """Names and comments of a Python program that came from data; data may stand in its strings alone.

    >>> find_in_script("print('xhostile()')"), find_in_script("xhostile()")
    ([], ['name xhostile'])
    """
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError) as error:
        return [f"no program: {error}"]
    return [f"name {node.id}" for node in ast.walk(tree) if isinstance(node, ast.Name) and MARK in node.id]
