"""Torch's own layers of transformers through torch.compile, against torch, in inference, where each is one operator."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

nn = torch.nn


def held(model: Any, *calls: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """What the model makes is what torch makes, and nothing is left to torch."""
    torch._dynamo.reset()
    fast = torch.compile(model.eval(), backend="anytile", dynamic=True)
    with torch.inference_mode():
        for args, settings in calls:
            wanted, found = model(*args, **settings), fast(*args, **settings)
            pairs = zip(wanted, found, strict=True) if isinstance(wanted, tuple) else [(wanted, found)]
            for w, f in pairs:
                assert (w is None) == (f is None)
                if w is not None:
                    torch.testing.assert_close(f, w, rtol=1e-4, atol=2e-5, equal_nan=True)
    assert "torch itself" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("activation", "is_first"), [("relu", False), ("gelu", True)])
def test_an_encoder(activation: str, is_first: bool, capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(32, 4, 48, activation=activation, batch_first=True, norm_first=is_first)
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.3)
    xs = [torch.randn(2, 5, 32), torch.randn(3, 9, 32)]
    causal = [nn.Transformer.generate_square_subsequent_mask(n) for n in (5, 9)]
    hidden = [torch.arange(x.shape[1]) >= torch.arange(3, 3 + x.shape[0])[:, None] for x in xs]
    held(model, *[((x,), {}) for x in xs], capfd=capfd)
    held(model, *[((x,), {"src_mask": m}) for x, m in zip(xs, causal, strict=True)], capfd=capfd)
    both = [((x,), {"src_mask": m, "src_key_padding_mask": h}) for x, m, h in zip(xs, causal, hidden, strict=True)]
    held(model, *both, capfd=capfd)


class Attention(nn.Module):  # type: ignore[misc]  # a package without types
    """A sequence that looks at itself, by one operator, which hides what comes later and what pads it."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x: Any, later: Any, padding: Any) -> Any:
        a = self.attention
        given = (x, x, x, 32, 4, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias)
        made, weights = torch._native_multi_head_attention(*given, later, True, True, 0)
        return made, weights, *torch._native_multi_head_attention(*given, padding, True, False, 1)


@pytest.mark.slow
def test_attention_and_its_weights(capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    calls = []
    for x in (torch.randn(2, 5, 32), torch.randn(3, 9, 32)):
        steps = torch.arange(x.shape[1])
        padding = (steps > 2).expand(x.shape[:2]).contiguous()
        padding[0] = True  # where nothing is seen
        calls.append(((x, steps > steps[:, None], padding), {}))
    held(Attention(), *calls, capfd=capfd)
