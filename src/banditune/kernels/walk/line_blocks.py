"""The ground that a walk is on: what is known of a task, and lines below those of blocks of pulls."""

from typing import NamedTuple

import numpy as np

from banditune.kernels.jit import inline, integer, jit, lean
from banditune.kernels.lines.index import TaskTables
from banditune.kernels.numerics.arrays import Floats, Integers, borrow

NEAR = 16  # so many blocks of a size are tested before they grow
GROWTH_OF_BLOCKS = 4  # 2 bits: shifts take a fraction of the time of divisions


class Ground(NamedTuple):
    """What is known of a task: its tables, and lines below those of blocks of 1, 4, 16, ... counts of pulls."""

    sums: Floats  # (n, T + 1, 2) of the tables, as are the next four
    expected: Floats  # (n, 2)
    growth: Floats  # (T + 1,)
    size: float
    largest_root: float
    direction: float  # of the walk: 1.0, or -1.0 where the growth falls
    blocks: Floats  # (n, blocks of all sizes) the least mean in each
    roots: Floats  # (blocks of all sizes,) the least root in each, times direction
    places: Integers  # (sizes + 1,) where the blocks of each size begin
    blocked: Floats  # (n, 3) room for the lines that must not be pulled, and how far arms are stretched


@lean
def direction_of(tables: TaskTables) -> float:
    """1.0, or -1.0 where the growth falls: then the walk is along -theta."""
    return -1.0 if tables.growth[-1] < tables.growth[1] else 1.0


@inline
def ahead(theta: float, share: float) -> float:
    """Further along by a share of theta's size."""
    return theta + abs(theta) * share


@jit
def survey(tables: TaskTables) -> Ground:
    """Return the ground of a task."""
    n_arms, columns = tables.means.shape
    n_sizes, size, total = integer(1), integer(GROWTH_OF_BLOCKS), columns
    while columns // size >= NEAR:
        total += columns // size
        n_sizes += 1
        size *= GROWTH_OF_BLOCKS
    places, blocks, roots = np.zeros(n_sizes + 1, np.int64), np.empty((n_arms, total)), np.empty(total)
    size, direction = integer(1), direction_of(tables)
    for level in range(n_sizes):
        first, n_blocks = places[level], columns // size
        for block in range(n_blocks):
            roots[first + block] = direction * tables.inverse_roots[(block + 1) * size - 1]
        for arm in range(n_arms):
            for block in range(n_blocks):
                if level == 0:
                    least = tables.means[arm, block]
                else:
                    start = places[level - 1] + GROWTH_OF_BLOCKS * block
                    least = blocks[arm, start]
                    for k in range(start + 1, start + GROWTH_OF_BLOCKS):
                        least = min(least, blocks[arm, k])
                blocks[arm, first + block] = least
        places[level + 1] = first + n_blocks
        size *= GROWTH_OF_BLOCKS
    return Ground(
        tables.sums,
        tables.expected,
        tables.growth,
        tables.size,
        tables.largest_root,
        direction,
        blocks,
        roots,
        places,
        np.empty((n_arms, 3)),
    )


@jit
def borrow_ground(ground: Ground) -> Ground:
    """Return the same ground, held by another."""
    sums, expected, growth, size, largest_root, direction, blocks, roots, places, blocked = ground
    return Ground(
        borrow(sums),
        borrow(expected),
        borrow(growth),
        size,
        largest_root,
        direction,
        borrow(blocks),
        borrow(roots),
        borrow(places),
        borrow(blocked),
    )


@inline
def value_of(ground: Ground, arm: int, place: int, x: float) -> float:
    """Return the line of a block at x: of a block of one, the line of an arm after so many pulls."""
    row, column = np.uintp(arm), np.uintp(place)
    value: float = ground.blocks[row, column] + x * ground.roots[column]
    return value
