"""Biases of com.microsoft: what is added before something else, in the same node."""

from __future__ import annotations

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.reductions import softmax_behind
from anytile.importers.onnx.operators.shapes import dropout
from anytile.importers.onnx.proto.call import Call


def _added(c: Call) -> Value:
    return c.do("add", c.do("add", c.x, c[1]), c[2])


def _dropout(c: Call) -> tuple[Value | None, ...]:
    """Nothing is dropped from the sum of a tensor and a bias, to which a residual is added."""
    made = dropout(c, c.do("add", c.x, c[1]), c.maybe(3), c.maybe(4))
    residual = c.maybe(2)
    return made if residual is None else (c.do("add", made[0], residual), *made[1:])


def _softmax(c: Call) -> Value:
    """Over everything from an axis on, as one dimension. What the bias lacks of the tensor's sizes is 1 in it."""
    x, bias = c.x, c[1]
    axis = c.axis(c.attr("axis"), x.rank)
    if bias.rank > x.rank:
        raise Refusal(f"a bias {bias.shaped} of {x.shaped}; expected at most as many dimensions")
    return softmax_behind(c, c.do("add", x, bias), axis)


ROWS = (
    row("BiasAdd", _added, "f f f"),
    row("BiasDropout", _dropout, "d d d * bool", {"seed": int}),
    row("BiasSoftmax", _softmax, "d d", {"axis": 1, "is_inner_broadcast": int}),
)
