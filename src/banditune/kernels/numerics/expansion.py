"""Sums of floats without any error, kept as a few floats that do not overlap: the expansions of Shewchuk (1997).

The terms[:used] of a sum are in the order of their size, the largest last, and none of them is zero; so the sign of the
last is that of the sum, and a sum of no terms is zero.
"""

from banditune.kernels.jit import inline
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.double_double import quick_two_sum, two_sum

Terms = Floats


@inline
def add_term(terms: Terms, used: int, value: float) -> int:
    """Add a float to the sum terms[:used]; return how many terms it has then, one more at most."""
    kept = 0
    for k in range(used):
        value, rest = two_sum(value, terms[k])
        if rest != 0.0:
            terms[kept] = rest
            kept += 1
    if value != 0.0:
        terms[kept] = value
        kept += 1
    return kept


@inline
def round_sum(terms: Terms, used: int) -> tuple[float, float]:
    """Return the sum terms[:used] as high and low part: zero only if it is, and of its sign."""
    high, low = 0.0, 0.0
    for k in range(used):
        high, rest = quick_two_sum(terms[k], high)
        low = rest
    return high, low
