"""Differences between neighbours and tensors that are brought to one shape, at sizes that only the call says."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import Made, held, normal  # noqa: E402  # behind the line that skips


@pytest.mark.slow
def test_differences_and_one_shape() -> None:
    def made(x: Any, y: Any) -> Made:
        a, b = torch.broadcast_tensors(x[:, :1], y[:, None, 0])
        return {
            "of rows": x.diff(dim=0),
            "twice": x.diff(2),
            "of bools": (y > 0).diff(dim=0),
            "with more": x.diff(dim=0, prepend=x[:1], append=y),
            "wide": a + 1,
            "deep": b.contiguous(),
        }

    held(made, lambda n: (normal(n, 6), normal(n, 6)), (1, 2, 7))
