"""Random numbers of torch's graphs: those that torch itself would have drawn, whatever the sizes."""

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


def _in_place(x: Any) -> Any:
    noise = torch.empty_like(x).normal_(0, 2)
    scale = torch.empty(x.size(0) + 1).uniform_(1, 2)
    return x + noise, scale * 2, torch.empty_like(x).exponential_(3) * x


def _turned(x: Any) -> Any:
    y = (x * 2).t()
    return y * torch.randn_like(y), y.size(0) * torch.rand(())


def _given_back(x: Any) -> Any:
    return torch.randn(x.shape[0], 3), x + torch.rand_like(x), torch.randperm(x.size(0))


def _whole(x: Any) -> Any:
    drawn = torch.randint(2, 9, (x.size(1) * x.size(0) - 1,))
    return (
        drawn.sum() + x,
        torch.randint_like(x, 5) + 1,
        torch.bernoulli(x, 0.3) * x,
        torch.rand(2, dtype=torch.float64) * 2,
    )


def same_by_seed(function: Callable[[Any], Any], dynamic: bool) -> None:
    fast = torch.compile(function, backend=backend, dynamic=dynamic)
    for n in (3, 5, 4):
        x = torch.randn(n, 7)
        for seed in (n, n + 1):
            torch.manual_seed(seed)
            wanted, behind = function(x), torch.rand(1)
            torch.manual_seed(seed)
            found = fast(x)
            assert torch.rand(1) == behind  # as many were drawn
            torch.testing.assert_close(found, wanted)
            assert [t.stride() for t in found] == [t.stride() for t in wanted]


def _beside_attention(x: Any) -> Any:
    """Which could drop something out, and does not."""
    q = (x + torch.rand_like(x)).reshape(1, 1, x.size(0), 7)
    return torch.nn.functional.scaled_dot_product_attention(q, q, q), x * torch.rand(())


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("function", [_in_place, _turned, _given_back, _whole, _beside_attention])
def test_a_seed_gives_what_it_gives_in_torch(
    function: Callable[[Any], Any], dynamic: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    same_by_seed(function, dynamic)
    assert capfd.readouterr().err == ""


def test_calls_draw_anew() -> None:
    fast, x = torch.compile(lambda x: x + torch.rand_like(x), backend=backend, dynamic=True), torch.zeros(4, 5)
    assert not torch.equal(fast(x), fast(x))


def _by_tensors(x: Any) -> Any:
    """What tensors decide is drawn between others, whose order stays."""
    first = torch.multinomial(x.abs() + 0.1, 2)
    return x + torch.rand_like(x), first


@pytest.mark.slow
def test_draws_that_tensors_decide_are_left_to_torch(capfd: pytest.CaptureFixture[str]) -> None:
    same_by_seed(_by_tensors, True)
    said = capfd.readouterr().err
    assert "multinomial" in said
    assert "rand_like" in said


def _in_a_branch(x: Any) -> Any:
    def drawn(x: Any) -> Any:
        return x + torch.rand_like(x)

    return torch.cond(x.sum() > 0, drawn, lambda x: x * 2, (x,)), torch.rand(2)


@pytest.mark.slow
def test_branches_that_draw_are_left_to_torch() -> None:
    same_by_seed(_in_a_branch, True)
