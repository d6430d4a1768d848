"""Vowpal Wabbit's dsjson: the decisions of a contextual bandit with their costs, one JSON object a line.

github.com/VowpalWabbit/vowpal_wabbit/wiki/DSJSON. What stands in the context `c` is a column by its JSON pointer
(/c/User/age), what stands in the chosen action by one that begins with /action (/action/article/id).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from banditune.errors import FileError
from banditune.logs.parts import Format, Opening
from banditune.logs.records import LOOKED_AT, Record, Records, as_text, parse_object, peek_objects
from banditune.logs.text_files import Place, check_start, number_lines

OWN = ("action", "tag", "cost", "probability", "time", "event")  # columns that are no pointers
CONTEXT, CHOSEN = "/c", "/action"
LABELS = ("_label_cost", "_labelIndex", "_label_Action", "_label_probability")


@dataclass(frozen=True, slots=True)
class DecisionLog(Records):
    """A file of decisions."""

    title = "VW dsjson"

    @classmethod
    def open(cls, path: str, opening: Opening) -> "DecisionLog":
        """Return the file, with the columns of its first lines; of all lines, where features are wanted."""
        check_start(path)
        found: dict[str, None] = {}
        tagged = n_decisions = 0
        last = LOOKED_AT if opening.columns.features is None else None
        for _, line in islice(number_lines(path), last):
            record, problem = parse_object(line)
            if problem is None and (decision := _Decision.parse(record)).problem is None:
                found |= dict.fromkeys(decision.list_columns())
                n_decisions += 1
                tagged += decision.values["tag"] is not None
        if not n_decisions:
            raise FileError(f"{path} must hold decisions of Vowpal Wabbit (dsjson); none was found")
        has_tags = tagged == n_decisions
        usual = {"task": "time:day", "arm": "tag" if has_tags else "action", "reward": "cost:cost"}
        what = "their tags" if has_tags else "their places in _multi, as not all have a _tag"
        notes = (f"arms are called by {what}; the reward is minus the cost",)
        usual |= {"time": "time", "propensity": "probability"}
        return cls(path, (*OWN, *found), usual, notes)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the decisions; what has no label, was never shown or has several slots is a problem."""
        for number, line in number_lines(self.path, place):
            record, problem = parse_object(line)
            decision = _Decision.parse(record)
            yield number, problem or decision.problem, [decision.look_up(name) for name in wanted]


@dataclass(frozen=True, slots=True)
class _Decision:
    """One decision: its own columns, its context and the chosen action; or what is wrong with it."""

    problem: str | None
    values: Mapping[str, str | None]
    within: Mapping[str, Any]

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> "_Decision":
        nothing: dict[str, str | None] = dict.fromkeys(OWN)
        context = record.get("c")
        if problem := _judge(record):
            return cls(problem, nothing, {})
        assert isinstance(context, dict)
        actions = context.get("_multi")
        index = _find_chosen(record)
        if not isinstance(index, int):
            return cls(index, nothing, {})
        action = actions[index] if isinstance(actions, list) and index < len(actions) else None
        if isinstance(actions, list) and action is None:
            return cls("the chosen action is none of those in _multi", nothing, {})
        own = {
            "action": str(index + 1),
            "tag": as_text(action.get("_tag")) if isinstance(action, dict) else None,
            "cost": as_text(record.get("_label_cost")),
            "probability": as_text(record.get("_label_probability")),
            "time": as_text(record.get("Timestamp")),
            "event": as_text(record.get("EventId")),
        }
        return cls(None, own, {"c": context, "action": action})

    def look_up(self, name: str) -> str | None:
        """Return the value of a column."""
        if name in self.values:
            return self.values[name]
        found: Any = self.within
        for key in (part.replace("~1", "/").replace("~0", "~") for part in name.split("/")[1:]):
            if isinstance(found, dict):
                found = found.get(key)
            elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return as_text(found)

    def list_columns(self) -> Iterator[str]:
        """Return the pointers to every value in the context and the chosen action."""
        shared = {key: value for key, value in self.within["c"].items() if not key.startswith("_")}
        yield from _list_pointers(shared, CONTEXT)
        yield from _list_pointers(self.within["action"], CHOSEN)


def _judge(record: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a record as a whole."""
    if not isinstance(record.get("c"), dict):
        is_reward = "RewardValue" in record or ("EventId" in record and "c" not in record)
        return "the reward has no decision (dangling)" if is_reward else "the line is no decision"
    if "_outcomes" in record or "_slots" in record["c"]:
        return "the decision has several slots, and its reward does not say of which"
    if record.get("_skipLearn") is True:
        return "the decision is marked _skipLearn: it was not acted on"
    return None


def _find_chosen(record: Mapping[str, Any]) -> int | str:
    """Return the number of the chosen action from 0; or what is wrong."""
    found = set()
    for name, first in (("_labelIndex", 0), ("_label_Action", 1)):
        if name in record:
            text = record[name]
            if not isinstance(text, str) or not text.isdecimal() or len(text) > 9 or int(text) < first:
                return f"{name} is not the number of an action"
            found.add(int(text) - first)
    if not found:
        return "the decision has no label"
    return found.pop() if len(found) == 1 else "_labelIndex and _label_Action name different actions"


def _list_pointers(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _list_pointers(inside, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for k, inside in enumerate(value):
            yield from _list_pointers(inside, f"{at}/{k}")
    elif value is not None:
        yield at


def is_decision_log(path: str) -> bool:
    """Tell whether a file unmistakably holds decisions."""
    return any("c" in record and any(label in record for label in LABELS) for record in peek_objects(path))


FORMAT = Format("dsjson", DecisionLog.open, (".dsjson",), is_decision_log)
