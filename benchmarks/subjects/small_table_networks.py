"""Small networks of rows in no order, each with something that no other has: points, tables, graphs, choices."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional


class Points(nn.Module):  # type: ignore[misc]  # a package without types
    """One dense layer after another for each point, then the largest of all: PointNet."""

    def __init__(self) -> None:
        super().__init__()
        pairs = (3, 64), (64, 128), (128, 1024)
        self.each = nn.Sequential(
            *(part for a, b in pairs for part in (nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU()))
        )
        self.head = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 40))

    def forward(self, x: Any) -> Any:
        return self.head(self.each(x).amax(2))


class Bags(nn.Module):  # type: ignore[misc]  # a package without types
    """Sums of bags of rows out of tables, and products of all pairs of them: DLRM."""

    def __init__(self, tables: int = 8, width: int = 32) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(2000, width) for _ in range(tables))
        self.low = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = tables * (tables + 1) // 2
        self.high = nn.Sequential(nn.Linear(width + pairs, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())
        self.register_buffer("pairs", torch.tril_indices(tables + 1, tables + 1, -1))

    def forward(self, x: Any, ids: Any) -> Any:
        low = self.low(x)
        rows = torch.stack([low, *(table(ids[:, k]).sum(1) for k, table in enumerate(self.tables))], 1)
        products = torch.bmm(rows, rows.transpose(1, 2))
        return self.high(torch.cat([low, products[:, self.pairs[0], self.pairs[1]]], 1))


class Messages(nn.Module):  # type: ignore[misc]  # a package without types
    """Rows of a graph's nodes gathered along its edges, and added up where these end."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.edge = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(3))
        self.node = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(3))

    def forward(self, x: Any, begins: Any, ends: Any) -> Any:
        for edge, node in zip(self.edge, self.node, strict=True):
            sent = functional.relu(edge(torch.cat([x[begins], x[ends]], 1)))
            x = x + functional.relu(node(torch.cat([x, torch.zeros_like(x).index_add(0, ends, sent)], 1)))
        return x


class Field(nn.Module):  # type: ignore[misc]  # a package without types
    """Points as sines and cosines of many frequencies, a skip, a density and a colour: a radiance field."""

    def __init__(self, width: int = 128, frequencies: int = 10) -> None:
        super().__init__()
        self.register_buffer("frequencies", 2.0 ** torch.arange(frequencies))
        given = 3 + 6 * frequencies
        self.first = nn.Sequential(nn.Linear(given, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.second = nn.Sequential(nn.Linear(width + given, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, points: Any) -> Any:
        turns = (points[:, :, None] * self.frequencies).flatten(1)
        given = torch.cat([points, turns.sin(), turns.cos()], 1)
        made = self.second(torch.cat([self.first(given), given], 1))
        return functional.softplus(made[:, :1]), made[:, 1:].sigmoid()


class Mixture(nn.Module):  # type: ignore[misc]  # a package without types
    """How likely a number is in a mixture of eight distributions that dense layers make: a mixture density head."""

    def __init__(self, parts: int = 8) -> None:
        super().__init__()
        self.made = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 3 * parts))

    def forward(self, x: Any, y: Any) -> Any:
        share, middle, width = self.made(x).chunk(3, 1)
        width = functional.softplus(width) + 1e-3
        log = share.log_softmax(1) - 0.5 * ((y - middle) / width) ** 2 - width.log()
        return torch.logsumexp(log, 1)


class Codes(nn.Module):  # type: ignore[misc]  # a package without types
    """Each row's nearest of 256 others, and which it is: a quantised autoencoder's middle."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.up = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, width))
        self.codes, self.down = nn.Parameter(torch.randn(256, width)), nn.Linear(width, 64)

    def forward(self, x: Any) -> Any:
        x = self.up(x)
        apart = (x * x).sum(1, keepdim=True) - 2 * x @ self.codes.T + (self.codes * self.codes).sum(1)
        nearest = apart.argmin(1)
        return self.down(self.codes[nearest]), nearest


class Experts(nn.Module):  # type: ignore[misc]  # a package without types
    """Two of eight dense pairs for each row, weighed by their scores: a mixture of experts."""

    def __init__(self, width: int = 96, experts: int = 8) -> None:
        super().__init__()
        self.score = nn.Linear(width, experts)
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(experts))
        self.down = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(experts))

    def forward(self, x: Any) -> Any:
        best, which = self.score(x).topk(2, -1)
        shares = torch.zeros_like(self.score(x)).scatter(1, which, best.softmax(-1))
        made = [down(functional.gelu(up(x))) for up, down in zip(self.up, self.down, strict=True)]
        return sum(shares[:, e, None] * one for e, one in enumerate(made))
