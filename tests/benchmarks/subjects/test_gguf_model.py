"""The decoder as a GGUF file: what stands in it is read back by its format, and its weights are the very same."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import llama
import numpy as np
from numpy.typing import NDArray

from benchmarks.subjects import gguf_model
from benchmarks.subjects.token_weights import Grouped, Weights

TINY = llama.SIZES["tiny"]
Array = NDArray[Any]


class Reader:
    """Bytes in their order."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def text(self) -> str:
        (length,) = self.numbers("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()


def read(path: Path) -> tuple[dict[str, Any], dict[str, tuple[tuple[int, ...], Array]]]:
    """What the file says, and its tensors: float32, or 4 bits in blocks as float32."""
    r = Reader(path.read_bytes())
    assert r.numbers("4sI") == (b"GGUF", 3)
    tensors, words = r.numbers("QQ")
    said: dict[str, Any] = {}
    for _ in range(words):
        name, (kind,) = r.text(), r.numbers("I")
        said[name] = r.text() if kind == 8 else r.numbers({4: "I", 6: "f"}[kind])[0]
    infos = []
    for _ in range(tensors):
        name, (rank,) = r.text(), r.numbers("I")
        *dims, kind, offset = r.numbers(f"{rank}QIQ")
        infos.append((name, tuple(reversed(dims)), kind, offset))
    start = -(-r.at // said["general.alignment"]) * said["general.alignment"]
    found = {}
    for name, shape, kind, offset in infos:
        at = start + offset
        if kind == gguf_model.F32:
            found[name] = shape, np.frombuffer(r.data, np.float32, int(np.prod(shape)), at).reshape(shape)
            continue
        assert kind == gguf_model.Q4_0
        blocks = np.frombuffer(r.data, np.uint8, int(np.prod(shape)) // 32 * 18, at).reshape(-1, 18)
        scales, codes = blocks[:, :2].copy().view(np.float16).astype(np.float32), blocks[:, 2:]
        values = np.concatenate([codes & 15, codes >> 4], axis=1).astype(np.float32) - 8
        found[name] = shape, (values * scales).reshape(shape)
    return said, found


def test_weights_are_the_very_same(tmp_path: Path) -> None:
    weights = Weights.of(TINY, llama.llama(TINY, context=32))
    gguf_model.write(tmp_path / "tiny.gguf", weights, 32)
    said, tensors = read(tmp_path / "tiny.gguf")
    assert said["llama.attention.head_count"] == TINY.heads
    assert said["llama.block_count"] == TINY.layers
    assert len(tensors) == 3 + 9 * TINY.layers
    head = weights.outer["head"]
    assert isinstance(head, Grouped)
    np.testing.assert_array_equal(tensors["output.weight"][1], widened(head))
    down = weights.layers[1]["w_down"]
    assert isinstance(down, Grouped)
    np.testing.assert_array_equal(tensors["blk.1.ffn_down.weight"][1], widened(down))


def test_pairs_of_queries_that_are_turned_together_are_neighbours(tmp_path: Path) -> None:
    weights = Weights.of(TINY, llama.llama(TINY, context=32))
    gguf_model.write(tmp_path / "tiny.gguf", weights, 32)
    _, tensors = read(tmp_path / "tiny.gguf")
    keys = weights.layers[0]["w_k"]
    assert isinstance(keys, Grouped)
    wide, half = widened(keys), TINY.per_head // 2
    found = tensors["blk.0.attn_k.weight"][1]
    np.testing.assert_array_equal(found[0], wide[0])
    np.testing.assert_array_equal(found[1], wide[half])
    np.testing.assert_array_equal(found[TINY.per_head + 2], wide[TINY.per_head + 1])


def widened(w: Grouped) -> Array:
    codes = np.stack([w.packed & 15, w.packed >> 4], axis=-1).reshape(len(w.packed), -1).astype(np.float32) - 8
    return codes * np.repeat(w.scales.astype(np.float32), 32, axis=1)
