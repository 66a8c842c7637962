"""attention on a GPU, config by config, against numpy: the text that NVRTC gets, run on the CPU and watched.

Keys are more than a tile has, warps are along queries and along keys, and blocks share the keys of one query. What the
examples of all operators try (orders of dimensions, masks, sizes) is in `test_small_operators_on_cpu`.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from anytile.codegen.cuda.build import build, scheduled_nest
from anytile.codegen.cuda.source import CudaSource
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import Array, check, inputs_of
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated
from tests.support.cuda_cpu.simulator import Fault

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGET = Target.parse("cuda -arch=sm_90a")
ATTENTION = template("attention.cuda")
PLAIN = "b=?b, h=2, m=?m, n=?n, d=16, e=40, scale=0.25"
CACHE = "b=?b, h=4, m=?m, n=?n, d=16, e=16, scale=0.25, shared=2, causal=yes, lengths=yes, mask=bn"
CAUSAL = "b=?b, h=2, m=?m, n=?n, d=16, e=16, scale=0.25, causal=yes"
UNSPARED = f"{PLAIN}, mask=mn, guard=none"
SMALL: dict[str, Value] = {"tile_m": 1, "tile_n": 4, "warps_m": 1, "warps_n": 1, "split": 1}
MATRIX: dict[str, Value] = {"tile_m": 1, "tile_n": 2, "warps_m": 1, "warps_n": 1, "split": 1}
NEAR: dict[str, Value] = {"meeting": "cluster"}
CASES = [
    *((shape, "float32", {**SMALL, **other}) for shape in (PLAIN, CACHE) for other in ({}, {"split": 2})),
    (PLAIN, "float32", {**SMALL, "warps_n": 2, "tile_n": 2}),
    (PLAIN, "float32", {**SMALL, "tile_m": 2, "warps_m": 2, "tile_n": 8}),
    (CACHE, "float32", {**SMALL, "split": 4, "warps_m": 2}),
    *((shape, "bfloat16", {**MATRIX, **other}) for shape in (PLAIN, CACHE) for other in ({}, {"split": 2})),
    *((shape, "float32", {**SMALL, "split": 2, **NEAR}) for shape in (PLAIN, CACHE)),
    (PLAIN, "float32", {**SMALL, "tile_m": 2, "warps_m": 2, "tile_n": 8, "split": 8, **NEAR}),
    *((shape, "bfloat16", {**MATRIX, "split": 4, **NEAR}) for shape in (PLAIN, CACHE)),
    (PLAIN, "float16", {**MATRIX, "warps_n": 2, "tile_n": 1, "warps_m": 2}),
    (PLAIN, "bfloat16", {**MATRIX, "tile_m": 2}),
    *((f"{CAUSAL}{mask}", "float32", {**SMALL, "warps_m": 4}) for mask in ("", ", mask=mn")),
    *((f"{CAUSAL}{mask}", "bfloat16", {**MATRIX, "warps_m": 2}) for mask in ("", ", mask=mn")),
    *((UNSPARED, "float32", {**SMALL, **other}) for other in ({}, {"split": 2}, {"split": 2, **NEAR})),
    (UNSPARED, "bfloat16", {**MATRIX, "split": 2}),
]
LYING = ("k:bfloat16+v:bfloat16", "k:float16+q:float16+v:float16", "k:float16", "v:bfloat16+y:bfloat16")
CASES += [
    *((PLAIN, f"float32, stored={stored}", {**SMALL, "tile_n": 2, "warps_n": 2}) for stored in LYING),
    *((CACHE, f"float32, stored={LYING[0]}", {**SMALL, **other}) for other in ({}, {"split": 2}, {"split": 2, **NEAR})),
    ("b=?b, h=2, m=?m, n=?n, d=7, e=5, q=hbdm, k=bdng, y=hmeb", f"float32, stored={LYING[0]}", SMALL),
    ("b=?b, h=2, m=?m, n=?n, d=18, e=12, k=bngd, v=bnge", f"float32, stored={LYING[1]}", {**SMALL, "warps_m": 2}),
]
SIZES = ((1, 1, 1), (1, 2, 70), (2, 17, 33), (1, 5, 131), (0, 3, 4), (2, 3, 0), (1, 40, 64))


def source_of(shape: str, dtype: str, knobs: dict[str, Value]) -> tuple[Workload, CudaSource]:
    workload = Workload.parse(f"attention({shape}, dtype={dtype})")
    config = ATTENTION.default(workload, TARGET).with_(**knobs)
    ATTENTION.space(workload, TARGET).check(config)
    verify(scheduled_nest(workload, config, TARGET, ATTENTION))
    return workload, build(workload, config, TARGET, ATTENTION)


def run(kernel: Simulated, workload: Workload, symbols: dict[str, int], order: str) -> None:
    inputs = inputs_of(workload, symbols)
    if workload.attributes["guard"] == "none":
        inputs["mask"][-1:] = bits_of(np.float32([-np.inf]), workload.dtype)  # of a query that sees nothing
    held: dict[str, Array] = {name: np.ascontiguousarray(a) for name, a in inputs.items()}
    lying = workload.dtype_of(workload.tensor("y"))
    held["y"] = bits_of(np.full(workload.shape("y", symbols), np.nan, np.float32), lying)
    kernel.run(held, symbols, order)
    check(workload, held, inputs, f"{symbols}, {order}", 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "dtype", "knobs"), CASES, ids=str)
def test_each_way_of_sharing_keys(shape: str, dtype: str, knobs: dict[str, Value]) -> None:
    workload, source = source_of(shape, dtype, knobs)
    kernel = Simulated(source)
    for i, (b, m, n) in enumerate(SIZES):
        run(kernel, workload, {"b": b, "m": m, "n": n}, ("forward", "reverse", "random:1")[i % 3])


@pytest.mark.slow
@pytest.mark.parametrize("d", [64, 128])
def test_scores_and_weights_meet_in_no_bank(d: int) -> None:
    workload = Workload.parse(f"attention(b=1, h=1, m=64, n=64, d={d}, e={d}, dtype=bfloat16)")
    kernel = Simulated(build(workload, ATTENTION.default(workload, TARGET), TARGET, ATTENTION))
    held = {**inputs_of(workload, {}), "y": np.zeros(workload.shape("y", {}), np.uint16)}
    kernel.run(held, {}, "forward", profile=True)
    shared = [t for t in kernel.program.tallies() if t.shared]
    assert len(shared) > 10
    assert not [str(t) for t in shared if t.cost > t.ideal]


MEETS = {r"__syncthreads\(\);": "", r"at_cp_wait<[01]>\(\);": "", r"if \(at_meet\(.*\)\) \{": "if (true) {"}
MEETS[r"at_cluster_(?:barrier|wait)\(\);"] = ""


@pytest.mark.slow
@pytest.mark.parametrize("where", [{}, NEAR], ids=["memory", "cluster"])
@pytest.mark.parametrize(("dtype", "knobs"), [("float32", SMALL), ("bfloat16", MATRIX)])
def test_no_barrier_and_no_wait_can_go(dtype: str, knobs: dict[str, Value], where: dict[str, Value]) -> None:
    """Each of those in a round of keys, and where blocks meet, is taken out in turn: a fault says what it was for."""
    workload, source = source_of(PLAIN, dtype, {**knobs, "warps_m": 2, "split": 2, **where})
    begin = source.text.index("for (int ks")
    every = [
        (found, instead)
        for pattern, instead in MEETS.items()
        for found in re.compile(pattern).finditer(source.text, begin)
    ]
    texts = [source.text[: found.start()] + instead + source.text[found.end() :] for found, instead in every]
    assert len(texts) == (8 if where else 7)
    with ThreadPoolExecutor(2) as pool:
        for number, kernel in enumerate(pool.map(lambda text: Simulated(replace(source, text=text)), texts)):
            if number == 5:  # after the last round nothing is under way: that wait is for a block without any rounds
                continue
            with pytest.raises(Fault, match="race on|in flight|of the cluster"):
                run(kernel, workload, {"b": 1, "m": 9, "n": 140}, "random:1")


def test_a_cache_is_not_looked_at_behind_its_length() -> None:
    """What lies there may be anything: here NaN, of keys and values."""
    workload, source = source_of("b=2, h=1, m=2, n=?n, d=16, e=16, scale=0.25, lengths=yes", "float32", SMALL)
    symbols = {"n": 40}
    inputs = {**inputs_of(workload, symbols), "length": np.array([5, 37])}
    for name in ("k", "v"):
        for batch, length in enumerate(inputs["length"]):
            inputs[name][batch, :, length:] = np.nan
    held = {**inputs, "y": np.full(workload.shape("y", symbols), np.nan, np.float32)}
    Simulated(source).run(held, symbols)
    check(workload, held, inputs, "NaN behind the length", 1e-5)


def test_matrix_units_are_asked_for() -> None:
    text = source_of(PLAIN, "bfloat16", MATRIX)[1].text
    assert all(part in text for part in ("at_mma_m16n8k16_bf16", "at_ldmatrix_x4_trans", "at_cp_wait<1>"))


def test_every_default_is_of_its_space() -> None:
    """For heads of any size, for few queries and for many."""
    for arch in ("sm_75", "sm_80", "sm_90a"):
        target = Target.parse(f"cuda -arch={arch}")
        for size in (1, 16, 40, 64, 80, 128, 192, *([256, 512] if arch == "sm_90a" else [])):
            for m in ("1", "16", "?m"):
                for dtype in ("float32", "bfloat16"):
                    workload = Workload.parse(f"attention(b=?b, h=8, m={m}, n=?n, d={size}, e={size}, dtype={dtype})")
                    (found,) = templates_for(workload, target)
                    found.space(workload, target).check(found.default(workload, target))
    workload = Workload.parse("attention(b=1, h=8, m=1, n=?n, d=4096, e=64)")
    with pytest.raises(UnsupportedError, match="no config of attention.cuda fits this target: the tiles must fit"):
        ATTENTION.default(workload, TARGET)


@pytest.mark.slow
def test_without_matrix_units_lanes_multiply_16_bit_floats() -> None:
    target = Target.parse("cuda -arch=sm_75")
    for shape in (PLAIN, "b=?b, h=2, m=?m, n=?n, d=7, e=5, q=hbdm, k=bdng, y=hmeb"):
        workload = Workload.parse(f"attention({shape}, dtype=float16)")
        config = ATTENTION.default(workload, target).with_(**SMALL)
        source = build(workload, config, target, ATTENTION)
        assert "at_mma" not in source.text
        assert "at_cp" not in source.text
        run(Simulated(source), workload, {"b": 1, "m": 5, "n": 70}, "random:1")


def test_few_queries_of_few_heads_share_their_keys_among_blocks() -> None:
    for b, m, split in (("1", "1", 16), ("16", "1", 1), ("?b", "1", 1), ("1", "?m", 1)):
        workload = Workload.parse(f"attention(b={b}, h=12, m={m}, n=?n, d=64, e=64)")
        assert ATTENTION.default(workload, TARGET)["split"] == split


def test_the_rows_of_a_warp_count_among_its_registers() -> None:
    """32 rows of a warp and 128 columns of their sums: ptxas wants more than there are."""
    workload = Workload.parse("attention(b=1, h=32, m=1, n=?n, d=128, e=128, dtype=bfloat16)")
    many = {"split": 1, "tile_m": 2, "tile_n": 2, "warps_m": 4, "warps_n": 1, "meeting": "memory"}
    space = ATTENTION.space(workload, TARGET)
    assert Config(tuple(many.items())) not in space
    assert Config(tuple({**many, "tile_m": 1}.items())) in space
