"""CUDA C++ as text: a golden kernel for each template, and what its author promises of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from anytile.codegen.cuda.build import build, scheduled_nest
from anytile.codegen.cuda.launch import COUNTERS
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.codegen.cuda.source import CudaSource, cuda_source
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import (
    Barrier,
    Block,
    Buffer,
    Literal,
    Load,
    Loop,
    LoopKind,
    LoopNest,
    Reduce,
    Stmt,
    Store,
)
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.simulated_operators import run
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated
from tests.support.cuda_cpu.simulator import program

HOPPER = Target.parse("cuda -arch=sm_90a")
CONFIGS = {
    "simt": "block_k=32,group_n=1,lanes=4x8,split_k=1,stages=3,tile_m=4,tile_n=4,unroll_k=2,warps_m=2,warps_n=2",
    "narrow": "tile_m=8,tile_n=2,unroll_k=2,warps_k=3,warps_n=4",
    "mma": "block_k=64,group_n=1,split_k=1,stages=3,tile_m=2,tile_n=2,warps_m=2,warps_n=2",
}


def _source(
    name: str, rests: tuple[int, int] | None = None, dtype: str = "float32", tail: str = "", **knobs: int | str
) -> CudaSource:
    t = template(f"dense.cuda.{name}")
    workload = dense(Any("m"), 768, 768, dtype, tail=tail)
    return build(workload, Config.parse(CONFIGS[name]).with_(**knobs), HOPPER, t, rests)


GOLDEN: dict[str, Callable[[], CudaSource]] = {
    "simt": lambda: _source("simt", tail="gelu(y + bias[n])"),
    "simt_split": lambda: _source("simt", (0, 0), split_k=4),
    "narrow": lambda: _source("narrow", (3, 3)),
    "narrow_halves": lambda: _source("narrow", (1, 3), "bfloat16", "y + bias[n]", tile_m=4, warps_k=1, unroll_k=3),
    "mma": lambda: _source("mma", (5, 16), "bfloat16", "y + bias[n]"),
    "mma_split": lambda: _source("mma", (0, 0), "float16", split_k=6),
}


def _default(text: str) -> CudaSource:
    workload = Workload.parse(text)
    (t,) = templates_for(workload, HOPPER)
    return build(workload, t.default(workload, HOPPER), HOPPER, t)


def test_a_variant_is_scheduled_once_for_all_its_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()
    chosen = type(template("dense.cuda.simt"))
    schedule = chosen.schedule

    def counted(self: object, *args: object) -> object:
        asked.append(args)
        return schedule(self, *args)  # type: ignore[arg-type]  # as it was asked

    monkeypatch.setattr(chosen, "schedule", counted)
    texts = {_source("simt", rests, tail="y * 0.4711").text for rests in ((0, 0), (1, 8), (9, 16))}
    assert (len(texts), len(asked)) == (3, 1)


SMALL = {
    "softmax": "softmax(outer=?rows, n=2048, inner=1)",
    "layer_norm": "layer_norm(rows=?rows, n=768)",
    "elementwise": "elementwise(d0=?a, d1=768, rank=2, f=gelu(x[d0, d1] + c[d1]))",
    "transpose": "transpose(d0=?a, d1=?b, rank=2, perm=1x0)",
    "gather": "gather(outer=1, n=?n, m=?m, inner=768)",
}


@pytest.mark.parametrize("name", SMALL)
def test_golden_of_small_operators(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}_cuda.cu", _default(SMALL[name]).text)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"dense_cuda_{name}.cu", GOLDEN[name]().text)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_kernel_holds_no_instruction_and_no_long_line(name: str) -> None:
    text = GOLDEN[name]().text
    assert "asm" not in text
    assert not [line for line in text.splitlines()[1:] if len(line) > 160]
    assert text.count("{") == text.count("}")


def test_a_tile_that_is_full_is_not_checked() -> None:
    full, _, edge = _source("simt").text.partition("} else {")
    assert "m_r" not in full.split("if (bm < m_q)")[1]
    assert "< m_r" in edge


def test_a_known_rest_computes_only_the_rows_that_it_has() -> None:
    edge = _source("simt", (5, 5)).text.partition("} else {")[2]
    assert "float acc[4][4]" in edge
    assert "for (int mi = 0; mi < 1;" not in edge  # a loop of one round is none
    assert "acc[ni][0] +=" in edge
    assert "acc[ni][mi]" not in edge


def test_launches_say_all_that_a_caller_needs() -> None:
    source = _source("simt", split_k=4)
    (launch,) = source.launches
    assert launch.block == (128, 1, 1)
    assert launch.blocks({"m": 70}) == (4, 3, 12)
    assert launch.blocks({"m": 0})[1] == 0
    assert launch.workspace.evaluate({"m": 70}) == COUNTERS + 3 * 12 * 4 * 32 * 64 * 4
    assert [b.align for b in source.params] == [16, 16, 16]
    assert source.symbols == ("m",)
    assert source.objection({"m": 70}) is None
    assert "counters" in (source.objection({"m": 64 * 4000}) or "")
    assert "32 bits" in (_source("narrow").objection({"m": 3_000_000}) or "")


def test_positions_that_complete_a_tile_have_room_in_32_bits_too() -> None:
    """Rounds of a row of n are counted as (n + 127) / 128, which of the last n that an int has would be below 0."""
    target, workload = Target.parse("cuda -arch=sm_90a"), Workload.parse("softmax(outer=1, n=?n, inner=1)")
    source = build(workload, template("softmax.cuda").default(workload, target), target, template("softmax.cuda"))
    assert "(n + 127) / 128" in source.text
    assert "32 bits" in (source.objection({"n": 2**31 - 64}) or "")
    assert source.objection({"n": 2**31 - 2**20}) is None


def test_shared_memory_beyond_48_kib_is_the_launch_s() -> None:
    source = _source("mma", dtype="bfloat16", stages=4)
    assert source.launches[0].shared == 4 * (64 + 64) * 64 * 2
    assert "extern __shared__" in source.text


def test_names_that_c_has_are_given_way() -> None:
    workload = dense(Any("int"), 768, 768)
    t = template("dense.cuda.simt")
    text = build(workload, t.default(workload, HOPPER), HOPPER, t).text
    assert "long long int__size" in text
    assert "const int int_ = (int)int__size;" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simt", "narrow", "mma"])
def test_operands_may_be_called_like_anything_of_a_kernel(name: str) -> None:
    names = ("a", "b", "acc", "ln", "mi", "m_size", "sums", "total", "part", "partial", "x_tile", "workspace", "lane")
    tail = " + ".join(["y", *(f"{operand}[n]" for operand in names)])
    workload = dense(Any("ko"), 64, 64, "float16" if name == "mma" else "float32", tail=tail)
    t = template(f"dense.cuda.{name}")
    knobs = {} if name == "narrow" else {"split_k": 2}
    config = t.default(workload, HOPPER).with_(**knobs)
    verify(scheduled_nest(workload, config, HOPPER, t))
    compile_cubin(build(workload, config, HOPPER, t).full, "sm_90a")


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("block_k", [32, 64])
def test_matrix_loads_and_copies_meet_in_no_bank(block_k: int) -> None:
    source = _source("mma", dtype="float16", block_k=block_k)
    (launch,) = source.launches
    arguments = {b.name: np.ones((64 if b.name in "xy" else 768, 768), np.float16) for b in source.params}
    code = program(source.full)
    code.launch(launch.kernel, launch.blocks({"m": 64}), launch.block, {**arguments, "m_size": 64},
                shared=launch.shared, blocks=[0], profile=True)  # fmt: skip
    shared = [t for t in code.tallies() if t.shared]
    assert shared
    assert not [str(t) for t in shared if t.cost > t.ideal]


def _nest(body: Stmt, *params: Buffer) -> LoopNest:
    return LoopNest("n", params, (), body)


Y = Buffer("y", (const(64),), output=True)
T = Loop("t", const(32), LoopKind.THREAD, Store("y", (var("t"),), Load("y", (var("t"),))))
REFUSED: dict[str, tuple[LoopNest, str]] = {
    "a sum of a few lanes that all of them write": (
        _nest(Loop("g", const(4), LoopKind.THREAD, Store("y", (var("g"),), Reduce("add", "l", 8, Literal(1.0)))), Y),
        "y: what 8 lanes join; expected registers, or a whole warp",
    ),
    "a sum of three lanes": (
        _nest(Loop("t", const(32), LoopKind.THREAD, Store("y", (var("t"),), Reduce("add", "l", 3, Literal(1.0)))), Y),
        "add over 3 lanes on a GPU; expected one of 2, 4, 8, 16, 32",
    ),
    "barrier": (
        _nest(Loop("t", const(32), LoopKind.THREAD, Block((T.body, Barrier()))), Y),
        "a barrier inside a loop of threads",
    ),
    "two meanings": (
        _nest(Block((T, Loop("s", const(2), LoopKind.THREAD, T), Loop("t", const(16), LoopKind.THREAD, T.body))), Y),
        "thread t is one thing in one phase and another in the next",
    ),
    "symbolic": (_nest(Loop("t", var("m"), LoopKind.THREAD, T.body), Y), "its extent m is not a number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_kernel_is_refused(name: str) -> None:
    nest, reason = REFUSED[name]
    with pytest.raises(CodegenError, match=re.escape(reason)):
        cuda_source(nest, "k")


LONG = {  # what has its many blocks where a grid has few, and what its grid then is, at 19 rows
    "rows that are symbols": (
        "dense.cuda.narrow", "dense(m=?m, n=40, k=72)",
        {"tile_m": 4, "tile_n": 2, "warps_n": 2, "warps_k": 1, "unroll_k": 1, "ahead": 1}, (5 * 10, 1, 1),
    ),
    "rows that are known": (
        "dense.cuda.narrow", "dense(m=7, n=40, k=72)",
        {"tile_m": 2, "tile_n": 2, "warps_n": 2, "warps_k": 1, "unroll_k": 1}, (10 * 4, 1, 1),
    ),
    "beside a cluster": (
        "dense.cuda.mma", "dense(m=?m, n=136, k=72, dtype=float16)",
        {"tile_m": 1, "tile_n": 1, "warps_m": 1, "warps_n": 2, "block_k": 32, "stages": 2, "split_k": 2,
         "meeting": "cluster", "group_n": 1, "ahead": 0}, (5 * 2, 2, 1),
    ),
    "batches": ("batch_matmul.cuda.nest", "batch_matmul(b=9, m=?m, n=24, k=8)", {"across": 8, "down": 4}, (27, 5, 1)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("name", LONG)
def test_what_is_known_to_be_long_is_along_x(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a grid takes three blocks along y and z."""
    monkeypatch.setattr("anytile.codegen.cuda.threads.MAX_GRID", (2**31 - 1, 3, 3))
    of, text, knobs, grid = LONG[name]
    made, workload = template(of), Workload.parse(text)
    config = Config(tuple({**dict(made.default(workload, HOPPER).values), **knobs}.items()))
    source = build(workload, config, HOPPER, made)
    symbols = dict.fromkeys(workload.symbols, 19)
    assert source.launches[0].blocks(symbols) == grid
    for order in ("forward", "random:3"):
        run(Simulated(source), workload, symbols, order)


def test_a_grid_is_as_wide_as_a_vocabulary_asks() -> None:
    workload = Workload.parse("dense(m=?m, n=151936, k=64, dtype=bfloat16)")
    config = Config.parse("tile_m=1,tile_n=1,unroll_k=2,warps_k=1,warps_n=1")
    source = build(workload, config, HOPPER, template("dense.cuda.narrow"))
    assert source.launches[0].blocks({"m": 3}) == (3 * 151936, 1, 1)
    assert source.objection({"m": 3}) is None


def test_what_no_grid_holds_is_refused_where_it_is_built() -> None:
    i, out = var("i"), Buffer("y", (const(1 << 31),), output=True)
    body = Loop("i", const(1 << 31), LoopKind.BLOCK, Store("y", (i,), Literal(0.0)))
    with pytest.raises(CodegenError, match="2147483648 blocks along x of the grid, and a GPU takes 2147483647; take"):
        cuda_source(LoopNest("large", (out,), (), body), "large")
