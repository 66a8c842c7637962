"""A small decoder that writes one token after the other, with random weights from a seed.

    python examples/decoder.py --layers 2 --tokens 12

The tokens, and each layer's keys and values, grow by one in every round of the loop; no length is known before.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.module import Module

Array = NDArray[np.float32]
HIDDEN, HEADS, WORDS = 256, 4, 1000
PER_HEAD = HIDDEN // HEADS


def weights(layers: int = 2, seed: int = 0) -> tuple[Array, Array, list[dict[str, Array]]]:
    """The words' vectors and what scores them, both [words, hidden], and each layer's matrices [out, in]."""
    rng = np.random.default_rng(seed)

    def matrix(n: int, k: int) -> Array:
        return rng.standard_normal((n, k), dtype=np.float32) * np.float32(k**-0.5)

    shapes = dict.fromkeys(("w_q", "w_k", "w_v", "w_out"), (HIDDEN, HIDDEN))
    shapes |= {"w_inner": (4 * HIDDEN, HIDDEN), "w_outer": (HIDDEN, 4 * HIDDEN)}
    made = [{name: matrix(*shape) for name, shape in shapes.items()} for _ in range(layers)]
    return rng.standard_normal((WORDS, HIDDEN), dtype=np.float32), matrix(WORDS, HIDDEN), made


def decoder(layers: int = 2, seed: int = 0) -> Module:
    """(first token, how many) to the tokens, the first among them."""
    m = ModuleBuilder()
    words, scores, arrays = weights(layers, seed)
    number, tokens = "Tensor[(), int64]", "Tensor[(?t,), int64]"
    cache = f"Tensor[(?t, {HEADS}, {PER_HEAD}), float32]"
    names = [f"{kind}{layer}" for layer in range(layers) for kind in "kv"]

    with m.function("main", result="Tensor[(?,), int64]", first=number, count=number) as (f, first, count):
        empty = np.zeros((0, HEADS, PER_HEAD), np.float32)
        none = np.zeros(0, np.int64)
        f.result(f.call_global("write", first, count, none, *(empty for _ in names)))

    with m.function(
        "write", result="Tensor[(?,), int64]", token=number, left=number, written=tokens, **dict.fromkeys(names, cache)
    ) as (f, token, left, written, *caches):

        def step(f: Block) -> Node:
            x = f.reshape(f.take(f.constant(words, "words"), token), shape=(1, HIDDEN))
            grown: list[Node] = []
            for at, w in enumerate(arrays):
                with f.at(f"layer{at}"):
                    constants = {name: f.constant(array, f"l{at}_{name}") for name, array in w.items()}
                    x, k, v = layer(f, x, caches[2 * at], caches[2 * at + 1], constants)
                    grown += [k, v]
            following = f.reshape(f.argmax(f.dense(x, f.constant(scores, "scores")), axis=1), shape=())
            longer = f.concat(written, f.reshape(token, shape=(1,)), axis=0)
            return f.call_global("write", following, left - 1, longer, *grown)

        f.result(f.if_(left > 0, step, lambda f: written))
    return m.build()


def layer(f: Block, x: Node, keys: Node, values: Node, w: dict[str, Node]) -> tuple[Node, Node, Node]:
    """One token through one layer: its state, and the keys and values with its own behind them."""

    def normalised(x: Node) -> Node:
        return f.rms_norm(x, np.ones(HIDDEN, np.float32))

    def heads(x: Node) -> Node:
        return f.reshape(x, shape=(1, HEADS, PER_HEAD))

    y = normalised(x)
    q, k, v = (heads(f.dense(y, w[f"w_{name}"])) for name in "qkv")
    keys, values = f.concat(keys, k, axis=0), f.concat(values, v, axis=0)
    scores = f.batch_matmul(q, keys, lhs="mbk", rhs="nbk") * float(PER_HEAD**-0.5)
    mixed = f.batch_matmul(f.softmax(scores), values, rhs="kbn", y="mbn")
    x = x + f.dense(f.reshape(mixed, shape=(1, HIDDEN)), w["w_out"])
    x = x + f.dense(f.gelu(f.dense(normalised(x), w["w_inner"])), w["w_outer"])
    return x, keys, values


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=12)
    options = parser.parse_args()
    run = anytile.Session(anytile.compile(decoder(options.layers)))
    print(run(np.int64(1), np.int64(options.tokens)))


if __name__ == "__main__":
    main()
