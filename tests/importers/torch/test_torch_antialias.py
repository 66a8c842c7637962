"""Images that are made smaller without what would alias, as torch and Pillow do it, and larger by the same rule."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.core.errors import UnsupportedError  # noqa: E402
from tests.importers.torch.test_torch_operators import Made, Program, held, held_both_ways, normal  # noqa: E402

F = torch.nn.functional


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_images_are_resized_without_aliases(mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        return {
            "smaller": F.interpolate(x, size=(3, 5), mode=mode, antialias=True),
            "larger": F.interpolate(x, size=(17, 20), mode=mode, antialias=True),
            "both": F.interpolate(x, size=(20, 4), mode=mode, antialias=True, align_corners=False),
            "as large": F.interpolate(x, size=(8, 11), mode=mode, antialias=True),
            "to one": F.interpolate(x, size=(1, 1), mode=mode, antialias=True),
        }

    held_both_ways(made, lambda n: (normal(n, 3, 8, 11),), (1, 4, 7), capfd)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_by_a_factor_that_is_no_quotient_of_sizes(mode: str) -> None:
    def made(x: Any) -> Made:
        return {"by 0.4": F.interpolate(x, scale_factor=0.4, mode=mode, antialias=True)}

    held(made, lambda n: (normal(n, 3, 8, 11),), (1, 4, 7))


def test_corners_and_antialias_together_are_refused() -> None:
    def made(x: Any) -> Made:
        return {"y": F.interpolate(x, size=(3, 5), mode="bilinear", antialias=True, align_corners=True)}

    with pytest.raises(UnsupportedError, match="align_corners with antialias, whose elements lie elsewhere"):
        anytile.compile(torch.export.export(Program(made), (normal(2, 3, 8, 11),)))
