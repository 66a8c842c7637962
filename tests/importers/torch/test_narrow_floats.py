"""Torch's floats of 16 bits: computed in float32, rounded by casts and where they go out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.core.errors import ArgumentError, UnsupportedError  # noqa: E402
from anytile.torch_backend import backend, prepare  # noqa: E402

nn, F, Dim, export = torch.nn, torch.nn.functional, torch.export.Dim, torch.export.export
KINDS = (torch.bfloat16, torch.float16)


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    torch._dynamo.reset()
    with torch.no_grad():
        yield


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    """Tokens to scores by attention, a norm that computes in float32, and a count that the model keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.qkv, self.out = nn.Embedding(20, 8), nn.Linear(8, 24), nn.Linear(8, 20)
        self.norm = nn.LayerNorm(8)
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, ids: Any, scale: Any) -> Any:
        x = self.words(ids) * scale
        q, k, v = self.qkv(self.norm(x)).view(*ids.shape, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        own = x.float()
        x = (own * torch.rsqrt(own.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)
        self.seen.add_(x.sum((0, 1)))
        return self.out(F.silu(x)), x.max()


def same(found: Any, wanted: Any) -> None:
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=3e-2, atol=3e-2)


def given(dtype: Any, batch: int, steps: int) -> tuple[Any, Any]:
    return torch.randint(0, 20, (batch, steps)), torch.rand(1, dtype=dtype) + 0.5


@pytest.mark.slow
@pytest.mark.parametrize("dtype", KINDS)
def test_a_module_by_export(dtype: Any) -> None:
    torch.manual_seed(0)
    model = Layer().to(dtype).eval()
    dynamic = ({0: Dim("batch"), 1: Dim("steps")}, None)
    run = prepare(export(model, given(dtype, 2, 5), dynamic_shapes=dynamic))
    for batch, steps in ((1, 1), (2, 9), (3, 4)):
        arguments = given(dtype, batch, steps)
        for found, wanted in zip(run(*arguments), model(*arguments), strict=True):
            same(found, wanted)
        same(run.state["seen"], model.seen)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", KINDS)
def test_a_module_by_torch_compile(dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    model, wanted = Layer().to(dtype).eval(), Layer().to(dtype).eval()
    wanted.load_state_dict(model.state_dict())
    fast = torch.compile(model, backend=backend, dynamic=True)
    for batch, steps in ((2, 9), (1, 1), (3, 4)):
        arguments = given(dtype, batch, steps)
        for a, b in zip(fast(*arguments), wanted(*arguments), strict=True):
            same(a, b)
        same(model.seen, wanted.seen)
    model.out.bias.add_(1)
    wanted.out.bias.add_(1)
    arguments = given(dtype, 2, 3)
    same(fast(*arguments)[0], wanted(*arguments)[0])
    assert "torch itself runs" not in capfd.readouterr().err


@pytest.mark.parametrize("dtype", KINDS)
def test_casts_round_as_torch_does(dtype: Any) -> None:
    class Rounds(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            return x.to(dtype).float(), x.to(dtype), x.to(dtype) * 3 == 3

    bits = np.random.default_rng(0).integers(-(2**31), 2**31, 20_000).astype(np.int32)
    halves = np.asarray([0x3F808000, 0x3F818000, 0x3F807FFF, 0x7F7FFFFF, -0x00800000, -0x80000000, 1], np.int32)
    x = torch.from_numpy(np.concatenate([bits, halves]).view(np.float32))
    run = prepare(export(Rounds(), (x,), dynamic_shapes=({0: Dim("n")},)))
    for found, wanted in zip(run(x), Rounds()(x), strict=True):
        assert found.dtype == wanted.dtype
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.slow
def test_what_arrays_a_session_takes() -> None:
    for dtype, name in zip(KINDS, ("bfloat16", "float16"), strict=True):
        model = nn.Linear(4, 3, dtype=dtype).eval()
        exe = anytile.compile(export(model, (torch.ones(2, 4, dtype=dtype),), dynamic_shapes=({0: Dim("n")},)))
        assert [str(port) for _, port in exe.inputs] == [f"Tensor[(?n, 4), {name}]"]
        wanted = model(torch.ones(5, 4, dtype=dtype)).float().numpy()
        for x in (np.ones((5, 4), name), torch.ones(5, 4, dtype=dtype), torch.ones(5, 8, dtype=dtype)[:, ::2]):
            made = anytile.Session(exe)(x)
            assert made.dtype == name
            np.testing.assert_allclose(np.float32(made), wanted, rtol=2e-2, atol=2e-2)


def test_bits_are_not_seen_through_float32() -> None:
    class Bits(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            return x.view(torch.float16) * 2

    with pytest.raises(UnsupportedError, match="the bits of elements seen as another dtype"):
        anytile.compile(export(Bits(), (torch.ones(3, dtype=torch.bfloat16),)))


class Cached(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention over a cache that comes back longer."""

    def forward(self, x: Any, keys: Any, values: Any) -> Any:
        keys, values = torch.cat([keys, x * 2], 2), torch.cat([values, x.square()], 2)
        return F.scaled_dot_product_attention(x, keys, values), keys, values


@pytest.mark.slow
@pytest.mark.parametrize("dtype", KINDS)
def test_caches_are_not_widened(dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """By a session that appends to them and by torch.compile: rows keep every bit, and lie in 16 bits."""
    made = [torch.randn(1, 2, n, 8, dtype=dtype) for n in (3, 5, 5)]
    rows, past = {2: Dim("rows", max=64)}, {2: Dim("past", max=64)}
    exe = anytile.compile(export(Cached(), tuple(made), dynamic_shapes=(rows, past, past)), growing=True)
    name = str(dtype).removeprefix("torch.")
    assert not any(w.startswith("concat") for w in (k.workload for k in exe.kernels))
    assert any(f"stored=k:{name}" in k.workload for k in exe.kernels)
    session, fast = anytile.Session(exe), torch.compile(Cached(), backend=backend)
    held = kept = wanted = tuple(torch.zeros(1, 2, 0, 8, dtype=dtype) for _ in "kv")
    held = tuple(t.permute(2, 0, 1, 3).contiguous() for t in held)
    for n in (4, 1, 2):
        x = torch.randn(1, 2, n, 8, dtype=dtype)
        expected, *wanted = Cached()(x, *wanted)
        grown, *held = session(x, *held)
        for tensor in (x, *kept):
            torch._dynamo.maybe_mark_dynamic(tensor, 2)
        compiled, *kept = fast(x, *kept)
        assert grown.dtype == name
        same(compiled, expected)
        same(torch.from_numpy(np.float32(grown)).to(dtype), expected)
        for array, tensor, eager in zip(held, kept, wanted, strict=True):
            assert tensor.dtype == dtype
            assert torch.equal(tensor, eager)
            np.testing.assert_array_equal(np.float32(array.transpose(1, 2, 0, 3)), eager.float().numpy())
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, *KINDS])
def test_a_prepared_program_makes_caches_longer_where_they_lie(dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """They are as the model has them, with the dimension that grows in the middle, and nothing copies one back."""
    made = [torch.randn(1, 2, n, 8, dtype=dtype) for n in (3, 5, 5)]
    rows, past = {2: Dim("rows", max=64)}, {2: Dim("past", max=64)}
    run = prepare(export(Cached(), tuple(made), dynamic_shapes=(rows, past, past)), growing=True)
    held = wanted = tuple(torch.zeros(1, 2, 0, 8, dtype=dtype) for _ in "kv")
    places: list[int] = []
    for step in range(24):
        x = torch.randn(1, 2, 3 if step == 5 else 1, 8, dtype=dtype)
        expected, *wanted = Cached()(x, *wanted)
        found, *held = run(x, *held)
        same(found, expected)
        for mine, eager in zip(held, wanted, strict=True):
            assert mine.dtype == dtype
            assert torch.equal(mine, eager)
        places.append(held[0].data_ptr())
    assert len(set(places)) <= 12  # of 24: where room ends, and few rows have little
    before = [t.clone() for t in held]
    _, *one = run(x, *held)
    _, *other = run(-x, *held)
    assert one[0].data_ptr() != other[0].data_ptr()
    for mine, old, new in zip(one, before, held, strict=True):
        assert torch.equal(mine[:, :, :-1], old)
        assert torch.equal(new, old)
    with pytest.raises(ArgumentError, match="keys: expected"):
        run(x, held[0][0], held[1])
    assert capfd.readouterr().err == ""


class Sliding(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention over the last 16 positions, which it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.randn(1, 2, 16, 8))
        self.register_buffer("values", torch.randn(1, 2, 16, 8))

    def forward(self, x: Any) -> Any:
        keys, values = (torch.cat([kept[:, :, 1:], x], 2) for kept in (self.keys, self.values))
        self.keys.copy_(keys)
        self.values.copy_(values.view(1, 2, 16, 2, 4).flatten(3))
        return F.scaled_dot_product_attention(x, keys, values)


@pytest.mark.parametrize("dtype", KINDS)
def test_a_window_slides_in_16_bits(dtype: Any) -> None:
    """Nothing of its size is widened: it is cut, joined and read as it lies."""
    model = Sliding().to(dtype).eval()
    x = torch.randn(1, 2, 1, 8, dtype=dtype)
    program = export(model, (x,))
    run = prepare(program)
    for found, wanted in zip((run(x), run(x)), (model(x), model(x)), strict=True):
        same(found, wanted)
    by_operator: dict[str, list[str]] = {}
    for kernel in anytile.compile(program).kernels:
        by_operator.setdefault(kernel.workload.partition("(")[0], []).append(kernel.workload)
    name = str(dtype).removeprefix("torch.")
    for operator, operands in {"slice": ("x", "y"), "concat": ("x0", "x1", "y"), "attention": ("k", "v")}.items():
        assert all(f"{x}:{name}" in workload for workload in by_operator[operator] for x in operands)
    assert not any("d0=256" in workload for workload in by_operator["elementwise"])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", KINDS)
def test_what_is_written_in_place_is_so_in_16_bits(dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any, kept: Any, at: Any) -> Any:
        kept.index_copy_(0, at, x * 2)
        return kept.sum(0)

    fast = torch.compile(function, backend=backend, dynamic=True)
    kept = torch.zeros(6, 3, dtype=dtype)
    eager, place = kept.clone(), kept.data_ptr()
    for at in ([1, 4], [0]):
        x = torch.randn(len(at), 3, dtype=dtype)
        same(fast(x, kept, torch.tensor(at)), function(x, eager, torch.tensor(at)))
        assert torch.equal(kept, eager)
        assert kept.data_ptr() == place
    assert capfd.readouterr().err == ""
