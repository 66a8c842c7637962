"""Values of a loop nest -> LLVM instructions, of one element or of all lanes of a vector loop.

In a vector loop a value that does not depend on the lane stays a scalar until it meets one that does. An update that
adds a product of floats is one multiply-add.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from anytile.codegen.llvm.addresses import Addresses
from anytile.codegen.llvm.instructions import (
    TYPES,
    cast,
    kind,
    literal,
    nearest_integer,
    operate,
    reduce_lanes,
    splat,
    suffix,
)
from anytile.codegen.llvm.loads_stores import Lanes, Made, Memory
from anytile.codegen.llvm.narrow.saturation import saturated
from anytile.codegen.llvm.writer import Writer
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Cast, Literal, Load, Number, Op, Reduce, Update, Value
from anytile.schedules.nest.operations import OPERATIONS
from anytile.schedules.nest.printer import print_value


class Values:
    """Writes what statements compute; `lanes` is the vector loop that they stand in."""

    def __init__(self, w: Writer, addresses: Addresses) -> None:
        self.w = w
        self.addresses = addresses
        self.memory = Memory(w, addresses)
        self.lanes: Lanes | None = None

    @contextmanager
    def inside(self, lanes: Lanes) -> Iterator[None]:
        """Write what stands in a vector loop."""
        outside, self.lanes = self.lanes, lanes
        self.addresses.along(lanes.var)
        yield
        self.lanes = outside
        self.addresses.along(None if outside is None else outside.var)

    @contextmanager
    def one_lane(self, number: int) -> Iterator[None]:
        """Write what stands in a vector loop for one of its lanes alone."""
        outside, self.lanes = self.lanes, None
        with self.addresses.one_lane(number):
            yield
        self.lanes = outside

    @contextmanager
    def masked(self, conditions: tuple[Expr, ...], otherwise: bool = False) -> Iterator[None]:
        """Write what runs in the lanes where every condition holds, or `otherwise` in the others of those that run."""
        lanes = self.lanes
        if not conditions or lanes is None:
            yield
            return
        one_bit, mask = f"<{lanes.count} x i1>", None if otherwise else lanes.mask
        for e in conditions:
            one = self._holds(e, lanes)
            mask = one if mask is None else self.w.value(f"and {one_bit} {mask}, {one}", "m")
        if otherwise:
            mask = self.w.value(f"xor {one_bit} {mask}, {splat(self.w, 'i1', lanes.count, 'true')}", "m")
            mask = mask if lanes.mask is None else self.w.value(f"and {one_bit} {lanes.mask}, {mask}", "m")
        self.lanes = Lanes(lanes.var, lanes.count, mask, _running(conditions, lanes, otherwise))
        yield
        self.lanes = lanes

    def _holds(self, e: Expr, lanes: Lanes) -> str:
        """In which lanes e >= 0."""
        t = f"<{lanes.count} x i64>"
        slope = e.coefficient(lanes.var)
        if slope not in (1, -1):
            return self.w.value(f"icmp sge {t} {self._indices(e, lanes)}, zeroinitializer", "m")
        limit = splat(self.w, "i64", lanes.count, self.w.index(_limit(e, lanes.var, slope)))
        return self.w.value(f"icmp {'sle' if slope < 0 else 'sge'} {t} {_counting(lanes.count)}, {limit}", "m")

    # Statements

    def store(self, buffer: str, index: tuple[Expr, ...], value: Value) -> None:
        self._put(buffer, index, self.value(value))

    def update(self, s: Update) -> None:
        match s.value:
            case Op("mul", (a, b)) if s.op == "add" and self.memory.dtype(s.buffer) == "float32":
                lanes = self.lanes.count if self.lanes else 0
                t, x, y = kind("float32", lanes), self.whole(a), self.whole(b)
                z = self._widened(self.memory.load(s.buffer, s.index, self.lanes))
                call = f"call {t} @llvm.fmuladd.{suffix('float32', lanes)}({t} {x}, {t} {y}, {t} {z})"
                self._put(s.buffer, s.index, Made(self.w.always(call, "f"), "float32", wide=lanes > 0))
            case _:
                old = self.memory.load(s.buffer, s.index, self.lanes)
                self._put(s.buffer, s.index, self._operation(s.op, [old, self.value(s.value)]))

    def _put(self, buffer: str, index: tuple[Expr, ...], made: Made) -> None:
        if made.dtype != self.memory.dtype(buffer):
            what = f"{print_value(Load(buffer, index))}: a value of {made.dtype}"
            raise CodegenError(f"{what} for a buffer of {self.memory.dtype(buffer)}; cast it")
        self.memory.store(buffer, index, self._widened(made), self.lanes)

    # Values

    def whole(self, v: Value) -> str:
        """A value, in every lane where there are lanes."""
        return self._widened(self.value(v))

    def value(self, v: Value) -> Made:
        """A value as it comes: what does not depend on the lane stays a scalar."""
        match v:
            case Literal(number, dtype):
                return Made(literal(number, dtype), dtype)
            case Load(buffer, index):
                return self.memory.load(buffer, index, self.lanes)
            case Op(name, args):
                return self._operation(name, [self.value(a) for a in args])
            case Cast(dtype, value):
                nearest = saturated(v)
                made = self.value(value if nearest is None else nearest)
                if nearest is not None:
                    return Made(nearest_integer(self.w, dtype, self._width(made), made.name), dtype, made.wide)
                return Made(cast(self.w, made.dtype, dtype, self._width(made), made.name), dtype, made.wide)
            case Number(e, dtype):
                return self._number(self.addresses.put_fixed(e), dtype)
            case Reduce(_, lane, 1, value):
                with self.addresses.unrolled(lane, 0):
                    return self.value(value)
            case Reduce(name, lane, count, value):
                with self.inside(Lanes(lane, count)):
                    made = self.value(value)
                    term = self._widened(made)
                return Made(reduce_lanes(self.w, name, made.dtype, count, term), made.dtype)

    def _operation(self, name: str, args: list[Made]) -> Made:
        if name not in OPERATIONS:
            raise CodegenError(f"operation {name!r} cannot be emitted")
        dtype, wide = OPERATIONS[name].dtype(tuple(a.dtype for a in args)), any(a.wide for a in args)
        names = [self._widened(a) if wide else a.name for a in args]
        lanes = self.lanes.count if wide and self.lanes else 0
        return Made(operate(self.w, name, args[-1].dtype, lanes, names), dtype, wide)

    def _number(self, e: Expr, dtype: str) -> Made:
        wide = self.lanes is not None and self.lanes.var in e.names
        name = self._indices(e, self.lanes) if wide and self.lanes else self.w.index(e)
        lanes = self.lanes.count if wide and self.lanes else 0
        return Made(cast(self.w, "int64", dtype, lanes, name), dtype, wide)

    def _indices(self, e: Expr, lanes: Lanes) -> str:
        """An index expression in every lane."""
        t, slope = f"<{lanes.count} x i64>", e.coefficient(lanes.var)
        if slope is not None:
            first = splat(self.w, "i64", lanes.count, self.w.index(e.substitute({lanes.var: 0})))
            return self.w.value(f"add {t} {first}, {_counting(lanes.count, slope)}", "i")
        made = "poison"
        for i in range(lanes.count):
            one = self.w.index(e.substitute({lanes.var: i}))
            made = self.w.value(f"insertelement {t} {made}, i64 {one}, i64 {i}", "i")
        return made

    def _width(self, made: Made) -> int:
        return self.lanes.count if made.wide and self.lanes else 0

    def _widened(self, made: Made) -> str:
        if made.wide or self.lanes is None:
            return made.name
        return splat(self.w, TYPES[made.dtype], self.lanes.count, made.name)


@lru_cache(maxsize=1 << 8)  # all copies of an unrolled loop have the same
def _limit(e: Expr, lane: str, slope: int) -> Expr:
    """The first or the last lane in which e >= 0, if one lane is one more or less of e."""
    return var(lane) - slope * e


def _running(conditions: tuple[Expr, ...], lanes: Lanes, otherwise: bool) -> frozenset[int] | None:
    """The lanes that run where all conditions hold, or `otherwise` where not; None where it is known at run time."""
    if (lanes.mask is not None and lanes.running is None) or any(e.names != {lanes.var} for e in conditions):
        return None
    before = frozenset(range(lanes.count)) if lanes.running is None else lanes.running
    holds = {i for i in before if all(e.evaluate({lanes.var: i}) >= 0 for e in conditions)}
    return before - holds if otherwise else frozenset(holds)


def _counting(lanes: int, step: int = 1) -> str:
    return f"<{', '.join(f'i64 {i * step}' for i in range(lanes))}>"
