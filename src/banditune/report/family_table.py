"""Which policy: all that were tuned, on the same held-out tasks."""

from banditune.report.gains import describe_difference
from banditune.report.markup import paragraphs, plain, table
from banditune.report.wording import Words
from banditune.tuning.families import Families


def write_families(families: Families, words: Words) -> str:
    """All policies that were tuned, on the same held-out tasks."""
    rows = []
    for row in families.rows:
        name = f"{row.name} (chosen)" if row.name == families.chosen else row.name
        extra = describe_difference(row.extra, words) if row is not families.rows[0] else ""
        level = "yes" if row.is_level else "no"
        rows.append([plain(name), plain(row.learned), words.format(row.loss.mean), plain(extra), level])
    head = ["", "learned", words.measure, "difference from the first (interval)", "level with it"]
    how = (
        "Each policy was tuned on the same tasks and folds, and is measured with what was learned from other folds. "
        "Intervals are paired by task and corrected for the number of policies, together 95%. Level with the first are "
        "those that follow it, up to one that is clearly worse than any before. Of these, the simplest is chosen."
    )
    standing = table("Policies on held-out tasks", head, rows, kind="numbers")
    return "\n".join((paragraphs(families.text), standing, paragraphs(how, kind="note")))
