"""Numbers as a page shows them."""

import math

from banditune.report.words import digits_to_differ
from banditune.step_function import Interval

MINUS, TIMES = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def numeral(value: float, digits: int = 4) -> str:
    """A number to so many significant digits, without the e of programming languages.

    >>> numeral(15.756), numeral(1234.56), numeral(12345.6), numeral(0.0)
    ('15.76', '1,235', '12,346', '0')
    >>> numeral(2.754e-05) == f"2.754{TIMES}10⁻⁵"
    True
    """
    if not math.isfinite(value):
        return "not known"
    size = abs(value)
    if size >= 1000.0 and size < 1e12:
        text = f"{size:,.{max(digits - 1 - math.floor(math.log10(size)), 0)}f}"
    else:
        text = f"{size:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}{TIMES}10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return f"{MINUS}{text}" if value < 0.0 and text != "0" else text


def from_to(interval: Interval) -> str:
    """An interval with as many digits as its ends need to differ.

    >>> from_to(Interval(0.123456, 0.123457))
    '0.123456 to 0.123457'
    """
    digits = digits_to_differ(interval)
    return f"{numeral(interval.low, digits)} to {numeral(interval.high, digits)}"


def roughly(n: float) -> str:
    """A number of tasks that is only roughly known, to two digits.

    >>> roughly(2950.7), roughly(3.2), roughly(1e30)
    ('3,000', '4', 'very many')
    """
    if n > 1e12:
        return "very many"
    whole = math.ceil(n - 1e-9)
    return f"{float(f'{whole:.2g}'):,.0f}"
