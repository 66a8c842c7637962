"""grouped_dense on a CPU: dot products of integers, with each row of floats taken apart into digits of 8 or 12 bits.

    for no: for mo: for kg:  part[kd, mi, ni, lane] += digit[m, kg, kd, k] * w_packed[no, kg, k, ni, lane]
                             acc[mi, ni, lane] += sum_kd 256^kd * part[kd, ...] * scale * unit

A weight of 4 bits that is widened to float32 and multiplied takes longer than its bytes take from memory. So a group of
x becomes whole numbers of 24 bits, the largest of it at the top, in digits that are each multiplied in integers and
exactly: the result is as close as sums of float32 are beside the largest of a group. A row with a number that is not
finite, or so large that beside it nothing else would be seen, is done again in float32.
Panels of the weight hold vectors of 32 bits, a column's next bytes of k in each. Of what the CPU multiplies by a digit
a weight may fill half: of 4 bits both halves of a byte then go the same way, of 8 bits both bytes of 16. A word meets
all digits before the next one is loaded; where products of 4 bits are added in 16 bits, these hold several words.
Where `accuracy` lets x be taken in 16 bits, there are two digits of 8 or one of 16; in 8 bits, there is one.
Where a streamed weight takes longer than its bytes, it is asked for some pages ahead, into the second cache: few misses
of the first may be on their way at once, and what the CPU's own prefetchers bring waits at each page. A weight that
takes no longer is left to these, which hints only disturb. So does a line of scales after every few of the weight:
those of several groups are then asked for together.
Many rows stay floats where their digits take longer: each panel of the weight is widened once, in the same layout, so
that a plan which has both for few rows and for many packs the weight once.
Rows (m) are the walked dimension; threads share the panels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from anytile.core.dtypes import BY_NAME
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, ceildiv, const, var
from anytile.schedules.nest.nodes import (
    Buffer,
    Cast,
    Grain,
    Guard,
    Let,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Number,
    Op,
    Prefetch,
    Reduce,
    Scope,
    Stmt,
    Store,
    Update,
    Value,
    block,
)
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.nest.traverse import guarded
from anytile.schedules.operators.products.grouped_dense import BYTE, FLOAT, GROUPED_DENSE, midpoint, scale_of
from anytile.schedules.primitives.pack import packing
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.vector_rows import ALONE, Share, holding, unrolled
from anytile.schedules.templates.base.definition import signature, tail
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.schedules.templates.base.space import Value as KnobValue
from anytile.schedules.templates.base.template import Pack, Scheduled, Template, symbol_of
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 6, 8)
VECTORS = (1, 2, 3, 4)
PREFETCH = (0, 8, 16, 32)
AHEAD = 16
KEPT_UP = 4  # instructions for a vector of the weight that take no longer than its bytes
SECOND = 2  # as LLVM's prefetch counts: the second cache, since the first has few misses on their way at once
WHOLE_BITS = {"float32": 24, "float16": 16, "int8": 8}  # of the whole numbers that a group of x becomes, by accuracy
DIGITS, FLOATS = "digits", "floats"
MANY = 16  # rows for which a weight is worth widening
MOST_UNTUNED = 4  # rows: the code of every residue is compiled
LEAST, LARGEST = 1e-37, 1e12  # a unit below is taken for 0; a row with a number above has no digits
WORD = 4  # bytes that one lane multiplies at once
LINE = 64  # bytes of a cache line
TOGETHER = 4  # groups that are asked at once for what belongs to them
STEPS = 4  # words of one round of the innermost loop
M, N, LANE, GROUP, TERM = (var(name) for name in ("i_m", "no", "nv", "kg", "kr"))


@dataclass(frozen=True, slots=True)
class Digits:
    """How x is taken apart: so many digits of so many bits, each in the dtype.

    Products are added up `at_once`, or by an instruction of their own; those of `several` words in 16 bits first.
    """

    dtype: str
    bits: int
    count: int
    at_once: bool = False
    several: bool = False

    @classmethod
    def of(cls, workload: Workload, target: Target) -> Digits:
        offered, bits = narrow_facts(target), int(workload.attributes["bits"])
        whole = WHOLE_BITS[str(workload.attributes["accuracy"])]
        if bits < BYTE or offered.bytes or not offered.words:
            at_once = offered.bytes > 0
            return cls("int8", 8, whole // 8, at_once, bits < BYTE and not at_once and offered.words >= 256)
        whole = max(whole, 16)  # a digit takes a word, whatever is in it
        return cls("int16", whole // -(-whole // 16), -(-whole // 16))

    def products(self, bits: int) -> int:
        """How many a vector of weights of so many bits is in."""
        return BY_NAME[self.dtype].bits // bits * self.count

    @property
    def top(self) -> int:
        """What the largest of a group becomes: its first digit has a sign."""
        return 127 << self.bits * self.count - BYTE


class GroupedDenseCpu(Template):
    """The template of this module."""

    name = "grouped_dense.cpu"
    op = GROUPED_DENSE.name
    version = 4

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        registers, digits = facts(target).vector_registers, Digits.of(workload, target).count
        knobs = (
            Knob("tile_m", ROWS, "rows of the register tile"),
            Knob("tile_n", VECTORS, "vectors of the register tile"),
            Knob(
                "prefetch", PREFETCH if "w" in workload.streamed else PREFETCH[:1], "KiB ahead at which w is asked for"
            ),
            Knob("x", (DIGITS, FLOATS), "rows are taken apart into digits, or stay and the weight is widened for them"),
            *grain_knob(target),
        )
        fits = Constraint(
            "registers",
            "the sums of all digits, a vector of weights and both its halves must fit the vector registers",
            lambda c: _fits(_digits(c, digits) * int(c["tile_m"]) * int(c["tile_n"]), _digits(c, digits), registers),
        )
        near = Constraint(
            "asked for",
            "a weight that is widened is read once for all rows, and not asked for ahead",
            lambda c: c["x"] == DIGITS or c["prefetch"] == 0,
        )
        return ConfigSpace(self.name, knobs, (fits, near))

    def default(self, workload: Workload, target: Target) -> Config:
        m, many = workload.dim("m"), self.many(workload, target)
        return many[1] if many is not None and isinstance(m, int) and m >= many[0] else self._few(workload, target)

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """Floats are multiplied faster than digits, but for those added at once and for few that share sums."""
        taken = Digits.of(workload, target)
        if taken.at_once or (taken.several and taken.count < 3):
            return None
        few, registers = self._few(workload, target), facts(target).vector_registers
        rows = max(r for r in ROWS if _fits(r * few.int("tile_n"), 1, registers))
        return MANY, few.with_(tile_m=rows, prefetch=0, x=FLOATS)

    def _few(self, workload: Workload, target: Target) -> Config:
        registers, taken = facts(target).vector_registers, Digits.of(workload, target)
        digits, columns = taken.count, 2 if registers >= 32 or taken.several else 1
        rows = max(r for r in ROWS if r <= MOST_UNTUNED and _fits(digits * r * columns, digits, registers))
        threads: dict[str, KnobValue] = {"grain": GRAINS[0]} if target.threads > 1 else {}
        slow = not taken.at_once and taken.products(int(workload.attributes["bits"])) * 2 > KEPT_UP
        ahead = AHEAD if slow and "w" in workload.streamed else 0
        return Config.of(tile_m=rows, tile_n=columns, prefetch=ahead, x=DIGITS, **threads)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        digits = Digits.of(workload, target)
        made = _Made(
            workload, digits, facts(target).lanes, config.int("tile_m"), config.int("tile_n"), config.int("prefetch")
        )
        share = ALONE
        if target.threads > 1:
            m, n, k = (workload.extents[d] for d in ("m", "n", "k"))
            share = Share(Grain(m * n * k * 2, least_of(config)))
        symbol = self.symbol(workload)
        walk = None if symbol is None else Walk(symbol, "mo", "mi", made.rows)
        nest = made.widened(share) if config["x"] == FLOATS else made.nest(share)
        return Scheduled(simplify(nest), made.packs, walk)


def _digits(choice: Mapping[str, KnobValue], count: int) -> int:
    return count if choice["x"] == DIGITS else 1


def _fits(sums: int, least: int, registers: int) -> bool:
    """Whether a tile's sums leave room for the weights; where there are few registers the least tile has to do."""
    return sums == least or sums + 3 <= registers


@dataclass(frozen=True)
class _Made:
    """The nest of one workload and one tile."""

    workload: Workload
    taken: Digits
    lanes: int
    rows: int
    columns: int
    ahead: int
    start: int = 0  # the first row

    @property
    def bits(self) -> int:
        return int(self.workload.attributes["bits"])

    @property
    def halves(self) -> int:
        """How many weights are beside as many digits' dtype has bits."""
        return BY_NAME[self.taken.dtype].bits // self.bits

    @property
    def terms(self) -> int:
        """How many digits a word has."""
        return WORD * BYTE // BY_NAME[self.taken.dtype].bits

    @property
    def group(self) -> int:
        return int(self.workload.attributes["group"])

    @property
    def words(self) -> int:
        """Of 32 bits, that a column has in a group."""
        return self.group * self.bits // (WORD * BYTE)

    @property
    def panels(self) -> Expr:
        return ceildiv(self.workload.extents["n"], self.columns * self.lanes)

    # What is read

    @property
    def digits(self) -> Buffer:
        m, groups = self.workload.extents["m"], self.workload.extents["groups"]
        shape = (m, groups, const(self.taken.count), const(self.halves), const(self.group // self.halves))
        return Buffer("i_digits", shape, Scope.WORKSPACE, self.taken.dtype, align=64)

    def of_group(self, name: str) -> Buffer:
        return Buffer(name, (self.workload.extents["m"], self.workload.extents["groups"]), Scope.WORKSPACE)

    def _layouts(self) -> dict[str, LoopNest]:
        """How the weight and what belongs to its groups are packed, by operand."""
        raw, groups = signature(self.workload), self.workload.extents["groups"]
        column = (N * self.columns + var("ni")) * self.lanes + LANE
        places = {
            "w": (("no", "kw", "ni", "nv", "kr"), (column, var("kw") * WORD + TERM)),
            **dict.fromkeys(("scale", "zero"), (("no", "kg", "ni", "nv"), (column, GROUP))),
        }
        extents = {
            **{"no": self.panels, "kg": groups, "kw": groups * self.words},
            **{"ni": const(self.columns), "nv": const(self.lanes), "kr": const(WORD)},
        }
        found = {}
        for b in raw.params:
            if b.name in places:
                layout, index = places[b.name]
                shape = tuple(extents[name] for name in layout)
                packed = Buffer(f"{b.name}_packed", shape, Scope.PARAM, b.dtype, align=64)
                found[b.name] = packing(raw, b, packed, layout, index)
        return found

    @property
    def packs(self) -> tuple[Pack, ...]:
        return tuple(Pack(name, nest) for name, nest in self._layouts().items() if name in self.workload.const)

    # What is done

    def nest(self, share: Share) -> LoopNest:
        buffers = (
            *(self.digits, self.of_group("i_unit"), self.of_group("i_total")),
            Buffer("i_odd", (self._m,), Scope.WORKSPACE),
        )
        panels = share.loop("no", self.panels, self._tiles(_Made._tile))
        return self._packed(buffers, self._taken_apart(), panels, self._done_again())

    def widened(self, share: Share) -> LoopNest:
        """Rows stay floats: a panel of the weight is widened once for all of them."""
        shape = (self.workload.extents["groups"] * self.group, *self._shape()[1:])
        wide = Buffer("i_wide", shape, Scope.WORKSPACE, align=64)

        def of_word(half: int) -> Stmt:
            place = (self._digit(var("kw")) * self.halves + half, var("ni"), LANE)
            return self._lanes(Store(wide.name, place, self._weight_as_float(half)))

        panel = unrolled("ni", self.columns, block(*map(of_word, range(self.halves))))
        fill = self._words(lambda inner: unrolled("kr", self.terms, inner), panel)
        body = holding((wide,), fill, self._tiles(_Made._of_floats))
        return self._packed((), share.loop("no", self.panels, body))

    def _of_floats(self) -> Stmt:
        acc = Buffer("acc", self._shape(), Scope.REGISTER)
        here, k = (var("mi"), var("ni"), LANE), var("kw")
        product = Op("mul", (Load("x", (self._row, k)), Load("i_wide", (k, var("ni"), LANE))))
        step = self._each(guarded((self._inside,), Update(acc.name, here, product)))
        run = Loop("kw", self.workload.extents["k"], LoopKind.SERIAL, step)
        return holding((acc,), self._each(Store(acc.name, here, Literal(0.0))), run, self._stored(acc))

    def _packed(self, buffers: tuple[Buffer, ...], *body: Stmt) -> LoopNest:
        """The nest around a body that reads packed operands, which are packed first where they are no constants."""
        raw, layouts = signature(self.workload), self._layouts()
        packed = {name: replace(nest.params[1], output=False) for name, nest in layouts.items()}
        const_ = self.workload.const
        params = tuple(packed[b.name] if b.name in packed and b.name in const_ else b for b in raw.params)
        at_run_time = [name for name in packed if name not in const_]
        made = [replace(packed[name], scope=Scope.WORKSPACE) for name in at_run_time]
        whole = holding((*made, *buffers), *(layouts[name].body for name in at_run_time), *body)
        return replace(raw, params=params, body=whole)

    @property
    def _m(self) -> Expr:
        return self.workload.extents["m"]

    def _taken_apart(self) -> Stmt:
        """x in whole numbers of a unit for each group, and these in digits, those of one half of bytes together."""
        k, lane, part = self.workload.extents["k"], LANE, var("kw")
        peak, sums, whole = (
            Buffer(name, (const(self.lanes),), Scope.REGISTER, dtype)
            for name, dtype in (("i_peak", FLOAT), ("i_sums", FLOAT), ("i_whole", "int32"))
        )
        factor = Buffer("i_factor", (), Scope.REGISTER)
        of, unit = (M, GROUP), Load("i_unit", (M, GROUP))
        largest = LARGEST / self.taken.top
        some = Op("and", (Op("gt", (unit, Literal(LEAST))), Op("lt", (unit, Literal(largest)))))

        def each(*one: Stmt) -> Stmt:
            inner = Loop("nv", const(self.lanes), LoopKind.VECTOR, block(*one))
            return Loop("kw", const(self.group // (self.halves * self.lanes)), LoopKind.SERIAL, inner)

        def place(half: int) -> Expr:
            return GROUP * self.group + (part * self.lanes + lane) * self.halves + half

        def peaks(half: int) -> Stmt:
            size = Op("abs", (Load("x", (M, place(half))),))
            return each(Guard((k - 1 - place(half),), Update(peak.name, (lane,), size, "max")))

        def apart(half: int) -> Stmt:
            scaled = Op("mul", (Load("x", (M, place(half))), Load(factor.name, ())))
            there = Op("select", (Op("gt", (Load(factor.name, ()), Literal(0.0))), scaled, Literal(0.0)))
            found = Load(whole.name, (lane,))
            bits, dtype = self.taken.bits, self.taken.dtype
            least = 1 << (bits - 1)  # a digit is so much more than its bits say
            lifted = Op("add", (found, _whole(sum(least << bits * d for d in range(self.taken.count)))))
            digit = [
                Op("sub", (Op("bitand", (Op("shr", (lifted, _whole(bits * d))), _whole(2 * least - 1))), _whole(least)))
                for d in range(self.taken.count)
            ]
            stores = [
                Store("i_digits", (*of, const(d), const(half), part * self.lanes + lane), Cast(dtype, value))
                for d, value in enumerate(digit)
            ]
            taken = Store(whole.name, (lane,), Cast("int32", Op("round", (there,))))
            nothing = Store(whole.name, (lane,), _whole(0))
            summed = Update(sums.name, (lane,), Cast(FLOAT, found))
            return each(nothing, Guard((k - 1 - place(half),), taken), *stores, summed)

        zero = [Store(b.name, (lane,), Literal(0.0)) for b in (peak, sums)]
        body = holding(
            (peak, sums, whole, factor),
            Loop("nv", const(self.lanes), LoopKind.VECTOR, block(*zero)),
            *(peaks(half) for half in range(self.halves)),
            Store("i_unit", of, Op("mul", (self._over_lanes("max", peak), Literal(1.0 / self.taken.top)))),
            Update("i_odd", (M,), Op("select", (Op("lt", (unit, Literal(largest))), Literal(0.0), Literal(1.0)))),
            Store(factor.name, (), Op("select", (some, Op("div", (Literal(1.0), unit)), Literal(0.0)))),
            *(apart(half) for half in range(self.halves)),
            Store("i_total", of, self._over_lanes("add", sums)),
        )
        groups = Loop("kg", self.workload.extents["groups"], LoopKind.SERIAL, body)
        return Loop("i_m", self._m, LoopKind.SERIAL, block(Store("i_odd", (M,), Literal(0.0)), groups))

    def _over_lanes(self, op: str, buffer: Buffer) -> Value:
        return Reduce(op, "nv", self.lanes, Load(buffer.name, (LANE,)))

    def _tiles(self, tile: Callable[[_Made], Stmt]) -> Stmt:
        """All rows; of a number of them that tiles do not divide the last ones have a tile of their own."""
        number = self._m.value
        if number is None:
            return Loop("mo", ceildiv(self._m, self.rows), LoopKind.SERIAL, tile(self))
        whole, rest = divmod(number, self.rows)
        parts = ((whole, self), (1, replace(self, rows=rest, start=whole * self.rows)))
        return block(*(Loop("mo", const(n), LoopKind.SERIAL, tile(of)) for n, of in parts if n * of.rows))

    def _tile(self) -> Stmt:
        acc = Buffer("acc", self._shape(), Scope.REGISTER)
        part = Buffer("part", (const(self.taken.count), *self._shape()), Scope.REGISTER, "int32")
        here = (var("mi"), var("ni"), LANE)
        start = self._each(Store(acc.name, here, Literal(0.0)))
        begin = unrolled("kd", self.taken.count, self._lanes(Store(part.name, (var("kd"), *here), _whole(0))))
        rounds = const(self.words // self._some)
        steps = Loop("ko", rounds, LoopKind.SERIAL, self._round(part))
        group = block(self._outputs(begin), steps, self._each(self._joined(part, acc)))
        group = block(*self._asked_for(), holding((part,), group))
        run = Loop("kg", self.workload.extents["groups"], LoopKind.SERIAL, group)
        return holding((acc,), start, run, self._stored(acc))

    def _asked_for(self) -> Iterator[Stmt]:
        """The weight and the first of its scales so much further on, or what belongs to the next groups together."""
        if not self.ahead:
            yield from self._together()
            return
        vector = WORD * self.lanes
        groups = ceildiv(self.ahead * 1024, self.words * self.columns * vector).value or 0
        for at in range(0, self.words * self.columns, max(LINE // vector, 1)):
            word, column = divmod(at, self.columns)
            at_w = (N, (GROUP + groups) * self.words + word, const(column), const(0), const(0))
            yield Prefetch("w_packed", at_w, SECOND)
        yield Prefetch("scale_packed", (N, GROUP + groups, const(0), const(0)), SECOND)

    def _together(self) -> Iterator[Stmt]:
        """Several groups' cache lines of all that belongs to them, at the first of these groups."""
        across, places = self.columns * self.lanes, []
        for name, nest in self._layouts().items():
            size = BY_NAME[nest.params[1].dtype].bits // BYTE
            if name != "w" and name in self.workload.streamed:
                places += [(f"{name}_packed", at // size) for at in range(0, TOGETHER * across * size, LINE)]
        lines = [Prefetch(b, (N, GROUP + i // across, const(i % across // self.lanes), const(0))) for b, i in places]
        if lines:
            yield Guard((-(GROUP % TOGETHER),), block(*lines))

    def _shape(self) -> tuple[Expr, ...]:
        return const(self.rows), const(self.columns), const(self.lanes)

    def _outputs(self, body: Stmt) -> Stmt:
        return unrolled("mi", self.rows, unrolled("ni", self.columns, body))

    def _lanes(self, body: Stmt) -> Stmt:
        return Loop("nv", const(self.lanes), LoopKind.VECTOR, body)

    def _each(self, body: Stmt) -> Stmt:
        """Every lane of the tile."""
        return self._outputs(self._lanes(body))

    @property
    def _row(self) -> Expr:
        return self.start + var("mo") * self.rows + var("mi")

    @property
    def _inside(self) -> Expr:
        return self._m - 1 - self._row

    @property
    def _some(self) -> int:
        return min(STEPS, self.words)

    def _round(self, part: Buffer) -> Stmt:
        """Every word is loaded once and meets all digits, in sums of their own or of several words."""
        kind = LoopKind.DOT if self.taken.several else LoopKind.UNROLLED
        body = unrolled("kd", self.taken.count, self._each(self._product(part)))
        return Loop("ki", const(self._some), kind, Loop("kh", const(self.halves), kind, body))

    def _product(self, part: Buffer) -> Stmt:
        step, half = var("ko") * self._some + var("ki"), var("kh")
        digit = Load("i_digits", (self._row, GROUP, var("kd"), half, step * self.terms + TERM))
        there = (var("kd"), var("mi"), var("ni"), LANE)
        product = Op("mul", (Cast("int32", digit), self._weight(step, half)))
        return Loop("kr", const(self.terms), LoopKind.DOT, guarded((self._inside,), Update(part.name, there, product)))

    def _weight(self, step: Expr, half: Expr) -> Value:
        """The weight beside a digit: a half of a byte, every other byte, or a byte."""
        at = (N, GROUP * self.words + step, var("ni"), LANE)
        if self.bits < BYTE:
            byte = Cast("int32", Load("w_packed", (*at, TERM)))
            return Op("bitand", (Op("shr", (byte, Number(half * self.bits, "int32"))), _whole(15)))
        return Cast("int32", Load("w_packed", (*at, TERM * self.halves + half)))

    def _zero(self, at: tuple[Expr, ...]) -> Value:
        if self.workload.attributes["zeros"]:
            return Cast("int32", Load("zero_packed", at))
        return _whole(midpoint(self.workload.attributes))

    def _joined(self, part: Buffer, acc: Buffer) -> Stmt:
        """The digits' sums as one, without what the zero point is in all of them, times what both numbers stand for."""
        value = Buffer("value", (const(self.lanes),), Scope.REGISTER)
        at, here = (N, GROUP, var("ni"), LANE), (var("mi"), var("ni"), LANE)
        of_row = (self._row, GROUP)

        def sums(digit: int) -> Value:
            return Cast(FLOAT, Load(part.name, (const(digit), *here)))

        def add(a: Value, b: Value) -> Stmt:
            return Update(value.name, (LANE,), Op("mul", (a, b)))

        unit = Op("mul", (scale_of(self.workload.attributes, at, "scale_packed"), Load("i_unit", of_row)))
        joined = holding(
            (value,),
            Store(value.name, (LANE,), sums(0)),
            *(add(sums(digit), Literal(2.0 ** (self.taken.bits * digit))) for digit in range(1, self.taken.count)),
            add(Cast(FLOAT, Op("neg", (self._zero(at),))), Load("i_total", of_row)),
            Update(acc.name, here, Op("mul", (Load(value.name, (LANE,)), unit))),
        )
        return guarded((self._inside,), joined)

    def _stored(self, acc: Buffer) -> Stmt:
        at, result = (self._row, self._column), Load(acc.name, (var("mi"), var("ni"), LANE))
        return self._each(guarded((self._inside,), self._store(at, result)))

    @property
    def _column(self) -> Expr:
        return (N * self.columns + var("ni")) * self.lanes + LANE

    def _store(self, at: tuple[Expr, Expr], result: Value) -> Stmt:
        through = tail(self.workload)
        stores = (Store("y", at, result),) if through is None else through(lambda gate: result, at)
        return guarded((self.workload.extents["n"] - 1 - at[1],), block(*stores))

    def _digit(self, word: Expr) -> Expr:
        return (GROUP * self.words + word) * self.terms + TERM

    def _words(self, terms: Callable[[Stmt], Stmt], body: Stmt) -> Stmt:
        """All words of a panel of the weight, and their terms."""
        body = Loop("kw", const(self.words), LoopKind.SERIAL, terms(body))
        return Loop("kg", self.workload.extents["groups"], LoopKind.SERIAL, body)

    def _weight_as_float(self, half: int) -> Value:
        """What a weight of the word `kw` stands for."""
        there = (N, GROUP, var("ni"), LANE)
        whole = Op("sub", (self._weight(var("kw"), const(half)), self._zero(there)))
        return Op("mul", (Cast(FLOAT, whole), scale_of(self.workload.attributes, there, "scale_packed")))

    def _done_again(self) -> Stmt:
        """Rows with numbers that have no digits: what comes of them is float32's to say."""
        total = Buffer("i_again", (const(self.lanes),), Scope.REGISTER)

        def term(half: int) -> Stmt:
            k = self._digit(var("kw")) * self.halves + half
            update = Update(total.name, (LANE,), Op("mul", (Load("x", (M, k)), self._weight_as_float(half))))
            return guarded((self.workload.extents["k"] - 1 - k,), self._lanes(update))

        terms = block(*(term(half) for half in range(self.halves)))
        body = self._words(lambda inner: Loop("kr", const(self.terms), LoopKind.SERIAL, inner), terms)
        store = self._lanes(self._store((M, self._column), Load(total.name, (LANE,))))
        body = holding((total,), self._lanes(Store(total.name, (LANE,), Literal(0.0))), body, store)
        body = Loop("no", self.panels, LoopKind.SERIAL, Loop("ni", const(self.columns), LoopKind.SERIAL, body))
        odd = Let("i_some", Cast("int32", Load("i_odd", (M,))), const(2), Guard((var("i_some") - 1,), body))
        return Loop("i_m", self._m, LoopKind.SERIAL, odd)


def _whole(number: int) -> Literal:
    return Literal(number, "int32")
