"""Small networks of what comes one after another, each with something of its own: sound, words, lines of text."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from benchmarks.subjects.imported_models import Block
from benchmarks.subjects.small_image_networks import active


class Lines(nn.Module):  # type: ignore[misc]  # a package without types
    """Columns of an image's features through an LSTM both ways: reading of text."""

    def __init__(self) -> None:
        super().__init__()
        one, two = (nn.Sequential(active(a, b), nn.MaxPool2d(2)) for a, b in ((1, 32), (32, 64)))
        self.body = nn.Sequential(one, two, active(64, 128), nn.MaxPool2d((2, 1)))
        self.lstm, self.head = nn.LSTM(512, 128, bidirectional=True), nn.Linear(256, 80)

    def forward(self, x: Any) -> Any:
        return self.head(self.lstm(self.body(x).permute(3, 0, 1, 2).flatten(2))[0])


class Causal(nn.Module):  # type: ignore[misc]  # a package without types
    """Dilated windows that see the past alone, weights normalised: a temporal convolutional network's block."""

    def __init__(self, narrow: int, wide: int, dilation: int) -> None:
        super().__init__()
        self.past = 2 * dilation
        self.one, self.two = (nn.Conv1d(a, wide, 3, dilation=dilation) for a in (narrow, wide))
        self.beside = nn.Conv1d(narrow, wide, 1) if narrow != wide else nn.Identity()

    def forward(self, x: Any) -> Any:
        y = x
        for layer in (self.one, self.two):
            y = functional.relu(layer(functional.pad(y, (self.past, 0))))
        return functional.relu(y + self.beside(x))


def causal() -> Any:
    return nn.Sequential(*(Causal(16 if k == 0 else 64, 64, 2**k) for k in range(4)))


class Wave(nn.Module):  # type: ignore[misc]  # a package without types
    """Two samples a window, tanh times sigmoid, what is skipped added up: WaveNet."""

    def __init__(self, width: int = 32, layers: int = 6) -> None:
        super().__init__()
        self.first, self.last = nn.Conv1d(1, width, 1), nn.Conv1d(width, 256, 1)
        self.pairs = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**k) for k in range(layers))
        self.on = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))
        self.skip = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))

    def forward(self, x: Any) -> Any:
        x, skipped = self.first(x), []
        for k, (pair, on, skip) in enumerate(zip(self.pairs, self.on, self.skip, strict=True)):
            a, b = pair(functional.pad(x, (2**k, 0))).chunk(2, 1)
            y = a.tanh() * b.sigmoid()
            skipped.append(skip(y))
            x = x + on(y)
        return self.last(sum(skipped).relu())


class Glu(nn.Module):  # type: ignore[misc]  # a package without types
    """Windows of five words, half of whose channels gate the others: a gated convolutional language model."""

    def __init__(self, width: int = 128, layers: int = 4) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 5, padding=2) for _ in range(layers))

    def forward(self, ids: Any) -> Any:
        x = self.words(ids).transpose(1, 2)
        for layer in self.layers:
            x = (x + functional.glu(layer(x), 1)) * math.sqrt(0.5)
        return functional.linear(x.transpose(1, 2), self.words.weight)


class Conformer(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention, then a gated depthwise convolution of 15 moments, between halves of a feed-forward pair."""

    def __init__(self, width: int = 144) -> None:
        super().__init__()
        self.attention, self.norms = Block(width, 4, False, 1e-5), nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.pair, self.out = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 1)
        self.across, self.norm = nn.Conv1d(width, width, 15, padding=7, groups=width), nn.BatchNorm1d(width)

    def forward(self, x: Any) -> Any:
        x, _, _ = self.attention(x + 0.5 * self.down(functional.silu(self.up(self.norms[0](x)))))
        y = functional.glu(self.pair(self.norms[1](x).transpose(1, 2)), 1)
        x = x + self.out(functional.silu(self.norm(self.across(y)))).transpose(1, 2)
        return self.norms[2](x)


class Spectrogram(nn.Module):  # type: ignore[misc]  # a package without types
    """Waves to frequencies by a convolution with sines and cosines, to bands on a log scale, to commands."""

    def __init__(self, window: int = 400, hop: int = 160, bands: int = 64) -> None:
        super().__init__()
        turns = torch.outer(torch.arange(window // 2 + 1), torch.arange(window)) * (2 * math.pi / window)
        waves = torch.cat([turns.cos(), turns.sin()]) * torch.hann_window(window)
        self.register_buffer("waves", waves[:, None])
        self.register_buffer("bands", torch.rand(bands, window // 2 + 1) * 0.1)
        self.hop, self.pad = hop, window // 2
        self.layers = nn.Sequential(nn.Conv1d(bands, 96, 3, 2, 1), nn.ReLU(), nn.Conv1d(96, 96, 3, 2, 1), nn.ReLU())
        self.head = nn.Linear(96, 12)

    def forward(self, sound: Any) -> Any:
        real, other = functional.conv1d(sound, self.waves, stride=self.hop, padding=self.pad).chunk(2, 1)
        power = torch.log(self.bands @ (real * real + other * other) + 1e-6)
        return self.head(self.layers(power).mean(2))


class Separated(nn.Module):  # type: ignore[misc]  # a package without types
    """Waves down by strides of four and up again, an LSTM between: Demucs."""

    def __init__(self) -> None:
        super().__init__()

        def gate(width: int) -> Any:
            return nn.Sequential(nn.Conv1d(width, 2 * width, 1), nn.GLU(1))

        widths = ((2, 32), (32, 64))
        self.down = nn.ModuleList(nn.Sequential(nn.Conv1d(a, b, 8, 4), nn.ReLU(), gate(b)) for a, b in widths)
        self.up = nn.ModuleList(nn.Sequential(gate(b), nn.ConvTranspose1d(b, a, 8, 4)) for a, b in widths[::-1])
        self.lstm = nn.LSTM(64, 64)

    def forward(self, x: Any) -> Any:
        links = []
        for layer in self.down:
            x = layer(x)
            links.append(x)
        x = self.lstm(x.permute(2, 0, 1))[0].permute(1, 2, 0)
        for layer in self.up:
            x = layer(x + links.pop())
        return x


class Transducer(nn.Module):  # type: ignore[misc]  # a package without types
    """Scores of all words at each pair of a moment and a word before: what joins both sides of an RNN-T."""

    def __init__(self, width: int = 160, words: int = 128) -> None:
        super().__init__()
        self.words, self.before = nn.Embedding(words, width), nn.Conv1d(width, width, 2)
        self.sound, self.said, self.out = nn.Linear(80, width), nn.Linear(width, width), nn.Linear(width, words)

    def forward(self, sound: Any, ids: Any) -> Any:
        before = functional.pad(self.words(ids).transpose(1, 2), (1, 0))
        said = self.said(self.before(before).relu().transpose(1, 2))
        return self.out(torch.tanh(self.sound(sound)[:, :, None] + said[:, None])).log_softmax(-1)
