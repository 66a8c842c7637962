"""ATen's recurrent layers whole, as exported programs have them: of several layers and both directions, at any length.

The rows of torch's weights are in an order of its own, which the cells are told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.recurrent_layers import Cell, Function, Layer, gru, lstm, rnn, stacked
from anytile.importers.core.writer import Writer
from anytile.importers.torch.aten.aten_elementwise import refuse_dropout
from anytile.importers.torch.graph.aten_call import Call, Row

_LSTM = 2  # what torch counts kinds of layers by


def _function(name: str) -> Function:
    def applied(c: Writer, x: Value) -> Value:
        return c.do(name, x)

    return applied


def _recurrent(cell: Cell, order: str, *names: str) -> Callable[[Call], tuple[Value, ...]]:
    functions = [_function(name) for name in names]

    def means(c: Call) -> tuple[Value, ...]:
        if "batch_sizes" in c.args:
            raise Refusal("a packed sequence; expected a padded one, as before pack_padded_sequence")
        layers, both = c.count("num_layers"), bool(c.arg("bidirectional"))
        if layers > 1:
            refuse_dropout(c, c.arg("dropout"))
        backs = (False, True) if both else (False,)
        params = _params(c, layers * len(backs))
        given = c.tensors("hx") if isinstance(c.arg("hx"), list) else [c["hx"]]
        x = c.transpose(c.x, (1, 0, 2)) if c.arg("batch_first") else c.x
        ends: list[list[Value]] = []
        for _ in range(layers):
            rows = []
            for back in backs:
                at = len(ends)
                layer = _layer(c, order, params[at], functions)
                begin = [c.reshape(c.cut(h, 0, at, at + 1), (x.dims[1], layer.hidden)) for h in given]
                row, left = layer.run(cell, x, begin, back=back)
                rows.append(row)
                ends.append(left)
            x = c.do("concat", *rows, axis=2) if both else rows[0]
        y = c.transpose(x, (1, 0, 2)) if c.arg("batch_first") else x
        return (y, *(stacked(c, [end[s] for end in ends]) for s in range(len(given))))

    return means


def _one_direction(c: Call) -> tuple[Value | None, ...]:
    """One direction of one layer, as torch.compile hands LSTMs over that torch lets it see (`allow_rnn`)."""
    if c.count("mode") != _LSTM or c.count("num_layers") != 1 or c.arg("bidirectional") or c.ints("batch_sizes"):
        raise Refusal("a layer of another kind than one padded direction of an LSTM")
    x = c.transpose(c.x, (1, 0, 2)) if c.arg("batch_first") else c.x
    params = [c[f"weight{i}"] for i in range(4 if c.arg("has_biases") else 2)]  # else the others are anything
    layer = _layer(c, "ifco", params, [_function(name) for name in ("sigmoid", "tanh", "tanh")])
    begin = [c.reshape(c[name], (x.dims[1], layer.hidden)) for name in ("hx_", "cx_")]
    row, left = layer.run(lstm, x, begin, back=bool(c.arg("reverse")))
    y = c.transpose(row, (1, 0, 2)) if c.arg("batch_first") else row
    return (y, *(stacked(c, [state]) for state in left), None)


def _params(c: Call, count: int) -> list[list[Value]]:
    """The weights of each layer's directions, and the biases, if they have some."""
    params, each = c.tensors("params"), 4 if c.arg("has_biases") else 2
    if len(params) == (each + 1) * count:
        raise Refusal("a projection of its state (proj_size); expected a layer without one")
    if len(params) != each * count:
        raise Refusal(f"{len(params)} weights of {count} directions; expected {each} for each")
    return [params[at : at + each] for at in range(0, len(params), each)]


def _layer(c: Call, order: str, params: Sequence[Value], functions: Sequence[Function]) -> Layer:
    w, recurrent, *biases = params
    bias_x, bias_h = biases or (None, None)
    hidden = c.size(recurrent, 1)
    return Layer(c, order, hidden, w, recurrent, bias_x, bias_h, functions, linear_before_reset=True)


ROWS = (
    Row("lstm", _recurrent(lstm, "ifco", "sigmoid", "tanh", "tanh")),
    Row("mkldnn_rnn_layer", _one_direction),
    Row("gru", _recurrent(gru, "rzh", "sigmoid", "tanh")),
    Row("rnn_tanh", _recurrent(rnn, "h", "tanh")),
    Row("rnn_relu", _recurrent(rnn, "h", "relu")),
)
