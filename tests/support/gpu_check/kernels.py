"""Small kernels of every CUDA template, split and not: built for a device, and judged there between guarded zones.

Each is a case by itself, of a few blocks at sizes that are no whole tiles, since what only hardware shows (barriers,
bulk copies, clusters, order in memory) shows there as well. `HAZARDOUS` wait for what others in a block do, and may
wait for ever where that goes wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.loaded import Loaded
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cuda.cases import Cases
from anytile.tuner.measure.cuda.operands import Guarded
from anytile.tuner.protocol.candidate import point_of

HAZARDOUS = ("relay", "wgmma")


@dataclass(frozen=True, slots=True)
class GpuKernel:
    """A template's kernel of a workload: what differs from its default config, and the sizes of its symbols."""

    template: str
    workload: str
    changes: tuple[tuple[str, Value], ...] = ()
    sizes: tuple[tuple[int, ...], ...] = ((1,), (65,))
    note: str = ""  # where all this does not tell it from another

    @property
    def name(self) -> str:
        changes = "-".join(f"{name}={value}" for name, value in self.changes)
        dtype = next((d for d in ("bfloat16", "float16") if d in self.workload), "")
        return "-".join(filter(None, (self.template, self.note, dtype, changes)))

    @property
    def hazardous(self) -> bool:
        return self.template.rpartition(".")[2] in HAZARDOUS

    def plan(self, target: Target) -> DispatchPlan:
        workload, found = Workload.parse(self.workload), template(self.template)
        config = found.default(workload, target).with_(**dict(self.changes))
        found.space(workload, target).check(config)
        return single_plan(workload, target, found.name, config)

    def check(self, device: CudaDevice, sizes: tuple[tuple[int, ...], ...] = ()) -> None:
        """Run it at its sizes, and at others' addresses; what is wrong is an error that names the place."""
        target = Target.parse(f"cuda -arch={device.facts.arch}")
        plan = self.plan(target)
        loaded, cases = Loaded(CudaCode.of(compile_plan(plan).code), device), Cases(device)
        for size in sizes or self.sizes:
            point = point_of(dict(zip(plan.workload.symbols, size, strict=True)))
            for shift in (0, 16):
                it = Guarded(loaded, plan.workload, point, cases.get(plan.workload, point), shift)
                it.run()
                device.synchronise()
                it.judge()


def _kernels() -> Iterator[GpuKernel]:
    changes: tuple[tuple[str, Value], ...]
    layer = "dense(m=?m, n=104, k=200{})"
    for name in ("simt", "narrow"):
        yield GpuKernel(f"dense.cuda.{name}", layer.format(""))
    yield GpuKernel("dense.cuda.simt", layer.format(""), (("split_k", 4),))
    yield GpuKernel("dense.cuda.narrow", layer.format(", dtype=bfloat16"), (("tile_m", 8), ("warps_n", 4)))
    for changes in ((), (("split_k", 4),)):
        yield GpuKernel("dense.cuda.mma", layer.format(", dtype=bfloat16"), changes)
        yield GpuKernel("dense.cuda.tf32", layer.format(", products=tf32x3"), changes)
    yield GpuKernel("dense.cuda.mma", layer.format(", dtype=float16"), (("tile_m", 2), ("tile_n", 4)))
    for changes in ((), (("tile_m", 2), ("unroll_k", 1), ("warps_k", 4))):
        yield GpuKernel("dense.cuda.skinny", layer.format(", dtype=bfloat16"), changes, ((1,), (31,)))
    rows = "quantised_dense(m=?m, n=104, k=200, x=float32, w=bfloat16, out=float32{})"
    yield GpuKernel("quantised_dense.cuda.mma", rows.format(", products=rounded"))
    yield GpuKernel("quantised_dense.cuda.mma", rows.format(", products=rounded"), (("split_k", 4),))
    yield GpuKernel("quantised_dense.cuda.narrow", rows.format(""))
    yield GpuKernel("quantised_dense.cuda.simt", rows.format(""), (("split_k", 2),))
    eighths = "quantised_dense(m=?m, n=104, k=224, x=float32, w=float8_e4m3fn, out=float32{})"
    yield GpuKernel("quantised_dense.cuda.mma8", eighths.format(", products=rounded"), (("split_k", 4),))
    yield GpuKernel("quantised_dense.cuda.narrow", eighths.format(""))
    yield GpuKernel("quantised_dense.cuda.simt", eighths.replace("e4m3fn", "e5m2").format(""), (("split_k", 2),))
    for bits, changes in ((4, ()), (4, (("tile_m", 4), ("warps_k", 2))), (8, (("tile_m", 2),))):
        yield GpuKernel("grouped_dense.cuda.narrow", f"grouped_dense(m=?m, n=104, k=224, bits={bits})", changes)
    grouped = "grouped_dense(m=?m, n=104, k=200, zeros=yes, accuracy=int8{})"
    for unit in ("simt", "tf32", "mma"):
        yield GpuKernel(f"grouped_dense.cuda.{unit}", grouped.format(""))
        yield GpuKernel(f"grouped_dense.cuda.{unit}", grouped.format(", bits=8"), (("split_k", 4),))
    yield GpuKernel("grouped_dense.cuda.nest", "grouped_dense(m=?m, n=9, k=67, zeros=yes)")

    heads = "batch_matmul(b=3, m=?m, n=72, k=88{})"
    yield GpuKernel("batch_matmul.cuda.simt", heads.format(""))
    yield GpuKernel("batch_matmul.cuda.nest", heads.format(""))
    yield GpuKernel("batch_matmul.cuda.mma", heads.format(", rhs=bnk, dtype=bfloat16"))
    yield GpuKernel("batch_matmul.cuda.mma", heads.format(", rhs=bkn, dtype=float16"))
    stacked = "batch_matmul(b=3, m=?m, n=104, k=200, lhs=mk, rhs=bnk{})"
    yield GpuKernel("batch_matmul.cuda.narrow", stacked.format(""), (), ((1,), (9,)))
    yield GpuKernel("batch_matmul.cuda.skinny", stacked.format(", dtype=bfloat16"), (), ((1,), (31,)))
    yield GpuKernel("batch_matmul.cuda.mma", stacked.format(", dtype=bfloat16"), (("split_k", 4),), note="stacked")
    gates = "gated_dense(m=?m, u=40, k=72, gates=2, start=bias[g, u], cell=h2 = z0 * sigmoid(z1); g2 = z1)"
    yield GpuKernel("gated_dense.cuda.simt", gates)
    yield GpuKernel("gated_dense.cuda.nest", gates)

    some = ((1, 7), (65, 130))
    for dtype in ("float32", "bfloat16", "float16"):
        yield GpuKernel("attention.cuda", f"attention(b=2, h=2, m=?m, n=?n, d=64, e=64, scale=0.125, mask=n, "
                                          f"dtype={dtype})", (), some)  # fmt: skip
    few = "attention(b=1, h=4, m=1, n=?n, d=64, e=64, scale=0.125, lengths=yes, causal=yes, shared=2, dtype=bfloat16)"
    yield GpuKernel("attention.cuda", few, (), ((3,), (700,)), "one-row")

    image = "conv2d(n=?n, ci=16, h=13, w=11, co=24, kh=3, kw=3, pad=1, layout=nhwc{})"
    yield GpuKernel("conv2d.cuda.simt", image.format(""), (), ((1,), (3,)))
    yield GpuKernel("conv2d.cuda.nest", "conv2d(n=?n, ci=4, h=9, w=8, co=6, kh=2, kw=3, groups=2, dilation=1x2)")
    for filters, dtype in (("", "bfloat16"), (", filters=ohwi", "float16")):
        yield GpuKernel("conv2d.cuda.mma", image.format(f"{filters}, dtype={dtype}"), (), ((1,), (3,)))
    one = "conv2d(n=1, ci=64, h=9, w=11, co=24, kh=3, kw=3, pad=1, layout=nhwc, filters=ohwi, dtype=bfloat16)"
    yield GpuKernel("conv2d.cuda.mma", one, (("block_k", 32), ("split_k", 2)), ((),))
    narrow = "quantised_" + image.format(", x=float32, weight=bfloat16, out=float32")
    yield GpuKernel("quantised_conv2d.cuda.simt", narrow, (), ((1,), (3,)))
    yield GpuKernel("quantised_conv2d.cuda.nest", narrow.replace("nhwc", "nchw"))

    two, three = ((1, 5), (37, 300)), ((1, 5, 1), (7, 40, 33))
    yield GpuKernel("softmax.cuda", "softmax(outer=?m, n=?n, inner=1)", (), two)
    yield GpuKernel("softmax.cuda", "softmax(outer=?m, n=?n, inner=1, stored=x:bfloat16+y:bfloat16)", (), two)
    yield GpuKernel("layer_norm.cuda", "layer_norm(rows=?m, n=768, pre=x + r[rows, n])")
    yield GpuKernel("rms_norm.cuda", "rms_norm(rows=?m, n=?n)", (), two)
    yield GpuKernel("reduce.cuda", "reduce(d0=?m, d1=?n, rank=2, axes=1, kind=argmax)", (), two)
    yield GpuKernel("reduce.cuda", "reduce(d0=?a, d1=?b, d2=?c, rank=3, axes=1)", (), three, "columns")
    yield GpuKernel("elementwise.cuda", "elementwise(d0=?m, d1=?n, rank=2, f=gelu(x[d0, d1] + c[d1]))", (), two)
    yield GpuKernel("transpose.cuda", "transpose(d0=?m, d1=12, d2=64, rank=3, perm=1x0x2)")
    yield GpuKernel("gather.cuda", "gather(outer=1, n=?n, m=?m, inner=96)", (), two)
    yield GpuKernel("interpolate.cuda", "interpolate(outer=3, n=?n, m=?m, taps=2, inner=96)", (), two)
    yield GpuKernel("one_hot.cuda", "one_hot(m=?m, depth=37)")
    yield GpuKernel("scatter_rows.cuda", "scatter_rows(n=?n, m=?m, inner=96, mode=add)", (), two, "added")
    yield GpuKernel("scatter_rows.cuda", "scatter_rows(n=?n, m=?m, inner=1)", (), two)
    yield GpuKernel("concat.cuda", "concat(outer=?m, n0=24, n1=?n, inner=1)", (), two)
    yield GpuKernel("split.cuda", "split(outer=?m, n=12, inner=?i, count=3)", (), two)
    yield GpuKernel("slice.cuda", "slice(d0=?m, d1=?n, rank=2, start=0x1, stop=2147483647x-1)", (), two)
    yield GpuKernel("pad.cuda", "pad(d0=?m, d1=?n, rank=2, before=1x2, after=0x3, value=1)", (), two)
    yield GpuKernel("cumsum.cuda", "cumsum(outer=?a, n=?b, inner=?c)", (), three)
    yield GpuKernel("batch_norm.cuda", "batch_norm(outer=?a, c=?b, inner=?c)", (), three)
    for pool in ("max", "avg"):
        yield GpuKernel(f"{pool}_pool2d.cuda", f"{pool}_pool2d(n=?n, c=8, h=13, w=11, kernel=3x2, stride=2x1, pad=1x0, "
                                               "layout=nhwc)", (), ((1,), (3,)))  # fmt: skip

    wide, large = "dense(m=?m, n=328, k=712, dtype={})", ((1,), (300,))
    yield GpuKernel("dense.cuda.wgmma", wide.format("bfloat16"), (), large)
    yield GpuKernel("dense.cuda.wgmma", wide.format("float16"), (("split_k", 2),), large)
    plain = (("groups", 1), ("columns", 64), ("resident", 0))
    for changes in (plain, (*plain, ("split_k", 4)), (("resident", 1),), (*plain, ("stores", 1)),
                    (*plain, ("cluster", 2))):  # fmt: skip
        yield GpuKernel("dense.cuda.relay", wide.format("bfloat16"), changes, large)
    boxes = "batch_matmul(b=3, m=?m, n=72, k=88, rhs={}, dtype=bfloat16)"
    yield GpuKernel("batch_matmul.cuda.relay", boxes.format("bnk"), (("resident", 0),), large)
    yield GpuKernel("batch_matmul.cuda.relay", boxes.format("bkn"), (), large)
    taps = image.format(", filters=ohwi, dtype=bfloat16")
    yield GpuKernel("conv2d.cuda.relay", taps, (("resident", 0),), ((1,), (3,)))
    yield GpuKernel("conv2d.cuda.relay", taps, (), ((1,), (3,)))


KERNELS = tuple(_kernels())
