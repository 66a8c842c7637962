"""Layers of quantised transformers in com.microsoft: attention and embeddings whose weights are integers.

Each is the layer of floats, of operands that remember which integers they stand for: the product of an attention is one
of integers then. Tables of embeddings become floats.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.importers.core.graph import Value
from anytile.importers.onnx.operators.microsoft.attention import attention
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.operators.microsoft.norms import embed_layer_norm
from anytile.importers.onnx.operators.quantized import dequantised
from anytile.importers.onnx.proto.call import Call, Results

_TABLES = (2, 3, 4, 5, 6)  # words, places, segments, and what a normalisation multiplies by and adds


def _attention(c: Call) -> Results:
    x, weight = (dequantised(c, c[at], c[at + 3], c.maybe(at + 6)) for at in range(2))
    return attention(replace(c, inputs=[x, weight, c[2], c.maybe(5), c.maybe(8)]))


def _embed_layer_norm(c: Call) -> Results:
    def table(at: int) -> Value | None:
        codes = c.maybe(at)
        return None if codes is None else dequantised(c, codes, c[at + 6], c.maybe(at + 11))

    given = [c.x, c.maybe(1), *(table(at) for at in _TABLES), c.maybe(7)]
    return embed_layer_norm(replace(c, inputs=given))


_EMBEDDED = "i32 i32 q q q q q i32 f32 f32 f32 f32 f32 q q q q q"
ROWS = (
    row(
        "QAttention",
        _attention,
        "q w f f f i32 q w f",
        {
            **{"num_heads": int, "unidirectional": 0, "mask_filter_value": -10000.0, "scale": 0.0},
            **{"do_rotary": 0, "past_present_share_buffer": 0},
        },
    ),
    row("QEmbedLayerNormalization", _embed_layer_norm, _EMBEDDED, {"epsilon": 1e-12}),
)
