"""Normalisations of com.microsoft: what is added up and then normalised, rows of words or groups of channels."""

from __future__ import annotations

import math

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators.microsoft.domain import require_shape, row
from anytile.importers.onnx.operators.reductions import epsilon, layer_norm
from anytile.importers.onnx.proto.call import Call
from anytile.schedules.index.expr import const


def _asked(c: Call, at: int) -> bool:
    """Whether anybody may read a result."""
    return at < len(c.outputs) and bool(c.outputs[at])


def skipped(c: Call, x: Value, skip: Value) -> Value:
    """Rows and what skips a layer, which may be the same for several of them."""
    made = c.do("add", x, skip)
    if made.rank != x.rank:
        raise Refusal(f"{skip.shaped} beside {x.shaped}: expected at most as many dimensions")
    return made if made.dims == x.dims else c.reshape(made, x.dims)


def _skip_layer_norm(c: Call) -> tuple[Value | None, ...]:
    """Results: the rows normalised, their means, what the rows without these were multiplied by, and the sum. The bias
    is that of the layer before, so it is added first: as layers have it that no optimiser saw."""
    gamma, beta, bias = c[2], c.maybe(3), c.maybe(4)
    for v, what in ((gamma, "gamma"), (beta, "beta"), (bias, "a bias")):
        if v is not None:
            require_shape(v, c.x.dims[-1:], what)
    total = skipped(c, c.x if bias is None else c.do("add", c.x, bias), c[1])
    more = _asked(c, 1) or _asked(c, 2)
    made = layer_norm(c, total, gamma, beta, total.rank - 1, more)
    return made[0], *(made[1:] if more else (None, None)), total


def embed_layer_norm(c: Call) -> tuple[Value | None, ...]:
    """Results: the sum of what words, places and segments are in their tables, normalised; how many words the mask
    counts; the sum."""
    ids, words, places = c.x, c[2], c[3]
    if ids.rank != 2:
        raise Refusal(f"input_ids of {ids.shaped}; expected 2 dimensions")

    def rows(table: Value, index: Value) -> Value:
        flat = c.cast(c.reshape(index, (math.prod(index.dims, start=const(1)),)), "int64")
        return c.reshape(c.do("take", table, flat, axis=0), (*index.dims, table.dims[1]))

    given = c.maybe(8)
    total = c.do("add", rows(words, ids), rows(places, c.positions(ids.dims[1]) if given is None else given))
    segments, kinds = c.maybe(1), c.maybe(4)
    if (segments is None) != (kinds is None):
        raise Refusal("segment_ids without segment_embedding, or the other way round")
    if segments is not None and kinds is not None:
        total = c.do("add", total, rows(kinds, segments))
    made = layer_norm(c, total, c[5], c[6], total.rank - 1, False)[0]
    return made, _lengths(c, ids, c.maybe(7)) if _asked(c, 1) else None, total


def _lengths(c: Call, ids: Value, mask: Value | None) -> Value:
    """How many elements of each row of a mask are 1; none, without a mask."""
    if mask is None:
        return c.broadcast(c.cast(c.scalar(const(0)), "int32"), ids.dims[:1])
    return c.do("sum", c.cast(c.do("equal", mask, c.number(1, mask)), "int32"), axis=(1,))


def _group_norm(c: Call, x: Value) -> Value:
    """Groups of channels of each image, normalised."""
    groups, gamma, beta = int(c.attr("groups", 0)), c[1], c[2]
    channels = x.rank - 1 if c.attr("channels_last") else 1
    if x.rank < 3 or groups < 1 or c.size(x, channels) % groups:
        raise Refusal(f"{groups} groups of the channels of {x.shaped}")
    each = c.size(x, channels) // groups
    split = c.reshape(x, (*x.dims[:channels], groups, each, *x.dims[channels + 1 :]))
    axes = tuple(i for i in range(1, split.rank) if i != channels)
    apart = c.do("subtract", split, c.do("mean", split, axis=axes, keepdims=True))
    variance = c.do("mean", c.do("square", apart), axis=axes, keepdims=True)
    made = c.do("multiply", apart, c.do("rsqrt", c.do("add", variance, c.number(epsilon(c), x))))
    behind = [1] * (x.rank - 1 - channels)
    scale, bias = (c.cast(c.reshape(v, (*v.dims, *behind)), x.dtype) for v in (gamma, beta))
    made = c.do("add", c.do("multiply", c.reshape(made, x.dims), scale), bias)
    activation = c.attr("activation")
    if activation not in (0, 1):
        raise Refusal(f"activation={activation}; expected 0, or 1 for SiLU")
    return c.do("silu", made) if activation else made


def _skip_group_norm(c: Call) -> tuple[Value, ...]:
    """A skip of one vector an image is added to each of its pixels."""
    x, skip, bias = c.x, c[3], c.maybe(4)
    if x.rank != 4 or not c.attr("channels_last") or skip.rank not in (2, 4):
        raise Refusal(f"images {x.shaped} and a skip {skip.shaped}; supported are 4 dimensions with the channels last")
    if skip.rank == 2:
        skip = c.reshape(skip, (skip.dims[0], 1, 1, skip.dims[1]))
    total = c.do("add", x, skip)
    if bias is not None:
        total = c.do("add", total, bias)
    return _group_norm(c, total), total


_GROUPS = {"activation": int, "groups": int, "channels_last": 1, "epsilon": 1e-5}

ROWS = (
    row("SkipLayerNormalization", _skip_layer_norm, "f f f f f", {"epsilon": 1e-12}),
    row(
        "EmbedLayerNormalization",
        embed_layer_norm,
        "i32 i32 f f f f f i32 i32",
        {"epsilon": 1e-12, "mask_index_type": 0},
    ),
    row("GroupNorm", lambda c: _group_norm(c, c.x), "f g g", _GROUPS),
    row("SkipGroupNorm", _skip_group_norm, "f g g f f", _GROUPS),
)
