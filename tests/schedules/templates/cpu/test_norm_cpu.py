"""The defaults of layer_norm and rms_norm; what they compute is tested with all small operators."""

from __future__ import annotations

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.cpu.norm_cpu import LAYER_NORM_CPU, RMS_NORM_CPU
from anytile.schedules.workloads.constructors import layer_norm, rms_norm
from anytile.schedules.workloads.workload import Any

HOST = Target.host()


def test_rows_side_by_side_fit_the_first_level_cache() -> None:
    l1 = facts(HOST).l1_bytes
    most = LAYER_NORM_CPU.default(layer_norm(Any("rows"), 16), HOST).int("rows")
    assert most > 1
    before = most
    for n in (l1 // 64, l1 // 16, l1 // 8, l1 // 4, l1):
        rows = LAYER_NORM_CPU.default(layer_norm(Any("rows"), n), HOST).int("rows")
        assert rows <= before
        assert rows == 1 or rows * n * 4 <= l1
        assert rows == most or 2 * rows * n * 4 > l1 // 2  # no fewer than need be
        assert RMS_NORM_CPU.default(rms_norm(Any("rows"), n), HOST).int("rows") == rows
        before = rows
    assert before == 1


def test_rows_of_unknown_length_run_side_by_side() -> None:
    short, unknown = layer_norm(Any("rows"), 16), layer_norm(Any("rows"), Any("n"))
    assert LAYER_NORM_CPU.default(unknown, HOST) == LAYER_NORM_CPU.default(short, HOST)
