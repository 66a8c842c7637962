"""A Llama-shaped decoder as a torch module, with random weights: generates tokens by torch.compile(backend="anytile").

    python examples/torch_llama.py --layers 2 --tokens 12
    python examples/torch_llama.py --exported

The prompt fills the cache of keys and values in one call; each further call takes one token and makes it longer. With
`--exported` torch.export makes a program of the model, and the cache grows in place from call to call of a session.
Needs torch: pip install 'anytile[torch]'.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import anytile

try:
    import torch
    from torch import nn
    from torch.export import Dim, export
    from torch.nn import functional
except ModuleNotFoundError:
    raise SystemExit("torch_llama: error: torch is not installed: pip install 'anytile[torch]'") from None

Cache = list[tuple[Any, Any]]
Turn = tuple[Any, Any]  # the cosine and the sine of each position's angles


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a model is; so many heads of keys and values are `shared` by those of queries."""

    layers: int
    hidden: int
    heads: int
    shared: int
    inner: int
    words: int

    @property
    def per_head(self) -> int:
        return self.hidden // self.heads


SMALL = Sizes(layers=2, hidden=256, heads=8, shared=2, inner=688, words=1000)
SMOLLM_135M = Sizes(layers=30, hidden=576, heads=9, shared=3, inner=1536, words=49152)


def angles(at: Any, per_head: int) -> Turn:
    """Rotary positions: pairs of elements are turned by angles that grow with the position."""
    angle = at[:, None] * 10000 ** (-torch.arange(0, per_head, 2) / per_head)
    angle = torch.cat([angle, angle], -1)
    return angle.cos(), angle.sin()


def turned(x: Any, by: Turn) -> Any:
    cosine, sine = by
    low, high = x.chunk(2, -1)
    return x * cosine + torch.cat([-high, low], -1) * sine


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention in which heads of queries share keys and values, and a gated feed-forward pair."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.per_head, hidden = sizes.per_head, sizes.hidden
        self.q, self.out = (nn.Linear(hidden, hidden, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(hidden, sizes.shared * sizes.per_head, bias=False) for _ in "kv")
        self.gate, self.up = (nn.Linear(hidden, sizes.inner, bias=False) for _ in range(2))
        self.down = nn.Linear(sizes.inner, hidden, bias=False)
        self.before, self.behind = nn.RMSNorm(hidden), nn.RMSNorm(hidden)

    def forward(self, x: Any, seen: Any, turn: Turn, keys: Any, values: Any) -> tuple[Any, Any, Any]:
        def heads(x: Any) -> Any:
            return x.view(*x.shape[:2], -1, self.per_head).transpose(1, 2)

        y = self.before(x)
        keys = torch.cat([keys, turned(heads(self.k(y)), turn)], 2)
        values = torch.cat([values, heads(self.v(y))], 2)
        mixed = functional.scaled_dot_product_attention(
            turned(heads(self.q(y)), turn), keys, values, attn_mask=seen, enable_gqa=True
        )
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        y = self.behind(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y)), keys, values


class Llama(nn.Module):  # type: ignore[misc]  # a package without types
    """Tokens and a cache in; the next token's scores and a cache that is longer by the tokens out."""

    def __init__(self, sizes: Sizes = SMALL) -> None:
        super().__init__()
        self.sizes = sizes
        self.words, self.norm = nn.Embedding(sizes.words, sizes.hidden), nn.RMSNorm(sizes.hidden)
        self.head = nn.Linear(sizes.hidden, sizes.words, bias=False)
        self.layers = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))

    def forward(self, ids: Any, cache: Cache) -> tuple[Any, Cache]:
        begin = cache[0][0].shape[2]
        end = begin + ids.shape[1]
        x, at, longer = self.words(ids), torch.arange(begin, end), []
        seen, turn = torch.arange(end) <= at[:, None], angles(at, self.sizes.per_head)
        for layer, (keys, values) in zip(self.layers, cache, strict=True):
            x, keys, values = layer(x, seen, turn, keys, values)
            longer.append((keys, values))
        return self.head(self.norm(x[:, -1])), longer


def generated(model: Any, sizes: Sizes, prompt: Any, count: int) -> list[int]:
    """The most likely tokens behind a prompt."""
    none = torch.zeros(1, sizes.shared, 0, sizes.per_head)
    cache: Cache = [(none, none) for _ in range(sizes.layers)]
    ids, tokens = prompt, []
    for _ in range(count):
        scores, cache = model(ids, cache)
        ids = scores.argmax(-1, keepdim=True)
        tokens.append(int(ids))
    return tokens


def stepped(model: Any, sizes: Sizes, prompt: Any, count: int) -> list[int]:
    """The same by an exported program, whose caches have the tokens as their first dimension: no call copies one."""
    some, past = torch.zeros(1, sizes.shared, 5, sizes.per_head), {2: Dim("past", max=4096)}
    cache = [(some.clone(), some.clone()) for _ in range(sizes.layers)]
    dynamic = {1: Dim("tokens", max=4096)}, [(past, past)] * sizes.layers
    program = export(model, (torch.ones(1, 3, dtype=torch.int64), cache), dynamic_shapes=dynamic)
    session = anytile.Session(anytile.compile(program, growing=True))
    seen = [np.zeros((0, 1, sizes.shared, sizes.per_head), np.float32)] * (2 * sizes.layers)
    ids, tokens = prompt.numpy(), []
    for _ in range(count):
        scores, longer = session(ids, *seen)
        seen = [part for pair in longer for part in pair]
        ids = scores.argmax(-1, keepdims=True)
        tokens.append(int(ids[0, 0]))
    return tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=12)
    parser.add_argument("--exported", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    sizes = replace(SMALL, layers=options.layers)
    model = Llama(sizes).eval()
    prompt = torch.tensor([[1, 2, 3, 4, 5]])
    with torch.no_grad():
        if options.exported:
            tokens = stepped(model, sizes, prompt, options.tokens)
        else:
            tokens = generated(torch.compile(model, backend="anytile", dynamic=True), sizes, prompt, options.tokens)
        print(*tokens)
        print("torch says the same" if tokens == generated(model, sizes, prompt, options.tokens) else "differs")


if __name__ == "__main__":
    main()
