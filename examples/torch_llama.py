"""A Llama-shaped decoder as a torch module, with random weights: generates tokens by torch.compile(backend="anytile").

    python examples/torch_llama.py --layers 2 --tokens 12

The prompt fills the cache of keys and values in one call; each further call takes one token and makes it longer. Needs
torch: pip install 'anytile[torch]'.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, SHARED, PER_HEAD, INNER, WORDS = 256, 8, 2, 32, 688, 1000
Cache = list[tuple[Any, Any]]


def turned(x: Any, at: Any) -> Any:
    """Rotary positions: pairs of elements turned by angles that grow with the position."""
    angle = at[:, None] * 10000 ** (-torch.arange(0, PER_HEAD, 2) / PER_HEAD)
    angle = torch.cat([angle, angle], -1)
    low, high = x.chunk(2, -1)
    return x * angle.cos() + torch.cat([-high, low], -1) * angle.sin()


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention in which heads of queries share keys and values, and a gated feed-forward pair."""

    def __init__(self) -> None:
        super().__init__()
        self.q = nn.Linear(HIDDEN, HEADS * PER_HEAD, bias=False)
        self.k, self.v = (nn.Linear(HIDDEN, SHARED * PER_HEAD, bias=False) for _ in "kv")
        self.out = nn.Linear(HEADS * PER_HEAD, HIDDEN, bias=False)
        self.gate, self.up = (nn.Linear(HIDDEN, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, HIDDEN, bias=False)
        self.before, self.behind = nn.RMSNorm(HIDDEN), nn.RMSNorm(HIDDEN)

    def forward(self, x: Any, at: Any, keys: Any, values: Any) -> tuple[Any, Any, Any]:
        def heads(x: Any) -> Any:
            return x.view(*x.shape[:2], -1, PER_HEAD).transpose(1, 2)

        y = self.before(x)
        keys = torch.cat([keys, turned(heads(self.k(y)), at)], 2)
        values = torch.cat([values, heads(self.v(y))], 2)
        seen = torch.arange(keys.shape[2]) <= at[:, None]
        mixed = functional.scaled_dot_product_attention(
            turned(heads(self.q(y)), at), keys, values, attn_mask=seen, enable_gqa=True
        )
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        y = self.behind(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y)), keys, values


class Llama(nn.Module):  # type: ignore[misc]  # a package without types
    """Tokens and a cache in; the next token's scores and a cache that is longer by the tokens out."""

    def __init__(self, layers: int = 2) -> None:
        super().__init__()
        self.words, self.norm = nn.Embedding(WORDS, HIDDEN), nn.RMSNorm(HIDDEN)
        self.head = nn.Linear(HIDDEN, WORDS, bias=False)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids: Any, cache: Cache) -> tuple[Any, Cache]:
        begin = cache[0][0].shape[2]
        x, at, longer = self.words(ids), torch.arange(begin, begin + ids.shape[1]), []
        for layer, (keys, values) in zip(self.layers, cache, strict=True):
            x, keys, values = layer(x, at, keys, values)
            longer.append((keys, values))
        return self.head(self.norm(x[:, -1])), longer


def generated(model: Any, layers: int, prompt: Any, count: int) -> list[int]:
    """The most likely tokens behind a prompt."""
    none = torch.zeros(1, SHARED, 0, PER_HEAD)
    cache: Cache = [(none, none) for _ in range(layers)]
    ids, tokens = prompt, []
    for _ in range(count):
        scores, cache = model(ids, cache)
        ids = scores.argmax(-1, keepdim=True)
        tokens.append(int(ids))
    return tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = Llama(options.layers).eval()
    fast = torch.compile(model, backend="anytile", dynamic=True)
    prompt = torch.tensor([[1, 2, 3, 4, 5]])
    with torch.inference_mode():
        tokens = generated(fast, options.layers, prompt, options.tokens)
        print(*tokens)
        print(
            "torch says the same" if tokens == generated(model, options.layers, prompt, options.tokens) else "differs"
        )


if __name__ == "__main__":
    main()
