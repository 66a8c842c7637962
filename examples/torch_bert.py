"""BERT as a torch module, with random weights: served by torch.compile(backend="anytile") and by an exported program.

    python examples/torch_bert.py --layers 2 --batch 3 --tokens 17

Both take any number of sentences of any length, padded ones masked. Needs torch: pip install 'anytile[torch]'.
"""

from __future__ import annotations

import argparse
from typing import Any

import anytile.torch_backend

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ModuleNotFoundError:
    raise SystemExit("torch_bert: error: torch is not installed: pip install 'anytile[torch]'") from None

HIDDEN, HEADS, INNER, WORDS, PLACES = 768, 12, 3072, 30522, 512


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention and a feed-forward pair, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.first, self.second = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)

    def forward(self, x: Any, seen: Any) -> Any:
        def heads(x: Any) -> Any:
            return x.unflatten(2, (HEADS, -1)).transpose(1, 2)

        q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        x = self.first(x + self.out(mixed.transpose(1, 2).flatten(2)))
        return self.second(x + self.down(functional.gelu(self.up(x))))


class Bert(nn.Module):  # type: ignore[misc]  # a package without types
    """Tokens and a mask of those that are there to a vector of each token and one of the sentence."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, HIDDEN), nn.Embedding(PLACES, HIDDEN)
        self.norm, self.pooler = nn.LayerNorm(HIDDEN, eps=1e-12), nn.Linear(HIDDEN, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids: Any, mask: Any) -> tuple[Any, Any]:
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :].bool())
        return x, torch.tanh(self.pooler(x[:, 0]))


def sentences(batch: int, tokens: int) -> tuple[Any, Any]:
    """Tokens at random, the last sentence being half as long as the others."""
    mask = torch.ones(batch, tokens, dtype=torch.int64)
    mask[-1, (tokens + 1) // 2 :] = 0
    return torch.randint(0, WORDS, (batch, tokens)), mask


def exported(model: Any) -> Any:
    """The model as a function of tensors, by torch.export."""
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=PLACES)}
    program = torch.export.export(model, sentences(2, 5), dynamic_shapes=(sizes, sizes))
    return anytile.torch_backend.prepare(program)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=17)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = Bert(options.layers).eval()
    given = sentences(options.batch, options.tokens)
    with torch.inference_mode():
        wanted = model(*given)
        for name, run in (
            ("torch.compile", torch.compile(model, backend="anytile", dynamic=True)),
            ("torch.export", exported(model)),
        ):
            apart = max(float((a - b).abs().max()) for a, b in zip(run(*given), wanted, strict=True))
            print(f"{name}: {options.batch} sentences of {options.tokens} tokens, {apart:.1e} from torch")


if __name__ == "__main__":
    main()
