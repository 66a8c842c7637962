"""Dense layers that read the same rows against the oracle: the text that NVRTC gets, run with every access watched.

They are batches of a product whose rows are one matrix. Templates for few rows serve them as they serve one layer, and
those for many share the sums of a tile among blocks. Sizes are those of tiles, one less or one more.
"""

from __future__ import annotations

import re
from dataclasses import replace

import ml_dtypes  # noqa: F401  (with it numpy knows bfloat16 by name)
import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.source import CudaSource
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated, check
from tests.support.cuda_cpu.simulator import Fault

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGET = Target.parse("cuda -arch=sm_80")
ORDERS = ("forward", "reverse", "random:1")
KNOBS: dict[str, dict[str, Value]] = {
    "skinny": {"tile_m": 1, "tile_n": 1, "warps_n": 1, "warps_k": 2, "unroll_k": 1},
    "narrow": {"tile_m": 2, "tile_n": 2, "warps_n": 1, "warps_k": 2, "unroll_k": 1},
    "mma": {"tile_m": 1, "tile_n": 1, "warps_m": 1, "warps_n": 2, "block_k": 32, "stages": 3, "split_k": 2},
    "simt": {"tile_m": 2, "tile_n": 2, "warps_m": 1, "warps_n": 2, "lanes": "4x8", "unroll_k": 2, "split_k": 2},
}
TAILS = (
    "stored=bias:float32, tail=max(y + bias[b, n], 0)",
    "stored=r:float32+y:float32, tail=gelu(y * 0.1 + bias[b, n]) + r[m, n]",
    "stored=y:float32, tail=select(y > row[m], tanh(y), y * 0.5) * of[b]",
)
SHAPES = (  # with sizes of what varies
    ("b=3, m=?m, n=40, k=72", ({"m": 0}, {"m": 1}, {"m": 7}, {"m": 8}, {"m": 9}, {"m": 33})),
    ("b=2, m=?m, n=19, k=21", ({"m": 1}, {"m": 15}, {"m": 17})),  # no whole pieces
    ("b=3, m=?m, n=?n, k=?k", ({"m": 5, "n": 31, "k": 33}, {"m": 16, "n": 1, "k": 1}, {"m": 3, "n": 0, "k": 8})),
    ("b=2, m=5, n=33, k=248", ({},)),
)
CASES = [
    (name, dtype, shape)
    for name in KNOBS
    for dtype in ("float32", "bfloat16", "float16")
    for shape in range(len(SHAPES))
    if (dtype == "float32" or name != "simt") and (dtype != "float32" or name in ("simt", "narrow"))
]


def made(name: str, text: str, rests: tuple[int, int] | None = None, **knobs: Value) -> tuple[CudaSource, Workload]:
    t, workload = template(f"batch_matmul.cuda.{name}"), Workload.parse(f"batch_matmul({text}, lhs=mk, rhs=bnk)")
    config = t.default(workload, TARGET).with_(**{**KNOBS[name], **knobs})
    space = t.space(workload, TARGET)
    if any(k.values == (1,) for k in space.knobs if k.name == "stages"):  # no copy runs on by itself
        config = config.with_(stages=1)
    space.check(config)
    return build(workload, config, TARGET, t, rests), workload


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dtype", "shape"), CASES)
def test_a_kernel_computes_what_its_workload_means(name: str, dtype: str, shape: int) -> None:
    text, sizes = SHAPES[shape]
    tail = f", {TAILS[shape % 3]}" if shape < 3 else ""
    if dtype == "float32":
        tail = re.sub(r"stored=[^,]*, ", "", tail)
    source, workload = made(name, f"{text}, dtype={dtype}{tail}")
    kernel = Simulated(source)
    for i, symbols in enumerate(sizes):
        check(kernel, workload, symbols, ORDERS[(shape + i) % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize("lies", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["narrow", "simt"])
@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_weights_in_16_bits_are_widened_beside_rows_of_float32(shape: int, name: str, lies: str) -> None:
    text, sizes = SHAPES[shape]
    source, workload = made(name, f"{text}, stored=rhs:{lies}, tail=max(y + bias[b, n], 0)")
    kernel = Simulated(source)
    for i, symbols in enumerate(sizes):
        check(kernel, workload, symbols, ORDERS[(shape + i) % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOBS)
def test_each_rest_of_a_tile(name: str) -> None:
    """All of a tile's kernels in one text, alone and after a full tile."""
    dtype = "float32" if name in ("simt", "narrow") else "bfloat16"
    text = f"b=2, m=?m, n=19, k=40, dtype={dtype}, {TAILS[0] if dtype != 'float32' else 'tail=y + bias[b, n]'}"
    _, workload = made(name, text)
    t = template(f"batch_matmul.cuda.{name}")
    tile = t.tile(t.default(workload, TARGET).with_(**KNOBS[name]))
    assert tile > 1
    sources = [made(name, text, (rest, rest))[0] for rest in range(tile)]
    every = "\n".join(source.text for source in sources)
    for rest, source in enumerate(sources):
        kernel = Simulated(replace(source, text=every))
        for m in (rest, tile + rest):
            check(kernel, workload, {"m": m}, ORDERS[m % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("skinny", 1), ("narrow", 1), ("mma", 5), ("simt", 5)])
def test_no_barrier_of_a_kernel_can_go(name: str, count: int) -> None:
    """Each is taken out in turn: every time a fault says what it was for."""
    dtype = "float32" if name in ("simt", "narrow") else "bfloat16"
    source, workload = made(name, f"b=2, m=?m, n=40, k=200, dtype={dtype}", (0, 0))
    wrong = {r"__syncthreads\(\);": "", r"at_cp_commit\(\);": "", r"if \(at_meet\(.*\)\) \{": "if (true) {"}
    every = [(f, new) for pattern, new in wrong.items() for f in re.finditer(pattern, source.text)]
    assert len(every) >= min(count, 2)
    for found, new in every:
        text = source.text[: found.start()] + new + source.text[found.end() :]
        with pytest.raises(Fault, match="race on|in flight"):
            check(Simulated(replace(source, text=text)), workload, {"m": 16})


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOBS)
def test_each_layer_has_a_weight_of_its_own(name: str) -> None:
    """A kernel that reads the first one's for all is seen to be wrong."""
    dtype = "float32" if name in ("simt", "narrow") else "bfloat16"
    source, workload = made(name, f"b=2, m=9, n=40, k=72, dtype={dtype}")
    text, count = re.subn(r"(rhs[^;\n]*?)blockIdx\.z", r"\g<1>0", source.text)
    if not count:
        text, count = re.subn(r"int i_b = [^;]*;", "int i_b = 0;", source.text)
    assert count
    with pytest.raises((Fault, AssertionError)):
        check(Simulated(replace(source, text=text)), workload, {})
