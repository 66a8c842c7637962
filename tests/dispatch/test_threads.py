"""Threads change when a kernel is done, never what it computes: not one bit, at no size, with no config."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.load.loader import Loaded
from anytile.codegen.threads.thread_table import LIMIT, SLOT
from anytile.dispatch.cpu.build import compile_plan, emit_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import batch_matmul, conv2d, dense, lstm_cell
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.dense_nests import Floats, all_symbols, operands, run_loaded
from tests.support.stand_ins.sequential_team import Team, without_team

DENSE = template("dense.cpu")
SSE = "llvm -mcpu=nehalem"  # 4 lanes: small matrices have many panels
TILE = 4


def _target(threads: int, cpu: str = SSE) -> Target:
    return Target.parse(f"{cpu} -threads={threads}")


def _config(workload: Workload, threads: int, **knobs: int | str) -> Config:
    shared = {"grain": 1} if threads > 1 else {}
    tile = {"tile_m": TILE, "tile_n": 2, "block_k": 0}
    return DENSE.default(workload, _target(threads)).with_(**{**shared, **tile, **knobs})


def _loaded(workload: Workload, threads: int, config: Config, classes: int | None = None) -> Loaded:
    return Loaded(compile_plan(single_plan(workload, _target(threads), "dense.cpu", config, classes)))


def _random(workload: Workload, m: int) -> tuple[Floats, Floats]:
    """Numbers whose sums depend on their order."""
    rng = np.random.default_rng(m)
    sizes = all_symbols(workload, m=m)
    x, w = (rng.standard_normal(workload.shape(name, sizes), dtype=np.float32) for name in ("x", "w"))
    return x, w


KNOBS: dict[str, dict[str, int | str]] = {
    "panels of n": {"parallel": "n"},
    "tiles of m": {"parallel": "m"},
    "tiles of m, all panels for each": {"parallel": "m", "block_n": 0},
    "panels of n for each tile": {"parallel": "n", "block_n": 0},
    "groups of panels": {"parallel": "n", "block_n": 4},
    "tiles of m in groups of panels": {"parallel": "m", "block_n": 4},
    "tiles of m in blocks of k": {"parallel": "m", "block_k": 256},
    "panels of n in blocks of k": {"parallel": "n", "block_k": 256, "block_n": 0},
}


@pytest.mark.parametrize("shared", ["n", "m"])
def test_a_panel_that_is_copied_is_its_threads_own(shared: str) -> None:
    workload, staged = dense(Any("m"), 1003, 301), {"w": "staged", "block_n": 1}
    one = _loaded(workload, 1, _config(workload, 1, **staged))
    several = _loaded(workload, 3, _config(workload, 3, **staged, parallel=shared))
    for m in (1, 5, 64):
        x, w = _random(workload, m)
        expected = run_loaded(one, workload, x, w, {"m": m})
        np.testing.assert_allclose(expected, x @ w.T, rtol=1e-4, atol=1e-4)
        for _ in range(5):
            np.testing.assert_array_equal(run_loaded(several, workload, x, w, {"m": m}), expected)


@pytest.mark.slow
@pytest.mark.parametrize(("const", "classes"), [(("w",), None), (("w",), 2), ((), 0)])
@pytest.mark.parametrize("name", KNOBS)
def test_the_same_bits_with_any_number_of_threads(name: str, const: tuple[str, ...], classes: int | None) -> None:
    knobs = KNOBS[name]
    k = 260 if knobs.get("block_k") else 13
    workload = dense(m=Any("m"), n=37, k=k, const=const)
    single = {n: v for n, v in knobs.items() if n != "parallel"} | {"w": "panels"}
    one = _loaded(workload, 1, _config(workload, 1, **single), classes)
    several = [_loaded(workload, t, _config(workload, t, **knobs, w="panels"), classes) for t in (2, 3)]
    for m in (0, 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 2 * TILE + 3, 101):
        x, w = _random(workload, m)
        expected = run_loaded(one, workload, x, w, {"m": m})
        np.testing.assert_allclose(expected, x @ w.T, rtol=1e-4, atol=1e-4)
        for loaded in several:
            for team in (Team(), Team(backwards=True), Team(gives=1)):
                team.serve(loaded)
                got = run_loaded(loaded, workload, x, w, {"m": m})
                np.testing.assert_array_equal(got.view(np.uint32), expected.view(np.uint32), f"m={m}")
                assert m < 2 * TILE or 2 <= max(team.asked) <= 3


@pytest.mark.parametrize("parallel", ["n", "m"])
def test_weights_read_as_they_come(parallel: str) -> None:
    workload = dense(m=Any("m"), n=11, k=9)
    one = _loaded(workload, 1, _config(workload, 1, w="rows"))
    three = _loaded(workload, 3, _config(workload, 3, w="rows", parallel=parallel))
    for m in (0, 1, 3, 4, 5, 23):
        x, w = _random(workload, m)
        expected = run_loaded(one, workload, x, w, {"m": m})
        for team in (Team(), Team(backwards=True)):
            team.serve(three)
            np.testing.assert_array_equal(run_loaded(three, workload, x, w, {"m": m}), expected)


@pytest.mark.slow
@settings(max_examples=16)
@given(st.data())
def test_any_config_with_any_number_of_threads(data: st.DataObject) -> None:
    threads = data.draw(st.integers(2, 5), "threads")
    sizes = {d: data.draw(st.sampled_from((1, 2, 5, 8, 9, 17)), d) for d in "mnk"}
    dims = {d: Any(d) if data.draw(st.booleans(), f"{d} is symbolic") else size for d, size in sizes.items()}
    workload = Workload.of("dense", dims, const=data.draw(st.sampled_from(((), ("w",)))))
    space = DENSE.space(workload, _target(threads))
    config = space[data.draw(st.integers(0, len(space) - 1), "config")].with_(grain=data.draw(st.sampled_from((1, 99))))
    loaded = _loaded(workload, threads, config)
    if (
        data.draw(st.booleans(), "shared")
        and config["parallel"] != "none"
        and "@anytile_openmp" in emit_plan(single_plan(workload, _target(threads), "dense.cpu", config))
    ):
        Team(backwards=True).serve(loaded)
    symbols = all_symbols(workload, **sizes)
    x, w, y = operands(workload, symbols)
    np.testing.assert_array_equal(run_loaded(loaded, workload, x, w, symbols), y)


OTHERS = {
    "gated_dense": lstm_cell(m=Any("m"), u=37, k=29, const=("w", "bias")),
    "gated_dense, weights given": lstm_cell(m=Any("m"), u=37, k=61),
    "batch_matmul": batch_matmul(5, Any("m"), 19, 23),
    "batch_matmul, turned": batch_matmul(3, Any("m"), 7, 31, rhs="bnk", y="mbn"),
    "conv2d": conv2d(Any("m"), 13, 7, 9, 20, 3, 3, pad=1, layout="nhwc", const=("w",)),
    "conv2d, nchw": conv2d(Any("m"), 6, 8, 8, 33, 3, 3, stride=2, pad=1),
    "conv2d, depthwise": conv2d(Any("m"), 17, 9, 9, 17, 3, 3, pad=1, groups=17, layout="nhwc", const=("w",)),
}
TRIED = 2  # configs of each template


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_operators_give_the_same_bits(name: str) -> None:
    """On numbers whose sums depend on their order, which whole numbers cannot tell."""
    workload, rng, team = OTHERS[name], np.random.default_rng(5), Team(backwards=True)
    for chosen in templates_for(workload, _target(2)):
        shared = [c for c in chosen.space(workload, _target(2)) if c["parallel"] != "none"]
        for i in rng.choice(len(shared), TRIED, replace=False):
            config = shared[i].with_(grain=1)
            threaded = "@anytile_openmp" in emit_plan(single_plan(workload, _target(2), chosen.name, config))
            single = Config.of(**{n: v for n, v in config.values if n not in ("parallel", "grain")})
            plans = [single_plan(workload, _target(t), chosen.name, c) for t, c in ((1, single), (2, config))]
            artifacts = [compile_plan(plan) for plan in plans]
            for m in (1, 2, 13):
                given = {
                    t.name: rng.standard_normal(workload.shape(t.name, {"m": m}), np.float32) for t in workload.inputs
                }
                constants = {n: given[n] for n in workload.const}
                one, two = (DispatchKernel(p, a, constants) for p, a in zip(plans, artifacts, strict=True))
                if threaded:
                    team.serve(two._loaded)
                inputs = [x for n, x in given.items() if n not in constants]
                wanted, got = one(*inputs), two(*inputs)
                outputs = zip(wanted, got, strict=True) if isinstance(got, tuple) else [(wanted, got)]
                for theirs, ours in outputs:
                    assert np.array_equal(ours.view(np.uint32), theirs.view(np.uint32)), f"{config} at {m}"
    assert max(team.asked) == 2


def test_one_thread_has_the_space_and_the_text_it_always_had() -> None:
    workload = dense(m=Any("m"), n=64, k=64, const=("w",))
    assert {k.name for k in DENSE.space(workload, _target(4)).knobs} - {
        k.name for k in DENSE.space(workload, _target(1)).knobs
    } == {"parallel", "grain"}
    one, none = _config(workload, 1, block_n=1), _config(workload, 4, block_n=1, parallel="none")
    text = emit_plan(single_plan(workload, _target(1), "dense.cpu", one))
    assert text == emit_plan(single_plan(workload, _target(4), "dense.cpu", none))
    assert "openmp" not in text


# In this process


def _kernel(threads: int = 3, **knobs: int | str) -> tuple[DispatchKernel, Floats]:
    workload = dense(m=Any("m"), n=70, k=50, const=("w",))
    w = np.random.default_rng(7).integers(-4, 5, (70, 50)).astype(np.float32)
    config = _config(workload, threads, **knobs)
    plan = single_plan(workload, Target.host(threads), "dense.cpu", config)
    return DispatchKernel(plan, compile_plan(plan), {"w": w}), w


def _inputs(m: int) -> Floats:
    return np.random.default_rng(m).integers(-4, 5, (m, 50)).astype(np.float32)


def _allow(kernel: DispatchKernel, threads: int) -> Callable[[], None]:
    """Let this process start so many threads, whatever its cores; call the result to have it as before."""
    at = ctypes.c_void_p.from_address(kernel._loaded.address(SLOT)).value
    if at is None:
        return lambda: None
    limit = ctypes.c_int64.from_address(at + 8 * LIMIT)
    before, limit.value = limit.value, threads

    def undo() -> None:
        limit.value = before

    return undo


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_real_runtime_with_more_threads_than_cores(threads: int) -> None:
    kernel, w = _kernel(threads)
    undo = _allow(kernel, threads)
    try:
        for m in (0, 1, 3, 4, 5, 101):
            for _ in range(5):
                np.testing.assert_array_equal(kernel(_inputs(m)), _inputs(m) @ w.T)
    finally:
        undo()


def test_without_a_team() -> None:
    kernel, w = _kernel()
    without_team(kernel._loaded)
    np.testing.assert_array_equal(kernel(_inputs(101)), _inputs(101) @ w.T)


@pytest.mark.slow
@pytest.mark.parametrize("const", [("w",), ()])
def test_two_python_threads_in_one_kernel(const: tuple[str, ...]) -> None:
    workload = dense(m=Any("m"), n=70, k=50, const=const)
    w = np.random.default_rng(7).integers(-4, 5, (70, 50)).astype(np.float32)
    plan = single_plan(workload, Target.host(2), "dense.cpu", _config(workload, 2, w="panels"))
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": w} if const else None)
    wrong: list[int] = []
    undo = _allow(kernel, 2)

    def work(seed: int) -> None:
        for m in (seed, 40 + seed, 101):
            x = _inputs(m)
            expected = x @ w.T
            for _ in range(60):
                got = kernel(x) if const else kernel(x, w)
                if not np.array_equal(got, expected):
                    wrong.append(m)

    callers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    undo()
    assert not wrong


def test_a_child_after_a_fork_computes_the_same() -> None:
    kernel, _ = _kernel()
    x = _inputs(101)
    undo = _allow(kernel, 2)
    expected = kernel(x)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.array_equal(kernel(x), expected) else 2
        finally:
            os._exit(code)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        threading.Event().wait(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert status == 0
    np.testing.assert_array_equal(kernel(x), expected)
    undo()


@pytest.mark.slow
def test_beside_the_threads_of_others() -> None:
    """numpy's pool and torch's, where it is installed, between our calls."""
    kernel, w = _kernel(2)
    x, big = _inputs(101), np.ones((256, 256), np.float32)
    expected = x @ w.T
    undo = _allow(kernel, 2)
    for _ in range(20):
        assert (big @ big)[0, 0] == 256
        np.testing.assert_array_equal(kernel(x), expected)
    torch = pytest.importorskip("torch")
    a = torch.ones(256, 256)
    for _ in range(20):
        assert float((a @ a)[0, 0]) == 256
        assert float(torch.relu(a).sum()) == 256 * 256
        np.testing.assert_array_equal(kernel(x), expected)
    undo()


def test_a_kernel_of_a_larger_machine_runs_here() -> None:
    kernel, w = _kernel(512)
    assert kernel.plan.target.threads > usable_cores()
    np.testing.assert_array_equal(kernel(_inputs(33)), _inputs(33) @ w.T)
