"""Steps of decoders in com.microsoft: normalisations by the root of the mean of squares, and rotary embeddings.

A rotary embedding turns pairs of a head's elements by an angle that goes by the position. Pairs lie side by side
(`interleaved`) or half a head apart; both are one product with the cosine and one of the pair's other element with the
sine, whose sign is in the table ahead of time. Elements behind those that are turned stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.importers.onnx.operators.microsoft.domain import DOMAIN, require_shape, row
from anytile.importers.onnx.operators.microsoft.norms import skipped
from anytile.importers.onnx.operators.reductions import epsilon
from anytile.importers.onnx.proto.call import Call, Row, Signature


def rms_norm(c: Writer, x: Value, scale: Value, eps: float) -> Value:
    """Rows divided by the root of the mean of their squares."""
    if x.dtype == "float32":
        return c.do("rms_norm", x, scale, eps=eps)
    return c.cast(c.do("rms_norm", c.cast(x, "float32"), c.cast(scale, "float32"), eps=eps), x.dtype)


def _upside_root(c: Call, x: Value, eps: float) -> Value:
    """What rows are multiplied by."""
    x = c.cast(x, "float32")
    mean = c.do("mean", c.do("square", x), axis=(x.rank - 1,), keepdims=True)
    return c.do("rsqrt", c.do("add", mean, c.number(eps, x)))


def _simplified(c: Call) -> tuple[Value, ...]:
    x, eps = c.x, epsilon(c)
    if c.axis(c.attr("axis"), x.rank) != x.rank - 1:
        raise Refusal(f"axis={c.attr('axis')} of {x.shaped}; supported is the last")
    made = rms_norm(c, x, c[1], eps)
    return (made, _upside_root(c, x, eps)) if c.count > 1 else (made,)


def _skipped(c: Call) -> tuple[Value | None, ...]:
    if any(c.outputs[1:3]):
        raise Refusal("its results mean and inv_std_var, which onnxruntime does not make on CPUs")
    x, bias = skipped(c, c.x, c[1]), c.maybe(3)
    require_shape(c[2], x.dims[-1:], "gamma")
    if bias is not None:
        x = c.do("add", x, require_shape(bias, x.dims[-1:], "a bias"))
    return rms_norm(c, x, c[2], epsilon(c)), None, None, x


# -- rotary embeddings -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Angles:
    """Cosines and signed sines [batch, rows, 1, ...] of the positions that rows have, for pairs of elements."""

    cos: Value
    sin: Value
    interleaved: bool

    @classmethod
    def at(cls, c: Writer, cos: Value, sin: Value, positions: Value, interleaved: bool) -> Angles:
        """Of tables [positions, pairs]."""
        if cos.rank != 2 or sin.rank != 2:
            raise Refusal(f"tables of {cos.shaped} and {sin.shaped}; expected two dimensions")
        require_shape(sin, cos.dims, "sines")
        rows, pairs = cos.dims
        axis = 2 if interleaved else 1  # of a pair's two elements
        one = (rows, *((pairs, 1) if interleaved else (1, pairs)))
        wide = c.reshape(sin, one)
        signed = c.do("concat", c.do("negative", wide), wide, axis=axis)

        def taken(table: Value) -> Value:
            found = c.do("take", table, positions, axis=0)
            return c.reshape(found, (*positions.dims, 1, *table.dims[1:]))

        return cls(taken(c.reshape(cos, one)), taken(signed), interleaved)

    def turned(self, c: Writer, x: Value) -> Value:
        """Heads [batch, rows, heads, elements], whose pairs are turned."""
        *lead, size = x.dims
        pairs = self.cos.dims[4 - self.interleaved]
        whole, turning = size.value, 2 * (pairs.value or 0)
        if not turning or whole is None or turning > whole:
            raise Refusal(f"angles for {pairs} pairs of heads of {size} elements")
        own = x if turning == whole else c.cut(x, 3, 0, turning)
        own = c.reshape(own, (*lead, pairs, 2) if self.interleaved else (*lead, 2, pairs))
        other = c.do("take", own, c.graph.constant(np.array([1, 0])), axis=4 if self.interleaved else 3)
        cos, sin = (c.cast(v, x.dtype) for v in (self.cos, self.sin))
        made = c.do("add", c.do("multiply", own, cos), c.do("multiply", other, sin))
        made = c.reshape(made, (*lead, turning))
        return made if turning == whole else c.do("concat", made, c.cut(x, 3, turning, whole), axis=3)


def _rotary(c: Call) -> Value:
    x, positions, cos, sin = c.x, c.cast(c[1], "int64"), c[2], c[3]
    width, heads = int(c.attr("rotary_embedding_dim")), int(c.attr("num_heads"))
    c.no("is_packed_batching")
    if c.attr("scale") != 1.0:
        raise Refusal(f"scale={c.attr('scale')}; supported is 1")
    if width and not heads:
        raise Refusal(f"rotary_embedding_dim={width} without num_heads")
    if x.rank not in (3, 4):
        raise Refusal(f"{x.shaped}; expected 3 or 4 dimensions")
    if width and cos.dims[-1].value != width // 2:
        raise Refusal(f"rotary_embedding_dim={width} and a table of {cos.shaped}; expected {width // 2} columns")
    if x.rank == 4:
        rows = c.transpose(x, (0, 2, 1, 3))
    else:
        whole = c.size(x, 2)
        size = whole // heads if width else 2 * c.size(cos, 1)
        if not size or whole % size or (heads and size * heads != whole):
            raise Refusal(f"{whole} columns of {heads or 'some'} heads of {size} elements")
        rows = c.reshape(x, (*x.dims[:2], whole // size, size))
    if positions.rank != 2:  # where the first row stands
        positions = c.do("add", c.reshape(positions, (1, 1)), c.reshape(c.positions(rows.dims[1]), (1, rows.dims[1])))
    made = Angles.at(c, cos, sin, positions, bool(c.attr("interleaved"))).turned(c, rows)
    return c.transpose(made, (0, 2, 1, 3)) if x.rank == 4 else c.reshape(made, x.dims)


_SIMPLIFIED = Signature(2, {"axis": -1, "epsilon": 1e-5, "stash_type": 1})
ROWS = (
    Row("SimplifiedLayerNormalization", _simplified, signature=_SIMPLIFIED),
    Row("SimplifiedLayerNormalization", _simplified, domain=DOMAIN, signature=_SIMPLIFIED),
    row("SkipSimplifiedLayerNormalization", _skipped, "f f f f", {"epsilon": 1e-12}),
    row(
        "RotaryEmbedding",
        _rotary,
        "f i64 f f",
        {"interleaved": 0, "is_packed_batching": 0, "num_heads": 0, "rotary_embedding_dim": 0, "scale": 1.0},
    ),
)
