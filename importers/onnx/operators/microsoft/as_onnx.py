"""Operators of com.microsoft that ONNX has, too, or had not when onnxruntime made its own: the same in other words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators import images, indexing, shapes
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import const

_OF_ONNX = {row.name: row.means for module in (images, indexing, shapes) for row in module.ROWS}
_VERSION = 20  # of ONNX's operators that are meant


def _said(c: Call, name: str, *inputs: Value | None, **attributes: Any) -> Any:
    """What ONNX's operator makes of these."""
    return _OF_ONNX[name](replace(c, op=name, version=_VERSION, inputs=inputs, attributes=attributes))


def _same(name: str, inputs: int, attributes: Mapping[str, Any]) -> Row:
    """An operator that is ONNX's."""

    def means(c: Call) -> Any:
        return _said(c, name, *(c.maybe(i) for i in range(inputs)), **c.attributes)

    return row(name, means, inputs, attributes)


def _pad(c: Call) -> Value:
    """Pads may be a matrix of one row."""
    pads, value = c[1], c.maybe(2)
    made: Value = _said(c, "Pad", c.x, c.reshape(pads, (math.prod(pads.dims, start=const(1)),)), value, **c.attributes)
    return made


def _range(c: Call) -> Value:
    """Its numbers may be tensors of one element."""
    start, stop, step = c.x, c[1], c.maybe(2)
    step = c.number(1, start) if step is None else step
    made: Value = _said(c, "Range", *(c.reshape(v, ()) for v in (start, stop, step)))
    return made


def _unique(c: Call) -> tuple[Value, ...]:
    """In the order in which they come, with where each element's value is among them, and how often."""
    if c.x.rank != 1:
        raise Refusal(f"Unique of {c.x.shaped}; expected one dimension")
    values, _, inverse, counts = _said(c, "Unique", c.x, sorted=0)
    return values, inverse, counts


def _expand_dims(c: Call) -> Value:
    x = c.x
    (axis,) = c.whole(c[1], "the axis")
    at = c.axis(axis, x.rank + 1)
    return c.reshape(x, (*x.dims[:at], 1, *x.dims[at:]))


def _unfold(c: Call) -> Value:
    """All windows along a dimension, the elements of each behind all other dimensions."""
    x, size, step = c.x, int(c.attr("size", 0)), int(c.attr("step"))
    axis = c.axis(c.attr("dim"), x.rank)
    if size < 1 or step < 1:
        raise Refusal(f"size={size}, step={step}; expected at least 1")
    x = c.at_least(x, [size if i == axis else 0 for i in range(x.rank)])
    return c.windows(x, axis, size, step, (x.dims[axis] - size) // step + 1)


ROWS = (
    _same("Trilu", 2, {"upper": 1}),
    _same("GatherND", 2, {}),
    _same("GridSample", 2, {"mode": "bilinear", "padding_mode": "zeros", "align_corners": 0}),
    row("Pad", _pad, "d i64 d", {"mode": "constant"}),
    row("Range", _range, 3),
    row("Unique", _unique, 1),
    row("ExpandDims", _expand_dims, "* i32"),
    row("UnfoldTensor", _unfold, 1, {"dim": -1, "size": int, "step": 1}),
)
