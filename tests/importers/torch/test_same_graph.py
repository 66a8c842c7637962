"""Graphs that torch makes for a batch of one are served by the program of any batch, where they say the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.importers.torch import dynamo  # noqa: E402  # behind the line that skips
from anytile.torch_backend import backend  # noqa: E402
from tests.importers.torch.test_torch_operators import normal  # noqa: E402

pytestmark = pytest.mark.slow


def programs_of(function: Callable[..., Any], batches: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many programs there are after a call for each batch, whose results are torch's."""
    made: list[int] = []
    new = dynamo.Programs._new
    monkeypatch.setattr(dynamo.Programs, "_new", lambda *given: (made.append(1), new(*given))[1])
    torch._dynamo.reset()
    counts = []
    with torch.inference_mode():
        fast = torch.compile(function, backend=backend, dynamic=True)
        for n in batches:
            x = normal(n, 6, 8)
            torch.testing.assert_close(fast(x), function(x), rtol=1e-4, atol=1e-5)
            counts.append(len(made))
    return counts


def test_a_row_that_is_expanded_to_the_batch(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Torch leaves `expand` to one image out of the graph, as of the row that vision transformers put first."""
    row, weight = normal(1, 1, 8) + 1, normal(8, 4)

    def function(x: Any) -> Any:
        first = row.expand(x.shape[0], -1, -1)
        return torch.cat([first, x], 1) @ weight + first.sum(-1, keepdim=True)

    assert programs_of(function, (5, 1, 3), monkeypatch) == [1, 1, 1]
    assert capfd.readouterr().err == ""


def test_heads_that_are_copied_before_a_product(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Heads of one image lie as a product of matrices wants them, so torch copies nothing, as in LeViT and EdgeNeXt."""

    def function(x: Any) -> Any:
        heads = x.reshape(x.shape[0], 6, 2, 4).permute(0, 2, 1, 3)
        q = torch.nn.functional.normalize(heads.transpose(-2, -1), dim=-1)
        return (q @ heads).softmax(-1) @ q

    assert programs_of(function, (5, 1, 3), monkeypatch) == [1, 1, 1]
    assert capfd.readouterr().err == ""


def test_copies_that_are_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that is given back, or a view of it, is no argument; one that is read is."""

    def function(x: Any) -> Any:
        if x.shape[0] == 1:
            return x * 2, x.transpose(1, 2)
        return x * 2, x.clone().transpose(1, 2)

    assert programs_of(function, (5, 1, 3), monkeypatch) == [1, 2, 2]


def test_what_is_left_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its `expand` a graph that says something else of one image is no other's."""
    row = normal(1, 1, 8) + 1

    def function(x: Any) -> Any:
        first = row.expand(x.shape[0], -1, -1)
        return torch.cat([first, x], 1) if x.shape[0] != 1 else torch.cat([x, first], 1)

    assert programs_of(function, (5, 1, 3), monkeypatch) == [1, 2, 2]
