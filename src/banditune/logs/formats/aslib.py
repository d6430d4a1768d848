"""Scenarios of ASlib, the algorithm selection library: a folder with description.txt, algorithm_runs.arff and others.

github.com/coseal/aslib-spec. An algorithm is an arm, a run a row. Runs of a time that did not end are counted with ten
times the cutoff (PAR10); measures that are minimised become rewards with the other sign.
"""

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banditune.errors import FileError
from banditune.logs.parts import Format, Opening
from banditune.logs.records import Record, Records, negate
from banditune.logs.text_files import Place, number_lines
from banditune.validation import format_names

DESCRIPTION, RUNS, FOLDS = "description.txt", "algorithm_runs.arff", "cv.arff"
OWN = ("scenario", "instance_id", "folder", "repetition", "algorithm", "runstatus", "reward", "fold")
PENALTY = 10  # times the cutoff
MISSING = "?"


@dataclass(frozen=True, slots=True)
class Measure:
    """How well an algorithm did: the measure, whether more is better, and what a run costs that did not end."""

    name: str
    maximised: bool
    penalty: float | None  # None: runs are worth what is recorded
    scenario: str

    @classmethod
    def read(cls, folder: str) -> "Measure":
        """Return the first measure of a scenario, by its description."""
        path = os.path.join(folder, DESCRIPTION)
        known = _read_description(path)
        first = {key: values[0] for key, values in known.items() if values}
        for key in ("performance_measures", "maximize", "performance_type"):
            if not first.get(key):
                raise FileError(f"{path} must name {key}, but it does not")
        if first["maximize"].lower() not in ("true", "false"):
            raise FileError(f"{path}: maximize must be true or false, got {first['maximize']!r}")
        penalty = None
        if first["performance_type"] == "runtime":
            written = first.get("algorithm_cutoff_time", MISSING)
            try:
                penalty = PENALTY * float(written)
            except ValueError:
                raise FileError(f"{path}: algorithm_cutoff_time must be a number, got {written!r}") from None
        scenario = first.get("scenario_id") or os.path.basename(os.path.abspath(folder))
        return cls(first["performance_measures"], first["maximize"].lower() == "true", penalty, scenario)

    def reward(self, written: str | None, status: str | None) -> str | None:
        """Return the reward of a run with this value, as it is written."""
        if self.penalty is not None and (status != "ok" or written is None):
            written = repr(self.penalty)
        return written if written is None or self.maximised else negate(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Records):
    """The runs of a scenario."""

    title = "ASlib"

    measure: Measure

    @classmethod
    def open(cls, path: str, opening: Opening) -> "Scenario":
        """Return the folder, with the columns of its runs."""
        folder = _find_folder(path)
        if not is_scenario(path):
            raise FileError(f"{path} must be the folder of a scenario of ASlib, with {DESCRIPTION} and {RUNS}")
        measure = Measure.read(folder)
        runs = os.path.join(folder, RUNS)
        names, _ = _read_head(runs)
        if missing := [name for name in ("instance_id", "algorithm", measure.name) if name not in names]:
            needed = f"instance_id, algorithm and {measure.name}"
            raise FileError(f"{runs} must have the columns {needed}; it has no {format_names(missing)}")
        has_folds = os.path.exists(os.path.join(folder, FOLDS))
        usual = {"task": "scenario+fold" if has_folds else "scenario", "arm": "algorithm"}
        sign = "the reward" if measure.maximised else "the reward is minus"
        notes = [f"{sign} {'is ' if measure.maximised else ''}{measure.name}, the first measure of the scenario"]
        if measure.penalty is not None:
            notes.append(f"runs that are not ok count {measure.penalty:,g}, {PENALTY} times the cutoff (PAR{PENALTY})")
        own = tuple(name for name in OWN if name != "fold" or has_folds)
        further = tuple(name for name in names if name not in own)
        return cls(path, (*own, *further), usual, tuple(notes), measure=measure)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the runs, with the fold of their instance."""
        folder = _find_folder(self.path)
        folds = _read_folds(folder) if "fold" in wanted else {}
        for number, problem, row in _read_arff(os.path.join(folder, RUNS)):
            instance = row.get("instance_id") or ""
            row["reward"] = self.measure.reward(row.get(self.measure.name), row.get("runstatus", "ok"))
            row |= {"scenario": self.measure.scenario, "folder": os.path.dirname(instance) or None}
            row["fold"] = folds.get(instance)
            yield number, problem, [row.get(name) for name in wanted]


def is_scenario(path: str) -> bool:
    """Tell whether a folder is a scenario, or a file its runs."""
    return all(os.path.isfile(os.path.join(_find_folder(path), name)) for name in (DESCRIPTION, RUNS))


def _find_folder(path: str) -> str:
    """Return the folder of a scenario, by itself or by its runs."""
    return os.path.dirname(os.path.abspath(path)) if os.path.basename(path) == RUNS else path


def _read_description(path: str) -> dict[str, list[str]]:
    """Return the top level of a description: the values of each key, one or a list of them."""
    found: dict[str, list[str]] = {}
    key = ""
    for _, line in number_lines(path):
        text = line.decode("utf-8", errors="replace").split(" #")[0].strip()
        if text.startswith("- ") or text == "-":
            found.setdefault(key, []).append(_unquote(text[1:]))
        elif ":" in text and not text.startswith("#"):
            key, _, value = text.partition(":")
            key = _unquote(key)
            values = value.strip().removeprefix("[").removesuffix("]").split(",") if value.strip() else []
            found.setdefault(key, [_unquote(each) for each in values])
    return found


def _read_head(path: str) -> tuple[list[str], int]:
    """Return the attributes of an ARFF file, and the line below which its rows are."""
    names: list[str] = []
    for number, line in number_lines(path):
        text = line.decode("utf-8", errors="replace")
        kind = text.lower().partition(" ")[0].partition("\t")[0]
        if kind == "@data":
            return names, number
        if kind == "@attribute":
            behind = text[len("@attribute") :].strip()
            mark = behind[:1] if behind[:1] in "'\"" else ""
            names.append(behind[1:].partition(mark)[0] if mark else behind.split()[0] if behind else "")
        elif kind != "@relation" and not kind.startswith("%"):
            wanted = "@RELATION, @ATTRIBUTE or @DATA"
            raise FileError(f"{path}, line {number} must be {wanted}, as no row comes before @DATA; got {text[:60]!r}")
    raise FileError(f"{path} must be an ARFF file, but it has no @DATA")


def _read_arff(path: str) -> Iterator[tuple[int, str | None, dict[str, str | None]]]:
    """Return the rows of an ARFF file with their lines, what is wrong with them, and their values by name."""
    names, head = _read_head(path)
    for number, line in number_lines(path):
        if number <= head or line.startswith(b"%"):
            continue
        try:
            text = line.decode("utf-8")
            (values,) = csv.reader([text], quotechar="'" if "'" in text else '"', skipinitialspace=True, strict=True)
        except UnicodeDecodeError:
            yield number, "the line is not UTF-8 text", {}
            continue
        except (csv.Error, ValueError):
            yield number, "the line cannot be taken apart", {}
            continue
        if len(values) != len(names):
            yield number, f"the line has {len(values)} values, not {len(names)}", {}
            continue
        trimmed = (value.strip() for value in values)
        yield number, None, {name: None if v == MISSING else v for name, v in zip(names, trimmed, strict=True)}


def _read_folds(folder: str) -> dict[str | None, str | None]:
    """Return the fold of each instance in the first repetition of cross-validation."""
    rows = _read_arff(os.path.join(folder, FOLDS))
    first = (row for _, problem, row in rows if not problem and row.get("repetition", "1") in ("1", "1.0"))
    return {row.get("instance_id"): row.get("fold") for row in first}


def _unquote(text: str) -> str:
    return text.strip().strip("'\"")


FORMAT = Format("aslib", Scenario.open, claims=is_scenario, is_folder=True)
