"""ATen's bags of embeddings: rows of a table, of which each bag's are added up, averaged or compared.

A bag is the rows from its offset to the next one's, which is data: a kernel joins them, as those of a scatter, but
nothing has to be sorted. Bags of one length, as torch makes them of a matrix of positions, are a dimension instead.
"""

from __future__ import annotations

from collections.abc import Callable

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import quotient
from anytile.importers.torch.graph.aten_call import Call, Row
from anytile.schedules.index.expr import Expr

_MODES = ("sum", "mean", "max")
Join = Callable[[Value, str], Value]  # values for each row, one behind the other, to those of each bag


def _bags(c: Call) -> tuple[Value | None, ...]:
    weight, indices, offsets = c["weight"], c["indices"], c["offsets"]
    mode, padding = c.count("mode"), c.count("padding_idx", -1)
    if not 0 <= mode < len(_MODES) or indices.rank != 1:
        raise Refusal(f"bags of {indices.shaped} in the mode {mode}")
    name = _MODES[mode]
    rows = c.do("take", weight, c.cast(indices, "int64"), axis=0)
    scale = c.maybe("per_sample_weights")
    if scale is not None:
        rows = c.do("multiply", rows, c.reshape(scale, (*indices.dims, 1)))
    kept = None
    if padding >= 0:
        kept = c.do("not_equal", indices, c.number(padding, indices))
        nothing = c.number(float("-inf") if name == "max" else 0, rows)
        rows = c.do("where", c.reshape(kept, (*indices.dims, 1)), rows, nothing)
    join = _join(c, rows, offsets)
    made = join(rows, "max" if name == "max" else "add")
    if name != "sum":
        one = c.number(1, rows)
        counted = join(c.broadcast(one, indices.dims) if kept is None else c.cast(kept, rows.dtype), "add")
        counted = c.reshape(counted, (*counted.dims, 1))
        if name == "mean":
            made = c.do("divide", made, c.do("maximum", counted, one))
        else:
            made = c.do("where", c.do("less", counted, one), c.number(0, made), made)
    return made, *[None] * (len(c.told) - 1)


def _join(c: Call, rows: Value, offsets: Value) -> Join:
    count = rows.dims[0]
    last = bool(c.arg("include_last_offset"))
    each = None if last else offsets.spaced
    bags = None if each is None else quotient(count, each)
    if each is not None and bags is not None and bags * each == count:
        return lambda x, mode: _reduced(c, x, bags, each, mode)
    keys = c.do("bag_keys", offsets, rows)
    return lambda x, mode: _scattered(c, x, keys, offsets.dims[0], last, mode)


def _reduced(c: Call, x: Value, bags: Expr, each: Expr, mode: str) -> Value:
    """Of bags that are all of one length; the highest of none is one lower than all."""
    seen = c.reshape(x, (bags, each, *x.dims[1:]))
    if mode == "max":
        least = c.broadcast(c.number(float("-inf"), x), (bags, 1, *x.dims[1:]))
        return c.do("max", c.do("concat", seen, least, axis=1), axis=(1,))
    return c.do("sum", seen, axis=(1,))


def _scattered(c: Call, x: Value, keys: Value, offsets: Expr, last: bool, mode: str) -> Value:
    """Of bags of any lengths; the last offset of all may be where the last bag ends."""
    begin = c.broadcast(c.number(float("-inf") if mode == "max" else 0, x), (offsets, *x.dims[1:]))
    made = c.do("scatter_rows", begin, keys, x, lead=1, mode=mode)
    return c.cut(made, 0, 0, -1) if last else made


ROWS = (
    Row("_embedding_bag", _bags),
    Row("_embedding_bag_forward_only", _bags),
    Row("embedding_bag", _bags),
)
