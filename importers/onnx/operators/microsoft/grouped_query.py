"""GroupQueryAttention of com.microsoft: rotary embedding, a cache that grows, and attention of heads that share keys.

Of each batch `seqlens_k` says which key is the last. A prompt begins at the first row, whatever the cache held; a step
stands behind as many rows as were read. Where all batches fill the cache so that new rows go behind all old ones, the
cache that comes out is the two, joined; otherwise rows are put where their batch goes on, and the rest is 0. Which of
both it is, is looked at as the model runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anytile.compiler.ir.nodes import AttrValue
from anytile.importers.core.graph import Graph, Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.importers.onnx.operators.microsoft.attention import least
from anytile.importers.onnx.operators.microsoft.decoders import Angles, rms_norm
from anytile.importers.onnx.operators.microsoft.domain import require_shape, row
from anytile.importers.onnx.operators.reductions import epsilon
from anytile.importers.onnx.proto.call import Call
from anytile.schedules.index.expr import Expr, const, maximum

_INPUTS = "f f f * * i32 i32 f f i64 f f f32 f32 f f"
_SCALED = (12, 13)  # inputs that scale a cache of narrow numbers


@dataclass(frozen=True, slots=True)
class _Heads:
    """How many heads of queries and of keys there are, and how many elements each has."""

    queries: int
    keys: int
    size: int

    @property
    def shared(self) -> int:
        return self.queries // self.keys


@dataclass(frozen=True, slots=True)
class _Places:
    """Where rows stand: of each batch how many keys come before the new ones (`before`) and how many there are then."""

    before: Value
    length: Value
    rows: Expr
    is_prompt: Value

    @classmethod
    def of(cls, c: Call, batch: Expr, rows: Expr) -> _Places:
        count = c.scalar(rows)
        lengths = c.do("add", c.cast(c.reshape(c[5], (batch,)), "int64"), c.number(1, count))
        is_prompt = c.do("equal", count, c.cast(c.reshape(c[6], ()), "int64"))
        before = c.do("where", is_prompt, c.number(0, count), c.do("subtract", lengths, count))
        return cls(before, c.do("add", before, count), rows, is_prompt)

    def positions(self, c: Writer) -> Value:
        """Of each batch's rows, [batch, rows]."""
        (batch,) = self.before.dims
        return c.do("add", c.reshape(self.before, (batch, 1)), c.positions(self.rows))

    def given(self, c: Writer, positions: Value) -> Value:
        """Positions that somebody chose: of a prompt's rows one behind the other from the very first, as onnxruntime
        reads them."""
        nothing = c.graph.constant(np.asarray(0))
        first = c.do("take", c.do("take", positions, nothing, axis=0), nothing, axis=0)
        return c.do("where", self.is_prompt, c.do("add", first, c.positions(self.rows)), positions)


def _grouped_query(c: Call) -> tuple[Value, ...]:
    _require_supported(c)
    heads, (q, k, v) = _parted(c)
    batch, rows = q.dims[:2]
    places = _Places.of(c, batch, rows)
    if (weight := c.maybe(14)) is not None:
        eps = epsilon(c, "qk_norm_epsilon")
        q, k = rms_norm(c, q, weight, eps), rms_norm(c, k, c[15], eps)
    if c.attr("do_rotary"):
        given = c.maybe(9)
        positions = places.positions(c) if given is None else places.given(c, c.cast(given, "int64"))
        angles = Angles.at(c, c[7], c[8], positions, bool(c.attr("rotary_interleaved")))
        q, k = angles.turned(c, q), angles.turned(c, k)
    k, v = (c.transpose(x, (0, 2, 1, 3)) for x in (k, v))
    if c.maybe(3) is not None:
        k, v = _grown(c, (c[3], c[4]), (k, v), places)
    made = _attention(c, heads, q, k, v, places)
    return c.reshape(made, (batch, rows, heads.queries * heads.size)), k, v


def _require_supported(c: Call) -> None:
    for kind in ("k_quant_type", "v_quant_type"):
        if c.attr(kind) != "NONE":
            raise Refusal(f"{kind}={c.attr(kind)}: a cache of narrow numbers")
    if any(c.maybe(at) is not None for at in _SCALED) or c.attr("kv_cache_bit_width"):
        raise Refusal("a cache of narrow numbers")
    c.no("sliding_window_cache", "qk_output")
    for flag in ("causal", "do_rotary", "rotary_interleaved"):
        if c.attr(flag) not in (0, 1):
            raise Refusal(f"{flag}={c.attr(flag)}; expected 0 or 1")
    if len(c.outputs) > 3 and c.outputs[3]:
        raise Refusal("its result output_qk")
    for one, other in (("past_key", "past_value"), ("cos_cache", "sin_cache"), ("q_norm_weight", "k_norm_weight")):
        at = {"past_key": 3, "cos_cache": 7, "q_norm_weight": 14}[one]
        if (c.maybe(at) is None) != (c.maybe(at + 1) is None):
            raise Refusal(f"one of {one} and {other}; expected both or none")


def _parted(c: Call) -> tuple[_Heads, list[Value]]:
    """Queries, keys and values [batch, rows, heads, elements]."""
    queries, keys = int(c.attr("num_heads", 0)), int(c.attr("kv_num_heads", 0))
    if queries < 1 or keys < 1 or queries % keys:
        raise Refusal(f"num_heads={queries}, kv_num_heads={keys}; expected a multiple of these")
    q, k, v = c.x, c.maybe(1), c.maybe(2)
    if q.rank != 3 or (k is None) != (v is None):
        raise Refusal(f"queries of {q.shaped}; expected three dimensions, and keys and values beside them or in them")
    is_packed = k is None
    width, parts = c.size(q, 2), queries + (2 * keys if is_packed else 0)
    if width % parts:
        raise Refusal(f"{width} columns of {parts} heads")
    heads = _Heads(queries, keys, width // parts)
    batch, rows = q.dims[:2]
    for x, what in ((k, "keys"), (v, "values")):
        if x is not None:
            require_shape(x, (batch, rows, const(keys * heads.size)), what)
    counts = (queries, keys, keys)
    given: list[Value] = []
    if k is None or v is None:
        ends = [0, queries, queries + keys, parts]
        given = [c.cut(q, 2, a * heads.size, b * heads.size) for a, b in itertools.pairwise(ends)]
    else:
        given = [q, k, v]
    return heads, [c.reshape(x, (batch, rows, n, heads.size)) for x, n in zip(given, counts, strict=True)]


# -- the cache ---------------------------------------------------------------------------------------------------------


def _grown(c: Call, past: Sequence[Value], new: Sequence[Value], places: _Places) -> list[Value]:
    """Keys and values [batch, heads, rows, elements] of what was read and what is new."""
    batch, heads, rows, size = new[0].dims
    before = past[0].dims[2]
    past = [
        c.reshape(require_shape(x, (batch, heads, before, size), what), (batch, heads, before, size))
        for x, what in zip(past, ("past_key", "past_value"), strict=True)
    ]
    total = c[6].sizes
    if total is None:
        whole, count = _as_large(c, past[0])
    else:
        whole, count = maximum(total[0], before), c.scalar(maximum(total[0], before))
    is_behind = c.do("equal", places.before, c.scalar(before))
    is_behind = c.cast(c.do("min", c.cast(is_behind, "int32"), axis=(0,)), "bool")
    fills = c.do("equal", c.scalar(before + rows), count)
    shape = (batch, heads, whole, size)

    def joined(graph: Graph) -> list[Value]:
        inner = Writer(graph)
        return [inner.reshape(inner.do("concat", a, b, axis=2), shape) for a, b in zip(past, new, strict=True)]

    def put(graph: Graph) -> list[Value]:
        inner = Writer(graph)
        return [_put(inner, a, b, whole, places) for a, b in zip(past, new, strict=True)]

    made = c.graph.if_(c.do("logical_and", is_behind, fills), joined, put)
    return [c.reshape(x, shape) for x in made]


def _as_large(c: Call, past: Value) -> tuple[Expr, Value]:
    """How many rows a cache has of which only data say how many are in it, and that as a value."""
    total = c.cast(c.reshape(c[6], ()), "int64")
    count = c.do("maximum", total, c.scalar(past.dims[2]))
    return c.do("arange", c.number(0, count), count, c.number(1, count)).dims[0], count


def _put(c: Writer, past: Value, new: Value, whole: Expr, places: _Places) -> Value:
    """A cache of so many rows, the new ones where each batch goes on, and 0 behind them."""
    batch, heads, rows, size = new.dims
    before, both = past.dims[2], past.dims[2] + rows
    first, at = c.reshape(places.before, (batch, 1, 1)), c.positions(whole)
    behind = c.do("add", c.do("subtract", at, first), c.scalar(before))
    row = c.do("where", c.do("less", at, first), at, behind)
    row = c.do("minimum", row, c.scalar(both - 1))
    head = c.reshape(c.positions(batch * heads), (batch, heads, 1))
    row = c.do("add", row, c.do("multiply", head, c.scalar(both)))
    joined = c.reshape(c.do("concat", past, new, axis=2), (batch * heads * both, size))
    found = c.reshape(c.do("take", joined, row, axis=0), (batch, heads, whole, size))
    is_there = c.do("less", at, c.reshape(places.length, (batch, 1, 1)))
    return c.do("where", c.reshape(is_there, (batch, 1, whole, 1)), found, c.number(0, found))


# -- attention ---------------------------------------------------------------------------------------------------------


def _attention(c: Call, heads: _Heads, q: Value, k: Value, v: Value, places: _Places) -> Value:
    """[batch, rows, heads, elements], queries lying so, keys and values by heads."""
    scale = float(c.attr("scale")) or 1 / math.sqrt(heads.size)
    causal, bias = bool(c.attr("causal")), _bias(c, k.dims[2])
    is_plain = c.attr("softcap") <= 0 and c.attr("smooth_softmax") != 1 and c.maybe(11) is None
    if not is_plain:
        return _by_steps(c, heads, q, k, v, places, scale, bias)
    attrs: dict[str, AttrValue] = {"q": "bmhd", "k": "bgnd", "v": "bgne", "y": "bmhe", "shared": heads.shared}
    attrs |= {"scale": scale, "causal": causal, "lengths": True}
    seen = _window(c, places, k.dims[2])
    mask = seen if bias is None else bias if seen is None else _added(c, bias, seen)
    if mask is None:
        return c.do("attention", q, k, v, places.length, **attrs)
    own, letters = _without_ones(c, mask)
    attrs |= {"mask": letters, "keeps": mask is seen}
    return c.do("attention", q, k, v, own, places.length, **attrs)


def _bias(c: Call, keys: Expr) -> Value | None:
    """What is added to scores; of a cache with room it says nothing of the keys that are not there yet."""
    bias = c.maybe(10)
    if bias is None:
        return None
    if bias.rank != 4:
        raise Refusal(f"attention_bias of {bias.shaped}; expected 4 dimensions")
    more = keys - bias.dims[3]
    if more == const(0):
        return bias
    return c.do("concat", bias, c.broadcast(c.number(0, bias), (*bias.dims[:3], more)), axis=3)


def _window(c: Call, places: _Places, keys: Expr) -> Value | None:
    """Which keys are near enough [batch, 1, rows, keys]; None where all are."""
    near = int(c.attr("local_window_size"))
    if near < 0:
        return None
    if not c.attr("causal"):
        raise Refusal(f"local_window_size={near} with causal=0")
    (batch,) = places.before.dims
    last = c.reshape(places.positions(c), (batch, 1, places.rows, 1))
    return c.do("greater", c.positions(keys), c.do("subtract", last, c.number(near, last)))


def _added(c: Writer, bias: Value, seen: Value) -> Value:
    return c.do("where", seen, bias, c.number(-math.inf, bias))


def _without_ones(c: Writer, mask: Value) -> tuple[Value, str]:
    """A mask without its dimensions of 1, and which it has."""
    kept = [i for i, d in enumerate(mask.dims) if d.value != 1]
    return c.reshape(mask, [mask.dims[i] for i in kept]), "".join("bhmn"[i] for i in kept)


def _by_steps(
    c: Call, heads: _Heads, q: Value, k: Value, v: Value, places: _Places, scale: float, bias: Value | None
) -> Value:
    """The same with scores that are bent, or a weight beside those of the keys."""
    batch, rows = q.dims[:2]
    keys, own = k.dims[2], (batch, heads.queries, rows, k.dims[2])
    queries = c.transpose(c.reshape(q, (batch, rows, heads.keys, heads.shared, heads.size)), (0, 2, 3, 1, 4))
    queries = c.reshape(queries, (batch, heads.keys, heads.shared * rows, heads.size))
    scores = c.do("batch_matmul", queries, k, rhs="bnk")
    scores = c.reshape(c.do("multiply", scores, c.number(scale, scores)), own)
    if (bend := float(c.attr("softcap"))) > 0:
        bent = c.do("tanh", c.do("divide", scores, c.number(bend, scores)))
        scores = c.do("multiply", bent, c.number(bend, scores))
    if bias is not None:
        scores = c.do("add", scores, bias)
    last = c.reshape(places.positions(c), (batch, 1, rows, 1)) if c.attr("causal") else c.number(0, places.length)
    if not c.attr("causal"):
        last = c.do("subtract", c.reshape(places.length, (batch, 1, 1, 1)), c.number(1, last))
    seen = c.do("less_equal", c.positions(keys), last)
    near = _window(c, places, keys)
    scores = _added(c, scores, seen if near is None else c.do("logical_and", seen, near))
    top = c.do("max", scores, axis=(3,), keepdims=True)
    top = c.do("maximum", top, c.number(least(scores.dtype), top))  # where a query sees nothing
    sink = c.maybe(11)
    if sink is not None:
        sink = c.reshape(sink, (1, heads.queries, 1, 1))
    elif c.attr("smooth_softmax") == 1:
        sink = c.number(0, scores)
    top = top if sink is None else c.do("maximum", top, sink)
    weights = c.do("exp", c.do("subtract", scores, top))
    total = c.do("sum", weights, axis=(3,), keepdims=True)
    if sink is not None:
        total = c.do("add", total, c.do("exp", c.do("subtract", sink, top)))
    total = c.do("maximum", total, c.number(1, total))  # which it is, or more, where a query sees anything
    weights = c.reshape(c.do("divide", weights, total), (batch, heads.keys, heads.shared * rows, keys))
    made = c.reshape(c.do("batch_matmul", weights, v), (batch, heads.keys, heads.shared, rows, heads.size))
    return c.reshape(c.transpose(made, (0, 3, 1, 2, 4)), (batch, rows, heads.queries, heads.size))


ROWS = (
    row(
        "GroupQueryAttention",
        _grouped_query,
        _INPUTS,
        {
            **{"num_heads": int, "kv_num_heads": int, "causal": 1, "scale": 0.0, "softcap": 0.0},
            **{"local_window_size": -1, "sliding_window_cache": 0, "do_rotary": 0, "rotary_interleaved": 0},
            **{"smooth_softmax": -1, "qk_output": 0, "qk_norm_epsilon": 1e-6},
            **{"k_quant_type": "NONE", "v_quant_type": "NONE", "kv_cache_bit_width": 0},
        },
    ),
)
