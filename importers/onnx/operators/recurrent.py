"""ONNX's recurrent layers: RNN, GRU and LSTM, few steps written one after the other, many or unknown ones as a loop.

The products with the inputs of all steps are made at once. Where sequences have lengths of their own, a step beyond one
keeps the state and makes a row of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.loops import Iteration, loop
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const

MOST_STEPS = 128  # that are written one after the other

Cell = Callable[["_Layer", Value, Sequence[Value]], list[Value]]


class _Layer:
    """One direction of a layer while it is written; gates stand side by side in a row, as ONNX orders them."""

    def __init__(self, c: Call, direction: int, gates: int, states: int) -> None:
        self.c, self.direction = c, direction
        self.hidden = int(c.attr("hidden_size") or c.size(c[2], 2))
        w, self.recurrent = (self.own(i) for i in (1, 2))
        bias = self.own(3)
        self.width = gates * self.hidden
        assert w is not None
        self.w = w
        self.bias_x = None if bias is None else c.cut(bias, 0, 0, self.width)
        self.bias_h = None if bias is None else c.cut(bias, 0, self.width, 2 * self.width)
        count = len(_DIRECTIONS[str(c.attr("direction", "forward"))])
        names = list(c.attr("activations") or ()) or list(_ACTIVATIONS[c.op]) * count
        each = len(_ACTIVATIONS[c.op])
        self.names = names[direction * each : (direction + 1) * each]
        if len(self.names) != each:
            raise Refusal(f"activations {names}; expected {each} for each direction")
        self.states = states

    def own(self, at: int) -> Value | None:
        """What an input has for this direction."""
        given = self.c.maybe(at)
        if given is None:
            return None
        made = self.c.cut(given, 0, self.direction, self.direction + 1)
        return self.c.reshape(made, made.dims[1:])

    @property
    def functions(self) -> list[Callable[[Value], Value]]:
        return [self._function(name) for name in self.names]

    def _function(self, name: str) -> Callable[[Value], Value]:
        found = {"sigmoid": "sigmoid", "tanh": "tanh", "relu": "relu"}.get(name.lower())
        if found is None:
            raise Refusal(f"the activation {name}")
        limit = float(self.c.attr("clip", 0.0))
        if limit:
            return lambda x: self.c.do(found, self.c.do("clip", x, min=-limit, max=limit))
        return lambda x: self.c.do(found, x)

    def within(self, graph: Graph) -> _Layer:
        """The same in another block."""
        made = copy(self)
        made.c = replace(self.c, graph=graph)
        return made

    def times(self, x: Value, w: Value) -> Value:
        """x[.., k] by w[n, k]."""
        return self.c.do("dense", x, w)

    def gate(self, x: Value, number: int) -> Value:
        return self.c.cut(x, x.rank - 1, number * self.hidden, (number + 1) * self.hidden)

    def rows(self, w: Value, first: int, last: int) -> Value:
        """The rows of a weight or bias that some gates have."""
        return self.c.cut(w, 0, first * self.hidden, last * self.hidden)

    def plus(self, a: Value, b: Value | None) -> Value:
        return a if b is None else self.c.do("add", a, b)


def _rnn(layer: _Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    (h,), c = states, layer.c
    assert layer.recurrent is not None
    again = layer.plus(layer.times(h, layer.recurrent), layer.bias_h)
    return [layer.functions[0](c.do("add", x, again))]


def _gru(layer: _Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    """Gates z, r, h."""
    (h,), c = states, layer.c
    f, g = layer.functions
    assert layer.recurrent is not None
    w, bias = layer.recurrent, layer.bias_h

    def part(b: Value | None, first: int, last: int) -> Value | None:
        return None if b is None else layer.rows(b, first, last)

    both = layer.plus(layer.times(h, layer.rows(w, 0, 2)), part(bias, 0, 2))
    z, r = (f(c.do("add", layer.gate(x, i), layer.gate(both, i))) for i in range(2))
    if c.attr("linear_before_reset"):
        again = c.do("multiply", r, layer.plus(layer.times(h, layer.rows(w, 2, 3)), part(bias, 2, 3)))
    else:
        again = layer.plus(layer.times(c.do("multiply", r, h), layer.rows(w, 2, 3)), part(bias, 2, 3))
    n = g(c.do("add", layer.gate(x, 2), again))
    return [c.do("add", n, c.do("multiply", z, c.do("subtract", h, n)))]


def _lstm(layer: _Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    """Gates i, o, f, c; peepholes look at the cell, that of the output gate at the new one."""
    (h, cell), c = states, layer.c
    f, g, last = layer.functions
    assert layer.recurrent is not None
    total = c.do("add", x, layer.plus(layer.times(h, layer.recurrent), layer.bias_h))
    peepholes = layer.own(7)

    def peep(value: Value, number: int, seen: Value) -> Value:
        if peepholes is None:
            return value
        return c.do("add", value, c.do("multiply", seen, layer.rows(peepholes, number, number + 1)))

    i = f(peep(layer.gate(total, 0), 0, cell))
    forget = c.do("subtract", c.number(1, i), i) if c.attr("input_forget") else f(peep(layer.gate(total, 2), 2, cell))
    made = c.do("add", c.do("multiply", forget, cell), c.do("multiply", i, g(layer.gate(total, 3))))
    o = f(peep(layer.gate(total, 1), 1, made))
    return [c.do("multiply", o, last(made)), made]


_ACTIVATIONS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


def _recurrent(cell: Cell, gates: int, states: int) -> Callable[[Call], tuple[Value, ...]]:
    def means(c: Call) -> tuple[Value, ...]:
        direction = str(c.attr("direction", "forward"))
        if direction not in _DIRECTIONS:
            raise Refusal(f"direction={direction}; expected one of {', '.join(_DIRECTIONS)}")
        batch_first = bool(c.attr("layout"))
        x = c.transpose(c.x, (1, 0, 2)) if batch_first else c.x
        steps, lengths = x.dims[0].value, c.maybe(4)
        walk = _walked if steps is not None and 0 < steps <= MOST_STEPS else _looped
        each = []
        for number, back in enumerate(_DIRECTIONS[direction]):
            layer = _Layer(c, number, gates, states)
            each.append(walk(layer, cell, x, lengths, back, batch_first))
        y = _stacked(c, [one[0] for one in each], 1)  # [steps, directions, batch, hidden]
        ends = [_stacked(c, [one[1][s] for one in each]) for s in range(states)]
        if batch_first:
            y, ends = c.transpose(y, (2, 0, 1, 3)), [c.transpose(e, (1, 0, 2)) for e in ends]
        return (y, *ends)

    return means


def _stacked(c: Call, parts: Sequence[Value], axis: int = 0) -> Value:
    wide = [c.reshape(p, (*p.dims[:axis], 1, *p.dims[axis:])) for p in parts]
    return wide[0] if len(wide) == 1 else c.do("concat", *wide, axis=axis)


def _begin(layer: _Layer, at: int, batch: Expr, batch_first: bool) -> Value:
    """The state before the first step: given, or zeros."""
    c = layer.c
    given = c.maybe(at)
    if given is None:
        return c.broadcast(c.graph.constant(np.zeros((1, layer.hidden), np.float32)), (batch, const(layer.hidden)))
    own = c.cut(given, 1 if batch_first else 0, layer.direction, layer.direction + 1)
    return c.reshape(own, (batch, layer.hidden))


def _begun(layer: _Layer, x: Value, batch_first: bool) -> tuple[Value, list[Value]]:
    """The products with the inputs of all steps, and the states before the first."""
    products = layer.plus(layer.times(x, layer.w), layer.bias_x)
    return products, [_begin(layer, at, x.dims[1], batch_first) for at in (5, 6)[: layer.states]]


def _step(
    layer: _Layer, cell: Cell, x: Value, at: Value, states: Sequence[Value], lengths: Value | None
) -> list[Value]:
    """A row of one step and the states behind it; where sequences have ended, zeros and the states as they were."""
    c = layer.c
    made = cell(layer, x, states)
    if lengths is None:
        return [made[0], *made]
    inside = c.do("less", at, c.reshape(c.cast(lengths, "int64"), (*lengths.dims, 1)))
    kept = (c.do("where", inside, new, old) for new, old in zip(made, states, strict=True))
    return [c.do("where", inside, made[0], c.number(0, made[0])), *kept]


def _walked(
    layer: _Layer, cell: Cell, x: Value, lengths: Value | None, back: bool, batch_first: bool
) -> tuple[Value, list[Value]]:
    """The rows of all steps in their order, and the states behind the last."""
    c, steps = layer.c, layer.c.size(x, 0)
    products, states = _begun(layer, x, batch_first)
    rows: list[Value] = []
    for t in reversed(range(steps)) if back else range(steps):
        own = c.cut(products, 0, t, t + 1)
        row, *states = _step(
            layer, cell, c.reshape(own, own.dims[1:]), c.graph.constant(np.asarray(t)), states, lengths
        )
        rows.append(row)
    return _stacked(c, rows[::-1] if back else rows), states


def _looped(
    layer: _Layer, cell: Cell, x: Value, lengths: Value | None, back: bool, batch_first: bool
) -> tuple[Value, list[Value]]:
    """The same of steps whose number only the sizes say."""
    c, steps = layer.c, x.dims[0]
    products, begin = _begun(layer, x, batch_first)

    def step(graph: Graph, at: Value, states: Sequence[Value]) -> Iteration:
        own = layer.within(graph)
        place = own.c.do("subtract", own.c.scalar(steps - 1), at) if back else at
        taken = own.c.do("take", products, own.c.reshape(place, (1,)), axis=0)
        row, *made = _step(own, cell, own.c.reshape(taken, products.dims[1:]), place, states, lengths)
        return Iteration(None, made, [row])

    left, (rows,) = loop(c.graph, c.scalar(steps), None, begin, step)
    y = c.reshape(rows, (steps, *rows.dims[1:]))
    return (c.cut(y, 0, -1, None, -1) if back else y), left


lstm = _recurrent(_lstm, 4, 2)
ROWS = (
    Row("RNN", _recurrent(_rnn, 1, 1)),
    Row("GRU", _recurrent(_gru, 3, 1)),
    Row("LSTM", lstm),
)
