"""ATen's recurrent layers whole, as exported programs have them: of several layers and both directions, at any length.

The rows of torch's weights are in an order of its own, which the cells are told. Traces of tensors on a GPU have layers
of cuDNN and fused cells, which are the same but for what gradients would need, and say so in other arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.recurrent_layers import Cell, Function, Layer, gru, lstm, rnn, stacked
from anytile.importers.core.writer import Writer
from anytile.importers.torch.aten.aten_elementwise import refuse_dropout
from anytile.importers.torch.graph.aten_call import Call, Row

_LSTM = 2  # what torch counts kinds of layers by, as cuDNN does
_PACKED = "a packed sequence; expected a padded one, as before pack_padded_sequence"
_PROJECTION = "a projection of its state (proj_size); expected a layer without one"


def _function(name: str) -> Function:
    def applied(c: Writer, x: Value) -> Value:
        return c.do(name, x)

    return applied


@dataclass(frozen=True)
class _Kind:
    """A kind of layers: its cell, the order of its gates, and its functions."""

    cell: Cell
    order: str
    functions: Sequence[Function]

    @classmethod
    def of(cls, cell: Cell, order: str, *names: str) -> _Kind:
        return cls(cell, order, [_function(name) for name in names])

    def layer(self, c: Call, params: Sequence[Value]) -> Layer:
        w, recurrent, *biases = params
        bias_x, bias_h = biases or (None, None)
        hidden = c.size(recurrent, 1)
        return Layer(c, self.order, hidden, w, recurrent, bias_x, bias_h, self.functions, linear_before_reset=True)

    def stack(self, c: Call, layers: int, params: Sequence[Sequence[Value]], given: Sequence[Value]) -> list[Value]:
        """All layers, each of whose directions has its `params`, on from the states `given` for all of them: the rows
        of the last, and the states that are left."""
        x = c.transpose(c.x, (1, 0, 2)) if c.arg("batch_first") else c.x
        ends: list[list[Value]] = []
        for _ in range(layers):
            rows = []
            for back in (False, True)[: len(params) // layers]:
                at = len(ends)
                layer = self.layer(c, params[at])
                begin = [c.reshape(c.cut(h, 0, at, at + 1), (x.dims[1], layer.hidden)) for h in given]
                row, left = layer.run(self.cell, x, begin, back=back)
                rows.append(row)
                ends.append(left)
            x = c.do("concat", *rows, axis=2) if len(rows) > 1 else rows[0]
        y = c.transpose(x, (1, 0, 2)) if c.arg("batch_first") else x
        return [y, *(stacked(c, [end[s] for end in ends]) for s in range(len(given)))]


LSTM = _Kind.of(lstm, "ifco", "sigmoid", "tanh", "tanh")
GRU = _Kind.of(gru, "rzh", "sigmoid", "tanh")
TANH, RELU = (_Kind.of(rnn, "h", name) for name in ("tanh", "relu"))
_CUDNN = (RELU, TANH, LSTM, GRU)  # by its numbers


def _recurrent(kind: _Kind) -> Callable[[Call], tuple[Value, ...]]:
    def means(c: Call) -> tuple[Value, ...]:
        if "batch_sizes" in c.args:
            raise Refusal(_PACKED)
        given = c.tensors("hx") if isinstance(c.arg("hx"), list) else [c["hx"]]
        layers = _layers(c)
        return tuple(kind.stack(c, layers, _params(c, "params", layers, 4 if c.arg("has_biases") else 2), given))

    return means


def _cudnn(c: Call) -> tuple[Value | None, ...]:
    """Layers of any kind, with the states apart; the weights are there one by one, beside the buffer that has them all.
    Behind the states comes what gradients would need, and that buffer."""
    if c.ints("batch_sizes"):
        raise Refusal(_PACKED)
    if c.count("proj_size"):
        raise Refusal(_PROJECTION)
    kind, layers = _CUDNN[c.count("mode")], _layers(c)
    given = [c["hx"], c["cx"]] if kind is LSTM else [c["hx"]]
    y, *states = kind.stack(c, layers, _params(c, "weight", layers, c.count("weight_stride0")), given)
    return (y, *states, *[None] * (4 - len(states)))


def _layers(c: Call) -> int:
    found = c.count("num_layers")
    if found > 1:
        refuse_dropout(c, c.arg("dropout"))
    return found


@dataclass(frozen=True, slots=True)
class _Multiplied(Layer):
    """A layer whose product with the state somebody made: `recurrent` is that, of all gates."""

    def again(self, h: Value, first: int = 0, last: int | None = None) -> Value:
        made = self.plus(self.recurrent, self.bias_h)
        return made if last is None else self.writer.cut(made, 1, first * self.hidden, last * self.hidden)


def _fused(kind: _Kind, state: str) -> Callable[[Call], tuple[Value | None, ...]]:
    """One step of a cell whose two products are made; behind the states comes what gradients would need."""

    def means(c: Call) -> tuple[Value | None, ...]:
        own, gates = c[state], c["hidden_gates"]
        biases = c.maybe("input_bias"), c.maybe("hidden_bias")
        hidden = c.size(own, 1)
        layer = _Multiplied(c, kind.order, hidden, gates, gates, *biases, kind.functions, linear_before_reset=True)
        states = [own, own] if kind is LSTM else [own]  # of an LSTM h is in its product alone
        return (*kind.cell(layer, layer.plus(c["input_gates"], layer.bias_x), states), None)

    return means


def _one_direction(c: Call) -> tuple[Value | None, ...]:
    """One direction of one layer, as torch.compile hands LSTMs over that torch lets it see (`allow_rnn`)."""
    if c.count("mode") != _LSTM or c.count("num_layers") != 1 or c.arg("bidirectional") or c.ints("batch_sizes"):
        raise Refusal("a layer of another kind than one padded direction of an LSTM")
    x = c.transpose(c.x, (1, 0, 2)) if c.arg("batch_first") else c.x
    params = [c[f"weight{i}"] for i in range(4 if c.arg("has_biases") else 2)]  # else the others are anything
    layer = LSTM.layer(c, params)
    begin = [c.reshape(c[name], (x.dims[1], layer.hidden)) for name in ("hx_", "cx_")]
    row, left = layer.run(lstm, x, begin, back=bool(c.arg("reverse")))
    y = c.transpose(row, (1, 0, 2)) if c.arg("batch_first") else row
    return (y, *(stacked(c, [state]) for state in left), None)


def _params(c: Call, name: str, layers: int, each: int) -> list[list[Value]]:
    """The weights of each layer's directions, and the biases, if they have some."""
    params, count = c.tensors(name), layers * (2 if c.arg("bidirectional") else 1)
    if len(params) == (each + 1) * count:
        raise Refusal(_PROJECTION)
    if len(params) != each * count:
        raise Refusal(f"{len(params)} weights of {count} directions; expected {each} for each")
    return [params[at : at + each] for at in range(0, len(params), each)]


ROWS = (
    Row("lstm", _recurrent(LSTM)),
    Row("mkldnn_rnn_layer", _one_direction),
    Row("gru", _recurrent(GRU)),
    Row("rnn_tanh", _recurrent(TANH)),
    Row("rnn_relu", _recurrent(RELU)),
    Row("_cudnn_rnn", _cudnn),
    Row("_thnn_fused_lstm_cell", _fused(LSTM, "cx")),
    Row("_thnn_fused_gru_cell", _fused(GRU, "hx")),
)
