"""What blocks ask for before their kernel's turn, against what they read first: every thread of every kernel.

A fault is an address that is no input's. Beyond that, a thread that asked for so many pieces must begin by reading just
those, and all threads together must have asked for every element of the first rounds.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.source import CudaSource
from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.ahead import asked_ahead
from anytile.schedules.nest.nodes import block
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.templates.registry import template, templates
from anytile.schedules.workloads.constructors import lstm_cell
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.simulated_operators import run
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated
from tests.support.cuda_cpu.simulator import Fault, Met

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

HOPPER = Target.parse("cuda -arch=sm_90a -sm=2")
SECTOR = 32  # bytes that come to L2 together
SIZES = {"m": 19, "n": 45, "k": 77, "t": 3}
ORDERS = ("forward", "reverse", "random:1")

WORKLOADS = {
    "dense.cuda.simt": ("dense(m=?m, n=45, k=200)", "dense(m=?m, n=?n, k=?k, tail=relu(y + b[n]))"),
    "dense.cuda.narrow": (
        "dense(m=?m, n=45, k=600, dtype=bfloat16)",
        "dense(m=3, n=40, k=300)",
        "dense(m=?m, n=?n, k=?k)",
    ),
    "dense.cuda.skinny": ("dense(m=?m, n=45, k=600, dtype=bfloat16)", "dense(m=9, n=40, k=77, dtype=float16)"),
    "dense.cuda.mma": ("dense(m=?m, n=45, k=520, dtype=bfloat16)", "dense(m=?m, n=?n, k=?k, dtype=float16)"),
    "dense.cuda.tf32": ("dense(m=?m, n=45, k=200, products=tf32x3)",),
    "dense.cuda.wgmma": ("dense(m=?m, n=45, k=520, dtype=bfloat16)",),
    "dense.cuda.relay": ("dense(m=?m, n=45, k=520, dtype=bfloat16)", "dense(m=300, n=200, k=264, dtype=float16)"),
    "gated_dense.cuda.simt": (str(lstm_cell(Any("m"), 24, 72)),),
    "batch_matmul.cuda.simt": ("batch_matmul(b=3, m=?m, n=40, k=72, lhs=mk, rhs=bnk)",),
    "batch_matmul.cuda.mma": ("batch_matmul(b=3, m=?m, n=40, k=136, lhs=mk, rhs=bnk, dtype=bfloat16)",),
    "batch_matmul.cuda.narrow": ("batch_matmul(b=3, m=?m, n=40, k=300, lhs=mk, rhs=bnk)",),
    "batch_matmul.cuda.skinny": ("batch_matmul(b=3, m=?m, n=40, k=136, lhs=mk, rhs=bnk, dtype=float16)",),
    "batch_matmul.cuda.relay": ("batch_matmul(b=3, m=?m, n=40, k=136, lhs=mk, rhs=bnk, dtype=bfloat16)",),
    "quantised_dense.cuda.simt": ("quantised_dense(m=?m, n=45, k=200, x=float32, out=float32, w=bfloat16)",),
    "quantised_dense.cuda.narrow": ("quantised_dense(m=?m, n=45, k=200, x=float32, out=float32, w=float16)",),
    "quantised_dense.cuda.mma": (
        "quantised_dense(m=?m, n=45, k=200, x=float32, out=float32, w=bfloat16, products=rounded)",
    ),
    "quantised_dense.cuda.mma8": (
        "quantised_dense(m=?m, n=45, k=208, x=float32, out=float32, w=float8_e4m3fn, products=rounded)",
    ),
    "grouped_dense.cuda.narrow": (
        "grouped_dense(m=?m, n=45, k=608, zeros=yes)",
        "grouped_dense(m=2, n=40, k=96, bits=8, group=64)",
    ),
    "grouped_dense.cuda.simt": ("grouped_dense(m=?m, n=45, k=200, zeros=yes)",),
    "grouped_dense.cuda.tf32": ("grouped_dense(m=?m, n=40, k=96, bits=8, group=64, scales=float16, accuracy=float16)",),
    "grouped_dense.cuda.mma": ("grouped_dense(m=?m, n=45, k=200, zeros=yes, accuracy=int8)",),
}


def whole_first_rounds(workload: Workload, config: Config, name: str) -> int:
    """Steps of k that the first rounds of all blocks have between them."""
    c = dict(config.values)

    def of(knob: str) -> int:
        return int(c.get(knob, 1))

    kind = name.rpartition(".")[2]
    if kind in ("relay", "wgmma"):
        return 64 * of("stages") * of("split_k")
    if kind == "skinny":
        return 32 * of("warps_k") * of("unroll_k")
    if kind == "narrow":
        made = template(name)
        return int(made.piece(workload)) * 32 * of("warps_k") * of("unroll_k")  # type: ignore[attr-defined]
    return of("block_k") * of("stages") * of("split_k")


def drawn(name: str, workload: Workload, seed: int, **knobs: Value) -> Config:
    """A config that asks ahead."""
    space, rng = template(name).space(workload, HOPPER), random.Random(f"{name} {seed}")
    while True:
        choice = {k.name: rng.choice(k.values) for k in space.knobs} | knobs
        if all(rule.holds(choice) for rule in space.constraints):
            config = Config(tuple(choice.items()))
            space.check(config)
            return config


def met(source: CudaSource, workload: Workload, symbols: Mapping[str, int], order: str) -> list[Met]:
    kernel = Simulated(source)
    run(kernel, workload, symbols, order, watched=True)
    return kernel.program.met


def in_order(found: list[Met], names: frozenset[str]) -> tuple[int, set[tuple[str, int]]]:
    """How often threads asked, and the bytes that they asked for, after it was seen that they read those first."""
    asked, read = defaultdict[tuple[int, int, str], list[Met]](list), defaultdict[tuple[int, int, str], list[Met]](list)
    for one in found:
        if one.name in names:
            (asked if one.asked else read)[one.block, one.thread, one.name].append(one)
    assert asked, "no thread asks for anything"
    bytes_ = set[tuple[str, int]]()
    for (block_, thread, name), pieces in asked.items():
        firsts = read[block_, thread, name][: len(pieces)]
        said = f"thread {thread} of block {block_}: {name}"
        assert sorted(p.first for p in pieces) == sorted(p.first for p in firsts), said
        for p in firsts:
            assert p.bytes > SECTOR or p.first // SECTOR == (p.first + p.bytes - 1) // SECTOR, said
            bytes_ |= {(name, p.first + i) for i in range(p.bytes)}
    return sum(map(len, asked.values())), bytes_


def item_of(workload: Workload, name: str) -> float:
    if workload.op == "grouped_dense" and name == "w":
        return int(workload.attributes["bits"]) / 8
    return BYTES[workload.dtype_of(workload.tensor(name))]


CASES = [(name, text, seed) for name, texts in WORKLOADS.items() for text in texts for seed in range(4)]


def test_every_template_with_the_knob_is_tried() -> None:
    fitting = {name: Workload.parse(texts[0]) for name, texts in WORKLOADS.items()}
    able = {t.name for t in templates() if t.kind == "cuda" and hasattr(t, "asked")}
    assert able - {"conv2d.cuda.mma", "conv2d.cuda.relay"} == set(WORKLOADS)
    for name, workload in fitting.items():
        assert template(name).suits(workload), name


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "seed"), CASES)
def test_what_is_asked_for_is_read_first(name: str, text: str, seed: int) -> None:
    """By every thread; and where each tile has a block of its own all threads ask for all of the first rounds."""
    made, workload = template(name), Workload.parse(text)
    config = drawn(name, workload, seed, ahead=1)
    verify(made.schedule(workload, HOPPER, config).nest)
    symbols = {s: SIZES[s] for s in workload.symbols}
    found = met(build(workload, config, HOPPER, made), workload, symbols, ORDERS[seed % len(ORDERS)])
    names = frozenset(made.asked(workload))  # type: ignore[attr-defined]
    _, asked = in_order(found, names)
    if dict(config.values).get("resident", 0):
        return
    sizes = workload.sizes(symbols)
    weight = next(n for n in names if n in ("w", "rhs"))
    steps = min(sizes["k"], whole_first_rounds(workload, config, name))
    rows = workload.tensor(weight).dims
    others = 1
    for d in rows:
        others *= sizes[d] if d not in ("k", "bytes") else 1
    assert sum(n == weight for n, _ in asked) == others * steps * item_of(workload, weight)


@pytest.mark.slow
@pytest.mark.parametrize(("low", "high"), [(0, 0), (3, 3), (1, 4)])
@pytest.mark.parametrize("name", ["narrow", "skinny", "mma", "simt"])
def test_kernels_of_rests_ask_for_the_same(name: str, low: int, high: int) -> None:
    """Once, whichever body a block then runs: rows of x are no matter of the weight."""
    full = f"dense.cuda.{name}"
    made, workload = template(full), Workload.parse(WORKLOADS[full][0])
    config = drawn(full, workload, 1, ahead=1)
    tile = made.tile(config)
    nest_text = build(workload, config, HOPPER, made, (min(low, tile - 1), min(high, tile - 1))).text
    assert nest_text.count("at_begin(") == 1
    before, _, after = nest_text.partition("at_begin(")
    assert before.count("at_prefetch(") > 0
    assert "at_prefetch(" not in after
    source = build(workload, config, HOPPER, made, (min(low, tile - 1), min(high, tile - 1)))
    in_order(met(source, workload, {"m": 2 * tile + min(low, tile - 1)}, "forward"), frozenset("w"))


SPOILT = {
    "another row": (r"at_prefetch\(&w\[\(bn \* ", "at_prefetch(&w[(bn * 0 + ", "thread"),
    "another piece": (r"at_prefetch\(&w\[", "at_prefetch(&w[8 + ", "thread"),
    "a round of its own": (r"at_prefetch\((.*)\);", r"at_prefetch(\1); at_prefetch(\1);", "thread"),
    "far away": (r"at_prefetch\(&w\[", "at_prefetch(&w[100000000 + ", "asks at .* for what is no input"),
    "what it writes": (r"at_prefetch\(&w\[.*\);", "at_prefetch(&y[0]);", "asks at .* for what is no input"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", SPOILT)
def test_a_wrong_region_is_found(fault: str) -> None:
    pattern, instead, says = SPOILT[fault]
    name = "dense.cuda.narrow"
    made, workload = template(name), Workload.parse("dense(m=5, n=40, k=1024, dtype=bfloat16)")
    config = Config.of(tile_m=2, tile_n=2, warps_n=2, warps_k=1, unroll_k=2, ahead=1)
    source = build(workload, config, HOPPER, made)
    count, _ = in_order(met(source, workload, {}, "forward"), frozenset("w"))
    assert count == 3 * 40 * 2 * 32  # three blocks of rows of x have each column's pieces
    changed = re.sub(pattern, instead, source.text)
    assert changed != source.text
    with pytest.raises((AssertionError, Fault), match=says):
        in_order(met(replace(source, text=changed), workload, {}, "forward"), frozenset("w"))


@pytest.mark.slow
@pytest.mark.parametrize(("instead", "says"), [("ko * 64 + 64", "thread"), ("ko * 64 + 6400", "no thread asks")])
def test_a_wrong_box_is_found(instead: str, says: str) -> None:
    name = "dense.cuda.relay"
    made, workload = template(name), Workload.parse("dense(m=70, n=64, k=520, dtype=bfloat16)")
    config = drawn(name, workload, 0, ahead=1, resident=0, split_k=1, stages=2, cluster=1, stores=0, columns=64)
    source = build(workload, config, HOPPER, made)
    in_order(met(source, workload, {}, "forward"), frozenset("w"))
    changed = source.text.replace("at_bulk_prefetch(ko * 64", f"at_bulk_prefetch({instead}")
    assert changed != source.text
    with pytest.raises((AssertionError, Fault), match=says):
        in_order(met(replace(source, text=changed), workload, {}, "forward"), frozenset("w"))


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_knob_is_there_from_hopper_on_and_off_untuned(name: str) -> None:
    made, workload = template(name), Workload.parse(WORKLOADS[name][0])
    for arch in ("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"):
        space = made.space(workload, Target.parse(f"cuda -arch={arch}"))
        assert [k.values for k in space.knobs if k.name == "ahead"] == (
            [(0, 1)] if "sm_9" in arch or len(arch) > 5 else []
        )
    default = made.default(workload, HOPPER)
    assert default["ahead"] == 0
    before = Config(tuple((k, v) for k, v in default.values if k != "ahead"))  # a config that was stored without it
    space = made.space(workload, HOPPER)
    space.check(before)
    assert made.schedule(workload, HOPPER, before).nest == made.schedule(workload, HOPPER, default).nest
    assert asked_ahead(made.schedule(workload, HOPPER, default).nest.body) == block()


def test_what_kernels_made_nobody_asks_for() -> None:
    attention = Workload.parse("batch_matmul(b=12, m=?m, n=64, k=?k, lhs=bmk, rhs=bkn, dtype=bfloat16)")
    knobs = template("batch_matmul.cuda.mma").space(attention, HOPPER).knobs
    assert "ahead" not in [k.name for k in knobs]
