"""Dot loops -> calls of `@anytile.dot`: the neighbouring terms of a sum, multiplied and added for all lanes at once.

One operand is the same in every lane, as a row of x is, the other has its terms lane by lane: 32 bits of each make a
word of a lane, or one half of each byte in them, or one byte of every two. Each term may have a row of its own, in
which lanes are neighbours: such rows are woven into words. Dot loops around all of a tile's sums have these added in
16 bits, word after word. Where both differ from lane to lane, as channels do that see themselves alone, words of the
one that has its terms apart are shuffled together. A loop whose terms lie in another way, or not all of which are
there, is written out instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from anytile.codegen.llvm.instructions import kind
from anytile.codegen.llvm.loads_stores import Lanes
from anytile.codegen.llvm.narrow.narrow_functions import DOTS, HALF_BYTE, IN_16_BITS
from anytile.codegen.llvm.transpositions import interleave
from anytile.codegen.llvm.values import Values
from anytile.core.dtypes import BY_NAME
from anytile.schedules.index.bounds import Bounds
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.nodes import Cast, Guard, Literal, Load, Loop, LoopKind, Number, Op, Stmt, Update, Value
from anytile.schedules.nest.simplify import decide
from anytile.schedules.nest.traverse import guarded

_WORD = 32  # bits
_BYTES = _WORD // 8
_NOTHING = Update("", (), Literal(0))  # of terms none of which is there
_HALVES = {HALF_BYTE: (4, 0x0F0F0F0F), "int16": (8, 0x00FF00FF)}  # their bits, and the lower ones of a word


def guarded_outside(s: Loop) -> Guard | None:
    """A dot loop inside the conditions that hold for all of its terms or for none, where it stands around such."""
    if not isinstance(s.body, Guard) or s.body.otherwise is not None:
        return None
    of_all = tuple(c for c in s.body.condition if s.var not in c.names)
    of_some = tuple(c for c in s.body.condition if s.var in c.names)
    return Guard(of_all, replace(s, body=guarded(of_some, s.body.body))) if of_all else None


def dotted(s: Loop, values: Values, bounds: Bounds) -> bool:
    """Write a dot loop in one call; False where it cannot be, and nothing was written."""
    if values.lanes is None:
        return _in_16_bits(s, values, bounds)
    update, lanes = _update(s.body, values, bounds.having(s.var, 0, (s.extent.value or 0) - 1)), values.lanes
    if update is _NOTHING:
        return True
    word = None if update is None else _word(s, update, lanes, values)
    if update is None or word is None:
        return _interleaved(s, values, bounds, lanes)
    if s.var in _names(update):
        return False
    old, made = values.whole(Load(update.buffer, update.index)), kind(values.memory.dtype(update.buffer), lanes.count)
    with values.addresses.unrolled(s.var, 0), values.addresses.apart(*_with_conditions(s.body)[1]):
        x, w = (_loaded(factor, s.var, lanes, values) for factor in word)
    t, function = f"<{lanes.count} x i32>", f"@anytile.{s.kind}.{word[0].dtype}.{word[1].dtype}.x{lanes.count}"
    call = values.w.always(f"call {made} {function}({made} {old}, {t} {x}, {t} {w})", "f")
    values.memory.store(update.buffer, update.index, call, lanes)
    return True


def _interleaved(s: Loop, values: Values, bounds: Bounds, lanes: Lanes) -> bool:
    """Write a dot loop of bytes that differ from lane to lane on both sides, and are neighbours on one side alone.

    On the other each term is a vector of all lanes, and those that are not there are zeros.
    """
    update, conditions = _with_conditions(s.body)
    sides = None if update is None else _sides(update, s.var, values)
    if update is None or sides is None or s.var in _names(update):
        return False
    x, w, place = sides
    terms, n = ["zeroinitializer"] * _BYTES, lanes.count
    for term in range(s.extent.value or 0):
        with values.addresses.unrolled(s.var, term):
            left = decide(tuple(values.addresses.put_fixed(e) for e in conditions), bounds)
            if left:
                return False
            if left is not None:
                terms[place + term] = values.memory.load(x.buffer, x.index, lanes).name
    word, t = values.memory.words(w.buffer, (*w.index[:-1], const(0)), lanes), f"<{n} x i32>"
    woven = values.w.value(f"bitcast <{_BYTES * n} x i8> {interleave(values.w, terms, n, 'i8')} to {t}", "t")
    old, dtypes = values.whole(Load(update.buffer, update.index)), f"{values.memory.dtype(x.buffer)}.int8"
    call = values.w.always(f"call {t} @anytile.dot.{dtypes}.x{n}({t} {old}, {t} {woven}, {t} {word})", "f")
    values.memory.store(update.buffer, update.index, call, lanes)
    return True


def _with_conditions(body: Stmt) -> tuple[Update | None, tuple[Expr, ...]]:
    """What is added up in a dot loop, and the conditions around it."""
    conditions: tuple[Expr, ...] = ()
    while isinstance(body, Guard) and body.otherwise is None:
        conditions, body = (*conditions, *body.condition), body.body
    return (body if isinstance(body, Update) and body.op == "add" else None), conditions


def _sides(body: Update, term: str, values: Values) -> tuple[Load, Load, int] | None:
    """What has its terms apart, what has them as neighbours, and the place of the first of the loop's among those."""
    match body.value:
        case Op("mul", (Cast(made, Load() as x), Cast(other, Load() as w))):
            pass
        case _:
            return None
    if _apart(x, term, values) == (1, _BYTES):
        x, w = w, x
    dtypes = values.memory.dtype(x.buffer), values.memory.dtype(w.buffer), values.memory.dtype(body.buffer)
    if dtypes[:2] not in DOTS or dtypes[1] != "int8" or {made, other, dtypes[2]} != {"int32"}:
        return None
    first = values.addresses.put_fixed(w.index[-1]).substitute({term: 0}).value
    whole = values.addresses.held[w.buffer].buffer.shape[-1].value == _BYTES
    is_so = whole and _apart(w, term, values) == (1, _BYTES) and _apart(x, term, values)[1] == 1
    return (x, w, first) if is_so and first is not None else None


def _apart(load: Load, term: str, values: Values) -> tuple[int | None, int | None]:
    """How far apart terms and lanes are."""
    flat = values.addresses.put_fixed(values.addresses.flat(load.buffer, load.index))
    return flat.coefficient(term), values.addresses.access(load.buffer, load.index)[2]


def _in_16_bits(s: Loop, values: Values, bounds: Bounds) -> bool:
    """Write dot loops around vectors of sums: their products are added in pairs, and these in 16 bits.

    A word is loaded once and meets all that it is multiplied by before the next one comes.
    """
    apart: dict[LoopKind, list[Loop]] = {LoopKind.DOT: [], LoopKind.UNROLLED: []}
    vector: Stmt = s
    while isinstance(vector, Loop) and vector.kind in apart:
        apart[vector.kind].append(vector)
        vector = vector.body
    match vector:
        case Loop(kind=LoopKind.VECTOR, body=Loop(kind=LoopKind.DOT) as terms):
            lanes = Lanes(vector.var, values.addresses.number(vector.extent, f"vector loop {vector.var}"))
        case _:
            return False
    words, sums = (list(_rounds(apart[kind], values)) for kind in (LoopKind.DOT, LoopKind.UNROLLED))
    if len(words) > IN_16_BITS or lanes.count == 1:
        return False
    for name, extent in ((vector.var, lanes.count), (terms.var, terms.extent.value or 0)):
        bounds = bounds.having(name, 0, extent - 1)
    found = list[tuple[Mapping[str, int], Mapping[str, int], Update, tuple[_Factor, _Factor]]]()
    with values.inside(lanes):
        for word, one in itertools.product(words, sums):
            with values.addresses.all_unrolled({**word, **one}):
                update = _update(terms.body, values, bounds)
                if update is _NOTHING:
                    continue
                factors = None if update is None else _word(terms, update, lanes, values)
            if update is None or factors is None or [f.dtype for f in factors] != [HALF_BYTE, "int8"]:
                return False
            if any(loop.var in _names(update) for loop in (*apart[LoopKind.DOT], terms)):
                return False
            found.append((word, one, update, factors))
        _write_in_16_bits(found, terms.var, lanes, values)
    return True


def _write_in_16_bits(
    found: Iterable[tuple[Mapping[str, int], Mapping[str, int], Update, tuple[_Factor, _Factor]]],
    term: str,
    lanes: Lanes,
    values: Values,
) -> None:
    n = lanes.count
    word_type, pair_type = f"<{n} x i32>", f"<{2 * n} x i16>"
    loaded, pairs = dict[tuple[object, ...], str](), dict[tuple[int, ...], tuple[Mapping[str, int], Update, str]]()
    for word, one, update, factors in found:
        given = list[str]()
        with values.addresses.all_unrolled({**word, **one, term: 0}):
            for factor in factors:
                index = tuple(values.addresses.put_fixed(e) for e in factor.load.index)
                key = (factor.load.buffer, factor.dtype, factor.half, index)
                if key not in loaded:
                    loaded[key] = _loaded(factor, term, lanes, values)
                given.append(f"{word_type} {loaded[key]}")
        place = tuple(one.values())
        old = pairs[place][2] if place in pairs else "zeroinitializer"
        call = f"call {pair_type} @anytile.pairs.{HALF_BYTE}.int8.x{n}({pair_type} {old}, {', '.join(given)})"
        pairs[place] = one, update, values.w.always(call, "p")
    for one, update, added in pairs.values():
        with values.addresses.all_unrolled(one):
            old = values.whole(Load(update.buffer, update.index))
            call = f"call {word_type} @anytile.sums.pairs.x{n}({word_type} {old}, {pair_type} {added})"
            values.memory.store(update.buffer, update.index, values.w.always(call, "f"), lanes)


def _rounds(loops: list[Loop], values: Values) -> Iterator[Mapping[str, int]]:
    counts = [values.addresses.number(loop.extent, f"unrolled loop {loop.var}") for loop in loops]
    for at in itertools.product(*map(range, counts)):
        yield dict(zip((loop.var for loop in loops), at, strict=True))


def _update(body: Stmt, values: Values, bounds: Bounds) -> Update | None:
    """What is added up in a dot loop, where conditions around it always hold; `_NOTHING` where they never do."""
    update, conditions = _with_conditions(body)
    left = decide(tuple(values.addresses.put_fixed(e) for e in conditions), bounds)
    if left is None:
        return _NOTHING
    return None if left else update


@dataclass(frozen=True, slots=True)
class _Factor:
    """What a term has on one side: the element of a buffer, or the `half` of one that is a number of so few bits.

    Of bytes two of which make a number of 16 bits the halves are bytes: every other one is an element. In `rows` each
    term lies in a row of its own.
    """

    load: Load
    made: str
    dtype: str
    half: int | None = None
    rows: bool = False


def _word(s: Loop, body: Update, lanes: Lanes, values: Values) -> tuple[_Factor, _Factor] | None:
    """Both sides of a word, in the order of its function; None where its terms cannot be read at once."""
    match body.value:
        case Op("mul", (one, other)):
            a, b = _factor(one, values), _factor(other, values)
        case _:
            return None
    if a is None or b is None:
        return None
    same, wide = (a, b) if lanes.var not in _names(a.load) else (b, a)
    bits = BY_NAME[values.memory.dtype(same.load.buffer)].bits
    if bits > BY_NAME[values.memory.dtype(wide.load.buffer)].bits:
        wide = _byte_of_two(wide, s.var, values) or wide
    first, second = (same, wide) if (same.dtype, wide.dtype) in DOTS else (wide, same)
    made = DOTS.get((first.dtype, second.dtype))
    if made is None or {a.made, b.made, values.memory.dtype(body.buffer)} != {made}:
        return None
    rounds = s.extent.value or 0
    if rounds * bits != _WORD:
        return None
    left, right = (_placed(factor, s.var, rounds, lanes, values) for factor in (first, second))
    return None if left is None or right is None else (left, right)


def _factor(v: Value, values: Values) -> _Factor | None:
    match v:
        case Cast(made, Load() as load):
            return _Factor(load, made, values.memory.dtype(load.buffer))
        case Op("bitand", (Op("shr", (Cast(made, Load() as load), Number(by, _))), Literal(15))):
            shift = values.addresses.put_fixed(by).value
        case _:
            return None
    halved = shift in (0, 4) and values.memory.dtype(load.buffer) == "uint8"
    return _Factor(load, made, HALF_BYTE, shift // 4) if halved and shift is not None else None


def _byte_of_two(factor: _Factor, var: str, values: Values) -> _Factor | None:
    """The first or the second of every two bytes as a number of 16 bits."""
    load, last = factor.load, values.addresses.put_fixed(factor.load.index[-1])
    half = last.substitute({var: 0}).value
    if factor.dtype != "uint8" or last.coefficient(var) != 2 or half not in (0, 1):
        return None
    return _Factor(Load(load.buffer, (*load.index[:-1], last - half)), factor.made, "int16", half)


def _placed(factor: _Factor, var: str, rounds: int, lanes: Lanes, values: Values) -> _Factor | None:
    """The factor as its terms lie, in all lanes or in those that run; None where no word can be read of them."""
    load, addresses = factor.load, values.addresses
    apart = addresses.put_fixed(addresses.flat(load.buffer, load.index)).coefficient(var)
    step, bits = addresses.access(load.buffer, load.index)[2], BY_NAME[values.memory.dtype(load.buffer)].bits
    if apart == 1 and (step == 0 or lanes.mask is None):
        return factor
    if apart == 2 and step == 2 * rounds and bits == 8 and lanes.mask is None:  # every other byte
        return factor
    return replace(factor, rows=True) if step == 1 and rounds * bits == _WORD else None


def _loaded(factor: _Factor, var: str, lanes: Lanes, values: Values) -> str:
    """32 bits for each lane, in which every term has as many."""
    buffer, index = factor.load.buffer, factor.load.index
    if factor.rows:
        terms = range(_WORD // BY_NAME[values.memory.dtype(buffer)].bits)
        return values.memory.woven(buffer, [tuple(e.substitute({var: i}) for e in index) for i in terms], lanes)
    words = values.memory.words(buffer, index, lanes)
    if factor.half is None:
        return words
    t, (bits, mask) = f"<{lanes.count} x i32>", _HALVES[factor.dtype]
    if factor.half:
        words = values.w.value(f"lshr {t} {words}, splat (i32 {bits})", "s")
    return values.w.value(f"and {t} {words}, splat (i32 {mask})", "s")


def _names(x: Load | Update) -> frozenset[str]:
    return frozenset(name for e in x.index for name in e.names)
