"""Operators that torch takes apart on their way into a program, against torch, without a word on standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.importers.torch.aten import ROWS  # noqa: E402  # behind the line that skips
from anytile.importers.torch.graph.decompositions import taken_apart  # noqa: E402
from anytile.torch_backend import backend  # noqa: E402

F = torch.nn.functional


def _labels(x: Any) -> Any:
    return (x[:, 0].abs() * 4).long() % 5


CASES: dict[str, Callable[[Any], Any]] = {
    "losses": lambda x: (
        F.cross_entropy(x, _labels(x)),
        F.cross_entropy(x, _labels(x), reduction="none", label_smoothing=0.1),
        F.mse_loss(x, x.abs()),
        F.mse_loss(x, x[:1].expand_as(x), reduction="none"),
        F.mse_loss(x, x * 2, reduction="sum"),
        F.smooth_l1_loss(x, x.flip(0)),
        F.huber_loss(x, x.flip(0)),
        F.binary_cross_entropy_with_logits(x, x.sigmoid()),
        F.binary_cross_entropy(x.sigmoid(), x.sigmoid().flip(0)),
        F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean"),
    ),
    "what is no number": lambda x: (
        (x / (x - x[0])).nan_to_num(1.5, 9.0, -9.0),
        (x / (x - x[0])).nansum(0),
        x.isneginf(),
        (1 / (x - x[0])).isposinf(),
    ),
    "functions": lambda x: (
        x.frac(),
        x.sigmoid().logit(1e-3),
        x.sinc(),
        torch.xlogy(x, x.abs()),
        torch.logaddexp(x, x.flip(0)),
        torch.logaddexp2(x, x.flip(0)),
        torch.heaviside(x, x[0]),
        torch.special.entr(x.abs()),
        x.deg2rad(),
        x.rad2deg(),
    ),
    "thresholds": lambda x: (F.threshold(x, 0.1, 20.0), F.softshrink(x), F.hardshrink(x)),
    "over dimensions": lambda x: (
        *torch.aminmax(x, dim=0),
        *torch.std_mean(x, 0),
        x.count_nonzero(0),
        x.renorm(2, 0, 1.0),
        F.pairwise_distance(x, x.flip(0)),
    ),
    "matrices": lambda x: (
        x.diag_embed(),
        x[0].diag(),
        x.trace(),
        x.rot90(),
        torch.block_diag(x, x),
        torch.addr(x, x[:, 0], x[0]),
        torch.linalg.cross(x[:, :3], x[:, 1:4]),
    ),
    "statistics of their own": lambda x: (
        F.instance_norm(x[:, None] * torch.arange(1.0, 4)[:, None]),
        F.instance_norm(x[None], weight=x[:, 0], bias=x[:, 1], eps=1e-3),
        F.batch_norm(x, None, None, training=True),
    ),
    "places": lambda x: (
        x.take(torch.tensor([0, 3])),
        torch.isin((x * 4).long(), torch.tensor([0, 2])),
        F.channel_shuffle(x[None, :4, :, None], 2),
        F.pixel_unshuffle(x[:4, None, :4].expand(4, 3, 4).reshape(2, 6, 4), 2),
        F.affine_grid(x[:1].repeat(2, 2)[:, :6].reshape(2, 2, 3)[:1], [1, 3, 4, 5], align_corners=False),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_torch_takes_apart_is_compiled(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    function = CASES[name]
    with torch.inference_mode():
        fast = torch.compile(function, backend=backend, dynamic=True)
        for rows in (5, 7, 6):
            x = torch.randn(rows, 5, generator=torch.Generator().manual_seed(rows))
            torch.testing.assert_close(fast(x), function(x), equal_nan=True, rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


def test_what_is_known_or_random_stays_whole() -> None:
    apart = taken_apart(frozenset(ROWS))
    aten = torch.ops.aten
    assert aten.nan_to_num.default in apart
    assert not {aten.softmax.int, aten.addmm.default, aten.copy_.default, aten.uniform.default} & apart.keys()
    assert not {target._schema.name.removeprefix("aten::") for target in apart} & ROWS.keys()
