"""Pools to a number of windows, of images whose sizes only the call says, and which windows do not divide."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import prepare  # noqa: E402  # behind the line that skips

nn, AUTO = torch.nn, torch.export.Dim.AUTO


class Pools(nn.Module):  # type: ignore[misc]  # a package without types
    """As pyramids of parts of an image have them."""

    def __init__(self) -> None:
        super().__init__()
        self.means = nn.ModuleList(nn.AdaptiveAvgPool2d(n) for n in (1, 2, (3, 5), (None, 4)))
        self.most = nn.AdaptiveMaxPool2d((3, 2))

    def forward(self, x: Any) -> Any:
        return *(pool(x) for pool in self.means), self.most(x)


@pytest.mark.slow
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_pools_of_images_of_unknown_sizes() -> None:
    model, example = Pools(), torch.randn(2, 3, 8, 11)
    run = prepare(torch.export.export(model, (example,), dynamic_shapes=({0: AUTO, 2: AUTO, 3: AUTO},)))
    for shape in ((2, 3, 8, 11), (1, 3, 3, 4), (3, 3, 2, 17), (1, 3, 13, 5)):
        x = torch.randn(shape)
        torch.testing.assert_close(run(x), model(x), rtol=1e-5, atol=1e-6)
