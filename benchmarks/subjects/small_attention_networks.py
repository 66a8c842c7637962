"""Small networks of tokens, each with something that no other has: how images become rows, and how rows meet."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from benchmarks.subjects.imported_models import Block
from benchmarks.subjects.small_image_networks import Added


def heads_of(x: Any, heads: int) -> Any:
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


class Tokens(nn.Module):  # type: ignore[misc]  # a package without types
    """Patches of an image and a token of the class through two layers: ViT."""

    def __init__(self, side: int = 64, width: int = 128) -> None:
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, width, 8, 8), nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (side // 8) ** 2 + 1, width) * 0.1)
        self.blocks = nn.ModuleList(Block(width, 4, False, 1e-6) for _ in range(2))

    def forward(self, x: Any) -> Any:
        rows = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), rows], 1) + self.places
        for block in self.blocks:
            x, _, _ = block(x)
        return x[:, 0]


class Window(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention within windows of 7x7, rolled by a half of one, with a bias for each pair of places: Swin."""

    def __init__(self, width: int, heads: int, shift: int, side: int = 7) -> None:
        super().__init__()
        self.heads, self.shift, self.side = heads, shift, side
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        inner = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        self.wide, self.table = Added(*inner), nn.Parameter(torch.randn((2 * side - 1) ** 2, heads) * 0.2)
        at = torch.stack(torch.meshgrid(*[torch.arange(side)] * 2, indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None] + side - 1
        self.register_buffer("pairs", apart[0] * (2 * side - 1) + apart[1])

    def forward(self, x: Any) -> Any:
        n, high, wide, width = x.shape
        side, y = self.side, torch.roll(self.norm(x), (-self.shift, -self.shift), (1, 2))
        y = y.view(n, high // side, side, wide // side, side, width).transpose(2, 3).reshape(-1, side**2, width)
        q, k, v = self.qkv(y).view(-1, side**2, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        bias = self.table[self.pairs].permute(2, 0, 1)
        y = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias[None])
        y = self.out(y.transpose(1, 2).flatten(2)).view(n, high // side, wide // side, side, side, width)
        y = torch.roll(y.transpose(2, 3).reshape(n, high, wide, width), (self.shift, self.shift), (1, 2))
        return self.wide(x + y)


class Windows(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self, width: int = 96) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.blocks = nn.Sequential(Window(width, 3, 0), Window(width, 3, 3))

    def forward(self, x: Any) -> Any:
        return self.blocks(self.patches(x).permute(0, 2, 3, 1)).mean((1, 2))


class Mixed(nn.Module):  # type: ignore[misc]  # a package without types
    """Dense layers over channels and, turned, over tokens: MLP-Mixer."""

    def __init__(self, tokens: int, width: int = 128) -> None:
        super().__init__()
        inner = nn.Linear(tokens, 64), nn.GELU(), nn.Linear(64, tokens)
        self.norm, self.across = nn.LayerNorm(width), nn.Sequential(*inner)
        outer = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        self.along = Added(*outer)

    def forward(self, x: Any) -> Any:
        return self.along(x + self.across(self.norm(x).transpose(1, 2)).transpose(1, 2))


class Patched(nn.Module):  # type: ignore[misc]  # a package without types
    """Rows of an image's patches, through layers, to their mean."""

    def __init__(self, side: int, width: int, *layers: Any) -> None:
        super().__init__()
        self.patches, self.layers = nn.Conv2d(3, width, side, side), nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        return self.layers(self.patches(x).flatten(2).transpose(1, 2)).mean(1)


def mixer() -> Any:
    return Patched(8, 128, Mixed(49), Mixed(49), Mixed(49))


class Diffused(nn.Module):  # type: ignore[misc]  # a package without types
    """Normalised groups, a moment added to each channel, attention among all pixels: a block of latent diffusion."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.first, self.last = nn.Conv2d(4, width, 3, padding=1), nn.Conv2d(width, 4, 3, padding=1)
        self.norms = nn.ModuleList(nn.GroupNorm(32, width) for _ in range(3))
        self.windows = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.moment, self.qkv, self.out = nn.Linear(128, width), nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any, moment: Any) -> Any:
        x = self.first(x)
        y = self.windows[0](functional.silu(self.norms[0](x)))
        y = y + self.moment(functional.silu(moment))[:, :, None, None]
        x = x + self.windows[1](functional.silu(self.norms[1](y)))
        q, k, v = (heads_of(part, 4) for part in self.qkv(self.norms[2](x).flatten(2).transpose(1, 2)).chunk(3, -1))
        y = self.out(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return self.last(x + y.transpose(1, 2).unflatten(2, x.shape[2:]))


class Perceiver(nn.Module):  # type: ignore[misc]  # a package without types
    """A few learnt rows that ask many given ones: cross attention."""

    def __init__(self, width: int = 128, asked: int = 16) -> None:
        super().__init__()
        self.rows, self.block = nn.Parameter(torch.randn(1, asked, width)), Block(width, 4, False, 1e-5)
        self.q, self.kv, self.norm = nn.Linear(width, width), nn.Linear(48, 2 * width), nn.LayerNorm(48)

    def forward(self, given: Any) -> Any:
        k, v = (heads_of(part, 4) for part in self.kv(self.norm(given)).chunk(2, -1))
        mixed = functional.scaled_dot_product_attention(heads_of(self.q(self.rows), 4), k, v)
        return self.block(self.rows + mixed.transpose(1, 2).flatten(2))[0]


class Linear(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention whose keys and values are added up as they come, without a softmax."""

    def __init__(self, width: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        q, k, v = (heads_of(part, self.heads) for part in self.qkv(x).chunk(3, -1))
        q, k = functional.elu(q) + 1, functional.elu(k) + 1
        mixed = torch.einsum("bhtd,bhte->bhtde", k, v).cumsum(2)
        y = torch.einsum("bhtd,bhtde->bhte", q, mixed) / (q * k.cumsum(2)).sum(-1, keepdim=True)
        return x + self.out(y.transpose(1, 2).flatten(2))
