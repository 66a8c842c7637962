"""ATen's whole layers of transformers: self-attention and an encoder's layer, as torch's modules call them in eval().

`nn.TransformerEncoderLayer` and `nn.MultiheadAttention` call one operator each where no gradients are wanted; what it
computes is what their parts would. A mask says what is not seen: whatever is not 0 in it, a float's -inf as well.
"""

from __future__ import annotations

import math

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.graph.aten_call import Call, Row
from anytile.schedules.index.expr import Expr


def _linear(c: Call, x: Value, weight: str, bias: str) -> Value:
    return c.do("add", c.do("dense", x, c[weight]), c[bias])


def _norm(c: Call, x: Value, at: int) -> Value:
    return c.do("layer_norm", x, c[f"norm_weight_{at}"], c[f"norm_bias_{at}"], eps=float(c.arg("eps")))


def _hidden(c: Call, mask: Value, scores: Value) -> Value:
    """Whether a score of (batch, heads, queries, keys) is hidden, by what torch calls the mask's type."""
    batch, _, queries, keys = scores.dims
    kinds: dict[int, tuple[Expr | int, ...]] = {0: (1, 1, queries, keys), 1: (batch, 1, 1, keys)}
    kind = c.arg("mask_type")
    if kind not in (None, 0, 1, 2) or (kind not in kinds and mask.rank != 4):
        raise Refusal(f"attention with a mask {mask.shaped} of the type {kind}")
    return c.cast(c.reshape(mask, kinds[kind]) if kind in kinds else mask, "bool")


def _self_attention(c: Call, x: Value, heads: int) -> tuple[Value, Value]:
    """What a sequence makes of itself, and how much each head looks where."""
    if x.rank != 3 or x.dtype != "float32":
        raise Refusal(f"a layer of transformers of {x.shaped} in {x.dtype}; expected (batch, steps, width) in float32")
    batch, steps, _ = x.dims
    width = c.size(c["proj_weight"], 0)
    all_three = _linear(c, x, "qkv_weight", "qkv_bias")
    q, k, v = (
        c.transpose(
            c.reshape(c.cut(all_three, 2, i * width, (i + 1) * width), (batch, steps, heads, width // heads)),
            (0, 2, 1, 3),
        )
        for i in range(3)
    )
    scores = c.do("batch_matmul", q, k, rhs="bnk")
    scores = c.do("multiply", scores, c.number((width // heads) ** -0.5, scores))
    mask = c.maybe("mask")
    if mask is not None:
        scores = c.do("where", _hidden(c, mask, scores), c.number(-math.inf, scores), scores)
    weights = c.do("softmax", scores, axis=-1, guard="none")  # NaN where all is hidden, as in torch
    seen = c.transpose(c.do("batch_matmul", weights, v), (0, 2, 1, 3))
    return _linear(c, c.reshape(seen, x.dims), "proj_weight", "proj_bias"), weights


def _attention(c: Call) -> tuple[Value | None, ...]:
    query = c["query"]
    if c["key"] is not query or c["value"] is not query:
        raise Refusal("attention of one sequence to another as one operator; supported is one's own")
    made, weights = _self_attention(c, query, c.count("num_head"))
    if not c.arg("need_weights", True):
        return made, None
    return made, c.do("mean", weights, axis=(1,), keepdims=False) if c.arg("average_attn_weights", True) else weights


def _encoder_layer(c: Call) -> Value:
    x, is_first = c["src"], c.arg("norm_first")
    made, _ = _self_attention(c, _norm(c, x, 1) if is_first else x, c.count("num_heads"))
    x = c.do("add", x, made)
    if not is_first:
        x = _norm(c, x, 1)
    made = _linear(c, _norm(c, x, 2) if is_first else x, "ffn_weight_1", "ffn_bias_1")
    made = _linear(c, c.do("gelu" if c.arg("use_gelu") else "relu", made), "ffn_weight_2", "ffn_bias_2")
    made = c.do("add", x, made)
    return made if is_first else _norm(c, made, 2)


ROWS = (
    Row("_native_multi_head_attention", _attention),
    Row("_transformer_encoder_layer_fwd", _encoder_layer),
)
