"""Operators of com.microsoft that are refused whatever they read, with what to do instead.

Loops that write texts, which hold a model within themselves; experts; caches that a server keeps.
"""

from __future__ import annotations

from anytile.importers.core.graph import Refusal
from anytile.importers.onnx.operators.microsoft.domain import DOMAIN
from anytile.importers.onnx.proto.call import Call, Results, Row, Signature

_LOOP = "a loop that writes text; export the model that scores the next word, and write the loop beside it"
_EXPERTS = "experts, of which each row asks some; export them as products that all rows go through"
_CACHE = "a cache that is written in place, by pages, blocks or beams; export with GroupQueryAttention"
_WHY = {
    **dict.fromkeys(("BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"), _LOOP),
    **dict.fromkeys(("MoE", "QMoE"), _EXPERTS),
    **dict.fromkeys(("PagedAttention", "SparseAttention"), _CACHE),
    **dict.fromkeys(("DecoderMaskedMultiHeadAttention", "DecoderMaskedSelfAttention"), _CACHE),
    "MatMulBnb4": "codes of bitsandbytes, which are no multiples of a step; export with MatMulNBits",
}
_MANY = 2**10  # inputs


def _refused(name: str, why: str) -> Row:
    def means(c: Call) -> Results:
        raise Refusal(why)

    return Row(name, means, domain=DOMAIN, refused=True, signature=Signature(_MANY, None))


ROWS = tuple(_refused(name, why) for name, why in _WHY.items())
