"""Attention of com.microsoft: heads, what may be seen, and what was seen before, in one node.

Masks are numbers that are added to scores, as onnxruntime has them, all of them finite: where a query sees nothing,
all keys weigh by their scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.importers.onnx.operators.microsoft.domain import require_shape, row
from anytile.importers.onnx.operators.products import product
from anytile.importers.onnx.proto.call import Call
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.nest.stored_floats import lowest_of

_BY_TENSORS = "MultiHeadAttention"  # which takes fewer forms of masks


def least(dtype: str) -> float:
    """The least finite number, by which onnxruntime hides keys behind a query."""
    return lowest_of(dtype)


@dataclass(frozen=True, slots=True)
class _Heads:
    """Queries, keys and values by (batch, head, row, element); of the keys and values the first `past` were there
    before this node."""

    q: Value
    k: Value
    v: Value
    past: Expr = field(default_factory=lambda: const(0))

    @property
    def batch(self) -> Expr:
        return self.q.dims[0]

    @property
    def rows(self) -> Expr:
        return self.q.dims[2]

    @property
    def keys(self) -> Expr:
        return self.k.dims[2]

    def behind(self, c: Call, k: Value | None, v: Value | None) -> _Heads:
        """These behind keys and values of before."""
        if k is None and v is None:
            return self
        if k is None or v is None:
            raise Refusal("past keys without past values, or the other way round")
        for x, now, what in ((k, self.k, "past keys"), (v, self.v, "past values")):
            require_shape(x, (*now.dims[:2], k.dims[2], now.dims[3]), what)
        past = k.dims[2]
        k = c.reshape(k, (*self.k.dims[:2], past, self.k.dims[3]))
        v = c.reshape(v, (*self.v.dims[:2], past, self.v.dims[3]))
        return _Heads(self.q, c.do("concat", k, self.k, axis=2), c.do("concat", v, self.v, axis=2), past)


def _split(c: Call, x: Value, batch: Expr, rows: Expr, heads: int) -> Value:
    """(batch, row, heads side by side) by (batch, head, row, element)."""
    if x.rank != 3 or c.size(x, 2) % heads:
        raise Refusal(f"{x.shaped}, of {heads} heads; expected 3 dimensions, of which the last is a multiple of that")
    return c.transpose(c.reshape(x, (batch, rows, heads, c.size(x, 2) // heads)), (0, 2, 1, 3))


def _attended(c: Call, heads: _Heads, mask: Value | None, bias: Value | None) -> tuple[Value, Value]:
    """The result by (batch, row, heads side by side), and the scores before the softmax."""
    q, k, v = heads.q, heads.k, heads.v
    width = c.size(q, 3)
    scale = float(c.attr("scale", 0.0)) or (width**-0.5 if width else 1.0)
    scores = c.do("multiply", c.do("batch_matmul", q, k, rhs="bnk"), c.number(scale, q))
    added = None if mask is None else _hidden(c, heads, mask)
    if bias is not None:
        bias = _bias(c, heads, bias)
        added = bias if added is None else c.do("add", bias, added)
    if c.attr("unidirectional"):
        seen = _not_behind(c, heads)
        if added is None:
            scores = c.do("where", seen, scores, c.number(-np.inf, scores))
        else:
            added = c.do("where", seen, added, c.number(least(q.dtype), added))
    if added is not None:
        scores = c.do("add", scores, added)
    made = c.do("batch_matmul", c.do("softmax", scores, axis=-1), v)
    made = c.transpose(made, (0, 2, 1, 3))
    return c.reshape(made, (*made.dims[:2], made.dims[2] * made.dims[3])), scores


def _not_behind(c: Call, heads: _Heads) -> Value:
    """Which keys lie not behind each query, which itself is the last but as many as follow it."""
    if heads.keys != heads.past + heads.rows:
        raise Refusal(f"unidirectional=1 of {heads.rows} queries and {heads.keys} keys; expected as many")
    queries, keys = c.span(heads.past, heads.rows), c.positions(heads.keys)
    return c.do("less_equal", keys, c.reshape(queries, (heads.rows, 1)))


def _bias(c: Call, heads: _Heads, bias: Value) -> Value:
    """What is added to scores, by (batch or 1, head or 1, row, key)."""
    if bias.rank != 4:
        raise Refusal(f"attention_bias of {bias.shaped}; expected 4 dimensions")
    whole = (heads.batch, heads.q.dims[1], heads.rows, heads.keys)
    lead = [d if d.value == 1 else w for d, w in zip(bias.dims[:2], whole[:2], strict=True)]
    return c.reshape(bias, (*lead, *whole[2:]))


def _hidden(c: Call, heads: _Heads, mask: Value) -> Value | None:
    """What is added to scores so that keys which a mask hides have no weight, by (batch, 1, row or 1, key)."""
    seen = _seen(c, heads, mask)
    if seen is None:
        return None
    number = c.number(max(float(c.attr("mask_filter_value")), least(heads.q.dtype)), heads.q)
    return c.do("where", seen, c.number(0, heads.q), number)


def _seen(c: Call, heads: _Heads, mask: Value) -> Value | None:
    """Which keys a mask leaves, by any of its forms; None where it is one for all keys alike."""
    batch, rows, keys = heads.batch, heads.rows, heads.keys
    if mask.rank == 1:
        return _between(c, batch, keys, mask)
    if mask.rank == 2 and mask.dims[1].value == 1 and keys.value != 1 and c.op != _BY_TENSORS:
        return None
    if mask.rank == 4:  # of all places, those of these queries and keys
        if mask.dims[1].value != 1:
            raise Refusal(f"mask_index of {mask.shaped}; expected 1 in the place of heads")
        mask = c.part(c.part(mask, 2, heads.past, heads.past + rows), 3, const(0), keys)
    if mask.rank not in (2, 3, 4):
        raise Refusal(f"a mask of {mask.shaped}; expected 1 to 4 dimensions")
    seen = c.reshape(mask, (batch, 1, 1 if mask.rank == 2 else rows, keys))
    return c.do("greater", seen, c.number(0, mask))


def _between(c: Call, batch: Expr, keys: Expr, mask: Value) -> Value:
    """Keys before the end of each batch, and of twice as many numbers, not before its begin either. Of three times as
    many and two more the first are ends. Which it is, is looked at as the model runs where no sizes say so."""
    places, count = c.positions(keys), mask.dims[0]

    def bounds(graph: Graph, times: int) -> list[Value]:
        """First keys of batches, and those behind their last ones."""
        inner = Writer(graph)
        if times == 1:
            ends, begins = inner.reshape(mask, (batch,)), inner.broadcast(inner.number(0, mask), (batch,))
        elif times == 2:
            both = inner.reshape(mask, (2, batch))
            begins, ends = (inner.reshape(inner.cut(both, 0, i, i + 1), (batch,)) for i in (1, 0))
        else:
            whole = inner.reshape(mask, (3 * batch + 2,))
            ends, begins = inner.part(whole, 0, const(0), batch), inner.broadcast(inner.number(0, mask), (batch,))
        return [begins, ends]

    def looked_at(graph: Graph, forms: Sequence[tuple[int, int]]) -> Sequence[Value]:
        (times, more), *others = forms
        if not others:
            return bounds(graph, times)
        inner = Writer(graph)
        is_so = inner.do("equal", inner.scalar(count), inner.scalar(times * batch + more))
        made = graph.if_(is_so, lambda g: bounds(g, times), lambda g: looked_at(g, others))
        return [inner.reshape(x, (batch,)) for x in made]

    forms = [(3, 2), *([] if c.op == _BY_TENSORS else [(2, 0)]), (1, 0)]
    known = [times for times, more in forms if times * batch + more == count]
    begins, ends = bounds(c.graph, known[0]) if known else looked_at(c.graph, _possible(forms, count, batch))
    begins, ends = (c.cast(c.reshape(x, (batch, 1, 1, 1)), "int64") for x in (begins, ends))
    seen = c.do("less", places, ends)
    return seen if known in ([1], [3]) else c.do("logical_and", seen, c.do("greater_equal", places, begins))


def _possible(forms: Sequence[tuple[int, int]], count: Expr, batch: Expr) -> list[tuple[int, int]]:
    """Those of which a size may be, and the last."""
    size = count.value
    if size is None:
        return list(forms)
    may_be = batch.value is None
    return [(n, more) for n, more in forms if n == 1 or (may_be and size >= more and (size - more) % n == 0)]


# -- one tensor as queries, keys and values ----------------------------------------------------------------------------


def attention(c: Call) -> tuple[Value | None, ...]:
    """Of queries, keys and values that one product makes; and all keys and values, if anybody reads them."""
    x, weight, bias, past = c.x, c[1], c.maybe(2), c.maybe(4)
    heads = _count(c)
    c.no("do_rotary", "past_present_share_buffer")
    _left_out(c, 6, "past_sequence_length")
    if weight.rank != 2:
        raise Refusal(f"weights of {weight.shaped}; expected two dimensions")
    widths = c.ints("qkv_hidden_sizes") or (c.size(weight, 1) // 3,) * 3
    if len(widths) != 3 or sum(widths) != c.size(weight, 1) or widths[0] != widths[1]:
        raise Refusal(f"weights of {weight.shaped} for queries, keys and values {widths} wide")
    made = product(c, x, weight)
    if bias is not None:
        made = c.do("add", made, bias)
    ends = [sum(widths[:i]) for i in range(4)]
    q, k, v = (_split(c, c.cut(made, 2, begin, end), x.dims[0], x.dims[1], heads) for begin, end in pairwise(ends))
    all_heads = _Heads(q, k, v)
    if past is not None:
        before, values = (c.reshape(c.cut(past, 0, i, i + 1), past.dims[1:]) for i in range(2))
        all_heads = all_heads.behind(c, before, values)
    result, _ = _attended(c, all_heads, c.maybe(3), c.maybe(5))
    return result, _stacked(c, all_heads) if c.count > 1 else None


def _stacked(c: Call, heads: _Heads) -> Value:
    """Keys and values as one tensor."""
    return c.do("concat", *(c.reshape(a, (1, *a.dims)) for a in (heads.k, heads.v)), axis=0)


def _left_out(c: Call, at: int, name: str) -> None:
    if c.maybe(at) is not None:
        raise Refusal(f"{name}: a cache with room for more keys than there are")


def _count(c: Call) -> int:
    heads = int(c.attr("num_heads", 0))
    if heads < 1:
        raise Refusal(f"num_heads={heads}; expected at least 1")
    return heads


# -- queries, keys and values each by itself, or several in one tensor -------------------------------------------------


def _multi_head(c: Call) -> tuple[Value | None, ...]:
    heads = _count(c)
    for at, name in ((8, "past_sequence_length"), (9, "cache_indirection")):
        _left_out(c, at, name)
    if c.count > 3 and c.attr("unidirectional"):
        raise Refusal("its result 3, the scores, of unidirectional=1")
    own = _unpacked(c, heads)
    whole = own.behind(c, c.maybe(6), c.maybe(7))
    result, scores = _attended(c, whole, c.maybe(4), c.maybe(5))
    return result, whole.k, whole.v, scores


def _unpacked(c: Call, heads: int) -> _Heads:
    q, k, v, bias = c.x, c.maybe(1), c.maybe(2), c.maybe(3)
    batch, rows = q.dims[:2]

    def part(x: Value, at: int) -> Value:
        """One of several tensors by (batch, row, head, which, element)."""
        one = c.cut(x, 3, at, at + 1)
        return c.transpose(c.reshape(one, (*x.dims[:3], x.dims[4])), (0, 2, 1, 3))

    if q.rank == 5 and k is None and v is None:
        if bias is not None:
            flat = [c.reshape(c.cut(q, 3, i, i + 1), (*q.dims[:2], q.dims[2] * q.dims[4])) for i in range(3)]
            one, two, three = (_split(c, x, batch, rows, heads) for x in _biased(c, flat, bias))
            return _Heads(one, two, three)
        return _Heads(part(q, 0), part(q, 1), part(q, 2))
    if q.rank != 3 or k is None:
        raise Refusal(f"queries of {q.shaped} and {'no ' if k is None else ''}keys")
    if k.rank == 5 and v is None:
        if bias is not None:
            raise Refusal("a bias of keys and values in one tensor")
        return _Heads(_split(c, q, batch, rows, heads), part(k, 0), part(k, 1))
    if v is None or k.rank != v.rank or k.rank not in (3, 4):
        raise Refusal(f"keys of {k.shaped} and {'no values' if v is None else f'values of {v.shaped}'}")
    if k.rank == 4:
        if bias is not None:
            q = c.do("add", q, c.part(bias, 0, const(0), q.dims[2]))
        shape = (batch, *k.dims[1:3])
        k, v = (c.reshape(a, (*shape, a.dims[3])) for a in (k, v))
        return _Heads(_split(c, q, batch, rows, heads), k, v)
    keys = k.dims[1]
    q, k, v = _biased(c, [q, k, v], bias)
    k, v = (_split(c, a, batch, keys, heads) for a in (k, v))
    return _Heads(_split(c, q, batch, rows, heads), k, v)


def _biased(c: Call, tensors: list[Value], bias: Value | None) -> list[Value]:
    """Tensors and the parts of one bias, which lie one behind the other."""
    if bias is None:
        return tensors
    made, begin = [], 0
    for x in tensors:
        width = c.size(x, x.rank - 1)
        made.append(c.do("add", x, c.cut(bias, 0, begin, begin + width)))
        begin += width
    if c.size(bias, 0) != begin:
        raise Refusal(f"a bias of {bias.shaped}; expected {begin} numbers")
    return made


_SHARED = {"num_heads": int, "unidirectional": 0, "mask_filter_value": -10000.0, "scale": 0.0}

ROWS = (
    row(
        "Attention",
        attention,
        "f f f i32 f f i32",
        {
            **_SHARED,
            "qkv_hidden_sizes": (),
            "do_rotary": 0,
            "rotary_embedding_dim": 0,
            "past_present_share_buffer": 0,
        },
    ),
    row(_BY_TENSORS, _multi_head, "f f f f i32 f f f i32 i32", _SHARED),
)
