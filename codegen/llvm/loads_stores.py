"""Loads and stores, of one element or of all lanes of a vector: next to each other, apart, or anywhere.

Lanes that a mask leaves out neither read nor write memory. Registers are read and written whole where their place is
known, so that they can become registers; what lies in masked lanes is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from anytile.codegen.llvm.addresses import MEMORY, Addresses
from anytile.codegen.llvm.instructions import kind, splat
from anytile.codegen.llvm.transpositions import RUN, as_rows, interleave, transpose
from anytile.codegen.llvm.writer import Writer
from anytile.core.dtypes import BYTES, ROWS
from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Load
from anytile.schedules.nest.printer import print_value

_SUFFIXES = {row.name: row.llvm_memory_suffix for row in ROWS if row.llvm}
_WORD_BYTES = 4
_NEAR = (2, 3, 4)  # steps between lanes that are read as whole vectors
_Index = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    """The vector loop being written: its variable, its width, the mask of the lanes that run, and which these are where
    that is known."""

    var: str
    count: int
    mask: str | None = None
    running: frozenset[int] | None = None

    @property
    def alone(self) -> int | None:
        """The one lane that runs, where there is but one and it is known."""
        return min(self.running) if self.running is not None and len(self.running) == 1 else None


class Made(NamedTuple):
    """A value in the code: a scalar, or one element for each lane."""

    name: str
    dtype: str
    wide: bool = False


class Memory:
    """Reads and writes the elements that `addresses` finds."""

    def __init__(self, w: Writer, addresses: Addresses) -> None:
        self.w = w
        self.addresses = addresses
        self._spare = ""  # a place to read where no lane runs
        self._sink = ""  # and one to write
        self._written: dict[str, frozenset[str]] = {}  # by unrolled variable the buffers that each round writes once
        self._waiting: dict[tuple[str, _Index], list[str]] = {}  # what rounds write that wait for those after them

    def dtype(self, buffer: str) -> str:
        return self.addresses.held[buffer].buffer.dtype

    def load(self, buffer: str, index: _Index, lanes: Lanes | None) -> Made:
        """The element, or those of all lanes; what is the same in every lane is one element."""
        dtype = self.dtype(buffer)
        base, offset, step = self.addresses.access(buffer, index)
        if lanes is None or step == 0:
            at = self.addresses.pointer(buffer, base, offset)
            if lanes is not None and lanes.mask is not None and not self.addresses.encloses(buffer, base, offset, 1):
                at = self._somewhere(at, lanes)
            return Made(self._read(buffer, f"load {MEMORY[dtype]}, ptr {at}, align {BYTES[dtype]}", 0), dtype)
        if step in _NEAR and self._is_near(buffer, index, lanes):
            return Made(self._load_near(buffer, base, offset, step, lanes), dtype, wide=True)
        if step != 1:
            return Made(self._load_apart(buffer, index, lanes), dtype, wide=True)
        at, t = self.addresses.pointer(buffer, base, offset), _kind(dtype, lanes.count)
        align = self.addresses.alignment(buffer, base, offset)
        if lanes.mask is None or self.addresses.encloses(buffer, base, offset, lanes.count):
            return Made(self._read(buffer, f"load {t}, ptr {at}, align {align}", lanes.count), dtype, wide=True)
        call = _masked_load(dtype, lanes.count, at, align, lanes.mask)
        return Made(self._apart_from_its_use(self._read(buffer, call, lanes.count), dtype, t), dtype, wide=True)

    def _apart_from_its_use(self, value: str, dtype: str, t: str) -> str:
        """What a masked load made, so that LLVM does not read it where it is used.

        It makes one masked instruction of both, and may take that apart again, into a load that nothing masks: beside
        the end of a page that faults.
        """
        if dtype != "float32":
            return value
        return self.w.value(f"call {t} @llvm.arithmetic.fence.v{t[1:].split(' ')[0]}f32({t} {value})", "l")

    def words(self, buffer: str, index: _Index, lanes: Lanes) -> str:
        """32 bits from an element on for every lane: next to each other, the same ones, or anywhere.

        Where they are not the same ones, all lanes run.
        """
        base, offset, step = self.addresses.access(buffer, index)
        size, n = BYTES[self.dtype(buffer)], lanes.count
        if step is None or step * size not in (0, _WORD_BYTES):
            return self._words_apart(buffer, index, lanes)
        at, align = self.addresses.pointer(buffer, base, offset), self.addresses.alignment(buffer, base, offset)
        if step == 0:
            at = at if lanes.mask is None else self._somewhere(at, lanes)
            return splat(self.w, "i32", n, self._load_plain(buffer, f"load i32, ptr {at}, align {align}"))
        return self._load_plain(buffer, f"load <{n} x i32>, ptr {at}, align {align}")

    def woven(self, buffer: str, rows: Sequence[_Index], lanes: Lanes) -> str:
        """Words of two or four elements that lie apart, in rows of which neighbouring lanes read neighbours."""
        n, element = lanes.count, MEMORY[self.dtype(buffer)]
        woven = interleave(self.w, [self.load(buffer, index, lanes).name for index in rows], n, element)
        return self.w.value(f"bitcast <{len(rows) * n} x {element}> {woven} to <{n} x i32>", "s")

    @contextmanager
    def rounds_that_write(self, name: str, buffers: frozenset[str]) -> Iterator[None]:
        """Within an unrolled loop each round of which writes these buffers, once, and does not read them."""
        self._written[name] = buffers
        yield
        del self._written[name]

    def store(self, buffer: str, index: _Index, value: str, lanes: Lanes | None) -> None:
        """Write one element, or with lanes one for each."""
        if lanes is not None and lanes.alone is not None:
            self._store_alone(buffer, index, value, lanes.count, lanes.alone)
            return
        dtype = self.dtype(buffer)
        base, offset, step = self.addresses.access(buffer, index)
        if step == 0 and lanes is not None:
            what = print_value(Load(buffer, index))
            raise CodegenError(f"{what}: all lanes of {lanes.var} store to one place")
        if lanes is not None and step != 1:
            self._store_apart(buffer, index, value, lanes)
            return
        at = self.addresses.pointer(buffer, base, offset)
        if lanes is None:
            self.w.put(f"store {MEMORY[dtype]} {self._as_bytes(dtype, 0, value)}, ptr {at}, align {BYTES[dtype]}")
            return
        t, align = _kind(dtype, lanes.count), self.addresses.alignment(buffer, base, offset)
        value, mask = self._as_bytes(dtype, lanes.count, value), f"<{lanes.count} x i1> {lanes.mask}"
        if lanes.mask is None or self.addresses.encloses(buffer, base, offset, lanes.count):
            if lanes.mask is not None:
                old = self.w.always(f"load {t}, ptr {at}, align {align}", "l")
                value = self.w.value(f"select {mask}, {t} {value}, {t} {old}", "s")
            self.w.put(f"store {t} {value}, ptr {at}, align {align}")
        else:
            name = f"@llvm.masked.store.v{lanes.count}{_SUFFIXES[dtype]}.p0"
            self.w.put(f"call void {name}({t} {value}, ptr align {align} {at}, {mask})")

    def _store_alone(self, buffer: str, index: _Index, value: str, lanes: int, alone: int) -> None:
        """Write the element of the one lane that runs. As a masked store LLVM 22 writes it in the width that it had
        before it was made narrow, over what follows."""
        dtype = self.dtype(buffer)
        t, element = _kind(dtype, lanes), MEMORY[dtype]
        at, _ = self._pointer_of(buffer, index, alone)
        one = self.w.value(f"extractelement {t} {self._as_bytes(dtype, lanes, value)}, i64 {alone}", "s")
        self.w.put(f"store {element} {one}, ptr {at}, align {BYTES[dtype]}")

    # Lanes that are not neighbours

    def _is_near(self, buffer: str, index: _Index, lanes: Lanes) -> bool:
        """Whether steps between lanes are so read: with a mask where vectors of such elements have masks."""
        masked = lanes.mask is not None and BYTES[self.dtype(buffer)] < _WORD_BYTES
        return not masked and self._run(buffer, index, lanes) is None

    def _load_near(self, buffer: str, base: Expr, offset: int, step: int, lanes: Lanes) -> str:
        """Every `step`-th element: all vectors from the first to the last of them, and the lanes picked out of these.

        The last vector ends with the last element, so that nothing behind it is read; of what masked lanes have between
        them nothing is, either.
        """
        dtype, n = self.dtype(buffer), lanes.count
        t, starts = _kind(dtype, n), [*range(0, (step - 1) * n, n), (step - 1) * (n - 1)]
        owners = [min(place // n, step - 1) for place in range(0, step * n, step)]
        places = [(owner, step * lane - starts[owner]) for lane, owner in enumerate(owners)]
        loaded = []
        for owner, start in enumerate(starts):
            at = self.addresses.pointer(buffer, base, offset + start)
            align = self.addresses.alignment(buffer, base, offset + start)
            if lanes.mask is None:
                loaded.append(self._load_plain(buffer, f"load {t}, ptr {at}, align {align}"))
                continue
            of = {place: lane for lane, (which, place) in enumerate(places) if which == owner}
            picked = ", ".join(f"i32 {of.get(place, n)}" for place in range(n))
            bits = f"<{n} x i1>"
            mask = self.w.value(
                f"shufflevector {bits} {lanes.mask}, {bits} zeroinitializer, <{n} x i32> <{picked}>", "m"
            )
            loaded.append(self._load_plain(buffer, _masked_load(dtype, n, at, align, mask)))
        return self._as_bits(dtype, n, self._picked(t, loaded, places))

    def _picked(self, t: str, vectors: Sequence[str], places: Sequence[tuple[int, int]]) -> str:
        """For each lane one element: of which vector, and of which of its lanes."""
        first, *others = sorted({owner for owner, _ in places})
        made, seen = vectors[first], [str(at) if owner == first else "poison" for owner, at in places]
        for which in others or [first]:
            other = vectors[which] if others else "poison"
            picked = [
                str(len(places) + at) if others and owner == which else now
                for (owner, at), now in zip(places, seen, strict=True)
            ]
            mask = ", ".join(f"i32 {p}" for p in picked)
            made = self.w.value(f"shufflevector {t} {made}, {t} {other}, <{len(places)} x i32> <{mask}>", "t")
            seen = [now if p == "poison" else str(lane) for lane, (now, p) in enumerate(zip(seen, picked, strict=True))]
        return made

    def _load_rows(self, buffer: str, index: _Index, lanes: Lanes) -> str | None:
        """The same where lanes read few rows in turns, as an interleaving does: whole vectors of each, and the lanes
        picked out of these. All rounds of an unrolled loop that picks with them read the same vectors."""
        n, along = lanes.count, self._picking(buffer, index, lanes)
        if along is None:
            return None
        flat, rounds = self.addresses.flat(buffer, index), self.addresses.rounds[along]
        found: dict[tuple[int, int], tuple[Expr, int]] = {}
        read: dict[Expr, set[int]] = {}
        for number, lane in product(range(rounds), range(n)):
            place = flat.substitute({**self.addresses.fixed, along: number, lanes.var: lane})
            found[number, lane] = base, at = place - place.offset, place.offset
            read.setdefault(base, set()).add(at)
            if len(read) > rounds:
                return None
        firsts: list[tuple[Expr, int]] = []
        owners: dict[tuple[Expr, int], tuple[int, int]] = {}
        for base, places in read.items():
            ordered = sorted(places)
            if any(ordered[i : i + n] != [*range(ordered[i], ordered[i] + n)] for i in range(0, len(ordered), n)):
                return None
            for i, at in enumerate(ordered):
                owners[base, at] = len(firsts) + i // n, i % n
            firsts += [(base, at) for at in ordered[::n]]
        loaded, t = [], _kind(self.dtype(buffer), n)
        for base, first in firsts:
            pointer, align = (f(buffer, base, first) for f in (self.addresses.pointer, self.addresses.alignment))
            loaded.append(self._load_plain(buffer, f"load {t}, ptr {pointer}, align {align}"))
        return self._picked(t, loaded, [owners[found[self.addresses.fixed[along], lane]] for lane in range(n)])

    def _load_copies(self, buffer: str, index: _Index, lanes: Lanes) -> str | None:
        """The same of lanes that read no more than a vector of neighbours, some more than once: just these, and the
        lanes picked out of them."""
        if lanes.mask is not None:
            return None
        flat, n = self.addresses.put_fixed(self.addresses.flat(buffer, index)), lanes.count
        places = [flat.substitute({lanes.var: lane}) for lane in range(n)]
        base, offsets = places[0] - places[0].offset, [place.offset for place in places]
        first, size = min(offsets), max(offsets) - min(offsets) + 1
        if size > n or any(place - place.offset != base for place in places):
            return None
        at, align = (f(buffer, base, first) for f in (self.addresses.pointer, self.addresses.alignment))
        t = _kind(self.dtype(buffer), size)
        loaded = self._load_plain(buffer, f"load {t}, ptr {at}, align {align}")
        mask = ", ".join(f"i32 {offset - first}" for offset in offsets)
        return self.w.value(f"shufflevector {t} {loaded}, {t} poison, <{n} x i32> <{mask}>", "t")

    def _picking(self, buffer: str, index: _Index, lanes: Lanes) -> str | None:
        """The unrolled variable which decides with the lane, by quotients and rests, what is read of an input."""
        if lanes.mask is not None or not self.addresses.held[buffer].never_changes:
            return None
        flat = self.addresses.flat(buffer, index)
        picking = [n for n in self.addresses.fixed if n in flat.names and flat.coefficient(n) is None]
        return picking[0] if len(picking) == 1 and self.addresses.rounds[picking[0]] > 1 else None

    def _load_apart(self, buffer: str, index: _Index, lanes: Lanes) -> str:
        dtype, n = self.dtype(buffer), lanes.count
        t, element, align = _kind(dtype, n), MEMORY[dtype], BYTES[dtype]
        run = self._run(buffer, index, lanes)
        if run is not None:
            return self._as_bits(dtype, n, self._load_transposed(buffer, index, lanes, run, element))
        for read in (self._load_rows, self._load_copies):
            if (found := read(buffer, index, lanes)) is not None:
                return self._as_bits(dtype, n, found)
        if lanes.mask is not None and not self._all_enclosed(buffer, index, n):
            pointers = self._pointers(buffer, index, n)
            if align < _WORD_BYTES:
                return self._as_bits(dtype, n, self._gathered_within(buffer, pointers, lanes))
            call = f"call {t} @llvm.masked.gather.v{n}{_SUFFIXES[dtype]}.v{n}p0"
            places = f"<{n} x ptr> align {align} {pointers}, <{n} x i1> {lanes.mask}"
            return self._read(buffer, f"{call}({places}, {t} zeroinitializer)", n)
        return self._as_bits(dtype, n, self._gathered(buffer, index, n, element))

    def _words_apart(self, buffer: str, index: _Index, lanes: Lanes) -> str:
        run = self._run(buffer, index, lanes, _WORD_BYTES // BYTES[self.dtype(buffer)])
        if run is not None:
            return self._load_transposed(buffer, index, lanes, run, "i32")
        return self._gathered(buffer, index, lanes.count, "i32")

    def _gathered(self, buffer: str, index: _Index, lanes: int, element: str) -> str:
        """What begins at each lane's place, one after the other."""
        t, align, made = f"<{lanes} x {element}>", BYTES[self.dtype(buffer)], "poison"
        for i in range(lanes):
            at, _ = self._pointer_of(buffer, index, i)
            one = self._load_plain(buffer, f"load {element}, ptr {at}, align {align}")
            made = self.w.value(f"insertelement {t} {made}, {element} {one}, i64 {i}", "s")
        return made

    def _run(self, buffer: str, index: _Index, lanes: Lanes, each: int = 1) -> str | None:
        """The unrolled variable along which what each lane reads of an input in turn is side by side: so many elements
        in each round."""
        if lanes.mask is not None or lanes.count % RUN or not self.addresses.held[buffer].never_changes:
            return None
        runs = [n for n in self.addresses.fixed if self.addresses.rounds[n] == RUN]
        flat = self.addresses.flat(buffer, index) if runs else None
        return None if flat is None else next((n for n in runs if flat.coefficient(n) == each), None)

    def _load_transposed(self, buffer: str, index: _Index, lanes: Lanes, run: str, element: str) -> str:
        """One of the vectors that all rounds of a run read, made together: a short row per lane, transposed."""
        place = tuple(self.addresses.put_fixed(e.substitute({run: 0})) for e in index)
        where = self.w.bound(frozenset[str]().union(*(e.names for e in place)))
        key = f"{element} of {buffer}[{', '.join(map(str, place))}] along {lanes.var} and {run}, {where}"
        made = self.w.recall(key)
        if made is None:
            t, align = f"<{RUN} x {element}>", BYTES[self.dtype(buffer)]
            rows = [f"load {t}, ptr {self._pointer_of(buffer, place, i)[0]}, align {align}" for i in range(lanes.count)]
            made = transpose(self.w, [self._load_plain(buffer, row) for row in rows], element)
            self.w.remember(key, made)
        return made[self.addresses.fixed[run]]

    def _store_apart(self, buffer: str, index: _Index, value: str, lanes: Lanes) -> None:
        dtype, n = self.dtype(buffer), lanes.count
        t, element, align = _kind(dtype, n), MEMORY[dtype], BYTES[dtype]
        value = self._as_bytes(dtype, n, value)
        if (run := self._run_of_stores(buffer, index, lanes)) is not None:
            self._store_transposed(buffer, index, value, lanes, run)
            return
        if lanes.mask is not None and not self._all_enclosed(buffer, index, n):
            pointers = self._pointers(buffer, index, n)
            if align < _WORD_BYTES:
                self._scatter_within(dtype, value, pointers, lanes)
                return
            call = f"call void @llvm.masked.scatter.v{n}{_SUFFIXES[dtype]}.v{n}p0"
            self.w.put(f"{call}({t} {value}, <{n} x ptr> align {align} {pointers}, <{n} x i1> {lanes.mask})")
            return
        for i in range(n):
            at, _ = self._pointer_of(buffer, index, i)
            one = self.w.value(f"extractelement {t} {value}, i64 {i}", "s")
            if lanes.mask is not None:
                runs = self.w.value(f"extractelement <{n} x i1> {lanes.mask}, i64 {i}", "m")
                old = self.w.always(f"load {element}, ptr {at}, align {align}", "l")
                one = self.w.value(f"select i1 {runs}, {element} {one}, {element} {old}", "s")
            self.w.put(f"store {element} {one}, ptr {at}, align {align}")

    def _run_of_stores(self, buffer: str, index: _Index, lanes: Lanes) -> str | None:
        """The unrolled variable along which each lane writes elements side by side, in rounds that all come here."""
        if (lanes.mask is not None and lanes.running is None) or lanes.count % RUN:
            return None
        if BYTES[self.dtype(buffer)] != _WORD_BYTES:
            return None
        names = [n for n, buffers in self._written.items() if buffer in buffers and self.addresses.rounds[n] > 1]
        flat = self.addresses.flat(buffer, index) if names else None
        return None if flat is None else next((n for n in names if flat.coefficient(n) == 1), None)

    def _store_transposed(self, buffer: str, index: _Index, value: str, lanes: Lanes, run: str) -> None:
        """Write what four rounds of a run have, or the last two, when the last of them comes: a short row per lane."""
        number, rounds = self.addresses.fixed[run], self.addresses.rounds[run]
        first = number // RUN * RUN
        size = min(RUN, rounds - first)
        if size < RUN:
            first, size = (first, 2) if size > 1 and number < first + 2 else (number, 1)
        at = tuple(self.addresses.put_fixed(e.substitute({run: first})) for e in index)
        waiting = self._waiting.setdefault((buffer, at), [])
        waiting.append(value)
        if len(waiting) < size:
            return
        del self._waiting[buffer, at]
        dtype = self.dtype(buffer)
        element, align = MEMORY[dtype], BYTES[dtype]
        kind_, rows = (
            (f"<{size} x {element}>", as_rows(self.w, waiting, lanes.count, element)) if size > 1 else ("", [])
        )
        for lane in range(lanes.count) if lanes.running is None else sorted(lanes.running):
            pointer, _ = self._pointer_of(buffer, at, lane)
            if rows:
                self.w.put(f"store {kind_} {rows[lane]}, ptr {pointer}, align {align}")
                continue
            one = f"extractelement {_kind(dtype, lanes.count)} {value}, i64 {lane}"
            self.w.put(f"store {element} {self.w.value(one, 's')}, ptr {pointer}, align {align}")

    # Lanes of 8 and 16 bits that run or not: no x86 gathers or scatters such, and LLVM would write a branch for each.
    # Those that a mask leaves out read zeros of the stack and write to it instead: nothing branches.

    def _gathered_within(self, buffer: str, pointers: str, lanes: Lanes) -> str:
        dtype, made = self.dtype(buffer), "poison"
        t, element = _kind(dtype, lanes.count), MEMORY[dtype]
        for i, at in enumerate(self._elsewhere(pointers, self._zeros(), lanes)):
            one = self._load_plain(buffer, f"load {element}, ptr {at}, align {BYTES[dtype]}")
            made = self.w.value(f"insertelement {t} {made}, {element} {one}, i64 {i}", "s")
        return made

    def _scatter_within(self, dtype: str, value: str, pointers: str, lanes: Lanes) -> None:
        if not self._sink:
            self._sink = self.w.fresh("sink")
            self.w.entry.append(f"  {self._sink} = alloca i64, align 8")
        t, element = _kind(dtype, lanes.count), MEMORY[dtype]
        for i, at in enumerate(self._elsewhere(pointers, self._sink, lanes)):
            one = self.w.value(f"extractelement {t} {value}, i64 {i}", "s")
            self.w.put(f"store {element} {one}, ptr {at}, align {BYTES[dtype]}")

    def _elsewhere(self, pointers: str, other: str, lanes: Lanes) -> list[str]:
        """Each lane's address; of those that do not run the other one."""
        n, all_others = lanes.count, splat(self.w, "ptr", lanes.count, other)
        picked = self.w.value(f"select <{n} x i1> {lanes.mask}, <{n} x ptr> {pointers}, <{n} x ptr> {all_others}", "p")
        return [self.w.value(f"extractelement <{n} x ptr> {picked}, i64 {i}", "p") for i in range(n)]

    def _pointer_of(self, buffer: str, index: _Index, lane: int) -> tuple[str, bool]:
        """Where one lane's element is, and whether that is known to be in a buffer of registers."""
        with self.addresses.one_lane(lane):
            base, offset, _ = self.addresses.access(buffer, index)
            return self.addresses.pointer(buffer, base, offset), self.addresses.encloses(buffer, base, offset, 1)

    def _all_enclosed(self, buffer: str, index: _Index, lanes: int) -> bool:
        return all(self._pointer_of(buffer, index, i)[1] for i in range(lanes))

    def _pointers(self, buffer: str, index: _Index, lanes: int) -> str:
        made = "poison"
        for i in range(lanes):
            at, _ = self._pointer_of(buffer, index, i)
            made = self.w.value(f"insertelement <{lanes} x ptr> {made}, ptr {at}, i64 {i}", "p")
        return made

    def _somewhere(self, at: str, lanes: Lanes) -> str:
        """The address where any lane runs; else one that can be read, for this one may lie outside its buffer."""
        n = lanes.count
        some = self.w.value(f"call i1 @llvm.vector.reduce.or.v{n}i1(<{n} x i1> {lanes.mask})", "c")
        return self.w.value(f"select i1 {some}, ptr {at}, ptr {self._zeros()}", "p")

    def _zeros(self) -> str:
        """Where an element of zeros can be read."""
        if not self._spare:
            self._spare = self.w.fresh("spare")
            self.w.entry += [f"  {self._spare} = alloca i64, align 8", f"  store i64 0, ptr {self._spare}, align 8"]
        return self._spare

    # What memory holds

    def _read(self, buffer: str, code: str, lanes: int) -> str:
        dtype = self.dtype(buffer)
        return self._as_bits(dtype, lanes, self._load_plain(buffer, code))

    def _load_plain(self, buffer: str, code: str) -> str:
        """Inputs never change within a kernel, so they are read once."""
        return (self.w.value if self.addresses.held[buffer].never_changes else self.w.always)(code, "l")

    def _as_bits(self, dtype: str, lanes: int, value: str) -> str:
        if dtype != "bool":
            return value
        zero = "zeroinitializer" if lanes else "0"
        return self.w.value(f"icmp ne {_kind(dtype, lanes)} {value}, {zero}", "c")

    def _as_bytes(self, dtype: str, lanes: int, value: str) -> str:
        if dtype != "bool":
            return value
        return self.w.value(f"zext {kind(dtype, lanes)} {value} to {_kind(dtype, lanes)}", "s")


def _masked_load(dtype: str, lanes: int, at: str, align: int, mask: str) -> str:
    """Neighbours of which masked ones are not read, but zeros."""
    t = _kind(dtype, lanes)
    call = f"call {t} @llvm.masked.load.v{lanes}{_SUFFIXES[dtype]}.p0"
    return f"{call}(ptr align {align} {at}, <{lanes} x i1> {mask}, {t} zeroinitializer)"


def _kind(dtype: str, lanes: int) -> str:
    """The type of a value in memory."""
    return f"<{lanes} x {MEMORY[dtype]}>" if lanes else MEMORY[dtype]
