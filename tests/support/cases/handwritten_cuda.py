"""Kernels for the GPU written by hand, as plans and artifacts: right ones, and each thing that one can do wrong."""

from __future__ import annotations

from collections.abc import Callable

from anytile.codegen.artifact import Artifact
from anytile.codegen.cuda.launch import COUNTERS, Launch
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.dispatch.cuda.build import Compiler, compile_plan
from anytile.dispatch.cuda.emit import Emitted
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import ceildiv, const, var
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

TARGET = Target.parse("cuda -arch=sm_90a")
N, K = 6, 5
W = dense(Any("m"), N, K)

_TEXT = """
extern "C" __global__ void kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
                                  unsigned char* workspace, long long m) {
  const int row = blockIdx.x * 4 + threadIdx.x;
  BEFORE
  if (row >= m) return;
  for (int j = 0; j < 6; ++j) {
    float sum = 0;
    for (int i = 0; i < 5; ++i) sum += x[row * 5 + i] * w[j * 5 + i];
    y[row * 6 + j] = sum;
  }
  AFTER
}
"""
_COUNT = "if (workspace[row] != 0) return;"
_PLACES: dict[str, tuple[str, str]] = {
    "right": ("", ""),
    "counting": (_COUNT, ""),
    "leaving": (_COUNT, "workspace[row] = 1;"),
    "wrong": ("", "if (row == m - 1) y[row * 6] += 1.0f;"),
    "straying": ("", "if (row == m - 1) y[row * 6 + 7] = 0.0f;"),
    "scribbling": ("", "if (row == m - 1) x[row * 5] = 0.0f;"),
    "illegal": ("", "y[row * 6 + 600000] = 0.0f;"),
    "hanging": ("volatile int go = 1; while (go) {}", ""),
}


def text_of(does: str) -> tuple[str, bool]:
    """The kernel's text, and whether it has a workspace."""
    before, after = _PLACES[does]
    text = _TEXT.replace("BEFORE", before).replace("AFTER", after)
    if does == "scribbling":
        text = text.replace("const float* __restrict__ x", "float* __restrict__ x")
    if "workspace[" in before:
        return text, True
    return text.replace("\n                                  unsigned char* workspace,", ""), False


def emitter(does: str = "right", align: int = 4, waits: bool = False) -> Callable[..., Emitted]:
    def emit(workload: Workload, target: Target, variant: Variant, residues: tuple[int, int] | None) -> Emitted:
        text, counts = text_of(does)
        if waits:
            text = text.replace("{\n", "{\n  at_begin();\n", 1)
        workspace = const(COUNTERS) + var("m") * 4 if counts else const(0)
        grid = (ceildiv(var("m"), 4), const(1), const(1))
        launch = Launch("kernel", grid, (4, 1, 1), 0, workspace, (var("m") * N,), waits=waits)
        return Emitted(f"{PRELUDE_DEVICE}\n{text}", text, launch, align)

    return emit


def no_compiler() -> Compiler:
    facts = {"registers": 32.0, "stack": 0.0, "spills": 0.0, "static_shared": 0.0}
    return Compiler(lambda text, arch: Cubin(text.encode()[:10], facts=facts), lambda: "0")


def plan(workload: Workload = W, runs: int | str = 0, low: int | None = None) -> DispatchPlan:
    """One variant; with `low`, what `runs` says from there on."""
    variant = Variant("by hand", Config.of(tile=4), 4, ())
    cut = (Range(0, None, runs),) if low is None else (Range(0, low - 1, 0), Range(low, None, runs))
    return DispatchPlan(workload, TARGET, "m" if workload.symbols else None, (variant,), cut, {})


def artifact(does: str = "right", given: DispatchPlan | None = None, align: int = 4, waits: bool = False) -> Artifact:
    return compile_plan(given or plan(), compiler=no_compiler(), emitter=emitter(does, align, waits))
