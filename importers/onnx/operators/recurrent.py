"""ONNX's recurrent layers: RNN, GRU and LSTM, whose attributes and inputs say what each direction of a layer is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.recurrent_layers import Cell, Function, Layer, Product, gru, of_floats, rnn, stacked
from anytile.importers.core.recurrent_layers import lstm as lstm_cell
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const

_ACTIVATIONS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


Weight = Callable[[Call, int, int], Value]  # of the input at a place, for a direction


def of_direction(c: Call, at: int, direction: int) -> Value:
    """What an input has for a direction."""
    made = c.cut(c[at], 0, direction, direction + 1)
    return c.reshape(made, made.dims[1:])


def _layer(c: Call, direction: int, order: str, weight: Weight, product: Product) -> Layer:
    """One direction of a layer."""
    hidden = int(c.attr("hidden_size") or c.size(c[2], 2))
    bias, width = _own(c, 3, direction), len(order) * hidden
    return Layer(
        c,
        order,
        hidden,
        weight(c, 1, direction),
        weight(c, 2, direction),
        None if bias is None else c.cut(bias, 0, 0, width),
        None if bias is None else c.cut(bias, 0, width, 2 * width),
        _functions(c, direction),
        _own(c, 7, direction),
        bool(c.attr("input_forget")),
        bool(c.attr("linear_before_reset")),
        product,
    )


def _own(c: Call, at: int, direction: int) -> Value | None:
    return None if c.maybe(at) is None else of_direction(c, at, direction)


def _functions(c: Call, direction: int) -> list[Function]:
    count = len(_DIRECTIONS[str(c.attr("direction", "forward"))])
    names = list(c.attr("activations") or ()) or list(_ACTIVATIONS[c.op]) * count
    each = len(_ACTIVATIONS[c.op])
    own = names[direction * each : (direction + 1) * each]
    if len(own) != each:
        raise Refusal(f"activations {names}; expected {each} for each direction")
    return [_function(name, float(c.attr("clip", 0.0))) for name in own]


def _function(name: str, limit: float) -> Function:
    found = {"sigmoid": "sigmoid", "tanh": "tanh", "relu": "relu"}.get(name.lower())
    if found is None:
        raise Refusal(f"the activation {name}")
    if limit:
        return lambda c, x: c.do(found, c.do("clip", x, min=-limit, max=limit))
    return lambda c, x: c.do(found, x)


def _recurrent(
    cell: Cell, order: str, states: int, weight: Weight = of_direction, product: Product = of_floats
) -> Callable[[Call], tuple[Value, ...]]:
    def means(c: Call) -> tuple[Value, ...]:
        direction = str(c.attr("direction", "forward"))
        if direction not in _DIRECTIONS:
            raise Refusal(f"direction={direction}; expected one of {', '.join(_DIRECTIONS)}")
        batch_first = bool(c.attr("layout"))
        x = c.transpose(c.x, (1, 0, 2)) if batch_first else c.x
        each = []
        for number, back in enumerate(_DIRECTIONS[direction]):
            layer = _layer(c, number, order, weight, product)
            begin = [_begin(c, at, layer.hidden, number, x.dims[1], batch_first) for at in (5, 6)[:states]]
            each.append(layer.run(cell, x, begin, c.maybe(4), back))
        y = stacked(c, [one[0] for one in each], 1)  # [steps, directions, batch, hidden]
        ends = [stacked(c, [one[1][s] for one in each]) for s in range(states)]
        if batch_first:
            y, ends = c.transpose(y, (2, 0, 1, 3)), [c.transpose(e, (1, 0, 2)) for e in ends]
        return (y, *ends)

    return means


def _begin(c: Call, at: int, hidden: int, direction: int, batch: Expr, batch_first: bool) -> Value:
    """The state before the first step: given, or zeros."""
    given = c.maybe(at)
    if given is None:
        return c.broadcast(c.graph.constant(np.zeros((1, hidden), np.float32)), (batch, const(hidden)))
    own = c.cut(given, 1 if batch_first else 0, direction, direction + 1)
    return c.reshape(own, (batch, hidden))


def lstm(weight: Weight = of_direction, product: Product = of_floats) -> Callable[[Call], tuple[Value, ...]]:
    """What an LSTM means whose weights, and products with them, are of some kind."""
    return _recurrent(lstm_cell, "iofc", 2, weight, product)


ROWS = (
    Row("RNN", _recurrent(rnn, "h", 1)),
    Row("GRU", _recurrent(gru, "zrh", 1)),
    Row("LSTM", lstm()),
)
