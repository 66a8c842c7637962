"""What a GPU that never ran these kernels is tried with, in this order: each case has one thing more than those before.

A kernel that is wrong there, though it is right on the CPU, is wrong in what an instruction was taken to mean, and the
first case that fails says in which. docs/gpu.md has the commands, and what each kind of failure points at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from anytile.dispatch.backends import cuda_device
from anytile.dispatch.cuda.build import compile_plan
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import Array, CudaDevice
from anytile.dispatch.cuda.kernel import CudaKernel
from anytile.dispatch.cuda.loaded import Loaded, clear
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import check, inputs_of
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

CLOSE = 2e-5  # of float32, in units of the largest result
HALF = "dtype=float16"


@dataclass(frozen=True)
class Case:
    """A kernel, the least architecture that has it, and the values of its symbol."""

    what: str
    name: str
    text: str
    knobs: tuple[tuple[str, Value], ...] = ()
    least: str = "sm_80"
    sizes: tuple[int, ...] = (1, 65, 130)

    def __str__(self) -> str:
        return self.what

    def runs_on(self, arch: str) -> bool:
        if self.least == "sm_90a":
            return arch == self.least
        return gpu_facts(Target.parse(f"cuda -arch={arch}")).compute >= int(self.least.removeprefix("sm_"))

    def config(self, target: Target) -> Config:
        """The default with its knobs."""
        t, workload = template(self.name), Workload.parse(self.text)
        config = t.default(workload, target).with_(**dict(self.knobs))
        t.space(workload, target).check(config)
        return config

    def run(self, device: CudaDevice, target: Target, given: Callable[[Any], Any], back: Callable[[Any], Any]) -> None:
        """On arrays of the device, which `given` makes of numpy's and `back` makes numpy's of."""
        workload, config = Workload.parse(self.text), self.config(target)
        kernel = CudaKernel(compile_plan(single_plan(workload, target, self.name, config)), device)
        for size in self.sizes if workload.symbols else (0,):
            symbols = dict.fromkeys(workload.symbols, size)
            inputs = inputs_of(workload, symbols)
            made = kernel(*map(given, inputs.values()))
            results = made if isinstance(made, tuple) else (made,)
            got = {o.name: back(r) for o, r in zip(workload.outputs, results, strict=True)}
            check(workload, got, inputs, f"{self.what} at {size}", CLOSE)


def case(what: str, name: str, text: str, least: str = "sm_80", sizes: tuple[int, ...] = (), **knobs: Value) -> Case:
    return Case(what, name, text, tuple(knobs.items()), least, sizes or Case.sizes)


def relay(what: str, text: str, op: str = "dense", sizes: tuple[int, ...] = (), **knobs: Value) -> Case:
    plain = {"groups": 1, "columns": 64, "stages": 3, "behind": 0, "split_k": 1, "group_m": 1, "resident": 0}
    known: dict[str, Value] = {**plain, "cluster": 1, "stores": 0, **knobs}
    return case(what, f"{op}.cuda.relay", text, "sm_90a", sizes, **known)


LAYER = f"dense(m=?m, n=136, k=200, {HALF}, tail=y + bias[n])"
HEADS = "attention(b=2, h=2, m=?m, n=?m, d=64, e=64, scale=0.125"
TURNED = f"batch_matmul(b=3, m=?m, n=136, k=200, rhs=bkn, {HALF})"
PATCH = f"conv2d(n=?n, ci=72, h=19, w=17, co=64, kh=3, kw=3, layout=nhwc, filters=ohwi, {HALF}"
CASES = (
    case("an element to a thread", "elementwise.cuda", "elementwise(d0=?m, d1=33, rank=2, f=gelu(x[d0, d1]))", "sm_75"),
    case("rows by warps", "softmax.cuda", "softmax(outer=?m, n=77, inner=1)", "sm_75"),
    case("tiles in shared memory", "dense.cuda.simt", "dense(m=?m, n=72, k=40)", "sm_75"),
    case("blocks that meet", "dense.cuda.simt", "dense(m=?m, n=72, k=136)", "sm_75", split_k=2),
    case("blocks that give each other their sums", "dense.cuda.simt", "dense(m=?m, n=72, k=136)", "sm_90", split_k=2,
         meeting="cluster"),
    case("updates joined in order", "scatter_rows.cuda", "scatter_rows(n=?n, m=?n, inner=8, mode=add)", "sm_75"),
    case("streams of 16 bits", "dense.cuda.narrow", LAYER, "sm_75"),
    case("fragments as they lie", "dense.cuda.skinny", LAYER, sizes=(1, 9, 16)),
    case("fragments out of shared memory", "dense.cuda.mma", LAYER, split_k=1),
    case("a weight asked for ahead", "dense.cuda.skinny", LAYER, "sm_90", (1, 9, 16), ahead=1),
    case("fragments that are turned", "batch_matmul.cuda.mma", TURNED),
    case("fragments that blocks give each other", "dense.cuda.mma", LAYER, "sm_90", split_k=4, meeting="cluster"),
    case("two TF32 for a float32", "dense.cuda.tf32", "dense(m=?m, n=72, k=136, products=tf32x3)"),
    case("patches of images", "conv2d.cuda.mma", f"{PATCH}, pad=1)", sizes=(1, 3)),
    case("an online softmax", "attention.cuda", f"{HEADS}, mask=n, {HALF})"),
    case("rows that see nothing", "attention.cuda", f"{HEADS}, lengths=yes, causal=yes, {HALF})"),
    case("blocks that share keys", "attention.cuda", f"{HEADS}, lengths=yes, {HALF})", split=4),
    case("matrices in shared memory", "dense.cuda.wgmma", LAYER, "sm_90a"),
    relay("boxes, and phases of mbarriers", LAYER),
    relay("products under way in two rounds", LAYER, behind=1),
    relay("columns of 32, stages in static memory", LAYER, columns=32, stages=2),
    relay("some of the block that meet", LAYER, split_k=2),
    relay("blocks that give each other their sums, and who fills waits", LAYER, split_k=4, meeting="cluster"),
    relay("blocks that stay", LAYER, resident=1, group_m=4, sizes=(1, 130, 9000)),
    relay("registers that are moved", LAYER, groups=2, columns=256, stages=2),
    relay("results as boxes", LAYER, stores=2),
    relay("blocks of a cluster", LAYER, cluster=2, sizes=(1, 130, 9000)),
    relay("boxes asked for ahead", LAYER, ahead=1, cluster=2, sizes=(1, 130)),
    relay("all of it", LAYER, groups=2, columns=256, resident=1, group_m=4, behind=1, cluster=2, stores=1,
          sizes=(1, 130, 9000)),
    relay("boxes of three dimensions", TURNED.replace("bkn", "bnk"), "batch_matmul"),
    relay("columns that are turned", TURNED, "batch_matmul"),
    relay("parts of columns that are turned", TURNED, "batch_matmul", columns=128, cluster=2),
    relay("boxes of four dimensions, of pixels and padding", f"{PATCH}, pad=1)", "conv2d", (1, 3), across=16),
    relay("pixels that are apart", f"{PATCH}, pad=1, stride=2x2)", "conv2d", (1, 3), across=8),
)  # fmt: skip


CALLS = 24  # of a chain, in which each reads what the one before it wrote
EARLY = (
    case("one by one", "dense.cuda.narrow", "dense(m=5, n=256, k=256, dtype=float16)", "sm_90"),
    case("asking ahead", "dense.cuda.narrow", "dense(m=5, n=256, k=256, dtype=float16)", "sm_90", ahead=1),
    case("fragments", "dense.cuda.skinny", "dense(m=9, n=256, k=256, dtype=float16)", "sm_90", ahead=1),
    case("copies", "dense.cuda.mma", "dense(m=33, n=256, k=256, dtype=float16)", "sm_90", ahead=1, split_k=1),
    case("blocks that meet", "dense.cuda.mma", "dense(m=33, n=256, k=256, dtype=float16)", "sm_90", ahead=1, split_k=2),
    relay("boxes", "dense(m=70, n=256, k=256, dtype=float16)", ahead=1),
)


def chained(one: Case, device: CudaDevice, target: Target, early: bool, graph: bool) -> Array:
    """What comes of products by one matrix, one of the other's result, all launched before any is waited for."""
    workload = Workload.parse(one.text)
    plan = single_plan(workload, target, one.name, one.config(target))
    loaded = Loaded(CudaCode.of(compile_plan(plan).code), device)
    ready, stream, rng = loaded.at({}), device.new_stream(), np.random.default_rng(0)
    m, n = workload.shape("y", {})
    first, matrix = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, n), (n, n)))
    held = [device.allocate(size) for size in (2 * m * n, 2 * n * n, 2 * m * n, max(ready.workspace, 1))]
    x, w, y, workspace = (memory.address for memory in held)
    device.write(x, first)
    device.write(w, matrix / np.float16(16))  # whose powers stay about as large
    clear(device, workspace, ready.workspace, 0)
    device.synchronise()

    def work() -> None:
        for i in range(CALLS):
            loaded.run(ready, (x, w, y) if i % 2 == 0 else (y, w, x), workspace, stream, early)

    device.record(stream, work).launch(stream) if graph else work()
    device.synchronise()
    return device.read(x, 2 * m * n)


@pytest.fixture(scope="module")
def device() -> CudaDevice:
    pytest.importorskip("cupy")
    return cuda_device()


@pytest.mark.cuda
@pytest.mark.parametrize("case", CASES, ids=str)
def test_on_a_gpu(case: Case, device: CudaDevice) -> None:
    import cupy

    if not case.runs_on(device.facts.arch):
        pytest.skip(f"{device.facts.arch} lacks what it needs")
    case.run(device, Target.parse("cuda"), cupy.asarray, lambda array: array.get())


@pytest.mark.cuda
@pytest.mark.parametrize("graph", [False, True], ids=["alone", "in a graph"])
@pytest.mark.parametrize("case", EARLY, ids=str)
def test_kernels_that_begin_early_wait_for_each_other_on_a_gpu(case: Case, graph: bool, device: CudaDevice) -> None:
    if not case.runs_on(device.facts.arch):
        pytest.skip(f"{device.facts.arch} lacks what it needs")
    target = Target.parse("cuda")
    wanted = chained(case, device, target, early=False, graph=False)
    for _ in range(3):
        np.testing.assert_array_equal(chained(case, device, target, early=True, graph=graph), wanted)


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("case", EARLY[1::2], ids=str)
def test_chains_are_launched_early_on_the_simulated_gpu(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.dispatch.cuda.test_first_contact.CALLS", 4)
    device, target = SimulatedGpu(), Target.parse("cuda -arch=sm_90a -sm=2")
    wanted = chained(case, device, target, early=False, graph=False)
    assert device.early == 0
    assert np.isfinite(wanted.view(np.float16)).all()
    assert (wanted.view(np.float16) != 0).any()
    np.testing.assert_array_equal(chained(case, device, target, early=True, graph=True), wanted)
    assert device.early == 4


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("case", CASES[::4], ids=str)
def test_what_is_tried_is_right_on_the_simulated_gpu(case: Case) -> None:
    """Some of it: that the cases are well said. The kernels' own tests try each thing in many sizes."""
    device, few = SimulatedGpu(), tuple(size for size in case.sizes if size < 1000)
    smaller = Case(case.what, case.name, case.text, case.knobs, case.least, few)
    smaller.run(device, Target.parse("cuda -arch=sm_90a -sm=2"), device.array, lambda array: array.values)


def test_every_case_is_one_of_its_template() -> None:
    target = Target.parse("cuda -arch=sm_90a")
    for one in (*CASES, *EARLY):
        assert one.config(target)
    assert len({one.what for one in CASES}) == len(CASES)
