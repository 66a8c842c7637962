"""Distances between rows by the ways that torch has, and products of three tensors, against torch."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import Made, held_both_ways, normal  # noqa: E402  # behind the skip

F = torch.nn.functional
BATCHES = (0, 1, 4, 7)


@pytest.mark.slow
def test_distances_of_all_pairs(capfd: pytest.CaptureFixture[str]) -> None:
    codes = normal(30, 6)

    def made(x: Any) -> Made:
        other = x.flip(1) * 2
        return {
            "of a table": torch.cdist(x[:, 0], codes),
            "in batches": torch.cdist(x, other),
            "one for all batches": torch.cdist(x, codes[:3]),
            "by products": torch.cdist(x, other, compute_mode="use_mm_for_euclid_dist"),
            "apart": torch.cdist(x, codes, compute_mode="donot_use_mm_for_euclid_dist"),
            "sums": torch.cdist(x, other, p=1.0),
            "largest": torch.cdist(x, other, p=float("inf")),
            "cubes": torch.cdist(x, other, p=3.0),
            "how many": torch.cdist(x, torch.cat((other[:, :2], x[:, 2:]), 1), p=0.0),
            "of two tensors": torch.dist(x, other),
            "of two tensors by sums": torch.dist(x, codes[:1], 1),
        }

    held_both_ways(made, lambda n: (normal(n, 4, 6),), BATCHES, capfd)


@pytest.mark.slow
def test_distances_of_so_many_rows_as_decide_the_way(capfd: pytest.CaptureFixture[str]) -> None:
    """Up to 25 rows apart, where near rows are as near as they are; above by products."""

    def made(x: Any) -> Made:
        return {"to the first": torch.cdist(x, x[:1] - 3), "to others": torch.cdist(x, x + 1)}

    held_both_ways(made, lambda n: (normal(n, 6),), (1, 4, 25, 26, 61), capfd)
    held_both_ways(lambda x: {"of few": torch.cdist(x, x + 0.01)}, lambda n: (normal(n, 6) * 1e3,), (1, 4, 25), capfd)


@pytest.mark.slow
def test_products_of_three(capfd: pytest.CaptureFixture[str]) -> None:
    weight, bias = normal(3, 6, 4), normal(3)

    def made(x: Any) -> Made:
        return {
            "of rows": F.bilinear(x[:, 0], x[:, 1, :4], weight, bias),
            "of more rows": F.bilinear(x, x[..., 2:], weight),
            "over batches": torch.addbmm(torch.ones(4, 4), x, x.mT, beta=0.5, alpha=2),
        }

    held_both_ways(made, lambda n: (normal(n, 4, 6),), BATCHES, capfd)
