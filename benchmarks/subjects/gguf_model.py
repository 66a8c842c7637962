"""The decoder of examples/llama.py as a GGUF file, which is what llama.cpp reads: its Q4_0 weights are the very same.

A block of 32 has a scale in float16 and 16 bytes, of which the lower halves are the first 16 weights. Pairs that are
turned by one angle are neighbours there, so rows of queries and keys lie in another order.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from llama import Size
from numpy.typing import NDArray

from anytile.compiler.passes.narrow.grouped_weights import GROUP
from benchmarks.subjects.token_weights import EPS, Grouped, Weights

Array = NDArray[Any]
ALIGNMENT = 32
F32, Q4_0 = 0, 2
_NAMES = {"w_q": "attn_q", "w_k": "attn_k", "w_v": "attn_v", "w_out": "attn_output", "before": "attn_norm"}
_NAMES |= {"w_gate": "ffn_gate", "w_up": "ffn_up", "w_down": "ffn_down", "behind": "ffn_norm"}
_OUTER = {"words": "token_embd", "norm": "output_norm", "head": "output"}


def write(path: Path, weights: Weights, context: int) -> None:
    """The model with a vocabulary of nothing but numbers."""
    size, tensors = weights.size, _tensors(weights)
    said: dict[str, str | int | float] = {
        "general.architecture": "llama",
        "general.alignment": ALIGNMENT,
        "llama.context_length": context,
        "llama.embedding_length": size.hidden,
        "llama.block_count": size.layers,
        "llama.feed_forward_length": size.inner,
        "llama.attention.head_count": size.heads,
        "llama.attention.head_count_kv": size.shared,
        "llama.attention.layer_norm_rms_epsilon": EPS,
        "llama.rope.dimension_count": size.per_head,
        "llama.vocab_size": size.words,
        "tokenizer.ggml.model": "none",
    }
    with path.open("wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(said)))
        for name, value in said.items():
            file.write(_text(name) + _value(value))
        at = 0
        for name, (kind, shape, data) in tensors.items():
            file.write(_text(name) + struct.pack("<I", len(shape)))
            file.write(struct.pack(f"<{len(shape)}QIQ", *reversed(shape), kind, at))
            at += -(-data.nbytes // ALIGNMENT) * ALIGNMENT
        _align(file)
        for _, _, data in tensors.values():
            file.write(data.tobytes())
            _align(file)


def _tensors(weights: Weights) -> dict[str, tuple[int, tuple[int, ...], Array]]:
    """By its name there each tensor's type, shape and bytes."""
    found = {f"{_OUTER[name]}.weight": _tensor(w) for name, w in weights.outer.items()}
    for number, layer in enumerate(weights.layers):
        layer = layer | {name: layer[name].with_rows(_pairs(weights.size, name)) for name in ("w_q", "w_k")}
        found |= {f"blk.{number}.{_NAMES[name]}.weight": _tensor(w) for name, w in layer.items()}
    return found


def _pairs(size: Size, name: str) -> Array:
    """The order of rows in which the halves of each head alternate."""
    heads = size.heads if name == "w_q" else size.shared
    return np.arange(heads * size.per_head).reshape(heads, 2, -1).transpose(0, 2, 1).ravel()


def _tensor(w: Any) -> tuple[int, tuple[int, ...], Array]:
    if not isinstance(w, Grouped):
        return F32, w.shape, w
    low, high = w.packed & 15, w.packed >> 4
    codes = np.stack([low, high], axis=-1).reshape(len(w.packed), -1, 2, GROUP // 2)
    blocks = np.concatenate([w.scales[:, :, None].view(np.uint8), codes[:, :, 0] | codes[:, :, 1] << 4], axis=2)
    return Q4_0, (len(w.packed), w.k), blocks


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _value(value: str | int | float) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    return struct.pack("<II", 4, value) if isinstance(value, int) else struct.pack("<If", 6, value)


def _align(file: BinaryIO) -> None:
    file.write(bytes(-file.tell() % ALIGNMENT))
