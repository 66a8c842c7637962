"""Complex numbers and Fourier transforms against torch: by exports, and by torch.compile with no word from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.core.errors import UnsupportedError  # noqa: E402  # behind the line that skips
from anytile.torch_backend import backend, prepare  # noqa: E402
from tests.importers.torch.test_torch_operators import normal  # noqa: E402

fft = torch.fft
SHAPES = ((2, 6, 4), (1, 3, 8), (3, 7, 6))
Function = Callable[[Any], Any]
pytestmark = pytest.mark.slow


def compared(fast: Any, plain: Any, shapes: Sequence[Sequence[int]]) -> None:
    for shape in shapes:
        x = normal(*shape)
        torch.testing.assert_close(fast(x), plain(x), rtol=1e-4, atol=1e-4)


def held(plain: Any, shapes: Sequence[Sequence[int]], capfd: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    with torch.inference_mode():
        compared(torch.compile(plain, backend=backend, dynamic=True), plain, shapes)
    assert capfd.readouterr().err == ""


def seen(x: Any) -> Any:
    """The last dimension as complex numbers."""
    return torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))


def spun(x: Any) -> Any:
    return seen(x) * 1j


def turned(x: Any) -> Any:
    """Heads of queries, as in Llama 4 and DeepSeek-V2: by the angles of their positions."""
    angles = torch.arange(x.shape[1])[:, None] / 10 ** torch.arange(x.shape[2] // 2)
    turns = torch.polar(torch.ones_like(angles), angles) * 0.5
    by = x.new_tensor([[2.0]]).to(torch.complex64)
    return torch.view_as_real(seen(x) * turns[None] * by).flatten(2), seen(x).to(torch.complex128).abs()


ARITHMETIC: dict[str, Function] = {
    "turned": turned,
    "quotients": lambda x: (
        (seen(x) / (seen(x).flip(1) + 2)).real,
        (seen(x) / 3).imag,
        (1j / (seen(x) + 3)).real,
        (2 / (seen(x) + 3)).imag,
    ),
    "of one and the other": lambda x: ((seen(x) - x.mean()).real, (2 - seen(x)).imag, (1j * seen(x) + 1).imag),
    "lengths and angles": lambda x: (seen(x).abs(), seen(x).angle(), torch.complex(x, x.exp()).angle()),
    "mirrored": lambda x: (
        (seen(x).conj() * seen(x)).real,
        torch.view_as_real(seen(x).conj().resolve_conj()),
        seen(x).conj().imag + 1,
    ),
    "exponentials": lambda x: torch.view_as_real((-seen(x)).exp()),
    "products": lambda x: torch.view_as_real(seen(x) @ seen(x).transpose(1, 2).conj()).sum(-1) + (x @ x.mT),
    "moved": lambda x: (
        torch.cat([seen(x), seen(x)[:, :1]], 1).real,
        torch.stack([seen(x)[..., 0], seen(x)[..., -1]], 1).imag,
        seen(x).permute(2, 0, 1).reshape(-1).imag,
        torch.where(x[..., :1] > 0, seen(x), 0).imag,
        torch.full_like(seen(x), 2j).imag,
        torch.zeros_like(seen(x)).real,
        [torch.view_as_real(part) for part in seen(x).split(1, 2)][-1],
        torch.view_as_real(seen(x).sum(1) + seen(x).mean()),
    ),
}
TRANSFORMS: dict[str, Function] = {
    "half": lambda x: torch.view_as_real(fft.rfft(x)),
    "of two axes": lambda x: fft.fft2(x).real,
    "one by one": lambda x: fft.fft(fft.fft(x, dim=-1), dim=-2).real,
    "correlation": lambda x: fft.irfft(fft.rfft(x, dim=1) * fft.rfft(x.flip(1), dim=1).conj(), n=x.shape[1], dim=1),
    "by the root": lambda x: fft.irfft2(fft.rfft2(x, norm="ortho") * 2, s=x.shape[-2:], norm="ortho"),
    "there and back": lambda x: fft.ifft(fft.fft(x, norm="forward"), norm="forward").real,
    "back unscaled": lambda x: fft.irfft(fft.rfft(x), n=x.shape[-1], norm="forward"),
    "filled up and cut off": lambda x: fft.irfft(fft.rfft(x, n=9)[..., :3], n=9),
    "of the other kind": lambda x: fft.ihfft(x).imag,
}


@pytest.mark.parametrize("case", ARITHMETIC)
def test_arithmetic(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    held(ARITHMETIC[case], SHAPES, capfd)


@pytest.mark.parametrize("case", TRANSFORMS)
def test_transforms(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    held(TRANSFORMS[case], SHAPES, capfd)


class Turned(torch.nn.Module):  # type: ignore[misc]  # a package without types
    """Angles that the model keeps as complex numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("turns", torch.polar(torch.ones(16, 2), normal(16, 2)).conj())

    def forward(self, x: Any) -> Any:
        return torch.view_as_real(seen(x) * self.turns[: x.shape[1]]), fft.irfft(fft.rfft(x, dim=2), n=4, dim=2)


def test_constants(capfd: pytest.CaptureFixture[str]) -> None:
    held(Turned().eval(), [(2, 6, 4), (1, 16, 4)], capfd)


def test_an_export() -> None:
    model = Turned().eval()
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("steps", max=16)}
    with torch.no_grad():
        run = prepare(torch.export.export(model, (normal(2, 6, 4),), dynamic_shapes=(sizes,)))
        compared(run, model, [(2, 6, 4), (1, 16, 4)])


def test_what_goes_in_or_out_is_real(capfd: pytest.CaptureFixture[str]) -> None:
    """Torch runs a graph whose arguments or results are complex, and says so."""
    torch._dynamo.reset()
    with torch.inference_mode():
        out, into = (torch.compile(f, backend=backend) for f in (spun, lambda z: torch.view_as_real(z) + 1))
        x = normal(3, 4)
        torch.testing.assert_close(out(x), spun(x))
        torch.testing.assert_close(into(seen(x)), torch.view_as_real(seen(x)) + 1)
    said = capfd.readouterr().err
    assert "a result of complex numbers" in said
    assert "is complex64" in said


def test_more_than_there_is_is_refused() -> None:
    class Searched(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            return torch.view_as_real(seen(x).prod(0))

    with pytest.raises(UnsupportedError, match="prod .*not supported of complex numbers"):
        prepare(torch.export.export(Searched(), (normal(3, 4),)))
