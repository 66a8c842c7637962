"""A small dense kernel and what belongs to it, for tests of how kernels are called."""

from __future__ import annotations

import numpy as np

from anytile.codegen.llvm.compile import compile_ir
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.dispatch.cpu.repeat_call import EXPECTED
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

HOST = Target.host()
N, K = 24, 40
SMALL = dense(Any("m"), N, K, const=("w",))


def config(tile: int, **knobs: int | str) -> Config:
    return Config.of(
        **{"w": "panels", "tile_m": tile, "tile_n": 1, "unroll_k": 1, "block_k": 0, "block_n": 1, "prefetch": 0,
           "locality": "near", **knobs}
    )  # fmt: skip


def rand(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def reference(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return (x.astype(np.float64) @ w.astype(np.float64).T).astype(np.float32)


def close(y: np.ndarray, x: np.ndarray, w: np.ndarray) -> bool:
    bound = 1e-5 * np.sqrt(max(x.shape[1], 1)) * 8
    return y.shape == (len(x), len(w)) and bool(np.allclose(y, reference(x, w), rtol=1e-4, atol=bound))


def small_kernel(w: np.ndarray) -> DispatchKernel:
    plan = single_plan(SMALL, HOST, "dense.cpu", config(8))
    return DispatchKernel(plan, compile_plan(plan), {"w": w})


def native(body: str, workload: Workload, extra: str = "") -> DispatchKernel:
    """A kernel of hand-written code; `body` ends in a return."""
    plan = single_plan(workload, HOST, "dense.cpu", config(8))
    text = f"{extra}define i32 @anytile_kernel(ptr %data, ptr %dims, ptr %workspace) {{\n{body}\n}}\n"
    return DispatchKernel(plan, compile_ir(text, HOST, "anytile_kernel", facts_too=False))


def expecting(kernel: DispatchKernel, *inputs: np.ndarray) -> None:
    """Call it until it takes the shapes that it was called with for granted."""
    for _ in range(3):
        kernel(*inputs)
    expected = kernel._again or kernel._state[EXPECTED][2]
    assert expected.inputs == tuple(x.shape for x in inputs)
