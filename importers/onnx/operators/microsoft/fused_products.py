"""Products of com.microsoft: ONNX's own with factors that are transposed, scaled and activated in the same node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.activations import named
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.products import determinant, gemm, product
from anytile.importers.onnx.operators.scaled import transposed
from anytile.importers.onnx.proto.call import Call


def _matmul(c: Call) -> Value:
    a, b = (_turned(c, c[i], side) for i, side in enumerate("AB"))
    made = product(c, a, b)
    alpha = c.attr("alpha")
    return made if alpha == 1.0 else c.do("multiply", made, c.number(alpha, made))


def _turned(c: Call, x: Value, side: str) -> Value:
    """A factor by (batches, row, column): before it was transposed its first dimension may be that of rows, and its
    batches lie behind it."""
    if x.rank < 2:
        return x
    order = list(range(x.rank))
    if c.attr(f"transBatch{side}"):
        order = [*order[1:-1], 0, order[-1]]
    if c.attr(f"trans{side}"):
        order = [*order[:-2], order[-1], order[-2]]
    return transposed(c, x, tuple(order))


def _gemm_gelu(c: Call) -> Value:
    made = product(c, c.x, c[1])
    bias = c.maybe(2)
    return c.do("gelu_tanh", made if bias is None else c.do("add", made, bias))


def _distances(c: Call) -> Value:
    """Between each two rows: |a|^2 - 2 a b + |b|^2, which rounding may leave below 0."""
    a, b, metric = c.x, c[1], str(c.attr("metric"))
    if metric not in ("euclidean", "sqeuclidean") or a.rank != 2 or b.rank != 2:
        raise Refusal(f"metric={metric} of {a.shaped} and {b.shaped}; supported are euclidean, sqeuclidean of matrices")
    first, second = (c.do("sum", c.do("square", x), axis=(1,)) for x in (a, b))
    twice = c.do("multiply", c.do("dense", a, b), c.number(-2, a))
    total = c.do("add", c.do("add", twice, c.reshape(first, (*first.dims, 1))), second)
    total = c.do("maximum", total, c.number(0, total))
    return c.do("sqrt", total) if metric == "euclidean" else total


def _inverse(c: Call) -> Value:
    """The matrix of cofactors, transposed, over the determinant."""
    x = c.x
    whole = determinant(c, x)
    size = c.size(x, x.rank - 1)
    if size == 1:
        return c.do("reciprocal", x)
    left = np.asarray([[i for i in range(size) if i != gone] for gone in range(size)])
    for axis in (x.rank - 2, x.rank - 1):
        x = c.do("take", x, c.graph.constant(left.reshape(-1)), axis=axis)
    batches = list(range(x.rank - 2))
    x = c.reshape(x, (*c.x.dims[:-2], size, size - 1, size, size - 1))
    row, rows, column, columns = range(len(batches), x.rank)
    minors = determinant(c, c.transpose(x, (*batches, column, row, rows, columns)))
    sign = (-1.0) ** np.add.outer(np.arange(size), np.arange(size))
    cofactors = c.do("multiply", minors, c.graph.constant(sign.astype(x.dtype)))
    return c.do("divide", cofactors, c.reshape(whole, (*whole.dims, 1, 1)))


def _activated(means: Callable[[Call], Value]) -> Callable[[Call], Value]:
    return lambda c: named(c, means(c))


_SIDES = {"transA": 0, "transB": 0, "alpha": 1.0}
_BATCHES = {**_SIDES, "transBatchA": 0, "transBatchB": 0}
_PARAMETERS = {f"activation_{p}": float for p in ("alpha", "beta", "gamma")}

ROWS = (
    row("FusedMatMul", _matmul, "d d", _BATCHES),
    row("TransposeMatMul", _matmul, "d d", _SIDES),
    row(
        "FusedMatMulActivation",
        _activated(_matmul),
        "d d",
        {**_BATCHES, **_PARAMETERS, "activation": str, "activation_axis": int},
    ),
    row("FusedGemm", _activated(gemm), 3, {**_SIDES, **_PARAMETERS, "beta": 1.0, "activation": ""}),
    row("GemmFastGelu", _gemm_gelu, "f f f"),
    row("CDist", _distances, "d d", {"metric": "sqeuclidean"}),
    row("Inverse", _inverse, "d"),
)
