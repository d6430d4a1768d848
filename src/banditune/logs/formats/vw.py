"""Vowpal Wabbit's text logs of contextual bandits: `action:cost:probability | features`, and cb_adf's of several lines.

github.com/VowpalWabbit/vowpal_wabbit/wiki/Contextual-Bandit-algorithms and .../wiki/Input-format. With a line for each
action, examples are separated by blank lines or begin with a line `shared | ...`. A feature is a column called
namespace^feature, as VW's audit calls it; the text of a namespace is one called |namespace.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from banditune.errors import FileError
from banditune.logs.parts import Format, Opening
from banditune.logs.records import LOOKED_AT, Record, Records
from banditune.logs.text_files import BYTE_ORDER_MARK, Place, check_start, open_bytes, read_lines, reading

OWN = ("action", "tag", "cost", "probability")  # columns that are no features
SHARED = "shared"
OTHERS = ("ca", "ccb", "slates")  # what lines of other problems begin with: continuous actions, several slots
MOST_FEATURES = 10_000
MOST_LINES = 10_000  # of an example


@dataclass(slots=True)
class Line:
    """A line: the labels and the tag before the first bar, the features and the namespaces' texts behind it."""

    labels: list[str]
    tag: str | None = None
    features: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLog(Records):
    """A file of examples, of one line each or of a line for each action."""

    title = "VW text"

    several: bool  # whether actions have lines of their own

    @classmethod
    def open(cls, path: str, opening: Opening) -> "TextLog":
        """Return the file, with the columns of its first lines; of all lines, where features are wanted."""
        check_start(path)
        several = _has_several(path)
        found: dict[str, None] = {}
        last = LOOKED_AT if opening.columns.features is None else None
        usable = 0
        for _, example in islice(_list_examples(path, several), last):
            decision = _decide(example, several)
            if decision.problem is None:
                usable += 1
                found |= dict.fromkeys([*decision.texts, *decision.features])
            if len(found) > MOST_FEATURES:
                raise FileError(f"{path} has over {MOST_FEATURES:,} features: too many for columns")
        if not usable:
            raise FileError(
                f"{path} must hold examples of Vowpal Wabbit with labels action:cost:probability; none was found"
            )
        kind = "a line for each action" if several else "a line for each decision"
        notes = (
            f"{kind}; the reward is minus the cost; a feature that is not in a line is 0",
            *(("arms are called by their places in an example",) if several else ()),
        )
        usual = {"task": ":file", "arm": "action", "reward": "cost:cost", "propensity": "probability"}
        return cls(path, (*OWN, *found), usual, notes, several=several)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the decisions."""
        for number, example in _list_examples(self.path, self.several, place):
            line = _decide(example, self.several)
            yield number, line.problem, [_look_up(line, name) for name in wanted] if line.problem is None else ()


def _look_up(line: Line, name: str) -> str | None:
    if name in OWN:
        action, cost, probability = line.labels[0].split(":")
        return {"action": action, "tag": line.tag, "cost": cost, "probability": probability}[name] or None
    return line.texts.get(name) if "|" in name else line.features.get(name, "0")


def _decide(example: Sequence[Line], several: bool) -> Line:
    """Return the chosen action of an example: its label, its place, and the features by which it was chosen."""
    for line in example:
        if line.problem is not None:
            return line
    shared = example[0] if example[0].labels == [SHARED] else None
    actions = example[1:] if shared is not None else example
    chosen = [k for k, line in enumerate(actions) if any(":" in label for label in line.labels)]
    if len(chosen) != 1 or sum(":" in label for label in actions[chosen[0]].labels) != 1:
        count = "no" if not chosen else "more than one"
        return Line([], problem=f"the example has {count} label action:cost:probability")
    line = actions[chosen[0]]
    label = next(label for label in line.labels if ":" in label)
    if label.count(":") != 2:
        return Line([], problem="the label is not action:cost:probability")
    if not several:
        return Line([label], line.tag, line.features, line.texts)
    place = f"{chosen[0] + 1}:{label.split(':', 1)[1]}"
    texts = dict(line.texts) | {f"{SHARED}{name}": text for name, text in (shared.texts if shared else {}).items()}
    return Line([place], line.tag, shared.features if shared is not None else {}, texts)


def _list_examples(path: str, several: bool, place: Place | None = None) -> Iterator[tuple[int, list[Line]]]:
    """Return the examples of a file with the line at which each begins."""
    held: list[Line] = []
    first = 1
    with reading(path), open_bytes(path, place) as file:
        for number, raw in enumerate(read_lines(file, path), 1):
            content = raw.removeprefix(BYTE_ORDER_MARK).strip() if number == 1 else raw.strip()
            begins = not content or not several or content.split(b"|")[0].strip() == SHARED.encode()
            if held and (begins or len(held) == MOST_LINES):
                yield first, held
                held = []
            if content:
                first = first if held else number
                held.append(_parse(content))
        if held:
            yield first, held


def _parse(content: bytes) -> Line:
    """Take a line apart."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return Line([], problem="the line is not UTF-8 text")
    before, bar, behind = text.partition("|")
    if not bar:
        return Line([], problem="the line has no | before its features")
    labels = before.split()
    if labels and labels[0] in OTHERS:
        return Line([], problem=f"the line is of another problem ({labels[0]}), not a choice of one action")
    line = Line(labels)
    if labels and (labels[-1].startswith("'") or (before[-1:] not in (" ", "\t") and ":" not in labels[-1])):
        line.tag = labels.pop().removeprefix("'") or None
    for namespace in behind.split("|"):
        name = ""
        scale: float | None = 1.0
        words = namespace.split()
        if namespace[:1] not in ("", " ", "\t") and words:
            name, _, written = words.pop(0).partition(":")
            scale = _number(written or "1")
        line.texts[f"|{name}"] = " ".join(words)
        for word in words:
            feature, _, value = word.partition(":")
            known = _number(value or "1")
            if scale is None or known is None:
                line.problem = "the value of a feature is not a number"
                return line
            key = f"{name}^{feature}"
            total = known * scale + float(line.features.get(key, 0.0))
            line.features[key] = repr(total)
    return line


def _number(written: str) -> float | None:
    try:
        return float(written)
    except ValueError:
        return None


def _has_several(path: str) -> bool:
    """Tell whether actions have lines of their own: there are shared lines, or blank ones between unlabelled ones."""
    blank = shared = unlabelled = False
    with reading(path), open_bytes(path) as file:
        for line in islice(read_lines(file, path), LOOKED_AT):
            before = line.split(b"|")[0].strip()
            blank |= not line.strip()
            shared |= before == SHARED.encode()
            unlabelled |= bool(line.strip()) and not before
    return shared or (blank and unlabelled)


FORMAT = Format("vw", TextLog.open, (".vw",))
