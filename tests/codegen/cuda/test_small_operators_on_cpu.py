"""Every operator but dense on a GPU against numpy: the text that NVRTC gets, run on the CPU with every access watched.

Examples of the operators' rows at sizes around a tile's threads, and workloads drawn at random; blocks and threads run
in several orders. A fault of any kind fails a test as a wrong number does.
"""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.cuda.build import build
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.templates.registry import templates
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.simulated_operators import run, simulated
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated
from tests.support.generators.random_workloads import workloads

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGET = Target.parse("cuda -arch=sm_90a")
ORDERS = ("forward", "reverse", "random:1")
SMALL = {t.name: t for t in templates() if t.kind == "cuda" and t.op != "dense"}
MORE = (  # what the operators' own examples leave out
    "elementwise(d0=?a, d1=?b, d2=8, rank=3, f=gelu(x[d0, d1, d2] + c[d2]) * r[d0])",
    "elementwise(d0=?a, d1=?b, rank=2, f=where(i[d0, d1] > 1, i[d0, d1] * 3, 7), types=i:int64, dtype=int64)",
    "elementwise(d0=?a, rank=1, f=float32(i[d0] == c), types=i:int32+c:int32)",
    "elementwise(d0=?a, rank=1, f=h[1, d0] * tanh(h[0, d0]), parts=2)",
    "elementwise(d0=?a, d1=?b, d2=8, rank=3, f=h[d0, 1, d1, d2] * tanh(h[d0, 0, d1, d2]) + s[2, d2], parts=3)",
    "elementwise(d0=?a, d1=8, rank=2, f=float32(int32(q[d0, d1]) - int32(z)) * s[d1], types=q:int8+z:uint8)",
    "elementwise(d0=?a, rank=1, f=int16(i[d0] - int64(j[d0])), types=j:int16, dtype=int64)",
    "transpose(d0=?a, d1=?b, d2=12, rank=3, perm=1x0x2)",
    "transpose(d0=?a, d1=?b, d2=3, d3=?c, d4=2, rank=5, perm=4x2x0x3x1, dtype=int64)",
    "transpose(d0=?a, d1=?b, rank=2, perm=1x0, dtype=bool)",
    "transpose(d0=?a, d1=?b, d2=?c, d3=16, rank=4, perm=1x0x3x2)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=2x1, mode=edge)",
    "pad(d0=?a, d1=9, rank=2, before=0x4, after=0x3, mode=reflect, dtype=int32)",
    "gather(outer=?a, n=?b, m=?c, inner=1, index=int32)",
    "gather(outer=1, n=7, m=?c, inner=16, dtype=bool)",
    "one_hot(m=?a, depth=5, index=int32, dtype=bool)",
    "slice(d0=?a, d1=16, rank=2, start=1x4, stop=2147483647x12)",
    "concat(outer=?a, n0=?b, n1=2, n2=?c, inner=3, count=3, dtype=int32)",
    "split(outer=?a, n=9, inner=?b, count=3, at=2x5)",
    "max_pool2d(n=?a, c=?b, h=?c, w=7, kernel=3x3, stride=2x2, pad=1, layout=nhwc, dtype=int32)",
    "batch_matmul(b=3, m=?t, n=?t, k=16, rhs=bnk)",  # attention's two, as matrices of heads and as rows of tokens
    "batch_matmul(b=3, m=?t, n=16, k=?t, lhs=bmk, rhs=kbn, y=mbn)",
    "batch_matmul(b=?b, m=?m, n=20, k=12, lhs=mbk, rhs=nbk, tail=max(y * 0.5 + c[m], 0) + mask[b, n])",
    "batch_matmul(b=?b, m=?m, n=8, k=?k, lhs=kbm, rhs=kn, y=nbm)",
    "batch_matmul(b=?b, m=?m, n=9, k=8, lhs=mk, rhs=knb)",
    "batch_matmul(b=?b, m=?m, n=?n, k=24, lhs=mbk, rhs=nbk, y=mbn, dtype=bfloat16, tail=y * c[m] + mask[b, n])",
    "batch_matmul(b=3, m=?m, n=20, k=?k, rhs=bkn, dtype=bfloat16, stored=y:float32)",
    "batch_matmul(b=3, m=?m, n=?n, k=72, lhs=mk, rhs=bnk, dtype=float16, stored=y:float32)",
    "attention(b=?b, h=6, m=?m, n=?n, d=8, e=36, scale=0.3, shared=3, mask=hbmn, causal=yes, lengths=yes)",
    "attention(b=?b, h=2, m=?m, n=?n, d=24, e=40, scale=0.2, causal=yes, dtype=bfloat16, q=mbhd, k=nbgd, y=mbhe)",
    "gated_dense(m=?m, u=24, k=16, gates=3, cell=y0 = z0; y1 = z1; y2 = z2)",
    "gated_dense(m=?m, u=?u, k=20, gates=4, start=pre[m, g, u], cell=c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * "
    "tanh(z2); h2 = sigmoid(z3) * tanh(c2))",
    "softmax(outer=?a, n=?b, inner=1)",
    "softmax(outer=?a, n=36, inner=1, log=yes)",
    "softmax(outer=?a, n=1500, inner=1)",
    "softmax(outer=?a, n=9, inner=?b, log=yes)",
    "layer_norm(rows=?a, n=36, pre=x + r[rows, n])",
    "layer_norm(rows=?a, n=2052)",
    "rms_norm(rows=?a, n=37, pre=x * s[rows])",
    "reduce(d0=?a, d1=?b, d2=?c, d3=?d, rank=4, axes=0x2, kind=mean)",
    "reduce(d0=?a, d1=?b, d2=?c, d3=?d, rank=4, axes=1x3, kind=min, dtype=int64)",
    "reduce(d0=?a, d1=?b, rank=2, axes=0x1, kind=prod)",
    "reduce(d0=?a, d1=64, rank=2, axes=1, kind=sum, dtype=int32)",
    "reduce(d0=?a, d1=40, rank=2, axes=1, kind=argmax)",
    "reduce(d0=?a, d1=36, rank=2, axes=1, kind=mean, pre=(x - m[d0]) * (x - m[d0]))",
    "reduce(d0=?a, d1=?b, d2=8, rank=3, axes=1x2, kind=sum, pre=x * r[d1] * t[d2, d0])",
    "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=0x1, kind=max, pre=x - r[d1] * s[d2])",
    "reduce(d0=?a, d1=36, rank=2, axes=1, kind=sum, pre=x * float32(m[d0, d1]), types=m:bool)",
    "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=0x1, kind=argmax, dtype=int32)",
    "conv2d(n=?a, ci=8, h=9, w=11, co=12, kh=3, kw=3, pad=1, layout=nhwc, tail=relu(y + b[co]))",
    "conv2d(n=?a, ci=3, h=13, w=9, co=5, kh=3, kw=2, stride=2x1, pad=1x0x2x1, dilation=1x2, layout=nhwc)",
    "conv2d(n=?a, ci=20, h=7, w=7, co=33, kh=1, kw=1, stride=2x2, layout=nhwc)",
    "conv2d(n=?a, ci=20, h=9, w=7, co=13, kh=2, kw=3, pad=1, layout=nhwc, filters=ohwi)",
    "quantised_dense(m=?m, n=20, k=24, x=float32, w=float16, out=float32, tail=relu(y + b[n]))",
    "quantised_dense(m=?m, n=9, k=33, x=float32, w=bfloat16, out=float32)",
    "quantised_dense(m=?m, n=20, k=24, x=float32, w=float16, out=float32, products=rounded, tail=relu(y + b[n]))",
    "quantised_dense(m=?m, n=41, k=96, x=float32, w=bfloat16, out=float32, products=rounded)",
    "quantised_dense(m=?m, n=9, k=33, x=float32, w=bfloat16, out=float32, products=rounded)",
    "grouped_dense(m=?m, n=?n, k=96, zeros=yes)",
    "grouped_dense(m=?m, n=21, k=200, group=64, scales=float16, tail=relu(y + b[n]))",
    "grouped_dense(m=?m, n=9, k=44, bits=8, scales=bfloat16)",
    "grouped_dense(m=?m, n=37, k=72, bits=8, zeros=yes, scales=bfloat16, accuracy=float16, tail=y * 0.5 + b[n])",
    "grouped_dense(m=?m, n=21, k=200, group=64, scales=float16, accuracy=int8, tail=relu(y + b[n]))",
    "grouped_dense(m=?m, n=?n, k=?k, zeros=yes, accuracy=int8)",
    "avg_pool2d(n=?a, c=3, h=?b, w=?c, kernel=2x3, stride=2x1, ceil=yes, count=image)",
    "scatter_rows(n=?a, m=?b, inner=?c, mode=mul)",
    "scatter_rows(n=?a, m=?b, inner=3, mode=min, dtype=int32)",
    "scatter_rows(n=?a, m=7, inner=1, mode=add)",
    "scatter_rows(n=?a, m=?b, inner=4, dtype=int64)",
    "scatter_rows(n=1, m=?b, inner=?c, mode=add)",
    "scatter_rows(n=?a, m=?b, inner=2, mode=add, dtype=bool)",
    "scatter_rows(n=?a, m=?b, inner=2, mode=min, dtype=bool)",
    "put_rows(outer=?a, n=?b, m=?c, inner=?d)",
    "put_rows(outer=3, n=?b, m=1, inner=64)",
    "put_rows(outer=1, n=?b, m=?c, inner=1, dtype=int64)",
    "put_rows(outer=?a, n=9, m=?c, inner=3, dtype=uint8)",
    "put_rows(outer=?a, n=?b, m=?c, inner=8, stored=updates:bfloat16+x:bfloat16+y:bfloat16)",
    "put_rows(outer=?a, n=?b, m=?c, inner=8, stored=x:float16+y:float16)",
    # floats that lie in memory in 16 bits
    "scatter_rows(n=?a, m=?b, inner=8, mode=add, stored=updates:bfloat16+x:bfloat16+y:bfloat16)",
    "scatter_rows(n=?a, m=?b, inner=8, stored=updates:float16+y:float16)",
    "elementwise(d0=?a, d1=?b, d2=8, rank=3, f=gelu(x[d0, d1, d2] + c[d2]) * r[d0], stored=x:bfloat16+y:bfloat16)",
    "elementwise(d0=?a, d1=?b, d2=8, rank=3, f=x[d0, d1, d2] * x[d0, d1, d2], stored=x:float16+y:bfloat16)",
    "elementwise(d0=?a, d1=?b, rank=2, f=where(i[d0] > 1, x[d1], 7.0), types=i:int64, stored=y:float16)",
    "transpose(d0=?a, d1=?b, d2=12, rank=3, perm=1x0x2, stored=x:bfloat16+y:bfloat16)",
    "transpose(d0=?a, d1=?b, d2=16, rank=3, perm=1x0x2, stored=x:float16+y:float16)",
    "transpose(d0=?a, d1=?b, d2=?c, d3=16, rank=4, perm=1x0x3x2, stored=x:float16)",
    "pad(d0=?a, d1=9, rank=2, before=0x4, after=0x3, mode=constant, value=1.5, stored=x:bfloat16+y:bfloat16)",
    "slice(d0=?a, d1=16, rank=2, start=1x4, stop=2147483647x12, stored=y:bfloat16)",
    "concat(outer=?a, n0=?b, n1=2, n2=?c, inner=3, count=3, stored=x1:bfloat16+y:bfloat16)",
    "split(outer=?a, n=9, inner=?b, count=3, at=2x5, stored=x:float16)",
    "gather(outer=?a, n=?b, m=?c, inner=4, stored=x:bfloat16+y:bfloat16)",
    "batch_norm(outer=?a, c=?b, inner=8, stored=x:bfloat16+y:bfloat16)",
    "max_pool2d(n=?a, c=?b, h=?c, w=7, kernel=3x3, stride=2x2, pad=1, layout=nhwc, stored=x:float16+y:float16)",
    "avg_pool2d(n=?a, c=3, h=?b, w=?c, kernel=2x3, stride=2x1, ceil=yes, count=image, stored=x:bfloat16+y:bfloat16)",
    "cumsum(outer=?a, n=?b, inner=?c, stored=x:bfloat16+y:bfloat16)",
    "softmax(outer=?a, n=36, inner=1, stored=x:bfloat16+y:bfloat16)",
    "softmax(outer=?a, n=9, inner=?b, log=yes, stored=x:float16)",
    "layer_norm(rows=?a, n=36, pre=x + r[rows, n], stored=r:bfloat16+x:bfloat16+y:bfloat16)",
    "layer_norm(rows=?a, n=?b, stored=x:float16)",
    "rms_norm(rows=?a, n=40, stored=y:float16)",
    "reduce(d0=?a, d1=?b, d2=?c, d3=?d, rank=4, axes=0x2, kind=mean, stored=x:bfloat16+y:bfloat16)",
    "reduce(d0=?a, d1=40, rank=2, axes=1, kind=argmax, stored=x:bfloat16)",
    "reduce(d0=?a, d1=40, rank=2, axes=1, pre=x * x * r[d1], stored=r:float16+x:bfloat16)",
    "batch_matmul(b=3, m=?t, n=16, k=?t, lhs=bmk, rhs=kbn, y=mbn, stored=lhs:bfloat16+rhs:bfloat16+y:bfloat16)",
    "batch_matmul(b=?b, m=?m, n=20, k=12, lhs=mbk, rhs=nbk, tail=max(y * 0.5 + c[m], 0), stored=lhs:float16+y:float16)",
    "conv2d(n=?a, ci=8, h=9, w=11, co=12, kh=3, kw=3, pad=1, layout=nhwc, tail=relu(y + b[co]), "
    "stored=x:bfloat16+y:bfloat16)",
    "conv2d(n=?a, ci=6, h=9, w=5, co=7, kh=3, kw=2, layout=nhwc, stored=x:bfloat16)",
    "conv2d(n=?a, ci=20, h=9, w=7, co=13, kh=2, kw=3, pad=1, layout=nhwc, filters=ohwi, dtype=bfloat16, "
    "tail=relu(y + b[co]), stored=b:float32)",
    "conv2d(n=?a, ci=5, h=9, w=7, co=13, kh=3, kw=2, layout=nhwc, dtype=float16, stored=y:float32)",
    "quantised_dense(m=?m, n=20, k=24, x=float32, w=float16, out=float32, products=rounded, tail=relu(y + b[n]), "
    "stored=y:float16)",
    "quantised_conv2d(n=?a, ci=8, h=9, w=11, co=12, kh=3, kw=3, pad=1, layout=nhwc, x=float32, weight=bfloat16, "
    "out=float32, stored=x:bfloat16, tail=relu(y + b[co]))",
    "quantised_conv2d(n=?a, ci=6, h=9, w=5, co=7, kh=3, kw=2, x=float32, weight=float16, out=float32)",
    "quantised_conv2d(n=?a, ci=6, h=9, w=5, co=7, kh=3, kw=2, layout=nhwc, filters=ohwi, x=float32, weight=float16, "
    "out=float32, stored=x:float16)",
    "attention(b=?b, h=2, m=?m, n=?n, d=24, e=40, scale=0.2, mask=bn, dtype=bfloat16, stored=mask:float32)",
    "attention(b=?b, h=2, m=?m, n=?n, d=8, e=8, scale=0.2, stored=y:bfloat16)",
)
CASES = [
    (name, text)
    for text in (*itertools.chain(*(row.examples for row in OPERATORS.values())), *MORE)
    for name, t in SMALL.items()
    if Workload.parse(text).op == t.op and t.suits(Workload.parse(text)) and t.stores(Workload.parse(text))
]
PRODUCTS = ("batch_matmul.cuda.simt", "gated_dense.cuda.simt")
SIZES = (0, 1, 2, 5, 8, 33)
FAR = 131  # beyond a block's threads along any dimension


def sized(workload: Workload, size: int, shift: int = 0) -> dict[str, int] | None:
    """A size for each symbol, each another one; None where there would be nothing to gather, or no window."""
    symbols = {s: max(size - (i + shift) % 3, min(size, 1)) for i, s in enumerate(workload.symbols)}
    if workload.op in ("gather", "interpolate", "one_hot") and workload.sizes(symbols).get("n", 1) == 0:
        return None
    if min((e.evaluate(symbols) for e in workload.extents.values()), default=0) < 0:
        return None
    return symbols


@functools.cache
def default_kernel(case: tuple[str, str]) -> Simulated:
    """Made when the first of its tests asks: which tests run in this process nobody knows before."""
    template, workload = SMALL[case[0]], Workload.parse(case[1])
    return simulated(template, workload, template.default(workload, TARGET), TARGET)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1][:60]}")
def test_an_operator_computes_what_it_means(case: tuple[str, str]) -> None:
    workload, kernel = Workload.parse(case[1]), default_kernel(case)
    tried = 0
    for i, size in enumerate(SIZES):
        symbols = sized(workload, size, i)
        if symbols is not None:
            run(kernel, workload, symbols, ORDERS[i % len(ORDERS)])
            tried += 1
    assert tried >= 2


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1][:60]}")
def test_one_dimension_larger_than_a_block(case: tuple[str, str]) -> None:
    """The others as small as may be: that they are many as well is what the first test tries."""
    workload, kernel = Workload.parse(case[1]), default_kernel(case)
    for i, s in enumerate(workload.symbols):
        others = next(found for size in (3, 8) if (found := sized(workload, size)) is not None)
        run(kernel, workload, {**others, s: FAR}, ORDERS[i % len(ORDERS)])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        "elementwise(d0=?a, d1=?b, d2=8, rank=3, f=x[d0, d1, d2] * c[d1])",
        "transpose(d0=?a, d1=?b, d2=?c, rank=3, perm=2x1x0)",
        "softmax(outer=?a, n=?b, inner=?c)",
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=2)",
        "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=1, kind=max)",
        "batch_matmul(b=?b, m=?m, n=8, k=12)",
        "batch_matmul(b=5, m=7, n=8, k=?k, lhs=kbm, rhs=kn, y=nbm)",
    ],
)
def test_more_tiles_than_blocks(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid's dimensions end somewhere: here after two blocks."""
    monkeypatch.setattr("anytile.schedules.primitives.gpu.points.MOST_BLOCKS", 2)
    workload = Workload.parse(text)
    fit = (t for t in SMALL.values() if t.op == workload.op and t.suits(workload))
    template = next(t for t in fit if not t.name.endswith((".nest", ".relay")))
    kernel = simulated(template, workload, template.default(workload, TARGET), TARGET)
    for i, size in enumerate((1, 5, 19)):
        symbols = (
            {s: size - j for j, s in enumerate(workload.symbols)} if size > 2 else dict.fromkeys(workload.symbols, 1)
        )
        run(kernel, workload, symbols, ORDERS[i])
        assert max(kernel.source.launches[0].blocks(symbols)[1:]) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for name, text in CASES if name in PRODUCTS])
@pytest.mark.parametrize("rests", [(0, 0), (3, 3), (1, -1)], ids=str)
def test_rests_of_a_products_rows(text: str, rests: tuple[int, int]) -> None:
    workload = Workload.parse(text)
    template = SMALL[f"{workload.op}.cuda.simt"]
    config = template.default(workload, TARGET).with_(tile_m=2, tile_n=2, warps_m=2, warps_n=1, lanes="4x8")
    tile, symbol = template.tile(config), template.symbol(workload)
    assert symbol is not None
    low, high = (r % tile for r in rests)
    kernel = Simulated(build(workload, config, TARGET, template, (low, high)))
    for m in {low, tile + low, tile + high}:
        symbols = {s: m if s == symbol else 3 for s in workload.symbols}
        run(kernel, workload, symbols, "random:1")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1][:60]}")
def test_any_config_is_right(case: tuple[str, str]) -> None:
    """The space's last one, or one behind its first third: in turn, where a template has several cases."""
    template, workload = SMALL[case[0]], Workload.parse(case[1])
    space, like = template.space(workload, TARGET), [c for c in CASES if c[0] == case[0]]
    ways = (len(space) - 1, len(space) // 3)
    for i in {*ways} if len(like) == 1 else {ways[like.index(case) % 2]}:
        kernel = simulated(template, workload, space[i], TARGET)
        for size in (1, 9):
            symbols = sized(workload, size)
            if symbols is not None:
                run(kernel, workload, symbols, ORDERS[i % len(ORDERS)])


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", SMALL)
def test_random_workloads(name: str, data: st.DataObject, seed: int) -> None:
    template = SMALL[name]
    workload, symbols = data.draw(workloads(template.op))
    if not template.suits(workload):
        return
    space = template.space(workload, TARGET)
    kernel = simulated(template, workload, space[data.draw(st.integers(0, len(space) - 1))], TARGET)
    run(kernel, workload, symbols, data.draw(st.sampled_from(ORDERS)), seed)
