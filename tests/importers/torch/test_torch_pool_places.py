"""The largest of windows with their places, and back by these, against torch."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from tests.importers.torch.test_torch_operators import Made, held_both_ways, normal  # noqa: E402  # behind the skip

F = torch.nn.functional


@pytest.mark.slow
def test_the_largest_of_windows_and_their_places(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        plain, places = F.max_pool2d(x, 2, return_indices=True)
        padded, at = F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True)
        apart, where = F.max_pool2d(x, (2, 3), (1, 2), dilation=2, return_indices=True)
        deep, there = F.max_pool3d(x[:, None], (2, 3, 2), return_indices=True)
        one, here = F.max_pool2d(x[0].round(), 2, return_indices=True)
        return {
            **{"plain": plain, "places": places, "padded": padded, "at": at, "apart": apart, "where": where},
            **{"deep": deep, "there": there, "one of equal ones": one, "here": here},
            "back": F.max_unpool2d(plain, places, 2),
            "places alone": F.max_pool2d(x * 2, 2, return_indices=True)[1],
        }

    held_both_ways(made, lambda n: (normal(n, 4, 8, 10),), (4, 7, 1), capfd, dynamic=None)
