"""A Llama-shaped decoder with weights in 4 bits: reads a prompt, writes tokens, and says how many of each a second.

    python examples/llama.py --size 0.3b --prompt 64 --tokens 64

Weights are random, from a seed. Keys and values of what was read lie in arrays that are made once, whose first rows go
in; out come those of the new tokens, which are written behind them. So attention is over two parts, what was read and
what is new, joined as sums of exponentials are, and nothing that was read is ever copied.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.grouped_weights import GIVEN, grouped_weight

Array = NDArray[Any]
Run = Callable[..., Sequence[Array]]
INT4, FLOAT = "int4", "float32"


@dataclass(frozen=True)
class Size:
    """What a model is like: `heads` of queries, of which as many share keys and values as there are fewer of those."""

    layers: int
    hidden: int
    heads: int
    shared: int
    inner: int
    words: int

    @property
    def per_head(self) -> int:
        return self.hidden // self.heads

    @property
    def weights(self) -> int:
        each = 2 * self.hidden + 2 * self.shared * self.per_head + 3 * self.inner
        return self.hidden * (self.layers * each + 2 * self.words)


SIZES = {
    "tiny": Size(2, 128, 4, 2, 160, 96),
    "0.3b": Size(24, 1024, 16, 4, 2816, 32000),
    "1.1b": Size(22, 2048, 32, 4, 5632, 32000),
}


def layer_weights(size: Size, number: int, seed: int = 0) -> dict[str, Array]:
    """A layer's matrices [out, in] and its normalisations' vectors. Rows of w_q that share keys lie `shared` heads
    apart, so that queries are read in place; columns of w_out likewise."""
    rng = np.random.default_rng((seed, number))
    own = size.shared * size.per_head
    shapes = {"w_q": (size.hidden, size.hidden), "w_k": (own, size.hidden), "w_v": (own, size.hidden)}
    shapes |= {"w_out": (size.hidden, size.hidden), "w_gate": (size.inner, size.hidden)}
    shapes |= {"w_up": (size.inner, size.hidden), "w_down": (size.hidden, size.inner)}
    made = {name: _matrix(rng, *shape) for name, shape in shapes.items()}
    return made | {name: _near_one(rng, size.hidden) for name in ("before", "behind")}


def outer_weights(size: Size, seed: int = 0) -> dict[str, Array]:
    """The words' vectors, what scores words, and the last normalisation."""
    rng = np.random.default_rng((seed, size.layers))
    tables = {name: _matrix(rng, size.words, size.hidden) for name in ("words", "head")}
    return tables | {"norm": _near_one(rng, size.hidden)}


def _matrix(rng: np.random.Generator, n: int, k: int) -> Array:
    return rng.standard_normal((n, k), dtype=np.float32) * np.float32(k**-0.5)


def _near_one(rng: np.random.Generator, n: int) -> Array:
    return 1 + rng.standard_normal(n, dtype=np.float32) / 8


def llama(size: Size, precision: str = INT4, context: int = 2048, seed: int = 0) -> Module:
    """(tokens, their positions, keys and values of what was read, by layer) to the scores of the next word, and the
    keys and values of these tokens, by layer."""
    m = ModuleBuilder()
    cache = f"Tensor[(?p, {size.shared}, {size.per_head}), float32]"
    names = [f"{kind}{number}" for number in range(size.layers) for kind in "kv"]
    numbers = "Tensor[(?t,), int64]"
    with m.function("main", tokens=numbers, positions=numbers, **dict.fromkeys(names, cache)) as made:
        f, tokens, positions, *caches = made
        outer = outer_weights(size, seed)
        x = f.take(f.constant(outer["words"], "words"), tokens)
        about = _Positions(f, positions, size, context)
        grown: list[Node] = []
        for number in range(size.layers):
            with f.at(f"layer{number}"):
                w = _Weights(f, layer_weights(size, number, seed), precision, f"l{number}_")
                x, keys, values = layer(f, x, caches[2 * number], caches[2 * number + 1], w, about, size)
            grown += [keys, values]
        w = _Weights(f, outer, precision)
        last = f.reshape(f.take(x, np.int64(-1)), shape=(1, size.hidden))
        scores = w.dense(f.rms_norm(last, w.vector("norm")), "head")
        f.result(f.tuple(f.reshape(scores, shape=(size.words,)), *grown))
    return m.build()


class _Weights:
    """Matrices and vectors as constants of a block, matrices in 4 bits where that is wanted."""

    def __init__(self, f: Block, arrays: dict[str, Array], precision: str, prefix: str = "") -> None:
        self.f, self.arrays, self.precision, self.prefix = f, arrays, precision, prefix

    def vector(self, name: str) -> Node:
        return self.f.constant(self.arrays[name], self.prefix + name)

    def dense(self, x: Node, name: str) -> Node:
        if self.precision == FLOAT:
            return self.f.dense(x, self.vector(name))
        made = grouped_weight(self.arrays[name])
        assert made is not None  # random numbers are not so large
        named = zip(made, ("int4", "scale"), strict=True)
        parts = (self.f.constant(array, f"{self.prefix}{name}_{what}") for array, what in named)
        return self.f.grouped_dense(x, *parts, **dict(GIVEN))


class _Positions:
    """What positions mean to attention: by which angles pairs of elements are turned, and which tokens see which."""

    def __init__(self, f: Block, positions: Node, size: Size, context: int) -> None:
        self.f, self.half = f, size.per_head // 2
        angles = np.arange(context)[:, None] * 10000.0 ** (-np.arange(self.half) / self.half)
        sines = np.stack([-np.sin(angles), np.sin(angles)], axis=1)
        self.cos = self._at(np.cos(angles)[:, None], "cos", positions)
        self.sin = self._at(sines, "sin", positions)
        sharing = np.zeros((1, size.heads // size.shared), np.int64)
        rows = f.reshape(f.reshape(positions, shape=(-1, 1)) + sharing, shape=(-1, 1, 1))
        self.unseen = f.where(rows >= positions, 0.0, float("-inf"))

    def _at(self, table: Array, name: str, positions: Node) -> Node:
        taken = self.f.take(self.f.constant(table.astype(np.float32), name), positions)
        return self.f.reshape(taken, shape=(-1, 1, table.shape[1], self.half))

    def turned(self, x: Node, heads: int) -> Node:
        f = self.f
        x = f.reshape(x, shape=(-1, heads, 2, self.half))
        return x * self.cos + f.take(x, np.array([1, 0]), axis=2) * self.sin


def layer(
    f: Block, x: Node, keys: Node, values: Node, w: _Weights, about: _Positions, size: Size
) -> tuple[Node, Node, Node]:
    """New tokens through one layer: their states, and their keys and values."""

    def heads(x: Node) -> Node:
        return f.reshape(x, shape=(-1, size.shared, size.per_head))

    def scores(keys: Node) -> Node:
        return f.batch_matmul(q, keys, lhs="mbk", rhs="nbk", y="mbn") * float(size.per_head**-0.5)

    def largest(scores: Node) -> Node:
        return f.max(scores, axis=(2,), keepdims=True)

    def weighed(scores: Node, values: Node) -> Node:
        return f.batch_matmul(scores, values, lhs="mbk", rhs="kbn", y="mbn")

    y = f.rms_norm(x, w.vector("before"))
    q = heads(about.turned(w.dense(y, "w_q"), size.heads))
    k, v = heads(about.turned(w.dense(y, "w_k"), size.shared)), heads(w.dense(y, "w_v"))
    read, new = scores(keys), scores(k) + about.unseen
    top = f.maximum(largest(read), largest(new))
    read, new = f.exp(read - top), f.exp(new - top)
    whole = f.sum(read, axis=(2,), keepdims=True) + f.sum(new, axis=(2,), keepdims=True)
    mixed = (weighed(new, v) + weighed(read, values)) / whole
    x = x + w.dense(f.reshape(mixed, shape=(-1, size.hidden)), "w_out")
    y = f.rms_norm(x, w.vector("behind"))
    gate = w.dense(y, "w_gate")
    return x + w.dense(w.dense(y, "w_up") * f.silu(gate), "w_down"), k, v


class Cache:
    """Keys and values of what was read, by layer, in arrays with room for a context."""

    def __init__(self, size: Size, context: int = 2048) -> None:
        self.rooms = [np.zeros((context, size.shared, size.per_head), np.float32) for _ in range(2 * size.layers)]
        self.length = 0

    def read(self, run: Run, tokens: Array) -> Array:
        """The scores of the word behind these tokens."""
        begin, end = self.length, self.length + len(tokens)
        scores, *grown = run(tokens, np.arange(begin, end), *(room[:begin] for room in self.rooms))
        for room, rows in zip(self.rooms, grown, strict=True):
            room[begin:end] = rows
        self.length = end
        return scores


def written(run: Run, cache: Cache, prompt: Array) -> Iterator[int]:
    """The most likely token behind a prompt, the most likely one behind that, and so on."""
    tokens = prompt
    while True:
        token = int(cache.read(run, tokens).argmax())
        yield token
        tokens = np.array([token])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--precision", choices=(INT4, FLOAT), default=INT4)
    parser.add_argument("--prompt", type=int, default=16, help="how many tokens are read")
    parser.add_argument("--tokens", type=int, default=16, help="how many tokens are written")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    size = SIZES[options.size]
    prompt = np.random.default_rng(0).integers(0, size.words, options.prompt)
    context = options.prompt + options.tokens
    began = time.perf_counter()
    exe = anytile.compile(llama(size, options.precision, context), anytile.Target.host(options.threads))
    run = anytile.Session(exe)
    print(f"{size.weights / 1e6:.1f} million weights, ready in {time.perf_counter() - began:.1f} s")
    tokens, ends = written(run, Cache(size, context), prompt), [time.perf_counter()]
    for token in (next(tokens) for _ in range(options.tokens)):
        print(token, end=" ", flush=True)
        ends.append(time.perf_counter())
    print(f"\nprompt: {options.prompt / (ends[1] - ends[0]):.1f} tokens a second")
    if options.tokens > 1:
        print(f"decode: {(options.tokens - 1) / (ends[-1] - ends[1]):.1f} tokens a second")


if __name__ == "__main__":
    main()
