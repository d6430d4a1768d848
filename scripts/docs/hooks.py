"""The generated parts of the documentation site; MkDocs calls the functions that begin with `on_`.

- `<!-- include: FILE -->` in a page stands for a file at the root of the repository, and `<!-- include: FILE, NAME -->`
  for what is between `<!-- start: NAME -->` and `<!-- end: NAME -->` in it.
- `<!-- commands -->` stands for every command with its options, as the command line itself declares them.
- LaTeX between dollars becomes MathML, which browsers draw without a script.
"""

import html
import inspect
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in what a page includes."""
    markdown = re.sub(r"<!-- include: ([^,\s]+)(?:, (.+?))? -->", lambda found: include(*found.groups()), markdown)
    if "<!-- commands -->" in markdown:
        markdown = markdown.replace("<!-- commands -->", describe_commands())
    return markdown


def on_page_content(content: str, **_: Any) -> str:
    """Replace formulas by MathML."""
    formula = r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>'
    return re.sub(formula, lambda found: to_mathml(found[3], found[2] == "["), content, flags=re.S)


def include(name: str, part: str | None) -> str:
    """Return a file of the repository, or the named part of it, with links as they are from within docs/."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if part is not None:
        _, found, rest = text.partition(f"<!-- start: {part} -->\n")
        text, ended, _ = rest.partition(f"<!-- end: {part} -->")
        if not (found and ended):
            raise ValueError(f"{name} must have the marks <!-- start: {part} --> and <!-- end: {part} -->")
    return text.replace("](docs/", "](")


def to_mathml(latex: str, is_display: bool) -> str:
    """Return a formula as MathML."""
    from latex2mathml.converter import convert

    formula = convert(html.unescape(latex), display="block" if is_display else "inline")
    return re.sub(r"(<mi>(?:log|max|sup)</mi>)(?=<m)(?!<mo)", r'\1<mspace width="0.2em"/>', formula)


def describe_commands() -> str:
    """Return a section for each command, with a table of its options for each panel of its help."""
    from banditune.cli.app import Commands

    return "\n\n".join(describe_command(name, Commands.load(name)) for name in Commands.summaries)


def describe_command(name: str, command: Any) -> str:
    """Return the section of one command."""
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(["banditune", name, *map(_name_argument, arguments), "[OPTIONS]"])
    parts = [f"## banditune {name}", f"`{usage}`", *map(_paragraph, inspect.cleandoc(command.help).split("\n\n"))]
    panels: dict[str, list[Any]] = {}
    for each in command.params:
        panels.setdefault(getattr(each, "rich_help_panel", None) or "Options", []).append(each)
    for panel, options in panels.items():
        rows = [f"| {_name_option(each)} | {_explain_option(each)} |" for each in options]
        parts.append("\n".join([f"| {panel} | |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _paragraph(text: str) -> str:
    """Return a paragraph of a help text; a command that it shows becomes a block, indented lines a list."""
    if text.startswith(" "):
        return "\n".join(f"- {html.escape(line.strip(), quote=False)}" for line in text.splitlines())
    words = " ".join(text.split())
    said, shown, command = words.partition(": banditune ")
    escaped = html.escape(said, quote=False)
    return f"{escaped}:\n\n```\nbanditune {command}\n```" if shown else escaped


def _name_argument(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _name_option(option: Any) -> str:
    metavar = getattr(option, "metavar", None)
    if option.param_type_name == "argument":
        return f"`{metavar or option.name.upper()}`"
    takes = "" if getattr(option, "is_flag", False) else f" {metavar or option.name.upper()}"
    return ", ".join(f"`{name}{takes}`" for name in (*option.opts, *option.secondary_opts))


def _explain_option(option: Any) -> str:
    default = option.show_default if isinstance(option.show_default, str) else None
    if default is None and option.show_default and option.default is not None and option.default is not False:
        default = str(option.default)
    said = html.escape(option.help or "", quote=False).replace("|", "\\|")
    return said if default is None else f"{said} Default: {default}."
