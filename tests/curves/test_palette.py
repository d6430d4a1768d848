"""One palette for all pictures."""

import re
from pathlib import Path

import banditune
from banditune.curves import palette

SOURCE = Path(banditune.__file__).parent


def test_no_picture_has_a_colour_of_its_own() -> None:
    elsewhere = [path for path in SOURCE.rglob("*.py") if path != Path(palette.__file__)]
    assert [path for path in elsewhere if re.search("#[0-9a-fA-F]{6}", path.read_text(encoding="utf-8"))] == []


def test_the_page_has_the_colours_of_the_pictures() -> None:
    style = (SOURCE / "report" / "assets" / "page.css").read_text(encoding="utf-8")
    for colour in (palette.CURVE, palette.BEST, palette.TREND, palette.RANGE, palette.SOFT):
        assert colour in style
