"""Sums of floats without any error: whole numbers of many digits, in which the order of adding makes no difference.

A number is a row of digits, the lowest first, to the base 2**32, in units of 2**unit. While numbers are being added, a
digit may be negative or too large; `settle` carries. After that, all digits but the last lie from 0 to 2**32 - 1, and
the last one has the sign. At rest a number is kept in 32 bits a digit, the last one a two's complement: `store`.

Floats come as the integers of the same 64 bits (`array.view(np.int64)`), which is where their exponents can be read.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.jit import inline, jit
from banditune.kernels.numerics.arrays import Floats, Integers

Stored = NDArray[np.uint32]

DIGIT = 32
LOWEST = 2**DIGIT - 1  # the bits of a digit
FRACTION = 2**52 - 1  # the bits of a float's fraction
SMALLEST_EXPONENT = -1074  # of the lowest bit of any float


class Layout(NamedTuple):
    """Which numbers can be held: multiples of 2**unit, with so many digits."""

    unit: int  # a multiple of DIGIT, so that digits of one layout are digits of another
    digits: int


@inline
def whole_and_exponent(bits: int) -> tuple[int, int]:
    """Return a float's size as whole * 2**exponent."""
    exponent = (bits >> 52) & 2047
    if exponent == 0:
        return bits & FRACTION, SMALLEST_EXPONENT
    return (bits & FRACTION) | (FRACTION + 1), exponent - 1 + SMALLEST_EXPONENT


@jit
def exponents(bits: Integers) -> tuple[int, int]:
    """Return least and most: floats are multiples of 2**least, and smaller than 2**most. (0, 0) for zeros."""
    least, most = 5000, -5000
    for k in range(bits.size):
        whole, exponent = whole_and_exponent(bits[k])
        if whole == 0:
            continue
        most = max(most, exponent + 53)
        while exponent < least and whole & 1 == 0:
            whole >>= 1
            exponent += 1
        least = min(least, exponent)
    if most == -5000:
        return 0, 0
    return least, most


@inline
def add_bits(digits: Integers, unit: int, bits: int, sign: int) -> None:
    """Add a float, or with sign = -1 subtract it; its bits must not reach below the unit."""
    whole, exponent = whole_and_exponent(bits)
    if whole == 0:
        return
    if bits < 0:
        sign = -sign
    while exponent < unit:  # what is cut off is zero
        whole >>= 1
        exponent += 1
    place, shift = (exponent - unit) >> 5, (exponent - unit) & 31
    low, high = (whole & LOWEST) << shift, (whole >> DIGIT) << shift
    digits[place] += sign * (low & LOWEST)
    digits[place + 1] += sign * ((low >> DIGIT) + (high & LOWEST))
    digits[place + 2] += sign * (high >> DIGIT)


@inline
def settle(digits: Integers) -> None:
    """Carry."""
    for k in range(digits.size - 1):
        digits[k + 1] += digits[k] >> DIGIT
        digits[k] &= LOWEST


@inline
def round_number(digits: Integers, unit: int, scratch: Integers) -> float:
    """Return the nearest float to a settled number, ties to even; `scratch` is room for as many digits."""
    negative = digits[-1] < 0
    carry = 1
    top = -1
    for k in range(digits.size):
        digit = digits[k]
        if negative:
            digit = (LOWEST - digit if k < digits.size - 1 else -1 - digit) + carry
            carry = 0
            if k < digits.size - 1:
                carry = digit >> DIGIT
                digit &= LOWEST
        scratch[k] = digit
        if digit != 0:
            top = k
    if top < 0:
        return 0.0
    high = scratch[top]
    middle = scratch[top - 1] if top >= 1 else 0
    low = scratch[top - 2] if top >= 2 else 0
    length = math.frexp(float(high))[1]
    room = 54 - length  # 54 bits: those of a float, and one to round by
    if room <= DIGIT:
        kept = (high << room) | (middle >> (DIGIT - room))
        rest = (middle & ((1 << (DIGIT - room)) - 1)) | low
    else:
        kept = (high << room) | (middle << (room - DIGIT)) | (low >> (64 - room))
        rest = low & ((1 << (64 - room)) - 1)
    for k in range(top - 2):
        rest |= scratch[k]
    whole = kept >> 1
    if kept & 1 == 1 and (rest != 0 or whole & 1 == 1):
        whole += 1
    size = math.ldexp(float(whole), int(unit + DIGIT * top + length - 53))
    return -size if negative else size


@inline
def store(digits: Integers, into: Stored) -> None:
    """Settle a number and keep it; its digits become 0."""
    settle(digits)
    for k in range(digits.size):
        into[k] = digits[k] & LOWEST
        digits[k] = 0


@inline
def add_stored_number(digits: Integers, stored: Stored, sign: int) -> None:
    """Add a number at rest, or with sign = -1 subtract it."""
    last = digits.size - 1
    for k in range(digits.size):
        digits[k] += sign * np.int64(stored[k])
    if stored[last] >= 2 ** (DIGIT - 1):
        digits[last] -= sign * 2**DIGIT


@jit
def jumps_at_edges(
    edges: Floats, bits: Integers, order: Integers, unit: int, n_digits: int, rises_only: bool
) -> tuple[Floats, Stored]:
    """Return how much the sum of step functions changes at each place: the places (n,) and the changes (n, digits).

    Piece j has the value bits[j] and begins at edges[j]; `order` lists the pieces that do not begin a curve, by where
    they begin. With rises_only, only those count that are above the piece before.
    """
    places, changes = np.empty(order.size), np.empty((order.size, n_digits), np.uint32)
    digits = np.zeros(n_digits, np.int64)
    values = bits.view(np.float64)
    used = 0
    for k in range(order.size):
        piece = order[k]
        if used == 0 or edges[piece] != places[used - 1]:
            if used > 0:
                store(digits, changes[used - 1])
            places[used] = edges[piece]
            used += 1
        if not rises_only or values[piece] > values[piece - 1]:
            add_bits(digits, unit, bits[piece], 1)
            add_bits(digits, unit, bits[piece - 1], -1)
    if used > 0:
        store(digits, changes[used - 1])
    return places[:used].copy(), changes[:used].copy()


@jit
def add_at_places(places: Floats, changes: Stored, order: Integers) -> tuple[Floats, Stored]:
    """Return changes (n, digits) at places (n,) that `order` sorts: each place once, with all its changes added up."""
    new_places, new_changes = np.empty(order.size), np.empty((order.size, changes.shape[1]), np.uint32)
    digits = np.zeros(changes.shape[1], np.int64)
    used = 0
    for k in range(order.size):
        if used == 0 or places[order[k]] != new_places[used - 1]:
            if used > 0:
                store(digits, new_changes[used - 1])
            new_places[used] = places[order[k]]
            used += 1
        add_stored_number(digits, changes[order[k]], 1)
    if used > 0:
        store(digits, new_changes[used - 1])
    return new_places[:used].copy(), new_changes[:used].copy()


@jit
def total_changes(base: Stored, changes: Stored, unit: int) -> Floats:
    """Return the base, and what it comes to after each change: (n + 1,), each rounded once."""
    digits, scratch = np.zeros(base.size, np.int64), np.empty(base.size, np.int64)
    totals = np.empty(changes.shape[0] + 1)
    add_stored_number(digits, base, 1)
    settle(digits)
    totals[0] = round_number(digits, unit, scratch)
    for k in range(changes.shape[0]):
        add_stored_number(digits, changes[k], 1)
        settle(digits)
        totals[k + 1] = round_number(digits, unit, scratch)
    return totals


@jit
def round_each(numbers: Stored, unit: int) -> Floats:
    """Return the nearest floats to some numbers (n, digits): (n,)."""
    digits, scratch = np.zeros(numbers.shape[1], np.int64), np.empty(numbers.shape[1], np.int64)
    floats = np.empty(numbers.shape[0])
    for k in range(numbers.shape[0]):
        digits[:] = 0
        add_stored_number(digits, numbers[k], 1)
        settle(digits)
        floats[k] = round_number(digits, unit, scratch)
    return floats


@jit
def total(bits: Integers, unit: int, n_digits: int) -> Stored:
    """Return the sum of floats."""
    digits, stored = np.zeros(n_digits, np.int64), np.empty(n_digits, np.uint32)
    for k in range(bits.size):
        add_bits(digits, unit, bits[k], 1)
        if k & (2**24 - 1) == 0:
            settle(digits)  # before digits outgrow an integer
    store(digits, stored)
    return stored
