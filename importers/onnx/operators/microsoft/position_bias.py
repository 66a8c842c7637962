"""Position biases of com.microsoft: what attention adds to scores by how far a key is from a query."""

from __future__ import annotations

import math

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.proto.call import Call


def _by_distance(c: Call) -> Value:
    """As T5 has it: near keys have a row of the table each, farther ones share rows, by the logarithm of how far. The
    numbers of the table lie by heads first, whatever its shape says."""
    table, furthest = c.x, int(c.attr("max_distance", 0))
    count, heads = (c.size(table, i) for i in (0, 1))
    queries, keys = (c.sizes(c[i], what)[0] for i, what in ((1, "query_length"), (2, "key_length")))
    apart = c.do("subtract", c.positions(keys), c.reshape(c.positions(queries), (queries, 1)))
    zero = c.number(0, apart)
    first: Value | None = None
    if c.attr("is_bidirectional"):
        count //= 2
        behind = c.do("greater", apart, zero)
        first, apart = c.do("where", behind, c.number(count, apart), zero), c.do("abs", apart)
    else:
        apart = c.do("negative", c.do("minimum", apart, zero))
    exact = count // 2
    if not 0 < exact < furthest:
        raise Refusal(f"max_distance={furthest} of a table {table.shaped}; expected more than {exact}")
    far = c.cast(c.do("maximum", apart, c.number(1, apart)), "float32")
    far = c.do("divide", far, c.number(exact, far))
    far = c.do("multiply", c.do("log", far), c.number((count - exact) / math.log(furthest / exact), far))
    far = c.do("minimum", c.do("add", c.cast(far, "int64"), c.number(exact, apart)), c.number(count - 1, apart))
    row = c.do("where", c.do("less", apart, c.number(exact, apart)), apart, far)
    if first is not None:
        row = c.do("add", row, first)
    by_heads = c.reshape(table, (heads, c.size(table, 0)))
    made = c.do("take", by_heads, c.reshape(row, (queries * keys,)), axis=1)
    return c.reshape(made, (1, heads, queries, keys))


def _gated(c: Call) -> Value:
    """As WavLM has it: how much of a bias is added follows from each query."""
    queries, of_queries, bias, weight, of_weight, factor = (c[i] for i in range(6))
    heads = int(c.attr("num_heads", 0))
    if c.maybe(6) is not None:
        raise Refusal("token_offset: rows of batches without what pads them")
    if queries.rank != 3 or heads < 1 or c.size(queries, 2) % heads or c.size(weight, 1) % 2:
        raise Refusal(f"queries {queries.shaped} of {heads} heads and a weight {weight.shaped}")
    batch, rows = queries.dims[:2]
    x = c.reshape(c.do("add", queries, of_queries), (batch, rows, heads, c.size(queries, 2) // heads))
    x = c.do("dense", c.transpose(x, (0, 2, 1, 3)), c.transpose(weight, (1, 0)))
    x = c.reshape(c.do("add", x, of_weight), (batch, heads, rows, 2, c.size(weight, 1) // 2))
    gates = c.do("sigmoid", c.do("sum", x, axis=(4,)))
    one, other = (c.cut(gates, 3, i, i + 1) for i in (0, 1))
    inner = c.do("subtract", c.do("multiply", other, factor), c.number(1, other))
    return c.do("multiply", c.do("add", c.do("multiply", one, inner), c.number(2, one)), bias)


ROWS = (
    row("RelativePositionBias", _by_distance, "f i64 i64", {"max_distance": int, "is_bidirectional": 0}),
    row("GatedRelativePositionBias", _gated, "f f f f f f i32", {"num_heads": int}),
)
