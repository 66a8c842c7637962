"""Bags of embeddings against torch: offsets that repeat, bags of nothing, weights of samples, a row that is none."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import prepare  # noqa: E402  # behind the line that skips

nn, AUTO = torch.nn, torch.export.Dim.AUTO
MODES = ("sum", "mean", "max")
pytestmark = pytest.mark.slow


def bags(**settings: Any) -> Any:
    return nn.EmbeddingBag(12, 8, **settings)


class Recommender(nn.Module):  # type: ignore[misc]  # a package without types
    """Each kind of bags over the same rows."""

    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ModuleList([bags(mode=mode, padding_idx=p) for mode in MODES for p in (None, 3)])
        self.ended = nn.ModuleList([bags(mode=mode, include_last_offset=True) for mode in MODES])
        self.weighed = bags(mode="sum", padding_idx=-1)

    def forward(self, rows: Any, offsets: Any, weights: Any) -> Any:
        made = [b(rows, offsets) for b in self.each] + [b(rows, offsets) for b in self.ended]
        return [*made, self.weighed(rows, offsets, per_sample_weights=weights)]


class Matrix(nn.Module):  # type: ignore[misc]  # a package without types
    """The same of a row of positions for each bag."""

    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ModuleList([bags(mode=mode, padding_idx=p) for mode in MODES for p in (None, 3)])
        self.weighed = bags(mode="sum")

    def forward(self, rows: Any, weights: Any) -> Any:
        return [*(b(rows) for b in self.each), self.weighed(rows, per_sample_weights=weights)]


def same(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(tuple(found), tuple(wanted), rtol=1e-5, atol=1e-6)


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_bags_of_any_lengths() -> None:
    def given(lengths: tuple[int, ...], dtype: Any = torch.int64) -> tuple[Any, Any, Any]:
        count = sum(lengths)
        offsets = torch.tensor([0, *lengths], dtype=dtype).cumsum(0).to(dtype)  # the last bag has nothing
        return torch.randint(0, 12, (count,)).to(dtype), offsets, torch.randn(count)

    torch.manual_seed(0)
    model = Recommender().eval()
    for dtype in (torch.int64, torch.int32):
        dims = {0: AUTO}
        run = prepare(torch.export.export(model, given((2, 0, 3), dtype), dynamic_shapes=(dims, dims, dims)))
        for lengths in ((1,), (3,), (2, 0, 3), (0, 0, 7, 1), (0,) * 5 + (2,), tuple(range(40))):
            arguments = given(lengths, dtype)
            same(run(*arguments), model(*arguments))


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_bags_of_one_length_scatter_nothing() -> None:
    model, dims = Matrix().eval(), {0: AUTO, 1: AUTO}
    program = torch.export.export(model, (torch.randint(0, 12, (3, 5)), torch.randn(3, 5)), dynamic_shapes=(dims, dims))
    run = prepare(program)
    assert "scatter" not in str(run._imported.module)
    for n, k in ((1, 1), (3, 5), (7, 2), (1, 9), (13, 17)):
        arguments = torch.randint(0, 12, (n, k)), torch.randn(n, k)
        same(run(*arguments), model(*arguments))
