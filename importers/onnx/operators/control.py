"""ONNX's control flow, sequences and optionals: branches chosen ahead or at run time, sequences of known length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anytile.importers.core.graph import Graph, Refusal, Unknown, Value
from anytile.importers.core.loops import Iteration, Scanned, loop, scan
from anytile.importers.onnx.proto.call import Call, Held, Row, Sequenced

MOST_UNROLLED = 64  # iterations that are written one after the other
MOST_PARTS = 2**14  # tensors of a sequence


def _sequence(c: Call, at: int) -> Sequenced:
    found = c.inputs[at] if at < len(c.inputs) else None
    if not isinstance(found, list):
        raise Refusal(f"input {at}: expected a sequence")
    return found


def _place(c: Call, at: int, count: int) -> int | None:
    given = c.maybe(at)
    if given is None:
        return None
    place = c.whole(given, "the position")[0]
    if not -count <= place <= count:
        raise Refusal(f"position {place} of a sequence of {count}")
    return place + count if place < 0 else place


def _tensors(values: Sequence[Held]) -> list[Value]:
    made = [v for v in values if isinstance(v, Value)]
    if len(made) != len(values):
        raise Refusal("a branch that gives a sequence or nothing")
    return made


def _if(c: Call) -> tuple[Held, ...]:
    then, otherwise = c.attr("then_branch"), c.attr("else_branch")
    known = c.x.number
    if known is not None:
        return c.run(then if known.reshape(-1)[0] else otherwise, c.graph, ())
    if c.x.equal in c.graph.equal:
        return c.run(then, c.graph, ())
    for value in (*then.output, *otherwise.output):
        if value.type.WhichOneof("value") in ("sequence_type", "optional_type"):
            raise Unknown("which branch gives a sequence or an optional is data", c.x)
    condition = c.reshape(c.x, ())
    condition.equal = c.x.equal
    return c.graph.if_(
        condition,
        lambda graph: _tensors(c.run(then, graph, ())),
        lambda graph: _tensors(c.run(otherwise, graph, ())),
    )


def _stacked(c: Call, rows: Sequence[Value], axis: int = 0, back: bool = False) -> Value:
    ordered = list(reversed(rows)) if back else list(rows)
    wide = [c.reshape(r, (*r.dims[:axis], 1, *r.dims[axis:])) for r in ordered]
    return wide[0] if len(wide) == 1 else c.do("concat", *wide, axis=axis)


def _loop(c: Call) -> tuple[Held, ...]:
    """Iterations whose number is known, one after the other. Without a condition to begin with there is none at all:
    what the body says of it is ignored, as ONNX's text wants it."""
    trips, going, carried = c.maybe(0), c.maybe(1), list(c.inputs[2:])
    body = c.attr("body")
    if trips is None and going is None:
        raise Refusal("a loop without an end")
    most = None if trips is None or trips.number is None else c.whole(trips, "how often a loop runs")[0]
    if (trips is not None and most is None) or (most or 0) > MOST_UNROLLED:
        return _looped(c, trips, going, carried)
    count = len(carried)
    rows: list[list[Value]] = []
    at = 0
    condition = going if going is not None else c.graph.constant(np.asarray(True))
    while most is None or at < most:
        if condition.number is None or at >= MOST_UNROLLED:
            return _looped(c, trips, going, list(c.inputs[2:]))
        if not condition.number.reshape(-1)[0]:
            break
        number = c.graph.constant(np.asarray(at, np.int64))
        first, *made = c.run(body, c.graph, (number, condition, *carried))
        if going is not None:
            if not isinstance(first, Value):
                raise Refusal("a loop whose condition is a sequence or nothing")
            condition = first
        carried = made[:count]
        rows.append(_tensors(made[count:]))
        at += 1
    if not rows and len(c.outputs) > count:
        return _looped(c, trips, going, list(c.inputs[2:]))
    return (*carried, *(_stacked(c, [r[i] for r in rows]) for i in range(len(rows[0]) if rows else 0)))


def _looped(c: Call, trips: Value | None, going: Value | None, carried: Sequence[Held]) -> tuple[Held, ...]:
    """Iterations as many as the data say; where such a loop cannot be, that is what must be known ahead of time."""
    asked = trips if trips is not None and trips.number is None else going
    try:
        return _as_data_say(c, trips, going, _tensors(carried))
    except Refusal as error:
        if asked is None or asked.number is not None:
            raise
        raise Unknown(str(error), asked) from None


def _as_data_say(c: Call, trips: Value | None, going: Value | None, begin: Sequence[Value]) -> tuple[Held, ...]:

    def step(graph: Graph, at: Value, values: Sequence[Value]) -> Iteration:
        condition = graph.constant(np.asarray(True))
        first, *made = _tensors(c.run(c.attr("body"), graph, (at, condition, *values)))
        return Iteration(None if going is None else first, made[: len(begin)], made[len(begin) :])

    trips = None if trips is None else c.cast(c.reshape(trips, ()), "int64")
    left, rows = loop(c.graph, trips, None if going is None else c.reshape(going, ()), begin, step)
    return (*left, *rows)


def _scan(c: Call) -> tuple[Held, ...]:
    if c.version < 9:
        raise Refusal("Scan of version 8")
    scanned = int(c.attr("num_scan_inputs"))
    count = len(c.inputs) - scanned
    carried: list[Held] = list(c.inputs[:count])
    xs = c.tensors[count:]
    axes = [c.axis(a, x.rank) for a, x in zip(c.ints("scan_input_axes", (0,) * scanned), xs, strict=True)]
    backs = c.ints("scan_input_directions", (0,) * scanned)
    steps = xs[0].dims[axes[0]].value
    if steps is None or not 0 < steps <= MOST_UNROLLED:
        return _scanned(c, list(carried), list(zip(xs, axes, backs, strict=True)))
    rows = []
    for t in range(steps):
        parts = [_row(c, x, axis, steps - 1 - t if back else t) for x, axis, back in zip(xs, axes, backs, strict=True)]
        made = c.run(c.attr("body"), c.graph, (*carried, *parts))
        carried = list(made[:count])
        rows.append(_tensors(made[count:]))
    number = len(rows[0])
    out_axes, out_backs = (c.ints(f"scan_output_{what}", (0,) * number) for what in ("axes", "directions"))
    outs = []
    for i in range(number):
        axis = c.axis(out_axes[i], rows[0][i].rank + 1)
        outs.append(_stacked(c, [r[i] for r in rows], axis, bool(out_backs[i])))
    return (*carried, *outs)


def _scanned(c: Call, carried: Sequence[Held], xs: Sequence[tuple[Value, int, int]]) -> tuple[Held, ...]:
    """Steps as many as the sizes say, which are not known."""
    begin = _tensors(carried)

    def step(graph: Graph, values: Sequence[Value], parts: Sequence[Value]) -> Iteration:
        made = _tensors(c.run(c.attr("body"), graph, (*values, *parts)))
        return Iteration(None, made[: len(begin)], made[len(begin) :])

    left, rows = scan(c.graph, begin, [Scanned(x, axis, bool(back)) for x, axis, back in xs], step)
    out_axes, out_backs = (c.ints(f"scan_output_{what}", (0,) * len(rows)) for what in ("axes", "directions"))
    outs = []
    for row, to, back in zip(rows, out_axes, out_backs, strict=True):
        stacked = c.cut(row, 0, -1, None, -1) if back else row
        order = list(range(1, stacked.rank))
        order.insert(c.axis(to, stacked.rank), 0)
        outs.append(c.transpose(stacked, order))
    return (*left, *outs)


def _row(c: Call, x: Value, axis: int, at: int) -> Value:
    made = c.cut(x, axis, at, at + 1)
    return c.reshape(made, (*made.dims[:axis], *made.dims[axis + 1 :]))


# -- sequences ---------------------------------------------------------------------------------------------------------


def _at(c: Call) -> Value:
    sequence = _sequence(c, 0)
    place = _place(c, 1, len(sequence))
    if place is None or place >= len(sequence):
        raise Refusal(f"position {place} of a sequence of {len(sequence)}")
    return sequence[place]


def _insert(c: Call) -> list[Value]:
    sequence = _sequence(c, 0)
    place = _place(c, 2, len(sequence))
    place = len(sequence) if place is None else place
    return [*sequence[:place], c[1], *sequence[place:]]


def _erase(c: Call) -> list[Value]:
    sequence = _sequence(c, 0)
    place = _place(c, 1, len(sequence))
    place = len(sequence) - 1 if place is None else place
    return [*sequence[:place], *sequence[place + 1 :]]


def _join(c: Call) -> Value:
    sequence = _sequence(c, 0)
    if not sequence:
        raise Refusal("the concatenation of an empty sequence")
    rank = sequence[0].rank
    if c.attr("new_axis"):
        return _stacked(c, sequence, c.axis(c.attr("axis"), rank + 1))
    return sequence[0] if len(sequence) == 1 else c.do("concat", *sequence, axis=c.axis(c.attr("axis"), rank))


def _split(c: Call) -> list[Value]:
    x, axis = c.x, c.axis(c.attr("axis", 0), c.x.rank)
    size, given = c.size(x, axis), c.maybe(1)
    if given is None:
        if size > MOST_PARTS:
            raise Refusal(f"a sequence of {size} tensors; expected at most {MOST_PARTS}")
        parts = [_row(c, x, axis, i) for i in range(size)]
        return parts if not c.attr("keepdims", 1) else [c.cut(x, axis, i, i + 1) for i in range(size)]
    lengths = c.whole(given, "the lengths")
    if not given.rank:
        (each,) = lengths
        if each < 1 or -(-size // each) > MOST_PARTS:
            raise Refusal(f"a dimension of {size} in parts of {each}; expected 1 to {MOST_PARTS} parts")
        lengths = tuple(min(each, size - at) for at in range(0, size, each))
    ends = np.cumsum(lengths).tolist()
    return [c.cut(x, axis, a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _length(c: Call) -> Value:
    return c.graph.constant(np.asarray(len(_sequence(c, 0)), np.int64))


def _map(c: Call) -> tuple[Held, ...]:
    sequence, rest = _sequence(c, 0), c.inputs[1:]
    rows = []
    for i, x in enumerate(sequence):
        others = [r[i] if isinstance(r, list) else r for r in rest]
        rows.append(_tensors(c.run(c.attr("body"), c.graph, (x, *others))))
    return tuple([r[i] for r in rows] for i in range(len(rows[0]) if rows else len(c.outputs)))


def _has_element(c: Call) -> Value:
    return c.graph.constant(np.asarray(bool(c.inputs) and c.inputs[0] is not None))


def _get_element(c: Call) -> Held:
    if c.inputs[0] is None:
        raise Refusal("the element of an optional that is empty")
    return c.inputs[0]


ROWS = (
    Row("If", _if),
    Row("Loop", _loop),
    Row("Scan", _scan),
    Row("SequenceConstruct", lambda c: list(c.tensors)),
    Row("SequenceEmpty", lambda c: []),
    Row("SequenceAt", _at),
    Row("SequenceInsert", _insert),
    Row("SequenceErase", _erase),
    Row("SequenceLength", _length),
    Row("SequenceMap", _map),
    Row("ConcatFromSequence", _join),
    Row("SplitToSequence", _split),
    Row("Optional", lambda c: c.inputs[0] if c.inputs else None),
    Row("OptionalHasElement", _has_element),
    Row("OptionalGetElement", _get_element),
)
