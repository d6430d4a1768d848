"""The page as a document: whole, escaped, without a word to the network."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.report.findings import gather_findings
from banditune.report.markup import clip, plain
from banditune.report.page import ASSETS, gather_charts, write_page
from banditune.report.sentences import (
    compare_with_usual,
    describe_answer,
    describe_reason,
    judge_number_of_tasks,
    write_headline,
)
from banditune.report.wording import format_number
from tests.report.results import Result, replayed, result, some_tasks

HOSTILE = [
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "' onmouseover='alert(1)",
    "$style ${data} {0} %s",
    "👩‍🔬 نام \N{RIGHT-TO-LEFT OVERRIDE} \x00 \ud800 \u2028",
    "long " * 2_000,
]


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open_tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "link"):
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag


def hostile_page() -> str:
    tasks = [bt.Task(task.rewards, name=name) for task, name in zip(some_tasks(6), HOSTILE, strict=True)]
    triples = [(text, text, text) for text in HOSTILE]
    return write_page(
        result(tasks).findings(
            reading=[(text, text) for text in HOSTILE],
            rejected=[(text, text, text, text) for text in HOSTILE],
            n_rejected=len(HOSTILE),
            libraries=triples,
        )
    )


def test_page_asks_the_network_for_nothing() -> None:
    elements = Elements(write_page(result(some_tasks(8)).findings()))
    links = [value for name, value in elements.attributes if name in ("src", "href", "srcset", "action", "data")]
    assert links == ["data:,"]
    policy = next(value for name, value in elements.attributes if name == "content" and value and "src" in value)
    assert policy.startswith("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:")
    own = "".join((ASSETS / name).read_text(encoding="utf-8") for name in ("page.css", "page.js", "page.html"))
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttpRequest|eval\(|innerHTML", own)


def test_elements_are_closed_in_their_order() -> None:
    for loss in ("regret", "reward"):
        assert Elements(write_page(result(some_tasks(7), loss=loss).findings())).open_tags == []


def test_hostile_names_stay_text() -> None:
    text = hostile_page()
    elements = Elements(text)
    assert elements.open_tags == []
    assert elements.tags.count("script") == 3
    assert "img" not in elements.tags
    assert not [name for name, _ in elements.attributes if name.startswith("on")]
    assert "&lt;img src=x onerror=" in text
    assert text.encode("utf-8")
    assert "\x00" not in text


def test_data_parses_back_and_cannot_end_its_element() -> None:
    found = result(some_tasks(8)).findings()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', write_page(found), flags=re.S)
    assert data is not None
    assert not set("<>&\u2028\u2029") & set(data[1])
    assert json.loads(data[1]) == json.loads(json.dumps(gather_charts(found)))


def test_assets_hold_nothing_that_ends_their_element() -> None:
    for asset in ("page.js", "plotly-basic.min.js"):
        text = (ASSETS / asset).read_text(encoding="utf-8").lower()
        assert "</script" not in text
        assert "<!--" not in text
    assert "MIT" in (ASSETS / "LICENSE.plotly").read_text(encoding="utf-8")
    assert {Path(str(asset)).name for asset in ASSETS.iterdir()} == {
        "LICENSE.plotly", "page.css", "page.html", "page.js", "plotly-basic.min.js", "static.html",
    }  # fmt: skip


def test_long_texts_are_clipped_and_what_no_page_holds_is_replaced() -> None:
    assert len(clip("x" * 10_000)) < 500
    assert "10,000 characters" in clip("x" * 10_000)
    assert plain("a\ud800\x00b\tc") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b\tc"
    assert plain("👩‍🔬") == "👩‍🔬"


def test_answer_is_in_words() -> None:
    found = result(some_tasks(30)).findings()
    assert write_headline(found) == f"Use alpha = {found.learned:.4g}"
    assert f"{write_headline(found)}: {describe_reason(found)}".lower() == found.verdict.text.lower()
    assert "on each of 30 past tasks" in describe_answer(found)[0]
    assert "96% more" in compare_with_usual(found)
    assert f"The average is {format_number(found.tuned.complexity)} per task." in write_page(found)


def test_pieces_of_drawn_runs_are_not_taken_for_those_of_a_task() -> None:
    found = bt.study(bt.UCB, [bt.Task.from_counts([20, 20], [k, 10]) for k in range(12)], horizon=30, draws=3)
    page = write_page(gather_findings(found))
    assert f"The average is {format_number(found.tuned.complexity)} per drawn run." in page


def test_reward_is_spoken_of_as_earned() -> None:
    some = result(some_tasks(30), loss="reward")
    found = some.findings()
    assert "more reward than alpha = 1" in describe_reason(found)
    assert f"mean total reward of {format_number(-found.loss)}" in describe_answer(found)[0]
    data = gather_charts(found)
    assert max(data["curve"]["linear"]["y"]) == pytest.approx(-some.tuned.loss, rel=1e-5)  # type: ignore[index]
    assert "regret" not in write_page(found).split("<script")[0]


def test_pages_of_odd_results_say_so() -> None:
    assert write_headline(result(some_tasks(1)).findings()).endswith(" minimises the mean regret")
    one = write_page(result(some_tasks(1)).findings())
    assert "There is only one task" in one
    assert "at least 5 tasks; there is 1." in one
    assert Elements(write_page(result(some_tasks(2)).findings())).open_tags == []
    flat = result([bt.Task([[0.5] * 4, [0.5] * 4])] * 6).findings()
    assert write_headline(flat) == "On these tasks, every alpha has the same loss"
    assert "no clear difference" in compare_with_usual(flat)
    outside = write_page(result(some_tasks(6), limits=(0.01, 0.5)).findings())
    assert "Outside the searched range, and so not in the chart: alpha = 1 has" in outside
    assert "0 is not on a log axis" not in outside
    assert "0 is not on a log axis" in one


def test_huge_and_tiny_rewards_make_a_page() -> None:
    for scale in (1e150, 1e-150):
        tasks = [bt.Task(np.array(task.rewards) * scale) for task in some_tasks(6)]
        assert (
            Elements(write_page(result(tasks, limits=(0.0, scale**2 if scale < 1 else 4.0)).findings())).open_tags == []
        )


def test_pages_of_very_many_tasks_stay_small_and_say_what_they_leave_out() -> None:
    found = result(some_tasks(2_500), horizon=5).findings(
        rejected=[("a.csv", str(k), "no number", "x") for k in range(10)], n_rejected=500
    )
    text = write_page(found)
    assert len(text.encode()) < 4_000_000
    assert "1,000 of 2,500 tasks" in text
    assert "a random 2,000 of the 2,500 tasks" in text
    assert "the first 10 of 500" in text
    assert judge_number_of_tasks(found) in text


def test_page_of_logs_tells_what_matched_what_was_compared_and_what_to_beware_of() -> None:
    found = replayed(1, HOSTILE[0]).findings()
    text = write_page(found)
    for words in (
        "Matched events",
        "Caution: only",
        "too few for a reliable estimate",
        "There is only one log",
        "ridge = 5, disjoint",
    ):
        assert words in text
    assert f"{found.n_matched} events matched." in text
    assert "reward per event" in text
    assert HOSTILE[0] not in text


def test_page_of_priors_tells_what_was_compared_and_learned_of_each_arm() -> None:
    rng = np.random.default_rng(0)
    tasks = [bt.Task(rng.random((3, 10)) ** [[1.0], [2.0], [3.0]], arms=[HOSTILE[0], "b", "c"]) for _ in range(12)]
    tuned = bt.tune(bt.UCB, tasks, horizon=10, alpha=(0.0, 1.0), prior_means=(0.0, 1.0))
    curves = CurveSet.of([bt.loss_curve(bt.UCB, task, horizon=10, alpha=(0.0, 1.0)) for task in tasks])
    text = write_page(Result(tuned, curves, tasks, None, {}, chose_range=False, seconds=0.0).findings())
    for words in ("Ways to learn", "alpha alone", "chosen", "lines were searched"):
        assert words in text
    assert ("Learned priors" in text) == bool(tuned.priors and tuned.priors.arms)
    assert "were learned from all tasks together, so none is held out" in text
    assert HOSTILE[0] not in text
