"""A language model out of an ONNX file as model builders write it: a prompt, then one token after the other.

    python examples/onnx_decoder.py [MODEL.onnx] [--prompt 11,7,42] [--tokens 12]

Such files (those of onnxruntime-genai's builder and of onnx-community) take `input_ids`, `attention_mask` and the keys
and values of before, and give logits and the keys and values of now; attention is `GroupQueryAttention`, and weights of
4 bits each are in `MatMulNBits`. Without a file it is a small one of that kind, made here, with random weights. Tokens
are numbers: words are a tokeniser's. Needs onnx: pip install 'anytile[onnx]'.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.importers.onnx.model import import_model
from anytile.vm.executable import Executable

Array = NDArray[Any]
CONTRIB = "com.microsoft"


# -- a small model -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a model is; so many heads of keys and values are `shared` by those of queries."""

    layers: int = 2
    hidden: int = 256
    heads: int = 8
    shared: int = 2
    inner: int = 704
    words: int = 1000
    block: int = 32  # weights that have a scale in common
    positions: int = 512
    accuracy: int = 4  # rows that meet weights may be taken in 8 bits; 0 is float32

    @property
    def per_head(self) -> int:
        return self.hidden // self.heads


class Builder:
    """Nodes and constants of one graph."""

    def __init__(self, sizes: Sizes) -> None:
        try:
            import onnx
        except ModuleNotFoundError:
            raise SystemExit("onnx_decoder: error: the package onnx, which makes and reads files, is not installed: "
                             "pip install 'anytile[onnx]'") from None  # fmt: skip
        self.onnx, self.sizes, self.random = onnx, sizes, np.random.default_rng(0)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: Array) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, op: str, inputs: Sequence[str], *outputs: str, domain: str = "", **attributes: Any) -> str:
        """Its first result."""
        self.nodes.append(self.onnx.helper.make_node(op, inputs, outputs, outputs[0], domain=domain, **attributes))
        return outputs[0]

    def product(self, x: str, rows: int, columns: int, y: str) -> str:
        """With a random weight in 4 bits."""
        blocks, block = columns // self.sizes.block, self.sizes.block
        low, high = self.random.integers(1, 16, (2, rows, blocks, block // 2), np.uint8)  # 8 stands for zero
        scales = np.float32(columns**-0.5 / 4) * self.random.uniform(0.75, 1.25, (rows, blocks)).astype(np.float32)
        inputs = [x, self.constant(f"{y}.weight", low | high << 4), self.constant(f"{y}.scales", scales)]
        how = {"K": columns, "N": rows, "bits": 4, "block_size": block, "accuracy_level": self.sizes.accuracy}
        return self.node("MatMulNBits", inputs, y, domain=CONTRIB, **how)

    def scale(self, name: str) -> str:
        return self.constant(name, self.random.uniform(0.75, 1.25, self.sizes.hidden).astype(np.float32))


def small_decoder(sizes: Sizes) -> Any:
    """The model, as the builder of onnxruntime-genai has it."""
    b = Builder(sizes)
    pairs = sizes.per_head // 2
    angles = np.arange(sizes.positions)[:, None] * 10000.0 ** (-np.arange(pairs) / pairs)
    b.constant("cos", np.cos(angles).astype(np.float32))
    b.constant("sin", np.sin(angles).astype(np.float32))
    b.constant("words", b.random.standard_normal((sizes.words, sizes.hidden), np.float32))
    b.constant("axis", np.array([1]))
    b.constant("one", np.array(1))
    whole = {"to": b.onnx.TensorProto.INT32}
    b.node("Sub", [b.node("ReduceSum", ["attention_mask", "axis"], "lengths", keepdims=0), "one"], "last")
    b.node("Cast", ["last"], "last_keys", **whole)
    b.node(
        "Cast", [b.node("Gather", [b.node("Shape", ["attention_mask"], "mask_shape"), "one"], "keys")], "total", **whole
    )
    x = b.node("Gather", ["words", "input_ids"], "embedded")
    y = b.node("SimplifiedLayerNormalization", [x, b.scale("norm")], "normal", axis=-1, epsilon=1e-5)
    for i in range(sizes.layers):
        x, y = layer(b, i, x, y)
    b.product(y, sizes.words, sizes.hidden, "logits")
    return graph(b)


def layer(b: Builder, i: int, x: str, y: str) -> tuple[str, str]:
    """What is added up, and it normalised, before and after one layer."""
    sizes, at = b.sizes, f"layer{i}"
    width, few = sizes.heads * sizes.per_head, sizes.shared * sizes.per_head
    q, k, v = (b.product(y, n, sizes.hidden, f"{at}.{name}") for name, n in (("q", width), ("k", few), ("v", few)))
    past = [f"past_key_values.{i}.{kind}" for kind in ("key", "value")]
    now = [f"present.{i}.{kind}" for kind in ("key", "value")]
    heads = {"num_heads": sizes.heads, "kv_num_heads": sizes.shared, "do_rotary": 1}
    inputs = [q, k, v, *past, "last_keys", "total", "cos", "sin"]
    seen = b.node("GroupQueryAttention", inputs, f"{at}.seen", *now, domain=CONTRIB, **heads)
    x, y = added(b, x, b.product(seen, sizes.hidden, width, f"{at}.out"), f"{at}.behind")
    gate, up = (b.product(y, sizes.inner, sizes.hidden, f"{at}.{name}") for name in ("gate", "up"))
    silu = b.node("Mul", [gate, b.node("Sigmoid", [gate], f"{at}.sigmoid")], f"{at}.silu")
    inner = b.node("Mul", [silu, up], f"{at}.inner")
    return added(b, x, b.product(inner, sizes.hidden, sizes.inner, f"{at}.down"), f"{at}.next")


def added(b: Builder, x: str, more: str, name: str) -> tuple[str, str]:
    outputs = (f"{name}.normal", "", "", f"{name}.sum")
    b.node("SkipSimplifiedLayerNormalization", [x, more, b.scale(name)], *outputs, domain=CONTRIB, epsilon=1e-5)
    return outputs[3], outputs[0]


def graph(b: Builder) -> Any:
    helper, whole, real = b.onnx.helper, b.onnx.TensorProto.INT64, b.onnx.TensorProto.FLOAT
    kinds = [f"{i}.{kind}" for i in range(b.sizes.layers) for kind in ("key", "value")]
    rows, cache = ["batch", "tokens"], lambda size: ["batch", b.sizes.shared, size, b.sizes.per_head]
    info = helper.make_tensor_value_info
    inputs = [info("input_ids", whole, rows), info("attention_mask", whole, ["batch", "total"])]
    inputs += [info(f"past_key_values.{kind}", real, cache("past")) for kind in kinds]
    outputs = [info("logits", real, [*rows, b.sizes.words])]
    outputs += [info(f"present.{kind}", real, cache("total")) for kind in kinds]
    made = helper.make_graph(b.nodes, "decoder", inputs, outputs, b.constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=9)


# -- its tokens --------------------------------------------------------------------------------------------------------


class Decoder:
    """A session that goes on from the keys and values of before."""

    def __init__(self, exe: Executable) -> None:
        self.session = anytile.Session(exe)
        self.ports = dict(exe.inputs)
        self.cache: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Forget all tokens."""
        self.count = 0
        past = [port for name, port in self.ports.items() if name.startswith("past")]
        sizes = [[d if isinstance(d, int) else 0 for d in port.shape[1:]] for port in past]
        self.cache = [np.zeros([1, *own], port.dtype) for own, port in zip(sizes, past, strict=True)]

    def __call__(self, tokens: Sequence[int]) -> Array:
        """The logits behind the last of some more tokens."""
        first, self.count = self.count, self.count + len(tokens)
        given = {
            "input_ids": np.array([tokens]),
            "attention_mask": np.ones((1, self.count), np.int64),
            "position_ids": np.arange(first, self.count)[None],
        }
        cache = iter(self.cache)
        inputs = [next(cache) if name.startswith("past") else given[name] for name in self.ports]
        logits, *self.cache = self.session(*inputs)
        return np.asarray(logits)[0, -1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate tokens with a decoder out of an ONNX file.")
    parser.add_argument("model", nargs="?", type=Path, default=None)
    parser.add_argument("--prompt", default="11,7,42,5,310,2,77", metavar="N,N,...", help="tokens to begin with")
    parser.add_argument("--tokens", type=int, default=12, metavar="N", help="how many are generated")
    options = parser.parse_args()
    prompt = [int(n) for n in options.prompt.split(",")]

    begin = time.perf_counter()
    exe = anytile.compile(options.model or import_model(small_decoder(Sizes())))
    name = options.model.name if options.model else "a small decoder"
    print(f"{name}: {len(exe.kernels)} kernels, compiled in {time.perf_counter() - begin:.1f} s")
    decoder = Decoder(exe)
    decoder(prompt)  # memory is there from here on
    decoder.begin()
    begin = time.perf_counter()
    made = [int(decoder(prompt).argmax())]
    print(f"a prompt of {len(prompt)} tokens took {(time.perf_counter() - begin) * 1e3:.1f} ms")
    begin = time.perf_counter()
    for _ in range(options.tokens - 1):
        made.append(int(decoder(made[-1:]).argmax()))
    each = (time.perf_counter() - begin) / max(options.tokens - 1, 1)
    print(f"{len(made)} tokens, {each * 1e3:.2f} ms each: {' '.join(map(str, made))}")


if __name__ == "__main__":
    main()
