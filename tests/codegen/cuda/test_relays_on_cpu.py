"""Products that one thread copies for, other than dense, against the oracle: run on the CPU with every access watched.

Sizes are those around a tile; blocks and threads run in several orders. dense's own tests try each part of the schedule
that they share, in test_templates_on_cpu.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import ml_dtypes  # noqa: F401  (with it numpy knows bfloat16 by name)
import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.source import CudaSource
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.relay_faults import IN_BOXES, IN_CLUSTERS, PHASES, spoilt
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated, check
from tests.support.cuda_cpu.simulator import Fault

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGET = Target.parse("cuda -arch=sm_90a -sm=2")  # of few multiprocessors, so that blocks that stay have several tiles
ORDERS = ("forward", "reverse", "random:1")
TAILS = (
    "tail=max(y + bias[n], 0)",
    "tail=gelu(y * 0.1 + bias[n]) + r[b, m, n]",
    "tail=select(y > row[b, m], tanh(y), y * 0.5) * scale",
    "tail=y * sigmoid(y) - r[n, m]",
)
Sizes = tuple[dict[str, int], ...]
ROWS: Sizes = tuple({"m": m} for m in (0, 1, 63, 64, 65, 131))


@dataclass(frozen=True)
class Case:
    """A kernel to try: `knobs` beside those of PLAIN."""

    text: str
    knobs: tuple[tuple[str, int], ...]
    sizes: Sizes = field(compare=False)

    def __str__(self) -> str:
        return "-".join((self.text, *(f"{name}{value}" for name, value in self.knobs)))

    @property
    def workload(self) -> Workload:
        return Workload.parse(self.text)

    def source(self) -> CudaSource:
        t, workload = template(f"{self.workload.op}.cuda.relay"), self.workload
        config = t.default(workload, TARGET).with_(**{**dict(PLAIN.values), **dict(self.knobs)})
        t.space(workload, TARGET).check(config)
        return build(workload, config, TARGET, t)


PLAIN = Config.of(groups=1, columns=32, stages=3, behind=0, split_k=1, group_m=1, resident=0, cluster=1, stores=0)


def batches(text: str, sizes: Sizes = ROWS, dtype: str = "bfloat16", **knobs: int) -> Case:
    return Case(f"batch_matmul({text}, dtype={dtype})", tuple(knobs.items()), sizes)


def images(text: str, sizes: Sizes, dtype: str = "bfloat16", **knobs: int) -> Case:
    return Case(f"conv2d({text}, layout=nhwc, filters=ohwi, dtype={dtype})", tuple(knobs.items()), sizes)


SPOILT = batches(
    "b=3, m=?m, n=72, k=136, rhs=bnk, tail=y + bias[n]", ({"m": 200},), resident=1, columns=64, stores=1, cluster=2,
    behind=1, stages=2,
)  # fmt: skip
PATCHES = images(  # an odd number of them, and as many taps as there are rounds: pads differ from strides and dilations
    "n=?n, ci=72, h=19, w=17, co=64, kh=2, kw=3, pad=1x2x1x0, stride=2x1, dilation=1x2, tail=y + bias[co]", ({"n": 3},),
    resident=1, across=16, columns=64, stores=2, cluster=2, behind=1, stages=2,
)  # fmt: skip
PIXELS = "tail=gelu(y * 0.1 + bias[co]) + r[n, oh, ow, co]", "tail=y * sigmoid(y) - r[co, ow]"
ONE_AND_MORE: Sizes = ({"n": 0}, {"n": 1}, {"n": 4})
CASES = (
    *(images(f"n=?n, ci=8, h=9, w={w}, co=40, kh=3, kw=3, pad=1", ONE_AND_MORE, across=8) for w in (7, 8, 9)),
    *(
        images(f"n=?n, ci=136, h=5, w=31, co=33, kh=1, kw=2, {tail}", ONE_AND_MORE, "float16", across=32, resident=1)
        for tail in PIXELS
    ),
    *(
        images(f"n=1, ci=64, h=12, w=11, co=64, kh=3, kw=3, {tail}", ({},), columns=64, stores=1, groups=2, across=16)
        for tail in PIXELS
    ),
    images("n=?n, ci=24, h=1, w=131, co=8, kh=1, kw=5, pad=0x2x0x2", ONE_AND_MORE, across=64, group_m=4, resident=2),
    images("n=2, ci=16, h=30, w=29, co=16, kh=1, kw=1, stride=3x3, stored=y:float32", ({},), across=8, cluster=2),
    images("n=1, ci=16, h=17, w=8, co=64, kh=2, kw=1, stored=y:float32", ({},), across=8, stores=2, resident=1),
    replace(PATCHES, sizes=ONE_AND_MORE),
    *(batches(f"b=2, m=?m, n=40, k=136, rhs=bnk, {tail}", resident=1, behind=i % 2) for i, tail in enumerate(TAILS)),
    *(
        batches(f"b=3, m=?m, n=72, k=72, rhs=bnk, {tail}", dtype="float16", columns=64, stores=1 + i % 2, cluster=2)
        for i, tail in enumerate(TAILS)
    ),
    batches("b=2, m=?m, n=72, k=72, lhs=mbk, rhs=nbk, y=mbn, stored=y:float32", columns=64, stores=2, resident=1),
    batches("b=?b, m=70, n=33, k=72, rhs=nk, y=nbm", ({"b": 0}, {"b": 1}, {"b": 5}), resident=2, group_m=4),
    batches("b=?b, m=?m, n=?n, k=200, lhs=mk, rhs=nbk, stored=y:float32", ({"b": 2, "m": 65, "n": 31},), groups=2),
    *(  # columns side by side
        batches(f"b=2, m=?m, n=72, k=136, rhs=bkn, {tail}", dtype="float16", columns=64, behind=i % 2, resident=1)
        for i, tail in enumerate(TAILS)
    ),
    batches("b=?b, m=70, n=200, k=72, lhs=mbk, rhs=kbn, y=mbn", ({"b": 0}, {"b": 3}), columns=128, cluster=2, stores=1),
    batches("b=3, m=?m, n=264, k=8, rhs=bkn, stored=y:float32", columns=256, groups=2, stages=2, group_m=4),
    batches("b=?b, m=65, n=64, k=200, rhs=kn, y=nbm", ({"b": 1}, {"b": 2}), columns=64, resident=2, cluster=2),
    batches("b=?b, m=?m, n=?n, k=8, rhs=bnk", ({"b": 3, "m": 64, "n": 33}, {"b": 1, "m": 1, "n": 1}), cluster=2),
)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kernel_computes_what_its_workload_means(case: Case) -> None:
    kernel = Simulated(case.source())
    for i, sizes in enumerate(case.sizes):
        check(kernel, case.workload, sizes, ORDERS[i % len(ORDERS)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("n128_turned_bf16", "n128_bf16"),
        ("bn * 128 + 64,", "bn * 128,"),
        ("rhs_tile[ko][1]", "rhs_tile[ko][0]"),
    ],
)
def test_what_is_wrong_with_parts_is_seen(was: str, becomes: str) -> None:
    case = batches("b=2, m=33, n=200, k=72, rhs=bkn", columns=128)
    right = case.source()
    assert was in right.text
    with pytest.raises((Fault, AssertionError)):
        check(Simulated(replace(right, text=right.text.replace(was, becomes))), case.workload, {}, "random:1")


BOXES = {  # of their coordinates
    r"turn / 2 % 3": "0",
    r",\s+turn / 2 % 3": "",
}
TAPS = {  # of the place of a tap, and of the rounds that are counted though they store nothing
    r"ko / 6": "0",
    r"ko % 6 / 2 \* 2": "ko % 6 / 2",
    r" - [12],": ",",
    r"(if \([^\n]*\)) (at_bulk_store\([^;]*;\s+)at_bulk_commit": r"\1 \2\1 at_bulk_commit",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "faults", "count"),
    [
        (SPOILT, PHASES, 4),
        (SPOILT, IN_CLUSTERS, 3),
        (SPOILT, IN_BOXES, 3),
        (SPOILT, BOXES, 6),
        (PATCHES, PHASES, 4),
        (PATCHES, IN_CLUSTERS, 3),
        (PATCHES, IN_BOXES, 3),
        (PATCHES, TAPS, 6),
    ],
    ids=str,
)
def test_nothing_of_it_can_go(case: Case, faults: Mapping[str, str], count: int) -> None:
    """Of what dense's tests leave out, or change, every third; and all that is a box's own."""
    source = case.source()
    texts = spoilt(source.text, faults)
    texts = texts if faults is BOXES or faults is TAPS else texts[::3]
    assert len(texts) == count
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for without in pool.map(lambda text: Simulated(replace(source, text=text)), texts):
            with pytest.raises((Fault, AssertionError)):
                check(without, case.workload, case.sizes[0])
