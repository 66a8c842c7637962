"""Results that are views of arguments: torch lays them over the argument's memory by the strides that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import backend  # noqa: E402  # behind the line that skips


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    torch._dynamo.reset()
    with torch.no_grad():
        yield


def _written(x: Any, y: Any) -> Any:
    x.mul_(2)
    return x[:, : y.size(0)].t(), x + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x[:, : y.size(0)], x + 1),
        lambda x, y: (x[:, y.size(0) :], x + 1, y.size(0)),
        lambda x, y: (x[y.size(0) :], x + 1),
        lambda x, y: (x.t()[y.size(0) :, 1::2], x + 1),
        lambda x, y: (x[None, None].expand(y.size(0), y.size(1), x.size(0), x.size(1)), x + 1),
        lambda x, y: (x.split(y.size(0), 1)[1], x + 1),
        lambda x, y: (x[:, : y.size(0)], y.size(0)),  # nothing but a view, which torch makes, with no word
        _written,
        lambda x, y: (x[::2].unsqueeze(-1).flatten(1), y + 1),  # whose sizes are those of a view
    ],
)
def test_views_lie_where_torch_has_them(function: Callable[[Any, Any], Any], capfd: pytest.CaptureFixture[str]) -> None:
    fast = torch.compile(function, backend=backend, dynamic=True)
    for n in (3, 2, 4):
        for x in (torch.randn(7, 11), torch.randn(11, 7).t()):
            y, own = torch.randn(n, 5), x.clone(memory_format=torch.preserve_format)
            found, wanted = fast(x, y), function(own, y)
            torch.testing.assert_close(found, wanted)
            assert (found[0].stride(), found[0].storage_offset()) == (wanted[0].stride(), wanted[0].storage_offset())
            assert found[0].untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_views_by_data_are_none() -> None:
    """Where elements decide where a view lies, it is a result as any other."""

    def function(x: Any, at: Any) -> Any:
        return x[at], x + 1

    fast, x = torch.compile(function, backend=backend, dynamic=True), torch.randn(5, 4)
    for at in (torch.tensor(3), torch.tensor(0)):
        torch.testing.assert_close(fast(x, at), function(x, at))


@pytest.mark.slow
def test_arguments_that_are_views_of_each_other_are_written(capfd: pytest.CaptureFixture[str]) -> None:
    """Torch hands over what both are views of; such are the arguments of a graph that begins behind a break."""

    def function(x: Any, first: Any, flat: Any) -> Any:
        flat.add_(1)
        first.mul_(2)
        x[1:, 0] -= 3
        return x + 1, first.sum(0), flat * 2

    fast = torch.compile(function, backend=backend, dynamic=True)
    for n in (3, 5, 4):
        x = torch.randn(n, 4)
        own = x.clone()
        found, wanted = (f(y, y[1:], y[1:].view(-1)) for f, y in ((fast, x), (function, own)))
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(x, own)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_arguments_that_are_written_and_given_back_are_those_of_each_graph(capfd: pytest.CaptureFixture[str]) -> None:
    """Where a size is known torch's graph has one argument less, and is served by the program that is there."""

    def function(x: Any) -> Any:
        x[..., ::2] += 1
        return x.float()

    fast = torch.compile(function, backend=backend, dynamic=True)
    for n in (3, 2, 5):
        x = torch.randn(n)
        own = x.clone()
        found = fast(x)
        torch.testing.assert_close(found, function(own))
        torch.testing.assert_close(x, own)
        assert found.data_ptr() == x.data_ptr()
    assert capfd.readouterr().err == ""
