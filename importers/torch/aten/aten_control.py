"""Torch's control flow: `cond` is a branch of the model language, loops and scans are its loops.

What torch carries as Python's numbers (ints, bools, floats) are tensors without dimensions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.loops import Iteration, Scanned, loop, scan
from anytile.importers.torch.aten.aten_elementwise import truth
from anytile.importers.torch.aten.aten_shapes import row_at
from anytile.importers.torch.graph.aten_call import Call, Held, Row
from anytile.schedules.index.expr import const


def _value(c: Call, held: Held) -> Value:
    if held is None or isinstance(held, str | list | tuple):
        raise Refusal("a branch or a loop that gives what is neither a tensor nor a number")
    return c.valued(held, "float64" if isinstance(held, float) else "")


def _values(c: Call, graph: Graph, made: Sequence[Held]) -> list[Value]:
    within = replace(c, graph=graph)
    return [_value(within, m) for m in made]


def _asked(c: Call, graph: Graph, held: Held) -> Value:
    """What decides, as one bool."""
    within = replace(c, graph=graph)
    return within.reshape(truth(within, _value(within, held)), ())


def _cond(c: Call) -> tuple[Value, ...]:
    which, then, otherwise, *rest = c.args.values()
    operands = list(rest[0]) if rest else []
    condition = _asked(c, c.graph, which)
    known = condition.number
    if known is not None:
        return tuple(_values(c, c.graph, c.run(then if known else otherwise, c.graph, operands)))

    return c.graph.if_(
        condition,
        lambda graph: _values(c, graph, c.run(then, graph, operands)),
        lambda graph: _values(c, graph, c.run(otherwise, graph, operands)),
    )


def _while(c: Call) -> tuple[Value, ...]:
    asks, body, carried, more = list(c.args.values())[:4]
    begin = _values(c, c.graph, carried)

    def going(graph: Graph, values: Sequence[Value]) -> Value:
        (asked,) = c.run(asks, graph, (*values, *more))
        return _asked(c, graph, asked)

    def step(graph: Graph, at: Value, values: Sequence[Value]) -> Iteration:
        made = _values(c, graph, c.run(body, graph, (*values, *more)))
        return Iteration(going(graph, made), made)

    left, _ = loop(c.graph, None, going(c.graph, begin), begin, step)
    return tuple(left)


def _scanned(c: Call, body: Held, begin: Sequence[Held], xs: Sequence[Held], more: Sequence[Held]) -> tuple[Value, ...]:
    carried = _values(c, c.graph, begin)

    def step(graph: Graph, values: Sequence[Value], parts: Sequence[Value]) -> Iteration:
        made = _values(c, graph, c.run(body, graph, (*values, *parts, *more)))
        return Iteration(None, made[: len(carried)], made[len(carried) :])

    left, rows = scan(c.graph, carried, [Scanned(_value(c, x)) for x in xs], step)
    return (*left, *rows)


def _scan(c: Call) -> tuple[Value, ...]:
    body, begin, xs, more = list(c.args.values())[:4]
    return _scanned(c, body, begin, xs, more)


def _map(c: Call) -> tuple[Value, ...]:
    body, xs, more = list(c.args.values())[:3]
    return _scanned(c, body, (), xs, more)


def _associative_scan(c: Call) -> tuple[Value, ...]:
    """Rows combined with all before them, one after the other; of one row alone torch gives that."""
    body, xs, more = list(c.args.values())[:3]
    values = _values(c, c.graph, xs)
    first = [row_at(c, x, 0, const(0)) for x in values]

    def step(graph: Graph, before: Sequence[Value], parts: Sequence[Value]) -> Iteration:
        made = _values(c, graph, c.run(body, graph, (*before, *parts, *more)))
        return Iteration(None, made, made)

    _, rows = scan(c.graph, first, [Scanned(c.cut(x, 0, 1, None)) for x in values], step)
    top = [c.reshape(f, (const(1), *f.dims)) for f in first]
    return tuple(c.do("concat", t, r, axis=0) for t, r in zip(top, rows, strict=True))


def _without_gradients(c: Call) -> tuple[Held, ...]:
    _, body, *given = c.args.values()
    return c.run(body, c.graph, given)


def _without_autocast(c: Call) -> tuple[Held, ...]:
    device, _, enabled, _, body, *given = c.args.values()
    if enabled:
        raise Refusal(f"autocast of {device}")
    return c.run(body, c.graph, given)


ROWS = (
    Row("wrap_with_set_grad_enabled", _without_gradients),
    Row("wrap_with_autocast", _without_autocast),
    Row("cond", _cond),
    Row("while_loop", _while),
    Row("scan", _scan),
    Row("map_impl", _map),
    Row("associative_scan", _associative_scan),
)
