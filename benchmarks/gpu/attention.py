"""Attention on a GPU beside torch: its two products, and all of it in one kernel, for BERT's heads at any length.

What torch has for the products is `bmm`, of heads within rows as dense layers leave them and of heads apart, whichever
is faster; for all of it, `scaled_dot_product_attention`. The kernel of all of it is the very one that BERT has, which
finds its plan, if it was tuned here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from anytile.schedules.workloads.workload import Workload
from benchmarks.gpu import kernels
from benchmarks.gpu.plans import tune_lacking
from benchmarks.gpu.run import Part, Unit
from benchmarks.measure.harness import Claim, Row, geomean
from benchmarks.rivals.gpu_rivals import SYMBOLIC

WHOLE = "attention(b=1, h=12, m=?m, n=?m, d=64, e=64, q=bmhd, k=bngd, v=bnge, y=bmhe, scale=0.125, dtype={})"
SCORES = "batch_matmul(b=12, m=?m, n=?m, k=64, lhs=mbk, rhs=nbk, dtype={})"
MIXED = "batch_matmul(b=12, m=?m, n=64, k=?m, rhs=kbn, y=mbn, dtype={})"
STACKED = "batch_matmul(b=3, m=?m, n=768, k=768, lhs=mk, rhs=bnk, dtype=bfloat16)"  # tuned here, measured in BERT alone
WHAT = {WHOLE: "fused attention", SCORES: "products of queries and keys", MIXED: "products with values"}
SIZES = (1, 8, 17, 32, 64, 100, 128, 200, 256, 384, 512, 1000, 1024)
CHECKED = (1, 17, 100, 256)
QUICK = (1, 17, 128)
GAIN = 1.1


def units(quick: bool) -> list[Unit]:
    """bfloat16 first: models have that."""
    sizes = QUICK if quick else SIZES
    checked = [m for m in CHECKED if m in sizes]

    def unit(workload: Workload) -> Unit:
        work = partial(kernels.measure, workload=workload, part="attention", sizes=sizes, checked=checked)
        return Unit(f"{workload}", 9.0, work)

    lacking = (*workloads(), Workload.parse(STACKED))
    tuning = Unit("tuning of attention", 15.0 if quick else 65.0, partial(tune_lacking, workloads=lacking))
    return [tuning, *map(unit, workloads())]


def workloads() -> list[Workload]:
    return [Workload.parse(text.format(dtype)) for dtype in ("bfloat16", "float32") for text in WHAT]


def claims(rows: Sequence[Row]) -> list[Claim]:
    found = []
    those = kernels.cells(rows, "attention")
    for text, what in WHAT.items():
        for dtype in ("bfloat16", "float32"):
            workload = str(Workload.parse(text.format(dtype)))
            of = [(case, at) for case, at in those if case["workload"] == workload]
            if values := kernels.gains(of, SYMBOLIC):
                found.append(Claim(f"{dtype} {what} ({kernels.said(of)}) against torch", geomean(values), GAIN))
    return found


PART = Part("attention", units, claims, lambda report: kernels.show(report, "attention"))
