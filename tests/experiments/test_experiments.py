"""Every experiment runs, is the same on any number of workers, and can be drawn."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from banditune.errors import ParameterError
from banditune.experiments.catalogue import EXPERIMENTS, choose_experiments
from banditune.experiments.machinery import figures, runner
from banditune.experiments.machinery.claims import Agreement
from banditune.experiments.machinery.runner import conduct
from tests.experiments.tiny import tiny

NAMES = (
    "table-qd",
    "alpha-mixture",
    "alpha-curves",
    "sample-complexity",
    "corral",
    "corral-large-gap",
    "corral-uniform-gaussian",
    "gp-noise",
    "impossibility",
)


def test_all_are_there() -> None:
    assert tuple(EXPERIMENTS) == NAMES


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(
        ParameterError, match=r"no experiment 'table'; there are table-qd, alpha-mixture, .*impossibility"
    ):
        choose_experiments(["table-qd", "table"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_units_have_names_of_their_own_and_arguments_that_json_holds(name: str, quick: bool) -> None:
    experiment = EXPERIMENTS[name]
    units = experiment.units(experiment.settings(quick=quick))
    assert len({unit.name for unit in units}) == len(units)
    for unit in units:
        assert re.fullmatch(r"[A-Za-z0-9.()-]+", unit.name)
        assert json.loads(json.dumps(unit.arguments)) == unit.arguments


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of figures that were laid out and drawn; no file is made of them."""
    names: list[str] = []

    def draw_without_a_file(draw: Any, findings: Any, folder: Path, name: str) -> list[Path]:
        import matplotlib as mpl

        with mpl.rc_context(figures.LOOK):
            draw(findings).draw_without_rendering()
        names.append(name)
        return []

    monkeypatch.setattr(runner, "write_figure", draw_without_a_file)
    return names


@pytest.mark.parametrize("name", NAMES)
def test_same_findings_on_one_and_two_workers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: list[str]
) -> None:
    found, can_draw = [], figures.can_draw()
    for workers in (1, 2):
        (tmp_path / str(workers)).mkdir()
        if workers == 2:
            monkeypatch.setattr(runner, "can_draw", lambda: False)  # one figure is enough
        with ThreadPoolExecutor(workers) as pool:
            found.append(conduct(EXPERIMENTS[name], tmp_path / str(workers), pool, settings=tiny(name)))
    one, two = found
    assert json.dumps(one.numbers) == json.dumps(two.numbers)
    assert one.findings.claims
    assert one.findings.readings
    for claim in one.findings.claims:
        assert claim.agrees is Agreement.BEYOND or claim.criterion
    assert [path.suffix for path in one.written] == [".json", ".md"]
    assert drawn == [name] * can_draw


@pytest.mark.parametrize("name", NAMES)
def test_the_documents_show_the_full_run(name: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "theory" / "reproduction.md").read_text(encoding="utf-8")
    (table,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", page, flags=re.S)
    assert "| paper | here | agrees? |" in table
    assert "\n- " in table  # the criteria, and how the paper was interpreted
    assert f"(../figures/reproduced-{name}.png)" in page
    assert (docs / "figures" / f"reproduced-{name}.png").stat().st_size < 600_000
