"""The statements of a nest as C++: one line for each, loops as loops, phases of threads as what each thread does.

What the compiler does well (unrolling, common subexpressions, registers) is left to it; what it cannot know (which
vectors may be loaded whole, that a copy runs on by itself) is said. An emitter writes into one kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from anytile.codegen.cuda.buffers import PIECE, TYPES, Home, flat
from anytile.codegen.cuda.expressions import LANE, all_text, divisible, halves, index_text, name_text
from anytile.codegen.cuda.threads import GROUP, SPREAD, WARP, Layout, on_the_way, width
from anytile.codegen.cuda.values import Values
from anytile.core.dtypes import BYTES, FLOAT8, INTEGERS
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.ahead import asked_ahead
from anytile.schedules.nest.mma_operations import matrix_operation
from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Barrier,
    Block,
    Buffer,
    BulkCopy,
    Cast,
    Commit,
    Copy,
    Deliver,
    Guard,
    Last,
    Let,
    Load,
    Loop,
    LoopKind,
    Prefetch,
    Reduce,
    Relay,
    Scope,
    Stmt,
    Store,
    Tile,
    Update,
    Value,
    Wait,
)
from anytile.schedules.nest.traverse import chain_of, guarded, rebuild, walk

_LINE = 120
_FIRST_OF_GROUP = f"if (threadIdx.x % {GROUP} == 0) "
_ONE = "if (threadIdx.x == 0) "  # where loops of one round leave nothing to share
_WHOLE_OR_NOT = ("  // whole tiles", "  // the last tile, as far as it is there")
_WORDS = {4: ("unsigned", "_u32"), 8: ("uint2", "8"), 16: ("uint4", "16")}  # that are copied at once, by bytes
_UPDATES = {"add": "+=", "mul": "*="}
_SHORT = {"bfloat16": "bf16", "float16": "f16"}
_PACKS = {dtype: f"at_pack_{short}" for dtype, short in _SHORT.items()}
_FACTORS = {**_SHORT, "float32": "tf32x3", **dict.fromkeys(FLOAT8, "f16")}  # how matrix units multiply them
_PRODUCTS = {
    "mma": "at_mma_m16n8k16",
    "mma_k32": "at_mma_m16n8k32",
    "mma_tf32x3": "at_mma_m16n8k16",
    **dict.fromkeys(("mma_rounded", "mma_float8"), "at_mma_m16n8k16"),
}


class Emitter:
    """A code writer for the body of one kernel; `groups` says that groups of warps multiply in it."""

    def __init__(self, layout: Layout, homes: Mapping[str, Home], groups: bool = False) -> None:
        self.lines: list[str] = []
        self._layout = layout
        self._homes = homes
        self._unrolled = set[str]()  # loops around a statement
        self._values = Values(homes, self._unrolled)
        self._pad = "  "
        self._phase = False  # inside a phase: thread loops around
        self._groups = groups
        self._fills = False  # what one thread does, of a relay
        self._ahead = False  # before what was launched earlier is over
        self._stage, self._cluster = "", 1  # of the relay that is filled
        self._given = {name for name, home in homes.items() if home.buffer.scope is Scope.CLUSTER}
        self._begun = False  # whether it is known that all blocks of the cluster have
        self._shares: Mapping[str, tuple[int, str]] = {}  # loops that blocks share: how many, and which one this is

    def put(self, text: str) -> None:
        self.lines.append(self._pad + text if text else "")

    def call(self, function: str, *args: str) -> None:
        """A call as a statement, one argument to a line where they are long."""
        line = f"{function}({', '.join(args)});"
        if len(self._pad + line) <= _LINE:
            self.put(line)
            return
        self.put(f"{function}(")
        for i, arg in enumerate(args):
            end = ");" if i == len(args) - 1 else ","
            if len(self._pad + arg) + 6 > _LINE and arg.endswith("}"):  # a vector, each element on its own line
                inner, _, rest = arg[:-1].partition("{")
                self.put(f"    {inner}{{")
                while rest:
                    first, rest = halves(rest)
                    self.put(f"        {first}{',' if rest else f'}}{end}'}")
            elif (
                len(self._pad + arg) + 6 > _LINE and ", " in arg and arg.endswith(")")
            ):  # a call of two arguments, each on its own line
                inner, _, rest = arg.partition("(")
                first, second = halves(rest[:-1])
                self.put(f"    {inner}(")
                self.put(f"        {first},")
                self.put(f"        {second}){end}")
            else:
                self.put(f"    {arg}{end}")

    def _set(self, left: str, value: str) -> None:
        if len(self._pad + left + value) < _LINE:
            self.put(f"{left} {value};")
        else:
            self.put(left)
            self.put(f"    {value};")

    def stmt(self, s: Stmt) -> None:
        match s:
            case Loop(kind=LoopKind.BLOCK, body=body):
                self.stmt(body)
            case Loop(kind=LoopKind.WARP | LoopKind.THREAD):
                self._phase_of(s)
            case Loop(kind=LoopKind.VECTOR):
                self._vector(s)
            case Loop() if (sums := self._sums(s)) is not None:
                self._summed(*sums)
            case Loop(body=Relay(behind=True) as relay) if not self._fills:
                self._behind(s, relay)
            case Loop(var) if var in self._shares:
                self._rounds_of_a_block(s, *self._shares[var])
            case Loop(var, extent, kind, body):
                self.put("#pragma unroll" if kind is LoopKind.UNROLLED else "#pragma unroll 1")
                i = name_text(var)
                if kind is LoopKind.UNROLLED:
                    self._unrolled.add(var)
                self._braced(f"for (int {i} = 0; {i} < {index_text(extent)}; ++{i})", body)
                self._unrolled.discard(var)
            case Store() | Update():
                self._assign(s)
            case Guard(condition, body, otherwise):
                whole, rest = ("", "") if otherwise is None else self._tiles(condition)
                self.put(f"if ({all_text(condition)}) {{{whole}")
                self._indented(body)
                self.put("}")
                if otherwise is not None:
                    self.lines[-1] += f" else {{{rest}"
                    self._indented(otherwise)
                    self.put("}")
            case Alloc(buffer, body):
                if buffer.scope is Scope.REGISTER:
                    body = self._declared(buffer, body)
                self.stmt(body)
            case Prefetch(buffer, index, box=box):
                if not self._ahead:
                    raise CodegenError("a prefetch in a GPU's kernel; expected it ahead of that, or copies")
                home = self._homes[buffer]
                if box:
                    self.call("at_bulk_prefetch", *map(index_text, reversed(index)), map_name(home))
                else:
                    self.call("at_prefetch", home.address(index, self._unrolled))
            case Ahead():
                pass  # it was asked for
            case Barrier():
                if self._phase:
                    raise CodegenError("a barrier inside a loop of threads, where not all of them come")
                self.put("__syncthreads();")
            case Copy():
                if not self._phase:
                    raise CodegenError(f"a copy to {s.buffer} outside of all loops of threads, where each makes it")
                self._copy(s)
            case Commit():
                self.put("at_cp_commit();")
            case Wait(pending):
                self.put(f"at_cp_wait<{pending}>();")
                if self._groups:  # what arrived is not yet where they look
                    self.put("at_fence_async();")
            case BulkCopy():
                self._bulk_copy(s)
            case Relay():
                self._relay(s)
            case Deliver():
                self._deliver(s)
            case Last(along=along) if along:
                self._in_cluster(s)
            case Last(name, rounds, body):
                meet = f"at_meet_of<{self._layout.threads}>" if self._layout.fillers else "at_meet"
                self._braced(f"if ({meet}(&meeting[{self._meeting(name)}], {rounds}))", body)
            case Tile():
                self._tile(s)
            case Let(name, value, extent, body):
                self.put("{")
                self._pad += "  "
                last = f"(long long)({index_text(extent - 1)})"
                self._set(
                    f"const int {name_text(name)} =",
                    f"(int)at_min(at_max((long long)({self._values.bare(value)}), 0ll), {last})",
                )
                self.stmt(body)
                self._pad = self._pad[:-2]
                self.put("}")
            case Block(body=statements):
                for child in statements:
                    if self._gives(child):
                        self.put("at_cluster_wait();")
                        self._begun = True
                    self.stmt(child)
            case _:
                raise CodegenError(f"{type(s).__name__} on a GPU is not supported")

    def _in_cluster(self, s: Last) -> None:
        """What follows the sums of all blocks, of which each does a part; of a loop that is gone the first has it."""
        if not self._begun:
            raise CodegenError(f"a cluster along {s.var} to which no block gives anything")
        self._begun = False
        there = {c.var for c in walk(s.body) if isinstance(c, Loop)}
        own, stride = dict[str, Expr](), 1
        for name, by in s.along:
            digit, stride = var(s.var) // stride, stride * by
            own[name] = digit if stride == s.rounds else digit % by
        firsts = [f"{index_text(digit)} == 0" for name, digit in own.items() if name not in there]
        self.put("at_cluster_barrier();")
        self._shares = {name: (by, index_text(own[name])) for name, by in s.along if name in there}
        if firsts:
            self._braced(f"if ({' && '.join(firsts)})", s.body)
        else:
            self.stmt(s.body)
        self._shares = {}

    def _gives(self, s: Stmt) -> bool:
        """Whether a statement is the first that gives others of a cluster something; all of them have begun then."""
        if not self._given or self._begun or isinstance(s, Alloc) or any(isinstance(c, Last) for c in walk(s)):
            return False
        return any(isinstance(c, Store) and c.buffer in self._given for c in walk(s))

    def _rounds_of_a_block(self, s: Loop, by: int, own: str) -> None:
        """Of a loop's rounds every so many-th, from a block's own on."""
        extent, i = s.extent.value, name_text(s.var)
        if extent is None:
            raise CodegenError(f"a cluster along {s.var}, whose extent {s.extent} is not a number")
        turns = -(-extent // by)
        if turns > 1:
            self.put("#pragma unroll" if s.kind is LoopKind.UNROLLED else "#pragma unroll 1")
        self.put(f"for (int at_turn_{i} = 0; at_turn_{i} < {turns}; ++at_turn_{i}) {{" if turns > 1 else "{")
        self._pad += "  "
        self.put(f"const int {i} = {f'at_turn_{i} * {by} + ' if turns > 1 else ''}{own};")
        if extent % by:
            self._braced(f"if ({i} < {extent})", s.body)
        else:
            self.stmt(s.body)
        self._pad = self._pad[:-2]
        self.put("}")

    def _tiles(self, condition: tuple[Expr, ...]) -> tuple[str, str]:
        """What to say of the two ways of a condition: where it is about blocks, some have a whole tile."""
        blocks = {loop.var for loop in self._layout.blocks}
        return _WHOLE_OR_NOT if any(blocks & set(e.names) for e in condition) else ("", "")

    def _declared(self, buffer: Buffer, body: Stmt) -> Stmt:
        """Declare a local buffer, a single number with what it begins as; answer what is left to do."""
        home = self._homes[buffer.name]
        match body:
            case Block((Store(name, (), value), *rest)) if name == buffer.name and not isinstance(value, Reduce):
                self._set(f"{home.type} {home.declared()} =", self._values.bare(value))
                return Block(tuple(rest))
        self.put(f"{home.type} {home.declared()};")
        return body

    def _braced(self, head: str, body: Stmt) -> None:
        self.put(f"{head} {{" if head else "{")
        self._indented(body)
        self.put("}")

    def _indented(self, body: Stmt) -> None:
        pad, self._pad = self._pad, self._pad + "  "
        self.stmt(body)
        self._pad = pad

    def _phase_of(self, s: Loop) -> None:
        """Loops of threads are what each thread does; where they are fewer than a block has, what some do."""
        body: Stmt = s
        while isinstance(body, Loop) and body.kind in SPREAD:
            body = body.body
        employed = width(s)
        outermost, self._phase = not self._phase, True
        if outermost and employed < self._layout.threads:
            self._braced(f"if (threadIdx.x < {employed})", body)
        elif outermost and isinstance(body, Alloc | Block):
            self._braced("", body)  # what it allocates is its own
        else:
            self.stmt(body)
        if outermost:
            self._phase = False

    def _owners(self, home: Home, index: tuple[Expr, ...]) -> list[str]:
        """The blocks of a cluster that read an element: one of those that divide it, or all that share it."""
        found, stride = [const(0)], 1
        for d, by in home.owners:
            digits = [index[d] % by] if d >= 0 else list(map(const, range(by)))
            found = [rank + digit * stride for digit in digits for rank in found]
            stride *= by
        return list(map(index_text, found))

    def _assign(self, s: Store | Update) -> None:
        if self._homes[s.buffer].buffer.scope is Scope.CLUSTER:
            address, value = self._homes[s.buffer].address(s.index), self._values.bare(s.value)
            for rank in self._owners(self._homes[s.buffer], s.index):
                self.call("at_store_peer", address, value, rank)
            return
        where, value = self._homes[s.buffer].at(s.index, self._unrolled), self._values.bare(s.value)
        home = self._homes[s.buffer]
        if isinstance(s, Store) and isinstance(s.value, Reduce) and home.buffer.scope is not Scope.REGISTER:
            if s.value.lanes != WARP:
                raise CodegenError(f"{s.buffer}: what {s.value.lanes} lanes join; expected registers, or a whole warp")
            self.put(f"{{ const {home.type} sum = {value};")  # all lanes add up, and one of them writes
            self.put(f"  if (lane == 0) {where} = sum; }}")
        elif isinstance(s, Store):
            alone = "" if self._phase or self._homes[s.buffer].buffer.scope is Scope.REGISTER else _ONE
            self._set(f"{alone}{where} =", value)
        elif s.op in _UPDATES and self._values.dtype(s.value) not in INTEGERS:
            self._set(f"{where} {_UPDATES[s.op]}", value)
        else:
            self.put(f"{where} = at_{s.op}({where}, {value});")

    def _sums(self, s: Loop) -> tuple[list[Loop], Store, Home] | None:
        """Loops whose rounds do nothing but sum one element each, of an array of those elements, over the warp."""
        loops, body = chain_of(s)
        if any(x.kind is not LoopKind.UNROLLED for x in loops):
            return None
        match body:
            case Store(to, value=Reduce("add", _, lanes, Load(buffer, index))) if lanes == WARP:
                if self._homes[to].buffer.scope is Scope.REGISTER:  # which every lane has
                    return None
                home = self._homes[buffer]
                extents = [x.extent.value or 0 for x in loops]
                kept = tuple(index[d] for d in home.kept)
                lie_together = not home.flat and home.extents[1:] == tuple(extents[1:])
                if lie_together and kept == tuple(var(x.var) for x in loops):
                    return loops, body, home
        return None

    def _summed(self, loops: list[Loop], s: Store, home: Home) -> None:
        """All sums of such loops: each lane gets one of them, and writes it."""
        extents = [x.extent.value or 0 for x in loops]
        left = prod(extents)
        for first in range(0, left, WARP):
            here = min(left - first, WARP)
            place, which = dict[str, Expr](), var(LANE) + first
            for x, extent in reversed(list(zip(loops, extents, strict=True))):
                outermost = x is loops[0]
                place[x.var], which = (which if outermost else which % extent), which // extent
            at = tuple(e.substitute(place) for e in s.index)
            start = self._element(home, first, extents)
            self.put(f"{{ const float sum = at_warp_sums<{here}>({start});")
            guard = f"if (lane < {here}) " if here < WARP else ""
            self.put(f"  {guard}{self._homes[s.buffer].at(at, self._unrolled)} = sum; }}")

    def _element(self, home: Home, number: int, extents: list[int]) -> str:
        """The address of an element of a local array, counted through."""
        index = []
        for extent in reversed(extents):
            number, rest = divmod(number, extent)
            index.append(rest)
        text = "".join(f"[{i}]" for i in reversed(index))
        return home.name if text == "[0]" else f"&{home.name}{text}"

    def _vector(self, s: Loop) -> None:
        """A vector of memory moved at once where it may be, else its elements one by one."""
        lanes, guard = s.extent.value or 0, s.body if isinstance(s.body, Guard) else Guard((), s.body)
        first = self._whole(guard.condition, s.var, lanes)
        moved = self._moved(guard.body, s.var, lanes) if isinstance(guard.body, Store) and first is not None else None
        if moved is None:
            self.stmt(Loop(s.var, s.extent, LoopKind.UNROLLED, s.body))
            return
        if not first:
            self.call(*moved)
            return
        self.put(f"if ({all_text(first)}) {{")
        self._pad += "  "
        self.call(*moved)
        self._pad = self._pad[:-2]
        if guard.otherwise is not None:
            self.put("} else {")
            self._indented(Loop(s.var, s.extent, LoopKind.UNROLLED, guard.otherwise))
        self.put("}")

    def _whole(self, conditions: tuple[Expr, ...], v: str, lanes: int) -> tuple[Expr, ...] | None:
        """The conditions of the first element, where those of the others follow; None where they do not."""
        found = []
        for e in conditions:
            first = e.substitute({v: 0})
            if e.coefficient(v) == 0 or (e.coefficient(v) == -1 and divisible(first + 1, lanes)):
                found.append(first)
            else:
                return None
        return tuple(found)

    def _moved(self, s: Store, v: str, lanes: int) -> tuple[str, ...] | None:
        """The call that moves all lanes of a store, if there is one."""
        to = self._homes[s.buffer]
        if to.buffer.dtype in (*_PACKS, "uint8") and lanes in (4, 8) and to.buffer.scope is Scope.REGISTER:
            return self._loaded(to, s, v, lanes)
        if to.buffer.dtype in _PACKS and lanes in (2, 4, 8):
            return self._packed(to, s, v, lanes)
        if to.buffer.dtype != "float32" or lanes not in (2, 4):
            return None
        if to.buffer.scope is Scope.REGISTER:
            return self._loaded(to, s, v, lanes)
        if not self._neighbours(to, s.index, v, lanes):
            return None
        address = to.address(tuple(e.substitute({v: 0}) for e in s.index), self._unrolled)
        ranks = self._owners(to, s.index) if to.buffer.scope is Scope.CLUSTER else []
        if len(ranks) > 1:
            return None
        to_whom = "_peer" if ranks else ""
        if isinstance(s.value, Load) and self._homes[s.value.buffer].buffer.scope is Scope.REGISTER:
            whole = self._registers(self._homes[s.value.buffer], s.value.index, v, lanes)
            if whole is not None:
                return f"at_store{to_whom}{lanes}", address, whole, *ranks
        elements = [self._values.text(self._values.at_lane(s.value, v, i)) for i in range(lanes)]
        return f"at_store{to_whom}{lanes}", address, f"float{lanes}{{{', '.join(elements)}}}", *ranks

    def _packed(self, to: Home, s: Store, v: str, lanes: int) -> tuple[str, ...] | None:
        """16-bit floats as words of two."""
        if not self._neighbours(to, s.index, v, lanes):
            return None
        words = [self._word(to.buffer.dtype, s.value, v, i) for i in range(0, lanes, 2)]
        address = to.address(tuple(e.substitute({v: 0}) for e in s.index), self._unrolled)
        if lanes == 2:
            return "at_store_u32", address, words[0]
        return f"at_store{2 * lanes}", address, f"uint{lanes // 2}{{{', '.join(words)}}}"

    def _word(self, dtype: str, value: Value, v: str, lane: int) -> str:
        """Two neighbours: of float32 that is rounded, or as they lie."""
        each = value.value if isinstance(value, Cast) else value
        low, high = (self._values.bare(self._values.at_lane(each, v, lane + i)) for i in (0, 1))
        return f"{_PACKS[dtype]}({low}, {high})" if isinstance(value, Cast) else f"at_pair({low}.bits, {high}.bits)"

    def _loaded(self, to: Home, s: Store, v: str, lanes: int) -> tuple[str, ...] | None:
        whole = self._registers(to, s.index, v, lanes)
        if whole is None or not isinstance(s.value, Load):
            return None
        of = self._homes[s.value.buffer]
        if of.buffer.scope is Scope.REGISTER or not self._neighbours(of, s.value.index, v, lanes):
            return None
        size = lanes * BYTES[to.buffer.dtype]
        how = "_streaming" if of.buffer.streamed and size == PIECE else "_bytes" if size == lanes else ""
        name = f"at_load{how}{size if to.buffer.dtype in _PACKS else lanes}"
        return name, whole, of.address(tuple(e.substitute({v: 0}) for e in s.value.index), self._unrolled)

    def _registers(self, home: Home, index: tuple[Expr, ...], v: str, lanes: int) -> str | None:
        """The local array of exactly these lanes."""
        last = home.kept[-1] if home.kept else -1
        if last != len(index) - 1 or index[last] != var(v) or home.buffer.shape[last].value != lanes or home.flat:
            return None
        return home.at(index[:-1])

    def _neighbours(self, home: Home, index: tuple[Expr, ...], v: str, lanes: int) -> bool:
        """Whether the lanes lie side by side from an address on that a vector may have."""
        if any(e.coefficient(v) != 0 for e in index[:-1]) or index[-1].coefficient(v) != 1:
            return False
        start = tuple(e.substitute({v: 0}) for e in index)
        b = home.buffer
        promised = b.align if b.scope is Scope.PARAM else 16
        return promised >= lanes * BYTES[b.dtype] and divisible(flat(b, start), lanes)

    def _copy(self, s: Copy) -> None:
        to, of = self._homes[s.buffer], self._homes[s.source.buffer]
        size = s.count * BYTES[to.buffer.dtype]
        there, here = to.address(s.index, self._unrolled), of.address(s.source.index, self._unrolled)
        valid = all_text(s.where)
        if s.count > 1 and not (
            divisible(flat(of.buffer, s.source.index), s.count)
            and divisible(flat(to.buffer, s.index), s.count)
            and of.buffer.align >= size
        ):
            raise CodegenError(
                f"copy of {s.count} elements from {here}: it may not begin at a multiple of {size} bytes"
            )
        if s.later:
            self.call(f"at_cp_async{size}", there, here, valid)
        elif s.count > 1 and size in _WORDS:
            kind, name = _WORDS[size]
            zeros = ", ".join("0" * (size // 4))
            self.put(f"{{ {kind} piece = {{{zeros}}};")
            self.put(f"  if ({valid}) at_load{name}(piece, {here});")
            self.put(f"  at_store{name}({there}, piece); }}")
        elif s.count == 1:
            zero = f"{TYPES[to.buffer.dtype]}{{0}}"
            there, here = to.at(s.index, self._unrolled), of.at(s.source.index, self._unrolled)
            self.put(f"{there} = {valid} ? {here} : {zero};" if s.where else f"{there} = {here};")
        else:
            raise CodegenError(f"copy of {size} bytes; expected 4, 8 or 16")

    def begin(self, body: Stmt) -> None:
        """What the block asks for, and then waits; of a relay one thread asks for boxes, and others go on meanwhile."""
        asked, has_fillers = asked_ahead(body), self._layout.fillers > 0
        if has_fillers:
            self.put("")
        self._ahead = True
        if has_fillers and any(isinstance(s, Prefetch) for s in walk(asked)):
            self._braced(f"if (threadIdx.x == {self._layout.threads})", asked)
        else:
            self.stmt(asked)
        self._ahead = False
        if not has_fillers:
            self.put(self._wait())
            self.put("")

    def _wait(self) -> str:
        """For what was launched before, which may have written what is read by address."""
        homes = [home for home in self._homes.values() if home.buffer.scope is Scope.PARAM]
        return f"at_begin({', '.join(home.name for home in homes if not home.buffer.output)});"

    def roles(self, body: Stmt, registers: tuple[int, int] | None) -> None:
        """The kernel of a relay: one thread beyond those that work goes through all rounds, and fills.

        `registers` are what each of the fillers keeps and each of the others gets, if they are moved."""
        relay = next(s for s in walk(body) if isinstance(s, Relay))
        workers = self._layout.threads
        self.put("if (threadIdx.x == 0) {")
        self.put(f"  for (int stage = 0; stage < {relay.stages}; ++stage) {{")
        self.put("    at_mbarrier_init(&full[stage], 1);")
        self.put(f"    at_mbarrier_init(&empty[stage], {workers // WARP * relay.cluster});")
        self.put("  }")
        self.put("  at_mbarrier_fence();")
        self.put("}")
        self.put("__syncthreads();" if relay.cluster == 1 else "at_cluster_barrier();")
        self.put(self._wait())
        self.put(f"if (threadIdx.x >= {workers}) {{  // who fills")
        if registers is not None:
            self.put(f"  at_fewer_registers<{registers[0]}>();")
        self.put(f"  if (threadIdx.x == {workers}) {{")
        pad, self._pad, self._fills = self._pad, self._pad + "    ", True
        for name in dict.fromkeys(c.source.buffer for c in walk(relay.fill) if isinstance(c, BulkCopy)):
            self.put(f"at_prefetch_map({map_name(self._homes[name])});")
        self.stmt(_fills_of(body))
        self._pad, self._fills = pad, False
        self.put("  }")
        if self._given:
            condition = on_the_way(body)
            self.put(f"  {f'if ({all_text(condition)}) ' if condition else ''}{{  // as those who work do")
            self.put("    at_cluster_wait();")
            self.put("    at_cluster_join();")
            self.put("  }")
        self.put("} else {")
        if registers is not None:
            self.put(f"  at_more_registers<{registers[1]}>();")
        self._pad += "  "
        self.all_of(body)
        self._pad = pad
        self.put("}")
        if relay.cluster > 1:
            self.put("at_cluster_barrier();  // a block is there while others arrive at its mbarriers")

    def all_of(self, body: Stmt) -> None:
        """The kernel, or what of it work is: shared memory is there until all that is stored from it was read."""
        self.stmt(body)
        if any(isinstance(s, Deliver) for s in walk(body)):
            self.put(f"{_FIRST_OF_GROUP}at_bulk_wait<0>();")

    def _deliver(self, s: Deliver) -> None:
        """A group meets before it writes to a stage, which one of it knows to be read, and before that is stored."""
        if width(s.work) != GROUP:
            raise CodegenError(f"deliver round {s.round}: {width(s.work)} threads work; expected {GROUP}")
        self.put(f"{_FIRST_OF_GROUP}at_bulk_wait<{s.stages - 1}>();")
        self.put("at_group_barrier();")
        self.stmt(guarded(s.where, s.work))
        self.put("at_fence_async();")
        self.put("at_group_barrier();")
        self.put(f"{_FIRST_OF_GROUP}{{")
        pad, self._pad = self._pad, self._pad + "  "
        tile = self._homes[s.source.buffer].at(s.source.index)
        store = f"if ({all_text(s.where)}) at_bulk_store" if s.where else "at_bulk_store"
        self.call(store, map_name(self._homes[s.buffer]), *map(index_text, reversed(s.index)), tile)
        self.put("at_bulk_commit();")
        self._pad = pad
        self.put("}")

    def _relay(self, s: Relay) -> None:
        """A stage is handed on when its bytes are there, and back when every warp is done with it."""
        stage, turn = index_text(s.round % s.stages), s.round // s.stages % 2
        if self._fills:
            self.put(f"at_mbarrier_wait(&empty[{stage}], {index_text(1 - turn)});")
            size = sum(self._homes[c.buffer].box_bytes for c in walk(s.fill) if isinstance(c, BulkCopy))
            self.put(f"at_mbarrier_expect(&full[{stage}], {size});")
            self._stage, self._cluster = stage, s.cluster
            self.stmt(s.fill)
        else:
            self.put(f"at_mbarrier_wait(&full[{stage}], {index_text(turn)});")
            self.stmt(s.work)
            self._hand_back(s, stage)

    def _hand_back(self, s: Relay, stage: str, where: str = "") -> None:
        """By each warp; to all blocks of a cluster, of which each copies to all."""
        arrive = "at_mbarrier_arrive" if s.cluster == 1 else f"at_mbarrier_arrive_all<{s.cluster}>"
        self.put(f"if ({where}threadIdx.x % {WARP} == 0) {arrive}(&empty[{stage}]);")

    def _behind(self, loop: Loop, s: Relay) -> None:
        """A stage is handed back in the round after its own: products of one round wait in line behind another's."""
        i, stage, turn = name_text(loop.var), index_text(s.round % s.stages), s.round // s.stages % 2
        before = index_text((s.round - 1) % s.stages)
        last = index_text(s.round.substitute({loop.var: loop.extent - 1}) % s.stages)
        _, product = chain_of(s.work)
        assert isinstance(product, Tile)  # as the verifier has it
        sums, *_ = self._of_group(product)
        self.put("#pragma unroll 1")
        self.put(f"for (int {i} = 0; {i} < {index_text(loop.extent)}; ++{i}) {{")
        self._pad += "  "
        self.put(f"at_mbarrier_wait(&full[{stage}], {index_text(turn)});")
        self._begin(product)
        self.put("at_wgmma_pending<1>();")
        self._hand_back(s, before, f"{i} > 0 && ")
        self._pad = self._pad[:-2]
        self.put("}")
        self.put(f"at_wgmma_wait<0>({sums});")
        self._hand_back(s, last)

    def _bulk_copy(self, s: BulkCopy) -> None:
        to, of = self._homes[s.buffer], map_name(self._homes[s.source.buffer])
        corner = [index_text(e) for e in s.source.index]
        tile, landing = to.at(s.index), f"&full[{self._stage}]"
        if not s.shared:
            self.call("at_bulk_copy", tile, of, *reversed(corner), landing)
            return
        part = f"blockIdx.x % {self._cluster} * {s.box[s.parted] // self._cluster}"
        corner[s.parted] += f" + (int)({part})"
        beyond = prod(s.box[s.parted + 1 : -1])  # rows of a tile for each step along it
        first = part if beyond == 1 else f"{part} * {beyond}"
        everyone = str(2**self._cluster - 1)
        self.call("at_bulk_copy_to", everyone, f"{tile}[{first}]", of, *reversed(corner), landing)

    def _meeting(self, name: str) -> str:
        """The counter of this tile: its position among the blocks, the loop whose rounds meet apart."""
        at: Expr = const(0)
        for loop in self._layout.blocks:
            if loop.var != name:
                at = at * loop.extent + var(loop.var)
        return index_text(at)

    def _tile(self, s: Tile) -> None:
        home = [self._homes[a.buffer] for a in s.args]
        if s.name in _PRODUCTS:
            args = (h.at(arg.index) for h, arg in zip(home, s.args, strict=True))
            self.call(f"{_PRODUCTS[s.name]}_{_FACTORS[home[2].buffer.dtype]}", *args)
            return
        if matrix_operation(s.name).warps > 1:
            self._begin(s)
            self.put(f"at_wgmma_wait<0>({self._of_group(s)[0]});")
            return
        fragment, source = s.args
        lane, corner = var(LANE), source.index
        if s.name in ("load_a16", "load_b16"):
            for half in (0, 1):
                at = (*corner[:-2], corner[-2] + half * 8 + lane // 4, corner[-1] + lane % 4 * 4)
                load = {1: "at_load_bytes4", 2: "at_load8", 4: "at_load4"}[BYTES[home[1].buffer.dtype]]
                there = home[1].address(at, self._unrolled)
                self.call(load, home[0].at((*fragment.index, const(half))), there)
            return
        if s.name in ("load_a", "load_b2_turned"):
            row, column = corner[-2] + lane % 16, corner[-1] + lane // 16 * 8
        else:
            row, column = corner[-2] + lane // 16 * 8 + lane % 8, corner[-1] + lane // 8 % 2 * 8
        there = home[1].address((*corner[:-2], row, column))
        turned = "_trans" if s.name == "load_b2_turned" else ""
        self.call(f"at_ldmatrix_x4{turned}", home[0].at(fragment.index), there)

    def _of_group(self, s: Tile) -> list[str]:
        """The operands of a product by a group of warps."""
        return [self._homes[arg.buffer].at(arg.index) for arg in s.args]

    def _begin(self, s: Tile) -> None:
        """A product by a group of warps is under way."""
        sums, x, w = self._of_group(s)
        self.put("at_wgmma_fence();")
        self.call(f"at_{s.name}_{_SHORT[self._homes[s.args[1].buffer].buffer.dtype]}", sums, f"&{x}", f"&{w}")
        self.put("at_wgmma_commit();")


def map_name(home: Home) -> str:
    """The parameter that is a tensor's map."""
    return f"{home.name}_map"


def _fills_of(s: Stmt) -> Stmt:
    """What of a statement leads to its relay."""
    match s:
        case Relay():
            return s
        case Alloc(body=body):
            return _fills_of(body)
        case Block(body=statements):
            return Block(tuple(_fills_of(c) for c in statements if any(isinstance(x, Relay) for x in walk(c))))
        case _:
            return rebuild(s, _fills_of)
