"""Which column of a log says what."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from banditune.errors import FileError, ParameterError
from banditune.logs.computed_columns import NamePart, list_names, split_kind, split_name
from banditune.logs.text_files import SAVE_AS, is_broken
from banditune.tasks.encoding import CATEGORY, parameter_kinds
from banditune.validation import format_value

Form = Literal["rewards", "totals", "moments", "contexts", "configurations"]
RATES = ("rate", "ctr", "cvr", "cr", "conversion", "conversion_rate", "click_rate", "success_rate", "open_rate")
AS_CATEGORY = f":{CATEGORY}"  # after the name of a feature
USED: dict[Form, tuple[str, ...]] = {
    "rewards": ("task", "arm", "reward", "time"),
    "totals": ("task", "arm", "pulls", "successes"),
    "moments": ("task", "arm", "pulls", "mean", "sd"),
    "contexts": ("task", "arm", "reward", "time", "features", "propensity"),
    "configurations": ("task", "reward", "time", "parameters"),
}


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a log, as its owner calls them."""

    task: str = "task"
    arm: str = "arm"
    reward: str = "reward"
    time: str | None = None  # the order of the rewards; without it, the order of the rows
    pulls: str | None = None  # of totals and moments, which are looked for where there are no rewards
    successes: str | None = None
    features: str | tuple[str, ...] | None = None  # columns, or what their names begin with; "name:category"
    propensity: str | None = None  # how likely the logging policy was to choose the arm
    parameters: tuple[str, ...] | None = None  # whose values together are the arm; "name" or "name:kind"
    mean: str | None = None  # of moments: the mean of an arm's rewards, and their standard deviation
    sd: str | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            name = getattr(self, each.name)
            if each.name == "parameters":
                continue  # distinguished by `parameter_kinds`
            if each.name == "features" and isinstance(name, tuple) and name:
                name = next((one for one in name if not isinstance(one, str)), "".join(map(str, name)))
            optional = each.default is None
            if not (isinstance(name, str) and name) and not (optional and name is None):
                raise ParameterError(f"the column of {each.name} must be given by its name, got {format_value(name)}")

    @property
    def kinds(self) -> dict[str, str | None]:
        """The parameters of configurations and their kinds; none if arms have names."""
        return {} if self.parameters is None else parameter_kinds(self.parameters)

    @property
    def feature_names(self) -> dict[str, bool]:
        """What features are called, or begin with, and whether they are said to be categories."""
        given = (self.features,) if isinstance(self.features, str) else self.features or ()
        return {name.removesuffix(AS_CATEGORY): name.endswith(AS_CATEGORY) for name in given}

    @property
    def summaries(self) -> dict[str, str]:
        """What the columns of totals and moments are called."""
        named = {"pulls": self.pulls, "successes": self.successes, "mean": self.mean, "sd": self.sd}
        return {wanted: name or wanted for wanted, name in named.items()}

    @property
    def wanted(self) -> list[str]:
        """What columns of a log may be called that these are in."""
        single = [self.task, self.arm, self.reward, self.time, self.propensity, *self.summaries.values()]
        named = [name for given in single if given is not None for name in list_names(given)]
        return [*named, *self.kinds, *self.feature_names]

    def name_used_columns(self, form: Form) -> dict[str, Any]:
        """Return what the columns say that a log of this form is read by, and what they are called."""
        known = asdict(self) | self.summaries
        return {wanted: known[wanted] for wanted in USED[form] if known[wanted] is not None}


@dataclass(frozen=True, slots=True)
class Found:
    """The columns of one file or table that are used: what they mean -> what they are called there."""

    form: Form
    names: dict[str, str]  # task, arm, reward or pulls and successes, time, propensity
    features: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()  # the features that are categories, as far as that is known
    composed: dict[str, tuple[NamePart, ...]] = field(default_factory=dict)  # of what the task or the arm is made
    computed: dict[str, str] = field(default_factory=dict)  # what is done with the numbers of a column
    only: dict[str, str] = field(default_factory=dict)  # columns and the values of rows that are taken

    @property
    def used(self) -> list[str]:
        """All columns that are read, each once."""
        parts = (part.column for parts in self.composed.values() for part in parts if part.column is not None)
        return list(dict.fromkeys([*self.names.values(), *self.features, *self.parameters, *parts, *self.only]))


def find_columns(columns: Columns, there: Sequence[str], where: str) -> Found:
    """Find the columns of a log by name: as written, or else in other capitals. Missing ones are an error."""
    summarised = [each for each in (columns.pulls, columns.successes, columns.mean, columns.sd) if each is not None]
    if columns.features is not None and summarised:
        raise ParameterError("a log has features, one row per choice, or totals (pulls and successes), not both")
    if columns.successes is not None and (columns.mean is not None or columns.sd is not None):
        raise ParameterError("a log has totals (pulls and successes) or moments (pulls, mean and sd), not both")
    if columns.propensity is not None and columns.features is None:
        raise ParameterError("a propensity needs a log with features: give their prefix, too")
    is_configured = columns.parameters is not None
    if is_configured and (columns.features is not None or summarised):
        raise ParameterError("a table of configurations has parameters and a reward, but no features and no totals")
    named = ("task",) if is_configured else ("task", "arm")
    names = {wanted: _find_column(getattr(columns, wanted), there, where) for wanted in named}
    split = {wanted: split_name(getattr(columns, wanted), there) for wanted, name in names.items() if name is None}
    composed = {wanted: parts for wanted, parts in split.items() if parts is not None}
    called = ({} if is_configured else columns.summaries) | {"reward": columns.reward}
    numbers = {wanted: _find_number(name, wanted, there, where) for wanted, name in called.items()}
    computed = {wanted: kind for wanted, (_, kind) in numbers.items() if kind}
    summary = {wanted: name for wanted, (name, _) in numbers.items()}
    rewards = {"reward": summary.pop("reward")}
    form = _choose_form(columns, summary, has_rewards=rewards["reward"] is not None)
    names |= {each: summary[each] for each in USED[form][2:]} if form in ("totals", "moments") else rewards
    for optional in ("time", "propensity"):
        if getattr(columns, optional) is not None:
            names[optional] = _find_column(getattr(columns, optional), there, where)
    names = {wanted: name for wanted, name in names.items() if wanted not in composed}
    if columns.features is not None and names.get("task", "") is None and columns.task == Columns.task:
        del names["task"]  # all events are of one task
    parameters = {name: _find_column(name, there, where) for name in columns.kinds}
    missing = [called.get(wanted) or getattr(columns, wanted) for wanted, name in names.items() if name is None]
    missing += [name for name, match in parameters.items() if match is None]
    features: dict[str, bool] = {}
    for wanted, is_category in columns.feature_names.items():
        others = [n for n in there if n not in names.values()]
        meant = [n for n in others if n == wanted] or [n for n in others if n.startswith(wanted)]
        features |= {name: is_category or features.get(name, False) for name in meant}
        missing += [] if meant else [f"{wanted}..."]
    if missing:
        quoted = ", ".join(f'"{name}"' for name in missing)
        absent = f"has no column{'' if len(missing) == 1 else 's'} {quoted}"
        raise FileError(f"{where} {absent}; {_present(there)}. {_advice(form, there)}")
    return Found(
        form,
        {wanted: name for wanted, name in names.items() if name is not None},
        tuple(features),
        tuple(name for name in parameters.values() if name is not None),
        categories=tuple(name for name, is_category in features.items() if is_category),
        composed=composed,
        computed={wanted: kind for wanted, kind in computed.items() if wanted in names},
    )


def _find_number(given: str, wanted: str, there: Sequence[str], where: str) -> tuple[str | None, str]:
    """Find a column of numbers, and what is done with them, if that stands behind its name."""
    if (name := _find_column(given, there, where)) is not None:
        return name, ""
    bare, kind = split_kind(given, wanted)
    return (_find_column(bare, there, where), kind) if kind else (None, "")


def _choose_form(columns: Columns, summary: Mapping[str, str | None], *, has_rewards: bool) -> Form:
    """Rewards, unless columns of totals or moments are named, or there are those and no rewards."""
    if columns.parameters is not None or columns.features is not None:
        return "contexts" if columns.parameters is None else "configurations"
    forms: tuple[Form, ...] = ("totals", "moments")
    for form in forms:
        if any(getattr(columns, own) is not None for own in USED[form][3:]):
            return form
    there = [form for form in forms if all(summary[each] is not None for each in USED[form][2:])]
    if columns.pulls is not None:
        return there[0] if there else "totals"
    return there[0] if there and not has_rewards else "rewards"


def _find_column(wanted: str, there: Sequence[str], where: str) -> str | None:
    """Return the column of that name, distinguished by capitals only if need be."""
    for found in ([name for name in there if name == wanted], [n for n in there if n.lower() == wanted.lower()]):
        if len(found) > 1:
            raise FileError(f'{where} has {len(found)} columns called "{wanted}"; one is needed')
        if found:
            return found[0]
    return None


def _present(there: Sequence[str]) -> str:
    clipped = [f'"{name[:40]}"' for name in there[:30]]
    more = f" and {len(there) - 30} more" if len(there) > 30 else ""
    foreign = f"; they are not UTF-8 text: {SAVE_AS}" if any(map(is_broken, there)) else ""
    return f"it has {', '.join(clipped)}{more}{foreign}" if there else "it has none"


def _advice(form: Form, there: Sequence[str]) -> str:
    """Return what to do, also with a column of rates, if there is one."""
    if form == "configurations":
        return "Name the columns with task=, reward= and, for the parameters of a configuration, parameters="
    rates = [name for name in there if name.lower().replace(" ", "_") in RATES]
    hint = f'. "{rates[0]}" looks like a rate: the number of successes is needed instead' if rates else ""
    if form == "contexts":
        return f"Name the columns with task=, arm=, reward=, features= (their names or prefixes), propensity={hint}"
    return (
        "A log has one row per pull (task, arm, reward), totals (task, arm, pulls, successes) or moments (task, arm, "
        "pulls, mean, sd); name its columns with task=, arm=, reward=, or pulls= and successes=, or pulls=, mean= and "
        f"sd={hint}"
    )
