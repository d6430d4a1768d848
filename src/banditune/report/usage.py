"""How to run what was learned: code for banditune and for other libraries."""

from banditune.report.findings import Findings
from banditune.report.markup import clip, paragraphs, plain

MOST_CODE = 4_000  # characters


def write_usage(found: Findings) -> str:
    """Code that runs the result; of other libraries, one at a time where scripts run, else all."""
    seen = "contexts" if found.contextual else ""
    lines = (
        "import banditune as bt\n\n"
        f'policy = bt.load("tuned.json").policy({found.made_for})  # of the new task\n'
        f"arm = policy.select({seen})  # which arm to play\n"
        f"policy.update(arm, reward{f', {seen}' * bool(seen)})  # what it gave\n"
    )
    parts = [paragraphs("The result is in tuned.json, next to this page."), write_code(lines)]
    if found.libraries:
        panels = "\n".join(
            f'<div id="library-{k}"><h3>{clip(library)}</h3>\n{write_code(lines)}\n'
            f"{paragraphs(remark[:MOST_CODE], kind='note')}</div>"
            for k, (library, lines, remark) in enumerate(found.libraries)
        )
        parts += [
            paragraphs("The same exploration in the parameters of other libraries:"),
            f'<div class="tabs">\n{panels}\n</div>',
        ]
    return "\n".join(parts)


def write_code(lines: str) -> str:
    """Return some lines of code, which can be copied where scripts run."""
    shown = "\n".join(plain(line) for line in lines[:MOST_CODE].splitlines())
    return f'<div class="code"><pre><code>{shown}</code></pre></div>'
