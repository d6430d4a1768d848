"""What is learned from shorter and longer runs, as the page tells it."""

from banditune.report.tables import list_horizons, write_horizons
from tests.report.results import replayed, result, some_tasks


def test_each_horizon_has_its_value_and_gain_and_those_beyond_the_record_a_warning() -> None:
    some = result(some_tasks(12), horizon=40)
    found = some.findings()
    lengths, _, _, gains, warnings = zip(*list_horizons(found), strict=True)
    assert lengths == ("4 rounds", "13 rounds", "40 rounds", "120 rounds")
    assert found.horizons[2].value == found.learned
    assert found.horizons[2].loss == found.loss
    usual = float(some.usual[1.0].mean())
    assert gains[2] == f"{100 * (1 - found.loss / usual):.0f}% less than alpha = 1"
    assert warnings[:3] == ("", "", "the horizon above")
    longest = result(some_tasks(12), horizon=200).findings()  # of 120 rewards a task
    assert [bool(row[-1]) for row in list_horizons(longest)] == [False, False, True, True]
    assert "longer than recorded: no task had so many" in write_horizons(longest)


def test_logs_are_as_long_as_they_are() -> None:
    assert replayed(6, "log").findings().horizons == ()
