"""The page in a real browser: it draws, reads, sorts, follows the theme, fits a phone, and asks for nothing."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import banditune as bt
from banditune.curves.curve_set import CurveSet
from banditune.report.page import write_page
from tests.report.results import Result, replayed, result, some_tasks
from tests.report.test_page import HOSTILE

pytest.importorskip("selenium.webdriver")
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,900",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    tasks = [bt.Task(task.rewards, name=name) for task, name in zip(some_tasks(6), HOSTILE, strict=True)]
    found = result([*tasks, *some_tasks(20)]).findings(
        reading=[(HOSTILE[0], HOSTILE[1])], rejected=[tuple(HOSTILE[:4])], n_rejected=1, libraries=[tuple(HOSTILE[:3])]
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(write_page(found), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = Chrome(options=options, service=Service(executable_path=str(DRIVER)))
    yield browser
    browser.quit()


@pytest.fixture
def browser(started: Chrome, address: str) -> Iterator[Chrome]:
    """The page, freshly opened; afterwards nothing was asked for, complained about or run that should not be."""
    look(started)
    started.get_log("performance")
    started.get(address)
    yield started
    assert started.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in started.get_log("performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith("data:")} <= {address}
    assert started.title != "taken"


def look(browser: Chrome, *, width: int = 1100, scheme: str = "light") -> None:
    """Show pages that wide, in a light or a dark scheme."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme_wanted = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme_wanted]})


def column(browser: Chrome, number: int) -> list[str]:
    script = "return [...document.querySelectorAll('#tasks tbody tr')].map(row => row.cells[arguments[0]].textContent)"
    return list(browser.execute_script(script, number))


def open_folds(browser: Chrome) -> None:
    """Open what is folded, as a reader does."""
    for title in browser.find_elements(By.CSS_SELECTOR, "details.fold > summary"):
        title.click()
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def test_every_chart_is_drawn_once_it_is_seen(browser: Chrome) -> None:
    assert not browser.find_elements(By.CSS_SELECTOR, "#pieces .xtitle")
    open_folds(browser)
    charts = browser.find_elements(By.CSS_SELECTOR, ".chart")
    assert [chart.get_attribute("id") for chart in charts] == ["means", "extra", "curve", "learning", "pieces"]
    for chart in charts:
        assert chart.find_elements(By.CSS_SELECTOR, ".xtitle"), chart.get_attribute("id")
        drawn = chart.find_elements(By.CSS_SELECTOR, ".scatterlayer path, .barlayer path")
        assert any(path.get_attribute("d") for path in drawn)


def test_matched_events_are_drawn_beneath_the_curve_and_follow_its_scale(started: Chrome, tmp_path: Path) -> None:
    path = tmp_path / "replayed.html"
    path.write_text(write_page(replayed(8, HOSTILE[0]).findings()), encoding="utf-8")
    look(started)
    started.get(path.as_uri())
    chart = started.find_element(By.ID, "matched")
    for scale in ("Log", "Linear"):
        started.find_element(By.XPATH, f"//button[.='{scale}']").click()
        assert f"{scale.lower()} scale" in chart.find_element(By.CSS_SELECTOR, ".xtitle").text
        assert chart.find_element(By.CSS_SELECTOR, ".scatterlayer path").get_attribute("d")
    assert started.get_log("browser") == []
    assert started.title != "taken"


def test_priors_are_drawn_with_the_arms_names_as_they_are(started: Chrome, tmp_path: Path) -> None:
    arms = (*HOSTILE[:2], "c")
    tasks = [bt.Task([[0.2 + 0.1 * i] * 6 for i in range(3)], arms=arms) for _ in range(6)]
    tuned = bt.tune(bt.UCB, tasks, horizon=6, alpha=(0.0, 1.0), prior_means=(0.0, 1.0))
    assert tuned.priors is not None
    assert tuned.priors.arms
    path = tmp_path / "priors.html"
    curves = CurveSet.of([tuned.curve] * 6)
    path.write_text(
        write_page(Result(tuned, curves, tasks, None, {}, chose_range=False, seconds=0.0).findings()), encoding="utf-8"
    )
    look(started)
    started.get(path.as_uri())
    chart = started.find_element(By.ID, "priors")
    labels = [tick.text for tick in chart.find_elements(By.CSS_SELECTOR, ".ytick text")]
    assert len(labels) == 3
    assert "c" in labels
    assert any("<" in label for label in labels)
    assert started.get_log("browser") == []
    assert started.title != "taken"


def test_pointing_at_the_curve_reads_it(browser: Chrome) -> None:
    chart = browser.find_element(By.ID, "curve")
    ActionChains(browser).move_to_element(chart).perform()
    words = chart.find_element(By.CLASS_NAME, "reading").text
    x = browser.execute_script(
        "const a = document.getElementById('curve')._fullLayout.xaxis, e = document.getElementById('curve');"
        "return a.p2d(Math.floor(e.clientWidth / 2) - a._offset)"
    )
    assert words.startswith("alpha = ")
    assert float(words.split(" = ")[1].split(":")[0]) == pytest.approx(x, rel=0.05)
    assert "mean regret" in words


def test_pointing_at_a_bar_shows_its_number(browser: Chrome) -> None:
    bar = browser.find_element(By.CSS_SELECTOR, "#means .barlayer .point")
    ActionChains(browser).move_to_element(bar).perform()
    assert "95% interval" in browser.find_element(By.CSS_SELECTOR, "#means .hoverlayer").text


def test_buttons_change_the_scale(browser: Chrome) -> None:
    for scale in ("log", "linear"):
        button = browser.find_element(By.CSS_SELECTOR, f"[data-scale={scale}]")
        button.click()
        kind = "return document.getElementById('curve')._fullLayout.xaxis.type"
        assert browser.execute_script(kind) == scale
        assert button.get_attribute("aria-pressed") == "true"
        assert f"({scale} scale)" in browser.find_element(By.CSS_SELECTOR, "#curve .xtitle").text


def test_a_zoomed_curve_fits_what_is_seen_and_can_be_reset(browser: Chrome) -> None:
    button = browser.find_element(By.CSS_SELECTOR, "#curve").find_element(By.XPATH, "..//button[.='Reset zoom']")
    heights = "return document.getElementById('curve')._fullLayout.yaxis.range"
    whole = browser.execute_script(heights)
    assert not button.is_displayed()
    browser.execute_script(
        "const place = document.getElementById('curve'), [low, high] = place._fullLayout.xaxis.range;"
        "return Plotly.relayout(place, {'xaxis.range': [low + 0.3 * (high - low), low + 0.5 * (high - low)]})"
    )
    low, high = browser.execute_script(heights)
    assert high - low < whole[1] - whole[0]
    assert button.is_displayed()
    button.click()
    assert browser.execute_script(heights) == whole
    assert not button.is_displayed()


def test_code_is_copied_and_libraries_are_shown_one_at_a_time(started: Chrome, tmp_path: Path) -> None:
    path = tmp_path / "libraries.html"
    libraries = [("one", "a = 1\nb = 2", "first"), ("two", "<b>", HOSTILE[0])]
    path.write_text(write_page(result(some_tasks(6)).findings(libraries=libraries)), encoding="utf-8")
    look(started)
    started.get(path.as_uri())
    tabs = started.find_elements(By.CSS_SELECTOR, "[role=tab]")
    panels = started.find_elements(By.CSS_SELECTOR, "[role=tabpanel]")
    assert [tab.text for tab in tabs] == ["one", "two"]
    assert [panel.is_displayed() for panel in panels] == [True, False]
    tabs[0].send_keys(Keys.ARROW_RIGHT)
    assert [panel.is_displayed() for panel in panels] == [False, True]
    tabs[0].click()
    panels[0].find_element(By.CSS_SELECTOR, "button.copy").click()
    WebDriverWait(started, 10).until(lambda _: panels[0].find_element(By.CSS_SELECTOR, "button.copy").text == "Copied")
    assert started.get_log("browser") == []
    assert started.title != "taken"


def test_table_sorts_by_mouse_and_by_keyboard(browser: Chrome) -> None:
    open_folds(browser)
    heads = browser.find_elements(By.CSS_SELECTOR, "#tasks thead th")
    button = heads[6].find_element(By.TAG_NAME, "button")
    button.click()
    assert heads[6].get_attribute("aria-sort") == "ascending"
    pieces = [int(text.replace(",", "")) for text in column(browser, 6)]
    assert pieces == sorted(pieces)
    button.send_keys(Keys.ENTER)
    assert heads[6].get_attribute("aria-sort") == "descending"
    assert [int(text.replace(",", "")) for text in column(browser, 6)] == sorted(pieces, reverse=True)
    heads[0].find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    assert [head.get_attribute("aria-sort") for head in heads].count("none") == 6
    names = [name for name in column(browser, 0) if name.startswith("task ")]
    assert names == [f"task {k}" for k in range(7, 27)]


def test_hostile_names_are_shown_and_not_run(browser: Chrome) -> None:
    assert HOSTILE[0] in column(browser, 0)
    assert HOSTILE[1] in column(browser, 0)
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 3


def test_charts_follow_the_colour_scheme(browser: Chrome) -> None:
    colour = "return getComputedStyle(document.querySelector('#curve .xtitle')).fill"
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    light = browser.execute_script(colour), browser.execute_script(background)
    look(browser, scheme="dark")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    dark = browser.execute_script(colour), browser.execute_script(background)
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_a_phone_needs_no_scrolling_to_the_side(browser: Chrome) -> None:
    look(browser, width=360)
    browser.refresh()
    widths = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1] == 360


def test_printing_keeps_charts_within_the_paper_and_returns(browser: Chrome) -> None:
    look(browser, scheme="dark")
    width = "return document.querySelector('#curve .main-svg').getBoundingClientRect().width"
    before = browser.execute_script(width)
    browser.execute_script(
        "addEventListener('beforeprint', () => { window.printed = document.querySelector('#curve .main-svg')"
        ".getBoundingClientRect().width })"
    )
    assert len(browser.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000
    assert browser.execute_script("return window.printed") == 660
    WebDriverWait(browser, 10).until(lambda _: browser.execute_script(width) == before)
    assert not browser.execute_script("return document.documentElement.classList.contains('printing')")
