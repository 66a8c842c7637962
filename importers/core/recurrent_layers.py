"""Recurrent layers: cells of an RNN, a GRU and an LSTM, few steps written one after the other, many as a loop.

The products with the inputs of all steps are made at once. Where sequences have lengths of their own, a step beyond one
keeps the state and makes a row of zeros. Frameworks order the gates of a row in ways of their own, so a layer says how.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anytile.importers.core.graph import Graph, Value
from anytile.importers.core.loops import Iteration, loop
from anytile.importers.core.writer import Writer

MOST_STEPS = 64  # that are written one after the other: a loop costs 0.1 us a step more, and a tenth to compile

Function = Callable[[Writer, Value], Value]
Product = Callable[[Writer, Value, Value], Value]  # of rows and a weight
Run = tuple[Value, list[Value]]  # the rows of all steps in their order, and the states behind the last


def of_floats(writer: Writer, x: Value, w: Value) -> Value:
    """The product as weights of floats have it."""
    return writer.do("dense", x, w)


@dataclass(frozen=True, slots=True)
class Layer:
    """One direction of a layer: `w` reads the inputs and `recurrent` the state, each with the rows of all gates one
    below the other, a letter each in `order`, and both by a `product`; `functions` are those of the cell."""

    writer: Writer
    order: str
    hidden: int
    w: Value
    recurrent: Value
    bias_x: Value | None
    bias_h: Value | None
    functions: Sequence[Function]
    peepholes: Value | None = None  # of i, o and f, one below the other
    input_forget: bool = False  # an LSTM forgets as much as it takes in
    linear_before_reset: bool = False  # a GRU resets the product with the state, and not the state
    product: Product = of_floats
    cut: dict[tuple[Graph, Value, int, int], Value] = field(
        default_factory=dict, repr=False
    )  # rows, once for all steps

    def gate(self, x: Value, letter: str) -> Value:
        at = self.order.index(letter) * self.hidden
        return self.writer.cut(x, x.rank - 1, at, at + self.hidden)

    def rows(self, w: Value, first: int, last: int) -> Value:
        """The rows of a weight or bias that some gates have."""
        key = (self.writer.graph, w, first, last)
        if key not in self.cut:
            self.cut[key] = self.writer.cut(w, 0, first * self.hidden, last * self.hidden)
        return self.cut[key]

    def again(self, h: Value, first: int = 0, last: int | None = None) -> Value:
        """The product of a state with the weights of all gates, or of some, and their bias."""
        w, bias = self.recurrent, self.bias_h
        if last is not None:
            w, bias = self.rows(w, first, last), None if bias is None else self.rows(bias, first, last)
        return self.plus(self.product(self.writer, h, w), bias)

    def plus(self, a: Value, b: Value | None) -> Value:
        return a if b is None else self.writer.do("add", a, b)

    def run(
        self, cell: Cell, x: Value, begin: Sequence[Value], lengths: Value | None = None, back: bool = False
    ) -> Run:
        """The layer over x[steps, batch, width], from the states before the first step on; `back` begins at the end."""
        products = self.plus(self.product(self.writer, x, self.w), self.bias_x)
        steps = x.dims[0].value
        walk = _walked if steps is not None and 0 < steps <= MOST_STEPS else _looped
        return walk(self, cell, products, begin, lengths, back)


Cell = Callable[[Layer, Value, Sequence[Value]], list[Value]]  # of the product with one input, and the states


def rnn(layer: Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    """One gate, whose function makes the state."""
    (h,), (f,), c = states, layer.functions, layer.writer
    return [f(c, c.do("add", x, layer.again(h)))]


def gru(layer: Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    """Gates z and r in either order, and h behind them."""
    (h,), (f, g), c = states, layer.functions, layer.writer
    both = layer.again(h, 0, 2)
    z, r = (f(c, c.do("add", layer.gate(x, letter), layer.gate(both, letter))) for letter in "zr")
    if layer.linear_before_reset:
        again = c.do("multiply", r, layer.again(h, 2, 3))
    else:
        again = layer.again(c.do("multiply", r, h), 2, 3)
    n = g(c, c.do("add", layer.gate(x, "h"), again))
    return [c.do("add", n, c.do("multiply", z, c.do("subtract", h, n)))]


def lstm(layer: Layer, x: Value, states: Sequence[Value]) -> list[Value]:
    """Gates i, o, f, c; peepholes look at the cell, that of the output gate at the new one."""
    (h, cell), (f, g, last), c = states, layer.functions, layer.writer
    total = c.do("add", x, layer.again(h))

    def made_by(letter: str, seen: Value) -> Value:
        value = layer.gate(total, letter)
        if layer.peepholes is not None:
            at = "iof".index(letter)
            value = c.do("add", value, c.do("multiply", seen, layer.rows(layer.peepholes, at, at + 1)))
        return f(c, value)

    i = made_by("i", cell)
    forget = c.do("subtract", c.number(1, i), i) if layer.input_forget else made_by("f", cell)
    made = c.do("add", c.do("multiply", forget, cell), c.do("multiply", i, g(c, layer.gate(total, "c"))))
    return [c.do("multiply", made_by("o", made), last(c, made)), made]


def stacked(c: Writer, parts: Sequence[Value], axis: int = 0) -> Value:
    """Values of one shape side by side along a new axis."""
    wide = [c.reshape(p, (*p.dims[:axis], 1, *p.dims[axis:])) for p in parts]
    return wide[0] if len(wide) == 1 else c.do("concat", *wide, axis=axis)


def _step(layer: Layer, cell: Cell, x: Value, at: Value, states: Sequence[Value], lengths: Value | None) -> list[Value]:
    """A row of one step and the states behind it; where sequences have ended, zeros and the states as they were."""
    c = layer.writer
    made = cell(layer, x, states)
    if lengths is None:
        return [made[0], *made]
    inside = c.do("less", at, c.reshape(c.cast(lengths, "int64"), (*lengths.dims, 1)))
    kept = (c.do("where", inside, new, old) for new, old in zip(made, states, strict=True))
    return [c.do("where", inside, made[0], c.number(0, made[0])), *kept]


def _walked(
    layer: Layer, cell: Cell, products: Value, begin: Sequence[Value], lengths: Value | None, back: bool
) -> Run:
    c, steps, states = layer.writer, layer.writer.size(products, 0), list(begin)
    rows: list[Value] = []
    for t in reversed(range(steps)) if back else range(steps):
        at = c.graph.constant(np.asarray(t))
        own = c.do("take", products, c.reshape(at, (1,)), axis=0)  # one kernel for all steps, which a slice is not
        row, *states = _step(layer, cell, c.reshape(own, own.dims[1:]), at, states, lengths)
        rows.append(row)
    return stacked(c, rows[::-1] if back else rows), states


def _looped(
    layer: Layer, cell: Cell, products: Value, begin: Sequence[Value], lengths: Value | None, back: bool
) -> Run:
    """The same of steps whose number only the sizes say."""
    c, steps = layer.writer, products.dims[0]

    def step(graph: Graph, at: Value, states: Sequence[Value]) -> Iteration:
        w = Writer(graph)
        place = w.do("subtract", w.scalar(steps - 1), at) if back else at
        taken = w.do("take", products, w.reshape(place, (1,)), axis=0)
        own = replace(layer, writer=w)
        row, *made = _step(own, cell, w.reshape(taken, products.dims[1:]), place, states, lengths)
        return Iteration(None, made, [row])

    left, (rows,) = loop(c.graph, c.scalar(steps), None, begin, step)
    y = c.reshape(rows, (steps, *rows.dims[1:]))
    return (c.cut(y, 0, -1, None, -1) if back else y), left
