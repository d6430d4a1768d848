"""Journals of Optuna: every operation on a storage, one JSON object a line, played back.

Trials are counted, not named: behind a line that cannot be read nobody knows which trial is which, so that is an error,
but for the last line of a journal whose writer was killed.
"""

import re
from collections.abc import Iterator
from typing import Any

from banditune.errors import FileError
from banditune.io.json_text import parse_json
from banditune.logs.formats.optuna_trials import CUT_OFF, Trial
from banditune.logs.records import parse_object, peek_objects
from banditune.logs.text_files import Place, number_lines

CREATE_STUDY, DELETE_STUDY, CREATE_TRIAL, SET_PARAMETER, SET_STATE = "0", "1", "4", "5", "6"  # op_code
STATES = {"0": "RUNNING", "1": "COMPLETE", "2": "PRUNED", "3": "FAIL", "4": "WAITING"}
ENDED = ("COMPLETE", "PRUNED", "FAIL")
MINIMISE = "1"
DELETES = re.compile(rb'"op_code": *1\b')


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


def is_journal(path: str) -> bool:
    """Tell whether a file unmistakably is a journal of Optuna."""
    first = next(peek_objects(path, 1), {})
    return "op_code" in first and "worker_id" in first
