"""Products of com.microsoft: ONNX's own with factors that are transposed, scaled and activated in the same node."""

from __future__ import annotations

from collections.abc import Callable

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.activations import named
from anytile.importers.onnx.operators.products import determinant, gemm, product
from anytile.importers.onnx.operators.scaled import transposed
from anytile.importers.onnx.proto.call import Call, Row, Signature

DOMAIN = "com.microsoft"


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
    return transposed(x, c.transpose(x, order), tuple(order))


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
    cells = []
    for row in range(size):
        for column in range(size):
            rows, columns = ([i for i in range(size) if i != at] for at in (column, row))  # transposed
            minor = _minor(c, x, rows, columns)
            cells.append(c.do("negative", minor) if (row + column) % 2 else minor)
    joined = c.do("concat", *(c.reshape(cell, (*cell.dims, 1)) for cell in cells), axis=x.rank - 2)
    return c.do("divide", c.reshape(joined, x.dims), c.reshape(whole, (*whole.dims, 1, 1)))


def _minor(c: Call, x: Value, rows: list[int], columns: list[int]) -> Value:
    """The determinant of some rows and columns; of none it is 1."""
    if not rows:
        return c.broadcast(c.number(1, x), x.dims[:-2])
    for axis, kept in ((x.rank - 2, rows), (x.rank - 1, columns)):
        parts = [c.cut(x, axis, i, i + 1) for i in kept]
        x = parts[0] if len(parts) == 1 else c.do("concat", *parts, axis=axis)
    return determinant(c, x)


def _activated(means: Callable[[Call], Value]) -> Callable[[Call], Value]:
    return lambda c: named(c, means(c))


_SIDES = {"transA": 0, "transB": 0, "alpha": 1.0}
_BATCHES = {**_SIDES, "transBatchA": 0, "transBatchB": 0}
_PARAMETERS = {f"activation_{p}": float for p in ("alpha", "beta", "gamma")}

ROWS = (
    Row("FusedMatMul", _matmul, domain=DOMAIN, signature=Signature(2, _BATCHES)),
    Row("TransposeMatMul", _matmul, domain=DOMAIN, signature=Signature(2, _SIDES)),
    Row(
        "FusedMatMulActivation",
        _activated(_matmul),
        domain=DOMAIN,
        signature=Signature(2, {**_BATCHES, **_PARAMETERS, "activation": str, "activation_axis": int}),
    ),
    Row(
        "FusedGemm",
        _activated(gemm),
        domain=DOMAIN,
        signature=Signature(3, {**_SIDES, **_PARAMETERS, "beta": 1.0, "activation": ""}),
    ),
    Row("GemmFastGelu", _gemm_gelu, domain=DOMAIN, signature=Signature(3)),
    Row("CDist", _distances, domain=DOMAIN, signature=Signature(2, {"metric": "sqeuclidean"})),
    Row("Inverse", _inverse, domain=DOMAIN, signature=Signature(1)),
)
