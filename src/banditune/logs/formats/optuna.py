"""Studies of Optuna: journals (JournalStorage) and databases (RDBStorage), read without Optuna.

A study is a task, a trial a row, its parameters are columns. Values of a study that is minimised become rewards with
the other sign.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from banditune.errors import FileError
from banditune.io.json_text import parse_json
from banditune.logs.databases import Database, SqliteFile, is_sqlite
from banditune.logs.formats.base import Format, Opening
from banditune.logs.formats.optuna_journal import is_journal, replay_journal
from banditune.logs.formats.optuna_trials import Trial, describe_trials
from banditune.logs.records import Record, Records
from banditune.logs.text_files import Place

OPTUNA = "optuna"
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


@dataclass(frozen=True, slots=True)
class Studies(Records):
    """All trials of a journal or a database."""

    path: str
    columns: tuple[str, ...]
    usual: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unit: str = "line"
    database: Database | None = None  # None: a journal
    title: str = "Optuna"

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


def is_study(path: str) -> bool:
    """Tell whether a file unmistakably holds studies of Optuna."""
    if not is_sqlite(path):
        return is_journal(path)
    listed = ", ".join(f"'{table}'" for table in TABLES)
    try:
        with SqliteFile(path).run(f"SELECT name FROM sqlite_master WHERE name IN ({listed})") as (_, rows):
            return len(list(rows)) == len(TABLES)
    except FileError:
        return False


FORMATS = (Format(OPTUNA, "Optuna", Studies.open, (), is_study),)
