"""Published architectures as torch modules with random weights: what comes in through the importers to be timed.

Each has the layers, widths and sizes of its paper or of the configuration it is known by; `--quick` ones are the same
in small. A network says what may vary in it, and makes arguments of any such size. Weights come out of a seed, so a
file that was written of a network in another run has the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch_bert
import torch_llama
import torch_resnet
from torch import nn
from torch.export import Dim
from torch.nn import functional

CLASSES = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class Network:
    """A model: `given` makes its arguments at a size, `dynamic` says to torch.export which sizes vary.

    `what` is the size's name; `example` is one that no point has.
    """

    name: str
    make: Callable[[], Any]
    given: Callable[[int], tuple[Any, ...]]
    dynamic: Any
    what: str
    sizes: Sequence[int]
    example: int = 5
    is_image: bool = False

    def module(self) -> Any:
        torch.manual_seed(SEED)
        return self.make().eval()

    def arguments(self, size: int) -> tuple[Any, ...]:
        torch.manual_seed(size)
        return self.given(size)


class Block(nn.Module):  # type: ignore[misc]  # a package without types
    """A layer of GPT-2, ViT and Whisper: attention and a feed-forward pair, each normalised before."""

    def __init__(self, width: int, heads: int, is_causal: bool, eps: float) -> None:
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps)

    def forward(self, x: Any) -> tuple[Any, Any, Any]:
        """What it makes of x, and its keys and values."""
        parts = self.qkv(self.first(x)).chunk(3, -1)
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(self.active(self.up(self.second(x)))), k, v

    def active(self, x: Any) -> Any:
        """GPT-2's gelu is by a tangent, the others' by the error function."""
        return functional.gelu(x, approximate="tanh" if self.is_causal else "none")


class Gpt2(nn.Module):  # type: ignore[misc]  # a package without types
    """The prompt in; the scores of the next token, and the keys and values of each layer out."""

    def __init__(self, layers: int = 12, width: int = 768, heads: int = 12, words: int = 50257) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(1024, width)
        self.blocks = nn.ModuleList(Block(width, heads, True, 1e-5) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids: Any) -> tuple[Any, ...]:
        x, cache = self.words(ids) + self.places(torch.arange(ids.shape[1])), []
        for block in self.blocks:
            x, k, v = block(x)
            cache += [k, v]
        return (functional.linear(self.norm(x[:, -1]), self.words.weight), *cache)


class Vit(nn.Module):  # type: ignore[misc]  # a package without types
    """Images in patches of 16 by 16, with one more token for the class."""

    def __init__(self, side: int = 224, layers: int = 12, width: int = 768, heads: int = 12) -> None:
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, width, 16, 16), nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, (side // 16) ** 2 + 1, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, False, 1e-6) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, CLASSES)

    def forward(self, images: Any) -> Any:
        rows = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(images.shape[0], -1, -1), rows], 1) + self.places
        for block in self.blocks:
            x, _, _ = block(x)
        return self.head(self.norm(x)[:, 0])


class Whisper(nn.Module):  # type: ignore[misc]  # a package without types
    """Whisper's encoder: half a minute of sound, as 80 bands at 3000 moments, to a vector of every second moment."""

    def __init__(self, moments: int = 3000, layers: int = 4, width: int = 384, heads: int = 6) -> None:
        super().__init__()
        self.first, self.second = nn.Conv1d(80, width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)
        self.blocks = nn.ModuleList(Block(width, heads, False, 1e-5) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("places", torch.randn(moments // 2, width))

    def forward(self, sound: Any) -> Any:
        x = functional.gelu(self.second(functional.gelu(self.first(sound)))).transpose(1, 2) + self.places
        for block in self.blocks:
            x, _, _ = block(x)
        return self.norm(x)


class Inverted(nn.Module):  # type: ignore[misc]  # a package without types
    """An inverted residual, with squeeze and excitation where it has a width for that."""

    def __init__(self, came: int, width: int, widen: int, stride: int, kernel: int, squeezed: int, active: Any) -> None:
        super().__init__()
        inner = came * widen
        self.up = nn.Sequential(torch_resnet.convolved(came, inner, 1), active) if widen > 1 else nn.Identity()
        across = nn.Conv2d(inner, inner, kernel, stride, kernel // 2, groups=inner, bias=False)
        self.across = nn.Sequential(across, nn.BatchNorm2d(inner), active)
        self.gate: Any = None
        if squeezed:
            narrow, wide = nn.Conv2d(inner, squeezed, 1), nn.Conv2d(squeezed, inner, 1)
            self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), narrow, active, wide, nn.Sigmoid())
        self.down = torch_resnet.convolved(inner, width, 1)
        self.is_added = came == width and stride == 1

    def forward(self, x: Any) -> Any:
        y = self.across(self.up(x))
        y = self.down(y if self.gate is None else y * self.gate(y))
        return x + y if self.is_added else y


# of each stage: by how much it widens, its width, blocks, the stride of the first, the kernel
MOBILENET_V2 = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 32, 3, 2, 3),
    (6, 64, 4, 2, 3),
    (6, 96, 3, 1, 3),
    (6, 160, 3, 2, 3),
    (6, 320, 1, 1, 3),
)
EFFICIENTNET_B0 = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)


def inverted(stages: Sequence[tuple[int, int, int, int, int]], is_squeezed: bool, active: Any) -> Any:
    """MobileNet-v2 or EfficientNet, by its stages."""
    layers, came = [nn.Sequential(torch_resnet.convolved(3, 32, 3, 2), active)], 32
    for widen, width, count, stride, kernel in stages:
        for i in range(count):
            squeezed = came // 4 if is_squeezed else 0
            layers.append(Inverted(came, width, widen, stride if i == 0 else 1, kernel, squeezed, active))
            came = width
    layers.append(nn.Sequential(torch_resnet.convolved(came, 1280, 1), active))
    made = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, CLASSES))
    return torch_resnet.settled(made)


def networks(is_quick: bool) -> dict[str, Network]:
    """All of them, by name."""
    layers, side = (2, 64) if is_quick else (12, 224)
    several = (1, 3) if is_quick else (1, 3, 8)
    llama = torch_llama.SMALL if is_quick else torch_llama.SMOLLM_135M
    moments = 200 if is_quick else 3000

    def ids(tokens: int, words: int) -> Any:
        return torch.randint(0, words, (1, tokens))

    def image(name: str, make: Callable[[], Any], sizes: Sequence[int]) -> Network:
        dynamic = ({0: Dim("images")},)
        return Network(name, make, lambda n: (torch.randn(n, 3, side, side),), dynamic, "images", sizes, 2, True)

    def decoded(past: int) -> tuple[Any, ...]:
        shape = (1, llama.shared, past, llama.per_head)
        return ids(1, llama.words), [(torch.randn(shape), torch.randn(shape)) for _ in range(llama.layers)]

    one = {2: Dim("past", max=2048)}
    places = {1: Dim("tokens", max=torch_bert.PLACES)}
    found = [
        Network(
            "gpt2",
            lambda: Gpt2(layers),
            lambda t: (ids(t, 50257),),
            ({1: Dim("tokens", max=1024)},),
            "tokens",
            (1, 17, 50) if is_quick else (1, 7, 19, 50, 100, 150, 256),
        ),
        Network(
            "llama",
            lambda: torch_llama.Llama(llama),
            decoded,
            ({}, [(one, one)] * llama.layers),
            "past",
            (1, 33) if is_quick else (1, 10, 100, 333, 1024),
        ),
        image("resnet50", lambda: torch_resnet.settled(torch_resnet.ResNet50()), several),
        image("mobilenet-v2", lambda: inverted(MOBILENET_V2, False, nn.ReLU6()), several[:2]),
        image("efficientnet-b0", lambda: inverted(EFFICIENTNET_B0, True, nn.SiLU()), several[:2]),
        image("vit-b", lambda: Vit(side, layers), several[:2]),
        Network(
            "whisper-tiny",
            lambda: Whisper(moments),
            lambda n: (torch.randn(n, 80, moments),),
            ({0: Dim("sounds")},),
            "sounds",
            several[:2],
            2,
        ),
        Network(
            "bert",
            lambda: torch_bert.Bert(layers),
            lambda t: torch_bert.sentences(1, t),
            (places, places),
            "tokens",
            (1, 17, 50) if is_quick else (1, 7, 19, 50, 100, 128),
        ),
    ]
    return {network.name: network for network in found}
