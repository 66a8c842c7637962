"""ATen's operators against torch: each program has many, compiled once, and runs at three sizes, 0 and 1 among them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import backend, prepare  # noqa: E402  # behind the line that skips

F = torch.nn.functional

Made = dict[str, Any]
DYNAMIC = torch.export.Dim.AUTO


class Program(torch.nn.Module):  # type: ignore[misc]  # a package without types
    """A function as a module."""

    def __init__(self, made: Callable[..., Made]) -> None:
        super().__init__()
        self.made = made

    def forward(self, *given: Any) -> Made:
        return self.made(*given)


def held(made: Callable[..., Made], inputs: Callable[[int], Sequence[Any]], sizes: Sequence[int]) -> None:
    """What a function of tensors makes is what torch makes, at every size of their first dimensions."""
    model = Program(made)
    example = tuple(inputs(5))
    program = torch.export.export(model, example, dynamic_shapes=(tuple({0: DYNAMIC} for _ in example),))
    run = prepare(program)
    for n in sizes:
        given = tuple(inputs(n))
        wanted, found = model(*given), run(*given)
        assert wanted.keys() == found.keys()
        for name, tensor in wanted.items():
            assert found[name].dtype == tensor.dtype, name
            torch.testing.assert_close(
                found[name], tensor, rtol=1e-4, atol=1e-5, equal_nan=True, msg=lambda m, n=name: f"{n}: {m}"
            )


def held_both_ways(
    made: Callable[..., Made],
    inputs: Callable[[int], Sequence[Any]],
    sizes: Sequence[int],
    capfd: pytest.CaptureFixture[str],
    dynamic: bool | None = True,
) -> None:
    """The same of torch.compile, too, whose graphs have other operators, and which says what torch runs itself."""
    held(made, inputs, sizes)
    torch._dynamo.reset()
    with torch.inference_mode():
        fast = torch.compile(made, backend=backend, dynamic=dynamic)
        for n in sizes:
            given = tuple(inputs(n))
            for (name, wanted), found in zip(made(*given).items(), fast(*given).values(), strict=True):
                assert found.dtype == wanted.dtype, name
                torch.testing.assert_close(
                    found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True, msg=lambda m, n=n, of=name: f"{of}, {n}: {m}"
                )
    assert capfd.readouterr().err == ""


def normal(*shape: int) -> Any:
    return torch.from_numpy(np.random.default_rng(sum(shape)).standard_normal(shape, np.float32))


def whole(*shape: int) -> Any:
    return torch.from_numpy(np.random.default_rng(sum(shape)).integers(-9, 9, shape))


SIZES = (1, 4, 7)
UNARY = (
    "abs",
    "exp",
    "neg",
    "relu",
    "sigmoid",
    "tanh",
    "erf",
    "erfc",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "square",
    "expm1",
    "exp2",
)
POSITIVE = (
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
)
ACTIVATIONS = (
    "gelu",
    "silu",
    "elu",
    "selu",
    "celu",
    "mish",
    "softplus",
    "hardswish",
    "hardsigmoid",
    "hardtanh",
    "relu6",
    "leaky_relu",
    "logsigmoid",
    "softsign",
    "tanhshrink",
)


@pytest.mark.slow
def test_arithmetic() -> None:
    def made(x: Any, i: Any, b: Any) -> Made:
        y = x * 0.5 + 1
        return {
            "add": x + y,
            "add with alpha": torch.add(x, y, alpha=2),
            "sub": x - 3,
            "rsub": 3 - x,
            "sub with alpha": torch.sub(x, y, alpha=0.5),
            "mul": x * y * 2,
            "int times float": i * 1.5,
            "int plus float": i + x[:, :1],
            "int over int": i / (i.abs() + 1),
            "div floor": torch.div(x, y.abs() + 1, rounding_mode="floor"),
            "div trunc": torch.div(i, 4, rounding_mode="trunc"),
            "floor of ints": i // 4,
            "remainder": i % 4,
            "remainder of floats": torch.remainder(x, 0.75),
            "fmod": torch.fmod(x, 0.75),
            "squares": x**2 + x**3,
            "powers": (x.abs() + 1) ** y,
            "2 to x": 2**x,
            "roots": x.abs() ** 0.5,
            "rsqrt": (x.abs() + 1) ** -0.5,
            "maximum": torch.maximum(x, y),
            "minimum": torch.minimum(i, i * 2 - 1),
            "atan2": torch.atan2(x, y - 1),
            "bools": b & ~b | (b ^ (x[:, 0] > 0)),
            "bool plus bool": b + b,
            "bool times int": b[:, None] * i,
            "bits": (i & 5) | (i ^ 3),
            "shifts": (i << 2) >> 1,
            "lerp": torch.lerp(x, y, 0.3),
            "addcmul": torch.addcmul(x, x, y, value=0.5),
            "addcdiv": torch.addcdiv(x, x, y.abs() + 1, value=2),
            "where": torch.where(x > 0, x, 0.0),
            "masked_fill": x.masked_fill(x > 0, float("-inf")),
            "sizes": x + x.shape[0],
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6), whole(n) > 0), (0, *SIZES))


@pytest.mark.slow
def test_comparisons() -> None:
    def made(x: Any, i: Any, b: Any) -> Made:
        return {
            "eq": i == 3,
            "ne": x != x.flip(1),
            "lt": x < 0.5,
            "le": i <= 0.5,
            "gt": x > i,
            "ge": x[0] >= x,
            "bools": b == (i[:, 0] > 0),
            "less of bools": b < (i[:, 0] > 0),
            "and": torch.logical_and(i, x > 0),
            "or": torch.logical_or(b[:, None], i),
            "xor": torch.logical_xor(b[:, None], i),
            "not": torch.logical_not(i),
            "isnan": torch.isnan(x / (x - x)),
            "isinf": torch.isinf(1 / (i - i).float()),
            "any": (x > 0).any(1),
            "all": (x > -1).all(1, keepdim=True),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6), whole(n) > 0), SIZES)


@pytest.mark.slow
def test_numbers_at_the_edges() -> None:
    edge = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 2.5e-30, -3e-30, 0.1, 6.0])

    def made(y: Any) -> Made:
        x = edge
        return {
            "floor of floats": y // x,
            "div floor": torch.div(y.double(), x.double(), rounding_mode="floor"),
            "remainder": torch.remainder(y, x) * 1e30,
            "atan2": 1 / torch.atan2(y, x),
            "sign": torch.sign(y),
            "argmin of bytes": (y == 0).to(torch.uint8).argmin(0),
            "min of bytes": (y == 0).to(torch.uint8).min(0)[1],
        }

    held(made, lambda n: (edge.repeat(2)[:n, None],), (1, 11))


@pytest.mark.slow
def test_digits_of_small_results() -> None:
    small = torch.tensor([1e-18, 1e-9, 9e-3, 0.3, 0.49, 0.51, 2.0, 700.0], dtype=torch.float64)

    def functions(x: Any) -> Made:
        far = 8 * x / (x + 1)
        return {
            "log1p": torch.log1p(x) / x,
            "log1p below 0": torch.log1p(-x / 1000) / x,
            "expm1": torch.expm1(x) / torch.exp(x) / x,
            "expm1 below 0": torch.expm1(-x) / x,
            "erfc": torch.erfc(far) * torch.exp(far * far),
            "erfc of floats": torch.erfc(far.float()) * torch.exp((far * far).float()),
        }

    run = prepare(torch.export.export(Program(functions), (small,)))
    for name, wanted in functions(small).items():
        close = 1e-13 if wanted.dtype == torch.float64 else 2e-5
        torch.testing.assert_close(run(small)[name], wanted, rtol=close, atol=0.0, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.slow
def test_functions() -> None:
    def made(x: Any, i: Any) -> Made:
        positive = x.abs() + 0.1
        unary = {name: getattr(torch, name)(x) for name in UNARY}
        inside = torch.tanh(x) * 0.9
        return {
            **unary,
            **{name: getattr(torch, name)(positive) for name in POSITIVE},
            **{name: getattr(torch, name)(inside) for name in ["asin", "acos", "atanh"]},
            "acosh": torch.acosh(positive + 1),
            "exp of ints": torch.exp(i * 0.1) + torch.sqrt(i.abs()),
            "round to 2": torch.round(x, decimals=2),
            "small": torch.expm1(x * 1e-6) + torch.log1p(x * 1e-6),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES)


@pytest.mark.slow
def test_activations() -> None:
    def made(x: Any) -> Made:
        plain = {name: getattr(F, name)(x * 3) for name in ACTIVATIONS}
        return {
            **plain,
            "gelu tanh": F.gelu(x, approximate="tanh"),
            "elu 0.5": F.elu(x, 0.5),
            "glu": F.glu(x),
            "clamp": x.clamp(-0.5, 0.5),
            "clamp min": x.clamp(min=0.1),
            "clamp tensor": torch.clamp(x, x.mean(), x.amax()),
            "prelu": F.prelu(x, torch.tensor([0.3])),
            "dropout": F.dropout(x, 0.5, training=False),
        }

    held(made, lambda n: (normal(n, 6),), SIZES)


@pytest.mark.slow
def test_casts() -> None:
    def made(x: Any, i: Any) -> Made:
        return {
            "int": (x * 3).int(),
            "long": (x * 3).long(),
            "bool": i.bool(),
            "bool of floats": x.bool(),
            "double": x.double() * 2,
            "uint8": i.abs().to(torch.uint8),
            "like": i.type_as(x),
            "float of bools": (x > 0).float(),
            "half": (x.half() + 1).float(),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES)


@pytest.mark.slow
def test_shapes() -> None:
    def made(x: Any, i: Any) -> Made:
        n = x.shape[0]
        a, b, c = x.split([1, 2, 3], 1)
        first, *_ = x.unbind(1)
        halves = x.chunk(4, 1)
        return {
            "view": x.view(n, 2, 3),
            "view -1": x.view(-1, 2),
            "flatten": x.view(n, 2, 3).flatten(1),
            "permute": x.view(n, 2, 3).permute(2, 0, 1),
            "transpose": x.t().contiguous(),
            "mT": x.view(n, 2, 3).mT,
            "unsqueeze": x.unsqueeze(1).squeeze(1),
            "expand": x[:, None].expand(-1, 3, -1),
            "slice": x[:, 1:-1:2],
            "slice of sizes": torch.arange(100)[: n + 1],
            "from the end": x[:, -2:],
            "select": x[:, -1] + x[0, 2],
            "split": a + b[:, :1] + c[:, 2:],
            "unbind": first,
            "chunk": halves[0] + halves[-1],
            "cat": torch.cat([x, i, x]),
            "cat columns": torch.cat([x, x[:, :2]], 1),
            "stack": torch.stack([x, x + 1], 1),
            "repeat": x.repeat(2, 1, 3),
            "repeat_interleave": x.repeat_interleave(2, 1),
            "flip": x.flip(0, 1),
            "roll": x.roll(2, 1),
            "roll of rows": x.roll(1, 0),
            "flip of a scalar": x.sum().flip(-1),
            "pad": F.pad(x, (1, 2), value=3.0),
            "pad of integers": F.pad((x * 3).int(), (1, 2), value=-1.5),
            "pad of truths": F.pad(x > 0, (1, 2), value=0.5),
            "pad rows": F.pad(x, (0, 0, 1, 0)),
            "crop": F.pad(x, (-1, 1)),
            "reflect": F.pad(x[None], (2, 1), mode="reflect"),
            "replicate": F.pad(x[None], (2, 1), mode="replicate"),
            "tril": x.tril(1),
            "triu": x.triu(-1),
            "causal": torch.ones(n, n, dtype=torch.bool).tril(),
            "zeros": torch.zeros(n, 2) + x.new_ones(n, 2) + torch.full((n, 1), 2.0),
            "like": torch.ones_like(x) + torch.zeros_like(x) + torch.full_like(x, 3),
            "arange": torch.arange(n) + torch.arange(1, 2 * n + 1, 2),
            "floats": torch.arange(n, dtype=torch.float32) * 0.5,
            "linspace": torch.linspace(0, 1, 5) * x[:, :5],
            "eye": torch.eye(n),
            "diagonal": x.view(n, 2, 3).diagonal(dim1=1, dim2=2),
            "pixel_shuffle": F.pixel_shuffle(x[:, :4, None, None], 2),
            "meshgrid": torch.meshgrid(torch.arange(3), torch.arange(n), indexing="ij")[1],
            "movedim": x.view(n, 2, 3).movedim(0, -1),
            "unflatten": x.unflatten(1, (3, 2)),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES)


@pytest.mark.slow
def test_written_parts() -> None:
    def made(x: Any) -> Made:
        y = x.clone()
        y[:, 1:3] = 0
        z = torch.zeros(x.shape[0] + 1, 6)
        z[1:] = x
        r = x.clone()
        r[:, 2] = r[:, 0] * 2
        m = x.clone()
        m[m > 0] = -1.0
        return {"columns": y, "rows": z, "one column": r, "mask": m, "in place": x.clone().add_(1).mul_(2)}

    held(made, lambda n: (normal(n, 6),), SIZES)


@pytest.mark.slow
def test_parts_and_edges_by_sizes() -> None:
    """What torch knows of them is an expression over sizes: a chunked scan fills up, masks are cut from behind."""
    edge = torch.ops.aten.sym_size.int

    def made(x: Any, y: Any) -> Made:
        n = x.shape[0]
        missing = (4 - n % 4) % 4
        full = F.pad(x, (0, 0, 0, missing))
        return {
            "all from behind": y[-n:],
            "from behind": torch.cat([y, y])[-n:],
            "in front": torch.cat([y, y])[: -n + 1],
            "chunks": full.reshape(-1, 4, x.shape[1]),
            "as many": torch.ones(full.shape[0] // (full.shape[0] // 4)),
            "both sides": F.pad(y, (0, 1, missing, n), value=2.0),
            "fewer": F.pad(x, (0, 0, 0, n - 1)),
            "its own size": x * edge(y, 0),
            "divided": torch.true_divide(y, n + 1),
            "middles": torch.arange(0.5, n) / n + y[:, 0],
            "halves": torch.arange(0.25, n / 2, 0.5)[:, None] * x,
        }

    held(made, lambda n: (normal(n, 6), normal(n, 3)), (2, 4, 5, 7, 12))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_scattered_and_reduced(dtype: Any) -> None:
    reduces = ("sum", "prod", "amax", "amin", "mean")

    def made(x: Any, i: Any) -> Made:
        rows, few = (i % 5)[:, :1].expand_as(x), (i % 2)[:, 1:3]
        base = x.new_full((5, x.shape[1]), 3)
        return {
            f"{reduce} {own} {name}": base.scatter_reduce(0, index, x, reduce, include_self=own)
            for reduce in reduces
            for own in (True, False)
            for name, index in (("rows", rows), ("few", few))
        }

    held(made, lambda n: (normal(n, 4).mul(3).to(dtype), whole(n, 4).abs()), SIZES)


@pytest.mark.slow
def test_products() -> None:
    w, v = normal(6, 4), normal(6)

    def made(x: Any, y: Any) -> Made:
        n = x.shape[0]
        q = x.view(n, 2, 3)
        return {
            "mm": x @ w,
            "linear": F.linear(x, w.t(), w[0]),
            "no bias": F.linear(q, normal(5, 3)),
            "both data": x @ y.t(),
            "addmm": torch.addmm(w[0], x, w, beta=0.5, alpha=2),
            "bmm": torch.bmm(q, q.transpose(1, 2)),
            "baddbmm": torch.baddbmm(q[:, :, :2], q, q.mT, alpha=0.5),
            "mv": x @ v,
            "dot": v @ v + x[0] @ x[0],
            "outer": torch.outer(x[:, 0], v),
            "broadcast": q @ normal(3, 4),
            "broadcast batches": q[:, None] @ normal(5, 3, 2),
            "einsum": torch.einsum("nij,nkj->nik", q, q),
            "einsum of three": torch.einsum("ni,ij,nj->n", x, normal(6, 6), x),
        }

    held(made, lambda n: (normal(n, 6), normal(n, 6)), SIZES)


@pytest.mark.slow
def test_attention() -> None:
    def made(q: Any) -> Made:
        n = q.shape[0]
        heads = q.view(n, 2, 4).transpose(0, 1)[None]
        grouped = heads.repeat(1, 2, 1, 1)
        seen = torch.ones(n, n, dtype=torch.bool).tril(-1)  # the first row sees nothing
        return {
            "plain": F.scaled_dot_product_attention(heads, heads, heads),
            "causal": F.scaled_dot_product_attention(heads, heads, heads, is_causal=True),
            "mask": F.scaled_dot_product_attention(heads, heads, heads, attn_mask=seen),
            "bias": F.scaled_dot_product_attention(heads, heads, heads, attn_mask=seen.float(), scale=0.3),
            "groups": F.scaled_dot_product_attention(grouped, heads, heads, enable_gqa=True),
            "masked groups": F.scaled_dot_product_attention(grouped, heads, heads, seen[None, None], enable_gqa=True),
            "causal groups": F.scaled_dot_product_attention(grouped, heads, heads, is_causal=True, enable_gqa=True),
            "one of keys": F.scaled_dot_product_attention(grouped, heads[:, :1], heads[:, :1]),
            "masked one of keys": F.scaled_dot_product_attention(grouped, heads[:, :1], heads[:, :1], seen[None, None]),
            "no width": F.scaled_dot_product_attention(heads[..., :0], heads[..., :0], heads),
            "each head": F.scaled_dot_product_attention(
                grouped, heads, heads, seen + torch.arange(4.0)[:, None, None] / q.shape[0], enable_gqa=True
            ),
        }

    held(made, lambda n: (normal(n, 8),), SIZES)


@pytest.mark.slow
def test_reductions() -> None:
    def made(x: Any, i: Any) -> Made:
        q = x.view(-1, 2, 3)
        most, place = x.max(1)
        least, where = q.min(2, keepdim=True)
        values, index = x.topk(2, 1)
        ordered, order = x.sort(1, descending=True)
        return {
            "sum": x.sum() + q.sum((0, 2))[0],
            "sum of ints": i.sum(1),
            "sum of bools": (x > 0).sum(0),
            "mean": x.mean(1, keepdim=True) + q.mean((1, 2))[:, None],
            "prod": x.prod(1),
            "amax": q.amax((1, 2)),
            "amin": q.amin(),
            "max": most,
            "place": place,
            "min": least,
            "where": where,
            "argmax": x.argmax(1),
            "argmin": x.argmin(),
            "var": x.var(1),
            "population": x.var(1, correction=0),
            "std": q.std((1, 2)),
            "norm": x.norm(dim=1) + x.norm(p=1, dim=1) + torch.linalg.vector_norm(x, 3, 1),
            "logsumexp": x.logsumexp(1),
            "softmax": x.softmax(1) + F.softmax(x, 0),
            "log_softmax": F.log_softmax(q, 2),
            "cumsum": x.cumsum(0),
            "cumsum of bools": (x > 0).cumsum(1),
            "top": values,
            "top index": index,
            "sorted": ordered,
            "order": order,
            "mean of rows": x.mean(0),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES)


@pytest.mark.slow
def test_normalisations() -> None:
    gamma, beta = normal(6), normal(6) + 1

    def made(x: Any, image: Any) -> Made:
        q = x.view(-1, 2, 3)
        running = (torch.zeros(6), torch.ones(6) * 2)
        return {
            "layer": F.layer_norm(x, (6,), gamma, beta),
            "plain": F.layer_norm(x, (6,)),
            "two": F.layer_norm(q, (2, 3)),
            "rms": F.rms_norm(x, (6,), gamma, 1e-6),
            "group": F.group_norm(image, 3, gamma, beta),
            "batch": F.batch_norm(image, *running, gamma, beta),
            "batch of rows": F.batch_norm(x, *running),
            "instance": F.instance_norm(image, weight=gamma, bias=beta),
            "instance of old": F.instance_norm(image, gamma, beta.abs() + 1, gamma, beta, use_input_stats=False),
            "normalize": F.normalize(x, dim=1),
        }

    held(made, lambda n: (normal(n, 6), normal(n, 6, 4, 3)), SIZES)


@pytest.mark.slow
def test_indices() -> None:
    table = normal(10, 4)

    def made(x: Any, i: Any) -> Made:
        n = x.shape[0]
        rows = i[:, 0] % n
        columns = i % 6
        updated = torch.zeros(n, 6)
        counts = torch.zeros(6).index_add(0, columns[:, 0], x[:, 0])
        return {
            "embedding": F.embedding(i.abs(), table),
            "index_select": x.index_select(0, rows),
            "rows": x[rows],
            "columns": x[:, columns[0]],
            "pairs": x[rows, columns[:, 1]],
            "around": x.view(n, 2, 3)[:, columns[:, 0] % 2, columns[:, 1] % 3],
            "apart": x.view(n, 2, 3)[rows, :, columns[:, 0] % 3],
            "negative": x[:, [-1, 0]],
            "gather": x.gather(1, columns),
            "scatter": updated.scatter(1, columns[:, :1], x[:, :1]),
            "scatter number": updated.scatter(1, columns[:, :1], 2.0),
            "scatter_add": updated.scatter_add(1, columns, x),
            "index_add": counts,
            "index_copy": updated.index_copy(0, torch.arange(n), x),
            "index_put": updated.index_put((torch.arange(n), columns[:, 0]), x[:, 0]),
            "accumulate": updated.index_put((columns[:, 0] * 0,), x, accumulate=True),
            "one_hot": F.one_hot(columns, 6),
        }

    held(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES)


@pytest.mark.slow
def test_sizes_that_are_data() -> None:
    def made(x: Any) -> Made:
        found = (x > 0).nonzero()
        return {
            "nonzero": found,
            "rows": found[:, 0] * 2 + 1,
            "masked_select": torch.masked_select(x, x > 0) * 2,
            "by a mask": x[x[:, 0] > 0].sum(1),
        }

    held(made, lambda n: (normal(n, 6),), SIZES)


@pytest.mark.slow
def test_windows() -> None:
    w, rows, back = normal(6, 3, 3, 3) * 0.3, normal(4, 8, 3) * 0.3, normal(6, 2, 3, 3) * 0.3

    def made(x: Any) -> Made:
        row = x.flatten(1).view(-1, 8, 24)
        image = torch.cat([x, x], 1)
        return {
            "conv2d": F.conv2d(x, w[:, :3], normal(6), 1, 1),
            "strides": F.conv2d(x, w[:, :3], None, 2, (1, 0), 1),
            "dilation": F.conv2d(x, w[:, :3], dilation=2, padding=2),
            "groups": F.conv2d(image, w[:, :2], padding=1, groups=3),
            "same": F.conv2d(x, w[:, :3], padding="same"),
            "conv1d": F.conv1d(row, rows, padding=1),
            "transposed": F.conv_transpose2d(image, back, stride=2, padding=1, output_padding=1),
            "max": F.max_pool2d(x, 2),
            "max padded": F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            "max of rows": F.max_pool1d(row, 2),
            "average": F.avg_pool2d(x, 3, 2, 1),
            "average of image": F.avg_pool2d(x, 3, 1, 1, count_include_pad=False),
            "average of all": F.avg_pool2d(x, 640, ceil_mode=True),
            "adaptive": F.adaptive_avg_pool2d(x, 1) + F.adaptive_avg_pool2d(x, (4, 2))[:, :, :1, :1],
            "uneven": F.adaptive_avg_pool2d(x, (3, 5)),
            "adaptive max": F.adaptive_max_pool2d(x, 2),
            "nearest": F.interpolate(x, scale_factor=2),
            "nearest by 1.5": F.interpolate(x, size=(12, 12)),
            "bilinear": F.interpolate(x, size=(5, 11), mode="bilinear"),
            "corners": F.interpolate(x, size=(5, 11), mode="bilinear", align_corners=True),
            "bicubic": F.interpolate(x, size=(5, 11), mode="bicubic"),
            "nearest by 1.3": F.interpolate(x, scale_factor=1.3),
            "bilinear by 1.3": F.interpolate(x, scale_factor=1.3, mode="bilinear"),
            "bicubic by 0.7": F.interpolate(x, scale_factor=0.7, mode="bicubic"),
            "computed": F.interpolate(x.transpose(0, 2), size=(2 * x.shape[0] + 1, 5), mode="bilinear"),
            "unfolded": F.unfold(x, 2, stride=2),
        }

    held(made, lambda n: (normal(n, 3, 8, 8),), SIZES)


@pytest.mark.slow
def test_windows_of_volumes() -> None:
    def made(x: Any) -> Made:
        return {
            "max": F.max_pool3d(x, 2),
            "max padded": F.max_pool3d(x, (3, 2, 3), (2, 1, 2), 1, ceil_mode=True),
            "max apart": F.max_pool3d(x, 2, 1, dilation=(1, 2, 3)),
            "max of one": F.max_pool3d(x[0], 2),
            "average": F.avg_pool3d(x, 3, 2, 1),
            "average of image": F.avg_pool3d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            "average with edges": F.avg_pool3d(x, (2, 3, 2), 2, (1, 1, 0), ceil_mode=True),
            "adaptive": F.adaptive_avg_pool3d(x, (2, 1, 3)),
            "nearest": F.interpolate(x, scale_factor=2),
        }

    held(made, lambda n: (normal(n, 3, 5, 6, 7),), SIZES)


@pytest.mark.slow
def test_elements_that_are_written_where_a_mask_is_true() -> None:
    def made(x: Any, source: Any, rows: Any) -> Made:
        return {
            "some": x.masked_scatter(x > 0, source),
            "rows": x.masked_scatter((rows > 0)[:, :1], source),
            "none": x.masked_scatter(x > 99, source[:0]),
        }

    held(made, lambda n: (normal(n, 6), normal(n, 6) * 2, normal(n, 3)), SIZES)


@pytest.mark.slow
def test_samples_of_images_at_points() -> None:
    """Points beside the images, too; what is outside of an image is 0 whatever stands at its border."""

    def made(x: Any, grid: Any, volume: Any, points: Any) -> Made:
        ways = itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True))
        found = {f"{way}": F.grid_sample(x, grid, *way) for way in ways}
        deep = itertools.product(("bilinear", "nearest"), ("zeros", "border", "reflection"), (False, True))
        found |= {f"volume {way}": F.grid_sample(volume, points, *way) for way in deep}
        endless = x.masked_fill(x < 9, math.inf)
        found["endless"] = F.grid_sample(endless, grid * 0 + 3, "bilinear", "zeros", False)
        return found

    def given(n: int) -> tuple[Any, ...]:
        return normal(n, 3, 5, 7), normal(n, 4, 6, 2) * 0.8, normal(n, 2, 3, 4, 5), normal(n, 2, 3, 2, 3) * 0.8

    held(made, given, SIZES)


@pytest.mark.slow
def test_windows_along_an_axis() -> None:
    def made(x: Any) -> Made:
        return {
            "apart": x.unfold(1, 4, 4),
            "over each other": x.unfold(1, 3, 2),
            "last": x.unfold(-1, 2, 1),
            "of what is not known": x.unfold(0, 1, 1),
        }

    held(made, lambda n: (normal(n, 9, 3),), SIZES)
