"""Sums over short vectors and symmetric matrices, four numbers at a time.

A compiler may not reorder a sum of floats, and so adds one after the other. Here the order is laid down such that four
can be added at once: the same bits with or without such instructions, compiled or not.

Vectors lie somewhere in a flat array, from a given place on, and are filled up with zeros to whole quads. Of a
symmetric matrix, quads of columns are kept one after the other: of each the rows down to the diagonal.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from banditune.kernels.jit import inline
from banditune.kernels.numerics.arrays import Floats
from banditune.kernels.numerics.quads import FLOATS, QUAD, ZEROS, Emitter


def dot(one: Floats, first: int, other: Floats, other_first: int, size: int) -> float:
    """Return the product of two vectors."""
    total = np.zeros(QUAD)
    for k in range(0, size, QUAD):
        total += one[first + k : first + k + QUAD] * other[other_first + k : other_first + k + QUAD]
    return sum_of(total)


def forms(numbers: Floats, first: int, vector: Floats, at: int, size: int) -> tuple[float, float]:
    """x' M x and w' x of a vector x, a matrix M, and a vector w that lies behind the matrix."""
    total, linear = np.zeros(QUAD), np.zeros(QUAD)
    for column in range(0, size, QUAD):
        x, sums, place = vector[at + column : at + column + QUAD], np.zeros((2, QUAD)), first + rows_before(column)
        for row in range(column + QUAD):
            if row == column:  # what is above the diagonal counts twice
                sums += sums
            sums[row % 2] += vector[at + row] * numbers[place + QUAD * row : place + QUAD * row + QUAD]
        total += (sums[0] + sums[1]) * x
        behind = first + rows_before(size) + column
        linear += numbers[behind : behind + QUAD] * x
    return sum_of(total), sum_of(linear)


def project(matrix: Floats, first: int, vector: Floats, at: int, size: int, projected: Floats) -> None:
    """Write M x of a matrix M and a vector x."""
    projected[:size] = 0.0
    for column in range(0, size, QUAD):
        place = first + rows_before(column)
        x, total = vector[at + column : at + column + QUAD], np.zeros(QUAD)
        for row in range(column + QUAD):
            quad = matrix[place + QUAD * row : place + QUAD * row + QUAD]
            total += vector[at + row] * quad
            if row < column:
                projected[row] += sum_of(quad * x)
        projected[column : column + QUAD] += total


def add_outer(matrix: Floats, first: int, vector: Floats, at: int, size: int, factor: float) -> None:
    """Add factor x x' to a matrix; the factor is 1 or -1."""
    for column in range(0, size, QUAD):
        place, x = first + rows_before(column), factor * vector[at + column : at + column + QUAD]
        for row in range(column + QUAD):
            matrix[place + QUAD * row : place + QUAD * row + QUAD] += vector[at + row] * x


def sum_of(quad: Floats) -> float:
    """Return the sum of a quad."""
    return float((quad[0] + quad[1]) + (quad[2] + quad[3]))


@inline
def rows_before(column: int) -> int:
    """Return how many numbers a matrix keeps of the columns before this one, the first of a quad."""
    return column * (column + QUAD) // 2


@inline
def place_in(row: int, column: int) -> int:
    """Return the place of the number of a row and a column; below the quad of the diagonal, of its mirror image."""
    quad = column // QUAD * QUAD
    if row >= quad + QUAD:
        row, column = column, row
        quad = column // QUAD * QUAD
    return rows_before(quad) + QUAD * row + column - quad


@intrinsic
def emit_dot(
    _typing: Any, _one: Any, _first: Any, _other: Any, _other_first: Any, _size: Any
) -> tuple[Any, Callable[..., Any]]:
    """`dot` as instructions."""

    def instructions(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        one, first, other, other_first, size = arguments
        emit = Emitter(context, builder)
        ones, others = emit.data(one, first), emit.data(other, other_first)
        (total,) = emit.variables(1)
        builder.store(ZEROS, total)

        def of_size(size: Any) -> None:
            emit.each(size, lambda k: emit.add_product(total, emit.load(ones, k), emit.load(others, k)))

        emit.by_size(size, of_size)
        return emit.sum_of(builder.load(total))

    return types.float64(FLOATS, types.intp, FLOATS, types.intp, types.intp), instructions


@intrinsic
def emit_forms(
    _typing: Any, _numbers: Any, _first: Any, _vector: Any, _at: Any, _size: Any
) -> tuple[Any, Callable[..., Any]]:
    """`forms` as instructions."""

    def instructions(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, first, vector, at, size = arguments
        emit = Emitter(context, builder)
        matrix, x = emit.data(numbers, first), emit.data(vector, at)
        total, linear, *sums = emit.variables(4)
        for each in (total, linear):
            builder.store(ZEROS, each)

        def of_size(size: Any) -> None:
            behind = emit.column_start(matrix, size)

            def of_column(column: Any) -> None:
                rows = emit.column_start(matrix, column)

                def add_rows(row: Any) -> None:
                    for k in range(QUAD):
                        here = emit.plus(row, k)
                        emit.add_product(sums[k % 2], emit.four_at(x, here), emit.load(rows, emit.times(here, QUAD)))

                for each in sums:
                    builder.store(ZEROS, each)
                emit.each(column, add_rows)
                for each in sums:
                    builder.store(builder.fadd(builder.load(each), builder.load(each)), each)
                add_rows(column)
                factors = emit.load(x, column)
                emit.add_product(total, builder.fadd(*map(builder.load, sums)), factors)
                emit.add_product(linear, emit.load(behind, column), factors)

            emit.each(size, of_column)

        emit.by_size(size, of_size)
        found = [emit.sum_of(builder.load(each)) for each in (total, linear)]
        return context.make_tuple(builder, signature.return_type, found)

    both = types.UniTuple(types.float64, 2)  # type: ignore[no-untyped-call]
    return both(FLOATS, types.intp, FLOATS, types.intp, types.intp), instructions


@intrinsic
def emit_project(
    _typing: Any, _matrix: Any, _first: Any, _vector: Any, _at: Any, _size: Any, _projected: Any
) -> tuple[Any, Callable[..., Any]]:
    """`project` as instructions."""

    def instructions(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        matrix, first, vector, at, size, projected = arguments
        emit = Emitter(context, builder)
        numbers, x, into = emit.data(matrix, first), emit.data(vector, at), emit.data(projected)
        (total,) = emit.variables(1)

        def of_column(column: Any) -> None:
            rows, factors = emit.column_start(numbers, column), emit.load(x, column)

            def add_rows(row: Any) -> list[Any]:
                quads = []
                for k in range(QUAD):
                    here = emit.plus(row, k)
                    quads.append(emit.load(rows, emit.times(here, QUAD)))
                    emit.add_product(total, emit.four_at(x, here), quads[-1])
                return quads

            def add_rows_and_mirror(row: Any) -> None:
                mirrored = emit.sums_of([builder.fmul(quad, factors) for quad in add_rows(row)])
                emit.add_to(into, row, mirrored)

            builder.store(ZEROS, total)
            emit.each(column, add_rows_and_mirror)
            add_rows(column)
            emit.add_to(into, column, builder.load(total))

        def of_size(size: Any) -> None:
            emit.each(size, lambda k: emit.store(ZEROS, into, k))
            emit.each(size, of_column)

        emit.by_size(size, of_size)
        return context.get_dummy_value()

    return types.void(FLOATS, types.intp, FLOATS, types.intp, types.intp, FLOATS), instructions


@intrinsic
def emit_add_outer(
    _typing: Any, _matrix: Any, _first: Any, _vector: Any, _at: Any, _size: Any, _factor: Any
) -> tuple[Any, Callable[..., Any]]:
    """`add_outer` as instructions."""

    def instructions(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        matrix, first, vector, at, size, factor = arguments
        emit = Emitter(context, builder)
        numbers, x, factors = emit.data(matrix, first), emit.data(vector, at), emit.four_of(factor)

        def of_column(column: Any) -> None:
            rows, scaled = emit.column_start(numbers, column), builder.fmul(factors, emit.load(x, column))

            def add_rows(row: Any) -> None:
                for k in range(QUAD):
                    here = emit.plus(row, k)
                    emit.add_to(rows, emit.times(here, QUAD), builder.fmul(emit.four_at(x, here), scaled))

            emit.each(emit.plus(column, QUAD), add_rows)

        emit.by_size(size, lambda size: emit.each(size, of_column))
        return context.get_dummy_value()

    return types.void(FLOATS, types.intp, FLOATS, types.intp, types.intp, types.float64), instructions


@overload(dot, jit_options={"forceinline": True})
def compile_dot(one: Floats, first: int, other: Floats, other_first: int, size: int) -> Callable[..., float]:
    """Return what the compiler takes in place of `dot`."""

    def emit(one: Floats, first: int, other: Floats, other_first: int, size: int) -> float:
        return emit_dot(one, first, other, other_first, size)  # type: ignore[call-arg]

    return emit


@overload(forms, jit_options={"forceinline": True})
def compile_forms(
    numbers: Floats, first: int, vector: Floats, at: int, size: int
) -> Callable[..., tuple[float, float]]:
    """Return what the compiler takes in place of `forms`."""

    def emit(numbers: Floats, first: int, vector: Floats, at: int, size: int) -> tuple[float, float]:
        return emit_forms(numbers, first, vector, at, size)  # type: ignore[call-arg]

    return emit


@overload(project, jit_options={"forceinline": True})
def compile_project(
    matrix: Floats, first: int, vector: Floats, at: int, size: int, projected: Floats
) -> Callable[..., None]:
    """Return what the compiler takes in place of `project`."""

    def emit(matrix: Floats, first: int, vector: Floats, at: int, size: int, projected: Floats) -> None:
        emit_project(matrix, first, vector, at, size, projected)  # type: ignore[call-arg]

    return emit


@overload(add_outer, jit_options={"forceinline": True})
def compile_add_outer(
    matrix: Floats, first: int, vector: Floats, at: int, size: int, factor: float
) -> Callable[..., None]:
    """Return what the compiler takes in place of `add_outer`."""

    def emit(matrix: Floats, first: int, vector: Floats, at: int, size: int, factor: float) -> None:
        emit_add_outer(matrix, first, vector, at, size, factor)  # type: ignore[call-arg]

    return emit
