"""BERT's encoder, with random weights from a seed: hidden states of any number of tokens in, hidden states out.

    python examples/bert.py --layers 2 --tokens 17

Queries, keys and values stay where the dense layers put them: the products of attention read the heads in place, by
their letters, so nothing is transposed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.module import Module

Array = NDArray[np.float32]
HIDDEN, HEADS, INNER = 768, 12, 3072


def weights(layers: int = 12, seed: int = 0) -> list[dict[str, Array]]:
    """For each layer its arrays by name: w_* are [out, in], b_* and the two normalisations' are vectors."""
    rng = np.random.default_rng(seed)

    def matrix(n: int, k: int) -> Array:
        return rng.standard_normal((n, k), dtype=np.float32) * np.float32(0.02)

    def vector(n: int, mean: float = 0.0) -> Array:
        return rng.standard_normal(n, dtype=np.float32) * np.float32(0.02) + np.float32(mean)

    def arrays() -> Iterator[tuple[str, Array]]:
        for name in ("q", "k", "v", "out"):
            yield f"w_{name}", matrix(HIDDEN, HIDDEN)
            yield f"b_{name}", vector(HIDDEN)
        yield "w_inner", matrix(INNER, HIDDEN)
        yield "b_inner", vector(INNER)
        yield "w_outer", matrix(HIDDEN, INNER)
        yield "b_outer", vector(HIDDEN)
        for name in ("attended", "final"):
            yield f"gamma_{name}", vector(HIDDEN, 1.0)
            yield f"beta_{name}", vector(HIDDEN)

    return [dict(arrays()) for _ in range(layers)]


def bert(layers: int = 12, seed: int = 0) -> Module:
    """The encoder as a module of one function, for one sequence of `?t` tokens."""
    m = ModuleBuilder()
    with m.function("main", x=f"Tensor[(?t, {HIDDEN}), float32]") as (f, x):
        for number, w in enumerate(weights(layers, seed)):
            with f.at(f"layer{number}"):
                x = layer(f, x, {name: f.constant(array, f"l{number}_{name}") for name, array in w.items()})
        f.result(x)
    return m.build()


def layer(f: Block, x: Node, w: dict[str, Node]) -> Node:
    """Attention and the feed-forward pair, each with its residual and normalisation."""

    def dense(x: Node, name: str) -> Node:
        return f.dense(x, w[f"w_{name}"]) + w[f"b_{name}"]

    def heads(x: Node) -> Node:
        return f.reshape(x, shape=(-1, HEADS, HIDDEN // HEADS))

    def normalised(x: Node, name: str) -> Node:
        return f.layer_norm(x, w[f"gamma_{name}"], w[f"beta_{name}"], eps=1e-12)

    with f.at("attention"):
        q, k, v = (heads(dense(x, name)) for name in "qkv")
        scores = f.batch_matmul(q, k, lhs="mbk", rhs="nbk") * float((HIDDEN // HEADS) ** -0.5)
        mixed = f.batch_matmul(f.softmax(scores), v, rhs="kbn", y="mbn")
        x = normalised(x + dense(f.reshape(mixed, shape=(-1, HIDDEN)), "out"), "attended")
    with f.at("feed_forward"):
        return normalised(x + dense(f.gelu(dense(x, "inner")), "outer"), "final")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--tokens", type=int, nargs="*", default=[8, 17])
    options = parser.parse_args()
    run = anytile.Session(anytile.compile(bert(options.layers)))
    for tokens in options.tokens:
        x = np.random.default_rng(tokens).standard_normal((tokens, HIDDEN), dtype=np.float32)
        print(tokens, run(x).shape, run(x).std())


if __name__ == "__main__":
    main()
