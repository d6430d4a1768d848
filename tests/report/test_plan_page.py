"""The page of a plan: whole, escaped, and without theory unless that is asked for."""

import banditune as bt
from banditune.report.plan_page import write_plan_page
from banditune.report.wording import choose_words
from banditune.tasks.units import Units
from tests.report.results import some_tasks
from tests.report.test_page import HOSTILE, Elements


def make_page(*, theory: bool) -> str:
    tuned = bt.tune(bt.UCB, some_tasks(20), horizon=40, alpha=(0.0, 1.0))
    words = choose_words(tuned, Units(HOSTILE[1], "views"))
    return write_plan_page(
        tuned.plan(epsilon=0.05, bound=40.0), tuned, words, [(text, text) for text in HOSTILE], 1.0, theory=theory
    )


def test_page_is_whole_and_hostile_names_stay_text() -> None:
    text = make_page(theory=True)
    elements = Elements(text)
    assert elements.open_tags == []
    assert "script" not in elements.tags
    assert "img" not in elements.tags
    assert elements.tags.count("svg") == 2  # for wide and for narrow screens
    assert "pilot tasks" in text


def test_theory_is_told_when_asked_for() -> None:
    assert "Theorem 6.2" in make_page(theory=True)
    assert "Theorem 6.2" not in make_page(theory=False)
