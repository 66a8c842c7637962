"""What published architectures do to tensors of unknown sizes, by torch.compile, without a word on standard error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import backend  # noqa: E402  # behind the line that skips
from tests.importers.torch.test_torch_operators import normal  # noqa: E402

F = torch.nn.functional
pytestmark = pytest.mark.slow


def held(function: Callable[..., Any], given: Sequence[Sequence[Any]], capfd: pytest.CaptureFixture[str]) -> None:
    """What one function makes of several arguments, all by programs of any size."""
    torch._dynamo.reset()
    with torch.inference_mode():
        fast = torch.compile(function, backend=backend, dynamic=True)
        for arguments in given:
            torch.testing.assert_close(fast(*arguments), function(*arguments), rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


def test_blocks_of_a_sequence_and_their_neighbours(capfd: pytest.CaptureFixture[str]) -> None:
    """The rows of a block are `steps // (steps // 4)` to torch, as in the local attention of LongT5 and BigBird."""

    def function(x: Any) -> Any:
        if x.shape[1] % 4:
            x = F.pad(x, (0, 0, 0, -x.shape[1] % 4))
        blocks = x.reshape(x.shape[0], x.shape[1] // 4, 4, x.shape[2])
        count = blocks.shape[1]
        wide = F.pad(blocks, (0, 0, 0, 0, 1, 1))
        near = torch.cat([wide[:, i : i + count] for i in range(3)], 2)
        scores = torch.einsum("...qd,...kd->...qk", blocks, near)
        return scores, near.unsqueeze(1).squeeze(1).sum(-1), x.new_ones(near.shape[2])

    held(function, [(normal(2, n, 3),) for n in (10, 7, 12, 16, 4)], capfd)


def test_sizes_by_way_of_floats(capfd: pytest.CaptureFixture[str]) -> None:
    """Images on a canvas of whole tiles, as detectors lay them; int() cuts, and of what is below 0 it would not."""

    def function(x: Any) -> Any:
        high, wide = (int(math.ceil(float(n) / 32.0) * 32.0) for n in x.shape[1:])
        canvas = x.new_full((x.shape[0], high, wide), 7)
        canvas[:, : x.shape[1], : x.shape[2]].copy_(x)
        return canvas, x.new_ones(int(x.shape[1] / 4)), x.new_ones(int(x.shape[2] * 0.75) + 1)

    held(function, [(normal(2, n, m),) for n, m in ((5, 70), (32, 31), (40, 2))], capfd)


def test_attention_of_unknown_heads(capfd: pytest.CaptureFixture[str]) -> None:
    """As a graph has it that begins behind heads: their number and width are arguments' sizes."""

    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        plain = F.scaled_dot_product_attention(q, k, v)
        return (
            plain,
            F.scaled_dot_product_attention(q, k, v, mask),
            F.scaled_dot_product_attention(q, q, q, is_causal=True),
        )

    def given(batch: int, heads: int, steps: int, width: int) -> tuple[Any, ...]:
        mask = normal(batch, 1, steps, steps + 2) > 0
        mask[..., 0] = True
        q, *kv = (normal(batch, heads, n, width) for n in (steps, steps + 2, steps + 2))
        return q, *kv, mask

    held(function, [given(2, 4, 5, 8), given(3, 2, 7, 6), given(1, 4, 9, 16)], capfd)


class Standardised(torch.nn.Conv2d):  # type: ignore[misc]  # a package without types
    """A convolution that normalises its weights by batch_norm in training, with no statistics to keep."""

    def forward(self, x: Any) -> Any:
        flat = F.batch_norm(
            self.weight.view(1, 6, -1), None, None, weight=self.bias, training=True, momentum=0.0, eps=1e-3
        )
        return F.conv2d(x, flat.view_as(self.weight), stride=2)


def test_what_is_normalised_by_its_own_statistics(capfd: pytest.CaptureFixture[str]) -> None:
    """Weights, as in NFNets, and data."""
    convolution = Standardised(3, 6, 3).eval()

    def function(x: Any) -> Any:
        y = convolution(x)
        return y, F.batch_norm(y, None, None, bias=convolution.bias, training=True), F.instance_norm(x)

    held(function, [(normal(n, 3, 9, 9),) for n in (2, 1, 5)], capfd)


def test_triangular_systems(capfd: pytest.CaptureFixture[str]) -> None:
    """As in chunks of the gated delta rule of Qwen3-Next: what is not of the triangle is never read."""
    solved = torch.linalg.solve_triangular

    def function(a: Any, b: Any) -> Any:
        steep = a / 4 + torch.eye(7)
        batch = steep[:, :5, :5].tril() + torch.full((5, 5), torch.nan).triu(1)
        return (
            solved(steep, b, upper=False),
            solved(steep, b, upper=True),
            solved(steep, b.mT, upper=False, left=False),
            solved(steep, b.mT, upper=True, left=False, unitriangular=True),
            solved(batch, b[:, :5], upper=False, unitriangular=True),
            solved(steep[:, :1, :1], b[:, :1], upper=False),
        )

    held(function, [(normal(n, 7, 7), normal(n, 7, 3)) for n in (2, 1, 5)], capfd)


def test_chunks_that_overlap_of_what_lies_in_another_order(capfd: pytest.CaptureFixture[str]) -> None:
    """As LED's encoder has them: steps before batches in memory, and chunks by the steps of that."""

    def function(x: Any) -> Any:
        steps, batch = x.shape[:2]
        heads = (x * 2).view(steps, batch, 2, 3).permute(1, 2, 0, 3).reshape(batch * 2, steps, 3)
        chunks = heads.view(batch * 2, steps // 4, 4, 3)
        size, stride = list(chunks.shape), list(chunks.stride())
        size[1], stride[1] = 2 * size[1] - 1, stride[1] // 2
        return chunks.as_strided(size, stride) + 1

    held(function, [(normal(n, 2, 6),) for n in (12, 4, 16)], capfd)
