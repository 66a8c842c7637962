"""Torch's floats of 8 bits: products of them, weights that are scaled where they are read, tensors that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
pytest.importorskip("ml_dtypes")

from anytile.core.errors import AnytileError  # noqa: E402  # behind the lines that skip
from anytile.importers.torch.exported import import_program  # noqa: E402
from anytile.torch_backend import prepare  # noqa: E402

nn, F, Dim, export = torch.nn, torch.nn.functional, torch.export.Dim, torch.export.export
KINDS = (torch.float8_e4m3fn, torch.float8_e5m2)
K, N = 64, 48


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


def narrow(w: Any, dtype: Any, by_row: bool) -> tuple[Any, Any]:
    """A matrix in 8 bits, and the scale of all or each row."""
    largest = w.abs().amax(1, keepdim=True) if by_row else w.abs().max()
    scale = largest / torch.finfo(dtype).max
    return (w / scale).to(dtype), scale


class Both(nn.Module):  # type: ignore[misc]  # a package without types
    """Rows and weights in 8 bits, as torchao quantises at run time."""

    def __init__(self, dtype: Any, by_row: bool, out: Any = torch.float32) -> None:
        super().__init__()
        w, scale = narrow(torch.randn(N, K), dtype, by_row)
        self.register_buffer("w", w)
        self.register_buffer("scale", scale.t().contiguous() if by_row else scale)
        self.bias = nn.Parameter(torch.randn(N, dtype=out))
        self.by_row, self.dtype, self.out = by_row, dtype, out

    def forward(self, x: Any) -> Any:
        q, scale = narrow(x, self.dtype, self.by_row)
        return torch._scaled_mm(q, self.w.t(), scale, self.scale, bias=None, out_dtype=self.out) + self.bias


class Weight(nn.Module):  # type: ignore[misc]
    """A weight alone, which is made floats where it is read."""

    def __init__(self, dtype: Any, by_row: bool) -> None:
        super().__init__()
        w, scale = narrow(torch.randn(N, K), dtype, by_row)
        self.register_buffer("w", w)
        self.register_buffer("scale", scale)

    def forward(self, x: Any) -> Any:
        return F.linear(x, self.w.to(x.dtype) * self.scale)


def agree(model: Any, dtype: Any = torch.float32, bound: float = 1e-5) -> str:
    """Whether a module gives what torch does at any number of rows; answers its program in words."""
    exported = export(model, (torch.randn(3, K, dtype=dtype),), dynamic_shapes=({0: Dim("rows")},))
    run = prepare(exported)
    for rows in (1, 5, 33):
        x = torch.randn(rows, K, dtype=dtype)
        found, wanted = run(x), model(x)
        assert found.dtype == wanted.dtype
        assert (found.float() - wanted.float()).abs().max() <= bound * wanted.abs().max()
    return str(import_program(exported).module)


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("dtype", KINDS)
def test_products_of_both(dtype: Any, by_row: bool) -> None:
    both = dtype is not torch.float8_e5m2  # of which torch multiplies no two
    text = agree(Both(dtype, by_row) if both else Weight(dtype, by_row))
    assert f"const $w: Tensor[({N}, {K}), {str(dtype).removeprefix('torch.')}]" in text
    assert "quantised_dense(" in text
    assert " dense(" not in text


def test_results_in_16_bits() -> None:
    agree(Both(KINDS[0], True, torch.bfloat16), bound=2**-7)


@pytest.mark.parametrize("by_row", [False, True])
def test_a_weight_that_is_scaled_in_16_bits(by_row: bool) -> None:
    model = Weight(KINDS[0], by_row)
    model.scale = model.scale.to(torch.bfloat16)
    assert "quantised_dense(" in agree(model, torch.bfloat16, 2**-6)


def test_a_scale_of_what_is_added_up_is_no_factor_of_results() -> None:
    model = Weight(KINDS[0], False)
    model.register_buffer("scale", torch.rand(1, K))
    assert "quantised_dense(" not in agree(model)


def test_scales_by_blocks_are_refused() -> None:
    def blocks(q: Any, w: Any, a: Any, b: Any) -> Any:
        return torch._scaled_mm(q, w.t(), a, b, out_dtype=torch.float32)

    given = [torch.randn(n, 256).to(KINDS[0]) for n in (4, 128)]
    try:
        exported = export(_Function(blocks), (*given, torch.rand(4, 2), torch.rand(2, 1)))
    except RuntimeError as error:
        pytest.skip(f"this torch has no such product: {error}")
    with pytest.raises(AnytileError, match="a scale_a of .*; expected one number, or one for each row or column"):
        import_program(exported)


class _Function(nn.Module):  # type: ignore[misc]
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *given: Any) -> Any:
        return self.function(*given)


@pytest.mark.parametrize("dtype", KINDS)
def test_tensors_that_come_and_go(dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    def both(x: Any, y: Any) -> Any:
        return x.to(dtype), y.float() * 2, y.t().contiguous(), torch.cat([y, x.to(dtype)])

    run = torch.compile(both, backend="anytile", dynamic=True)
    for rows in (3, 5):
        x, y = torch.randn(rows, 4) * 300, torch.randn(rows, 4).to(dtype)
        for found, wanted in zip(run(x, y), both(x, y), strict=True):
            assert found.dtype == wanted.dtype
            torch.testing.assert_close(found.float(), wanted.float(), rtol=0, atol=0)
    assert capfd.readouterr().err == ""
