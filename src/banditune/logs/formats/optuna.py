"""Studies of Optuna: journals (JournalStorage) and databases (RDBStorage), read without Optuna.

A study is a task, a trial a row, its parameters are columns. Values of a study that is minimised become rewards with
the other sign.

A journal holds every operation on a storage, one JSON object a line, and is played back. Trials are counted there, not
named: behind a line that cannot be read nobody knows which trial is which, so that is an error, but for the last line
of a journal whose writer was killed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from banditune.errors import FileError
from banditune.io.json_text import parse_json
from banditune.logs.databases import Database, SqliteFile, is_sqlite
from banditune.logs.formats.optuna_trials import CUT_OFF, Trial, describe_trials
from banditune.logs.parts import Format, Opening
from banditune.logs.records import Record, Records, parse_object, peek_objects
from banditune.logs.text_files import Place, number_lines

TABLES = ("studies", "study_directions", "trials", "trial_params", "trial_values")
QUERY = (
    "SELECT trials.trial_id, studies.study_name, trials.state, trials.number, trials.datetime_complete, "
    "(SELECT count(*) FROM study_directions d WHERE d.study_id = studies.study_id) AS n_values, "
    "study_directions.direction, trial_values.value, trial_values.value_type, "
    "trial_params.param_name, trial_params.param_value, trial_params.distribution_json "
    "FROM trials JOIN studies ON studies.study_id = trials.study_id "
    "LEFT JOIN study_directions ON study_directions.study_id = studies.study_id AND study_directions.objective = 0 "
    "LEFT JOIN trial_values ON trial_values.trial_id = trials.trial_id AND trial_values.objective = 0 "
    "LEFT JOIN trial_params ON trial_params.trial_id = trials.trial_id "
    "ORDER BY trials.trial_id, trial_params.param_id"
)
CREATE_STUDY, DELETE_STUDY, CREATE_TRIAL, SET_PARAMETER, SET_STATE = "0", "1", "4", "5", "6"  # op_code
STATES = {"0": "RUNNING", "1": "COMPLETE", "2": "PRUNED", "3": "FAIL", "4": "WAITING"}
ENDED = ("COMPLETE", "PRUNED", "FAIL")
MINIMISE = "1"
DELETES = re.compile(rb'"op_code": *1\b')


@dataclass(frozen=True, slots=True)
class Studies(Records):
    """All trials of a journal or a database."""

    title = "Optuna"

    unit: str = "line"
    database: Database | None = None  # None: a journal

    @classmethod
    def open(cls, path: str, opening: Opening) -> "Studies":
        """Return the file, with the parameters of all of its trials."""
        return cls.of(path, SqliteFile(path) if is_sqlite(path) else None)

    @classmethod
    def of(cls, path: str, database: Database | None) -> "Studies":
        """Return the trials of a journal, or of a database, with what their columns mean."""
        columns, usual, notes = describe_trials(_list_trials(path, database, Place()), path)
        return cls(path, columns, usual, notes, "line" if database is None else "trial", database)

    def list_records(self, wanted: Sequence[str], place: Place) -> Iterator[Record]:
        """Return the trials that are complete; others are problems."""
        for number, trial in _list_trials(self.path, self.database, place):
            yield number, trial.problem, [trial.look_up(name) for name in wanted]


def _list_trials(path: str, database: Database | None, place: Place) -> Iterator[tuple[int, Trial]]:
    return replay_journal(path, place) if database is None else _query_trials(database)


def _query_trials(database: Database) -> Iterator[tuple[int, Trial]]:
    """Return the trials of a database with their ids, in their order."""
    with database.run(QUERY) as (_, rows):
        number, trial = 0, None
        for row in rows:
            identity, study, state, own_number, ended, n_values, direction, value, kind, *parameter = row
            if trial is None or identity != number:
                if trial is not None:
                    yield number, trial
                number = int(identity)
                found = {"INF_POS": "inf", "INF_NEG": "-inf"}.get(kind, None if value is None else repr(float(value)))
                trial = Trial(str(study), str(state), int(n_values), direction == "MINIMIZE", found)
                trial.own_number, trial.ended = str(own_number), None if ended is None else str(ended)
            name, internal, distribution = parameter
            if name is not None:
                what = f"{database.path}: a distribution"
                trial.add_parameter(str(name), internal, parse_json(distribution, what, as_written=True))
        if trial is not None:
            yield number, trial


class _Journal:
    """What is known at a line of a journal; numbers are as they are written."""

    def __init__(self, deleted: set[str]) -> None:
        self.deleted = deleted  # studies that are deleted further down
        self.studies: dict[str, tuple[str, list[str]]] = {}
        self.gone: set[str] = set()
        self.open: dict[str, tuple[int, Trial]] = {}  # trials that have not ended, with the lines at which they begin
        self.n_trials = 0
        self.n_of_study: dict[str, int] = {}

    def apply(self, number: int, line: dict[str, Any]) -> Iterator[tuple[int, Trial]]:
        """Play one operation; yields the trial that it ends."""
        code = line["op_code"]
        if code == CREATE_STUDY:
            known = [name for study, (name, _) in self.studies.items() if study not in self.gone]
            if line["study_name"] not in known:
                self.studies[str(len(self.studies))] = (line["study_name"], list(line["directions"]))
        elif code == DELETE_STUDY:
            self.gone.add(line["study_id"])
        elif code == CREATE_TRIAL and line["study_id"] in self.studies and line["study_id"] not in self.gone:
            yield from self._create(number, line)
        elif code == SET_PARAMETER and line["trial_id"] in self.open:
            trial = self.open[line["trial_id"]][1]
            trial.add_parameter(line["param_name"], line["param_value_internal"], _parse(line["distribution"]))
        elif code == SET_STATE and line["trial_id"] in self.open:
            trial = self.open[line["trial_id"]][1]
            _end(trial, line)
            if trial.state in ENDED:
                del self.open[line["trial_id"]]
                yield number, trial

    def _create(self, number: int, line: dict[str, Any]) -> Iterator[tuple[int, Trial]]:
        study = line["study_id"]
        name, directions = self.studies[study]
        trial = Trial(name, STATES["0"], len(directions), directions[0] == MINIMISE, line.get("value"))
        trial.deleted, trial.own_number = study in self.deleted, str(self.n_of_study.get(study, 0))
        for parameter, internal in (line.get("params") or {}).items():
            trial.add_parameter(parameter, internal, _parse(line["distributions"][parameter]))
        _end(trial, {"state": "0", **line})
        self.n_of_study[study] = self.n_of_study.get(study, 0) + 1
        if trial.state not in ENDED:
            self.open[str(self.n_trials)] = (number, trial)
        else:
            yield number, trial
        self.n_trials += 1


def _end(trial: Trial, line: dict[str, Any]) -> None:
    trial.state = STATES[line["state"]]
    if line.get("values") is not None:
        trial.value = line["values"][0]
    trial.ended = line.get("datetime_complete") or trial.ended


def _parse(distribution: str) -> Any:
    return parse_json(distribution, "a distribution", as_written=True)


def replay_journal(path: str, place: Place) -> Iterator[tuple[int, Trial]]:
    """Return the trials of a journal, each with the line at which it ended; at last those that did not."""
    journal = _Journal(_find_deleted_studies(path))
    broken: int | None = None
    for number, line in number_lines(path, place):
        if broken is not None:
            raise FileError(
                f"{path}, line {broken} cannot be read: in a journal of Optuna trials are counted, so those below it "
                "have no numbers that can be relied on"
            )
        try:
            record, problem = parse_object(line)
            ended = [] if problem else list(journal.apply(number, record))
            broken = number if problem else None
        except (FileError, KeyError, TypeError, IndexError, AttributeError):
            broken, ended = number, []
        yield from ended
    for number, trial in journal.open.values():
        yield number, trial
    if broken is not None:
        yield broken, Trial("", CUT_OFF, 1, False, None)


def _find_deleted_studies(path: str) -> set[str]:
    """Return the studies that a journal deletes."""
    records = (parse_object(line)[0] for _, line in number_lines(path) if DELETES.search(line))
    return {str(record.get("study_id")) for record in records if record.get("op_code") == DELETE_STUDY}


def is_study(path: str) -> bool:
    """Tell whether a file unmistakably holds studies of Optuna."""
    if not is_sqlite(path):
        first = next(peek_objects(path, 1), {})
        return "op_code" in first and "worker_id" in first
    listed = ", ".join(f"'{table}'" for table in TABLES)
    try:
        with SqliteFile(path).run(f"SELECT name FROM sqlite_master WHERE name IN ({listed})") as (_, rows):
            return len(list(rows)) == len(TABLES)
    except FileError:
        return False


FORMAT = Format("optuna", Studies.open, claims=is_study)
