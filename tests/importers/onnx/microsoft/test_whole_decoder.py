"""A whole decoder as model builders write it: a prompt and steps over a cache that grows, against onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import contrib, model, onnx

Array = np.ndarray[Any, Any]
HIDDEN, HEADS, KEYS, INNER, WORDS, LAYERS, PLACES, BLOCK = 64, 4, 2, 96, 50, 2, 32, 32
SIZE = HIDDEN // HEADS


class _Builder:
    """Nodes and weights of one model, one after the other."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(23)
        self.nodes: list[Any] = []
        self.weights: dict[str, Array] = {}

    def constant(self, name: str, array: Array) -> str:
        self.weights[name] = array
        return name

    def own(self, op: str, inputs: Sequence[str], output: str, **given: Any) -> str:
        """A node of ONNX's own."""
        self.nodes.append(onnx.helper.make_node(op, inputs, [output], **given))
        return output

    def node(self, op: str, inputs: Sequence[str], *outputs: str, **given: Any) -> str:
        self.nodes.append(contrib(op, inputs, outputs, **given))
        return outputs[0]

    def dense(self, x: str, rows: int, columns: int, name: str) -> str:
        blocks = columns // BLOCK
        codes = self.constant(f"{name}_q", self.rng.integers(0, 256, (rows, blocks, BLOCK // 2)).astype(np.uint8))
        scale = self.constant(f"{name}_s", (self.rng.random(rows * blocks) * 0.05 + 0.01).astype(np.float32))
        return self.node("MatMulNBits", [x, codes, scale], name, K=columns, N=rows, bits=4, block_size=BLOCK)

    def norm(self, name: str) -> str:
        return self.constant(name, 1 + self.rng.standard_normal(HIDDEN).astype(np.float32) / 8)

    def whole(self) -> tuple[list[Any], list[str]]:
        """The nodes, and what the model gives: scores of words, and the cache by layer."""
        angles = np.arange(PLACES)[:, None] * 100.0 ** (-np.arange(SIZE // 2) / (SIZE // 2))
        tables = [
            self.constant(f, np.asarray(make(angles), np.float32)) for f, make in (("cos", np.cos), ("sin", np.sin))
        ]
        one, which = self.constant("one", np.array([1])), self.constant("which", np.array(1))
        self.own("ReduceSum", ["mask", one], "sum", keepdims=0)
        self.own("Cast", [self.own("Sub", ["sum", one], "last64")], "last", to=onnx.TensorProto.INT32)
        self.own("Gather", [self.own("Shape", ["mask"], "shape"), which], "total64", axis=0)
        self.own("Cast", ["total64"], "total", to=onnx.TensorProto.INT32)
        table = self.constant("words", self.rng.integers(0, 256, (WORDS, HIDDEN // 2)).astype(np.uint8))
        scale = self.constant("words_s", self.rng.random((WORDS, HIDDEN // BLOCK), np.float32))
        x = self.node("GatherBlockQuantized", [table, "ids", scale], "x", block_size=BLOCK)
        y = self.own("SimplifiedLayerNormalization", [x, self.norm("first")], "y", epsilon=1e-5)
        results = ["scores"]
        for at in range(LAYERS):
            q, k, v = (self.dense(y, n * SIZE, HIDDEN, f"{w}{at}") for w, n in (("q", HEADS), ("k", KEYS), ("v", KEYS)))
            caches = [f"new_k{at}", f"new_v{at}"]
            given = [q, k, v, f"past_k{at}", f"past_v{at}", "last", "total", *tables]
            attributes = {"num_heads": HEADS, "kv_num_heads": KEYS, "do_rotary": 1}
            mixed = self.node("GroupQueryAttention", given, f"mixed{at}", *caches, **attributes)
            results += caches
            out = self.dense(mixed, HIDDEN, HIDDEN, f"out{at}")
            x, y = self._skipped(x, out, f"behind{at}")
            gate, up = (self.dense(y, INNER, HIDDEN, f"{w}{at}") for w in ("gate", "up"))
            silu = self.own("Mul", [gate, self.own("Sigmoid", [gate], f"sigmoid{at}")], f"silu{at}")
            inner = self.own("Mul", [silu, up], f"inner{at}")
            x, y = self._skipped(x, self.dense(inner, HIDDEN, INNER, f"down{at}"), f"next{at}")
        self.dense(y, WORDS, HIDDEN, "scores")
        return self.nodes, results

    def _skipped(self, x: str, more: str, name: str) -> tuple[str, str]:
        node = ("SkipSimplifiedLayerNormalization", [x, more, self.norm(f"{name}_g")])
        self.node(*node, f"{name}_y", "", "", f"{name}_x", epsilon=1e-5)
        return f"{name}_x", f"{name}_y"


@pytest.mark.slow
def test_a_prompt_and_steps_over_a_cache() -> None:
    runtime = pytest.importorskip("onnxruntime")
    builder = _Builder()
    nodes, results = builder.whole()
    caches = {f"past_{name[4:]}": ("b", KEYS, "p", SIZE) for name in results[1:]}
    shapes: dict[str, tuple[int | str, ...]] = {"ids": ("b", "m"), "mask": ("b", "t"), **caches}
    proto = model(nodes, shapes, results, builder.weights, {"ids": "int64", "mask": "int64"})
    theirs = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    exe = anytile.compile(import_model(proto))
    assert {k.name.partition(".")[0] for k in exe.kernels if k.kind == "packed"} <= {"arange"}
    ours = anytile.Session(exe)
    rng = np.random.default_rng(29)
    for batch in (1, 2):
        ids = rng.integers(0, WORDS, (batch, 7))
        past = [np.zeros((batch, KEYS, 0, SIZE), np.float32)] * len(caches)
        for _ in range(4):
            seen = ids.shape[1] + past[0].shape[2]
            feed = dict(zip(shapes, [ids, np.ones((batch, seen), np.int64), *past], strict=True))
            wanted = theirs.run(results, feed)
            for name, a, b in zip(results, ours(*feed.values()), wanted, strict=True):
                assert np.abs(a - b).max() <= 1e-4 * np.abs(b).max(), name
            past, ids = wanted[1:], wanted[0][:, -1].argmax(-1)[:, None]
