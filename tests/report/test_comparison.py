"""The words, the page and the figure of a comparison."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import banditune as bt
from banditune.curves.step_function import Interval
from banditune.report.comparison_page import advise, describe_knowledge, draw_comparison, write_comparison_page
from banditune.simulation.comparison_result import Comparison, Searched, Standing


def standing(
    name: str, regret: float, interval: tuple[float, float], told: str = "nothing", *, level: bool = False
) -> Standing:
    return Standing(name, told, regret, 0.1, regret - 2.0, Interval(*interval), 3, 2, 1.5, 1e-4, level)


def comparison(*others: Standing) -> Comparison:
    reference = standing("learned", 2.0, (0.0, 0.0), "past tasks", level=True)
    all_of_them = tuple(sorted((reference, *others), key=lambda each: each.regret))
    rounds = np.array([1, 10, 100])
    return Comparison(
        reference="learned",
        standings=all_of_them,
        losses={each.name: np.full(5, each.regret) for each in all_of_them},
        rounds=rounds,
        curves={each.name: each.regret * np.array([0.1, 0.5, 1.0]) for each in all_of_them},
        fold=np.arange(5) % 2,
        learned={"learned": [{"alpha": 0.1}, {"alpha": 0.2}]},
        searched={"learned": Searched(bt.UCB, "alpha")},
        learning_seconds=0.1,
        horizon=100,
        repetitions=2,
        seed=0,
        simplest="learned",
    )


def test_advice_names_what_is_better_level_or_clearly_beaten() -> None:
    worse, level = standing("cautious", 6.0, (3.0, 5.0)), standing("alike", 2.1, (-0.1, 0.3), level=True)
    assert advise(comparison(worse, level)) == (
        "learned has the least mean regret: 2. The best policy that it clearly beats, cautious, has a regret 3 times "
        "as high. learned and alike show no clear difference: take learned, the simplest of them to run."
    )
    better = standing("better", 1.0, (-1.2, -0.8))
    assert advise(comparison(worse, better)).startswith(
        "better has the least mean regret: 1, 0.5 times that of learned."
    )
    lucky = standing("lucky", 0.5, (-3.0, 0.1), level=True)
    assert advise(comparison(worse, better, lucky)) == (
        "lucky has the least mean regret: 0.5, 0.25 times that of learned. "
        "lucky and learned show no clear difference: take learned, the simplest of them to run."
    )
    nearly = standing("nearly", 1.999, (-0.1, 0.1), level=True)
    assert advise(comparison(nearly)).startswith(
        "nearly has the least mean regret: 1.999, hardly below that of learned."
    )
    many = [standing(f"level {k}", 2.1 + k, (-0.1, 0.3), level=True) for k in range(9)]
    assert "learned; level 0; level 1; level 2 and 6 more show no clear difference: take" in advise(comparison(*many))
    assert advise(comparison()) == "learned has the least mean regret: 2."


def test_who_knows_what() -> None:
    found = describe_knowledge(
        comparison(standing("a", 3.0, (0.5, 1.0), "the horizon"), standing("b", 4.0, (1.0, 2.0), "the horizon"))
    )
    assert found == {"past tasks": ["learned"], "the horizon": ["a", "b"]}


@pytest.mark.parametrize("regret", [0.0, 0.5, 1e6])
def test_figure_is_whole_and_holds_every_policy(regret: float) -> None:
    name = '<b>"hostile" & co</b>'
    drawn = draw_comparison(comparison(standing(name, regret, (-1.0, 1.0)), standing("other", 3.0, (0.5, 1.0))))
    root = ET.fromstring(drawn)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count(name) == 2
    assert "nan" not in drawn
    for element in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0.0 <= float(element.attrib["cx"]) <= 980.0


def test_labels_of_lines_do_not_meet() -> None:
    alike = [standing(f"policy {k}", 2.0 + 1e-3 * k, (-1.0, 1.0)) for k in range(5)]
    root = ET.fromstring(draw_comparison(comparison(*alike)))
    labels = [
        float(element.attrib["y"])
        for element in root.iter("{http://www.w3.org/2000/svg}text")
        if element.text in {each.name for each in alike} and element.attrib["text-anchor"] == "start"
    ]
    assert len(labels) == 5
    assert np.diff(np.sort(labels)).min() >= 15.9


def test_page_shows_names_from_data_and_interprets_none() -> None:
    hostile = "<script>alert(1)</script>"
    page = write_comparison_page(comparison(standing(hostile, 3.0, (0.5, 1.0))), [("Source", "log <b>.csv")], 1.0)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "log &lt;b&gt;.csv" in page
