"""Put the results of a full run into docs/theory/reproduction.md: python -m scripts.docs.show_results reproduced

Copies every figure to docs/figures/reproduced-NAME.png and every table between the marks of its experiment; those that
were not run stay as they are.
"""

import re
import shutil
import sys
from pathlib import Path

from banditune.experiments.catalogue import EXPERIMENTS

DOCS = Path(__file__).parents[2] / "docs"


def show(results: Path) -> None:
    """Copy the figures and put the tables where they belong."""
    page = DOCS / "theory" / "reproduction.md"
    text = page.read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        if not (results / f"{name}.md").exists():
            continue
        table = (results / f"{name}.md").read_text(encoding="utf-8")
        shown = f"<!-- {name} -->\n{table}<!-- end of {name} -->"
        marks = rf"<!-- {name} -->\n.*?<!-- end of {name} -->"
        text, n_found = re.subn(marks, lambda _, shown=shown: shown, text, flags=re.S)
        if n_found != 1:
            raise SystemExit(f"{page} must have the marks of {name} once, found {n_found}")
        shutil.copyfile(results / f"{name}.png", DOCS / "figures" / f"reproduced-{name}.png")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    show(Path(sys.argv[1]))
