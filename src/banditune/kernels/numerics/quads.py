"""Instructions on four numbers at a time, written for the compiler."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

QUAD = 4
UNROLLED = 4  # quads: vectors up to this size are worked on without loops
QUAD_TYPE = ir.VectorType(ir.DoubleType(), QUAD)
ZEROS = ir.Constant(QUAD_TYPE, [0.0] * QUAD)
FLOATS = types.Array(types.float64, 1, "C")


class Emitter:
    """Writes instructions on quads of arrays; places and sizes are values of the program, or numbers known by now."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def number(self, value: Any) -> Any:
        """Return a whole number as a value of the program."""
        return self.context.get_constant(types.intp, value) if isinstance(value, int) else value

    def plus(self, one: Any, other: Any) -> Any:
        """Return the sum of two whole numbers."""
        if isinstance(one, int) and isinstance(other, int):
            return one + other
        return self.builder.add(self.number(one), self.number(other))

    def times(self, one: Any, other: int) -> Any:
        """Return the product of two whole numbers."""
        return one * other if isinstance(one, int) else self.builder.mul(one, self.number(other))

    def each(self, until: Any, body: Callable[[Any], None]) -> None:
        """Do something for 0, QUAD, 2 QUAD, ... below `until`, a multiple of QUAD."""
        if isinstance(until, int):
            for k in range(0, until, QUAD):
                body(k)
        else:
            with cgutils.for_range(self.builder, self.builder.udiv(until, self.number(QUAD))) as loop:
                body(self.times(loop.index, QUAD))

    def by_size(self, size: Any, body: Callable[[Any], None]) -> None:
        """Do something that depends on a size, a multiple of QUAD: with small ones known, without loops."""
        with ExitStack() as otherwise:
            for small in range(QUAD, QUAD * UNROLLED + 1, QUAD):
                is_small = self.builder.icmp_signed("==", size, self.number(small))
                then, other = otherwise.enter_context(self.builder.if_else(is_small))
                with then:
                    body(small)
                otherwise.enter_context(other)
            body(size)

    def data(self, array: Any, first: Any = 0) -> Any:
        """Return a pointer into an array."""
        start = self.context.make_array(FLOATS)(self.context, self.builder, array).data
        return self.builder.gep(start, [self.number(first)])

    def pointer(self, data: Any, place: Any) -> Any:
        """Return a pointer to a quad."""
        return self.builder.bitcast(self.builder.gep(data, [self.number(place)]), QUAD_TYPE.as_pointer())

    def load(self, data: Any, place: Any) -> Any:
        """Return the quad from a place on."""
        return self.builder.load(self.pointer(data, place), align=8)

    def store(self, quad: Any, data: Any, place: Any) -> None:
        """Write a quad."""
        self.builder.store(quad, self.pointer(data, place), align=8)

    def add_to(self, data: Any, place: Any, quad: Any) -> None:
        """Add a quad to what is there."""
        self.store(self.builder.fadd(self.load(data, place), quad), data, place)

    def four_of(self, number: Any) -> Any:
        """Return a quad of one number four times."""
        one = self.builder.insert_element(ir.Constant(QUAD_TYPE, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
        return self.shuffle(one, one, [0] * QUAD)

    def four_at(self, data: Any, place: Any) -> Any:
        """Return a quad of the number at a place four times."""
        return self.four_of(self.builder.load(self.builder.gep(data, [self.number(place)])))

    def variables(self, count: int) -> list[Any]:
        """Quads that can be added to."""
        return [cgutils.alloca_once(self.builder, QUAD_TYPE) for _ in range(count)]  # type: ignore[no-untyped-call]

    def add_product(self, variable: Any, one: Any, other: Any) -> None:
        """Add the product of two quads to a variable."""
        product = self.builder.fmul(one, other)
        self.builder.store(self.builder.fadd(self.builder.load(variable), product), variable)

    def column_start(self, matrix: Any, column: Any) -> Any:
        """Return a pointer to the rows of a quad of columns."""
        if isinstance(column, int):
            return self.builder.gep(matrix, [self.number(column * (column + QUAD) // 2)])
        kept = self.builder.mul(column, self.plus(column, QUAD))
        return self.builder.gep(matrix, [self.builder.udiv(kept, self.number(2))])

    def shuffle(self, one: Any, other: Any, places: list[int]) -> Any:
        """Return a quad of numbers of two quads."""
        return self.builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), QUAD), places))

    def sums_of(self, quads: Sequence[Any]) -> Any:
        """Return the sum of each of four quads, as a quad."""
        halves = []
        for one, other in (quads[:2], quads[2:]):
            left, right = self.shuffle(one, other, [0, 4, 2, 6]), self.shuffle(one, other, [1, 5, 3, 7])
            halves.append(self.builder.fadd(left, right))
        one, other = halves
        return self.builder.fadd(self.shuffle(one, other, [0, 1, 4, 5]), self.shuffle(one, other, [2, 3, 6, 7]))

    def sum_of(self, quad: Any) -> Any:
        """Return the sum of a quad."""
        parts = [self.builder.extract_element(quad, ir.Constant(ir.IntType(32), k)) for k in range(QUAD)]
        return self.builder.fadd(self.builder.fadd(*parts[:2]), self.builder.fadd(*parts[2:]))
