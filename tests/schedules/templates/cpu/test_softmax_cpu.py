"""The defaults of softmax; what it computes is tested with all small operators."""

from __future__ import annotations

from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.cpu.softmax_cpu import SOFTMAX_CPU
from anytile.schedules.workloads.constructors import softmax
from anytile.schedules.workloads.workload import Any


def test_a_pipeline_is_long_on_one_thread_and_leaves_rows_for_several() -> None:
    workload = softmax(768, outer=Any("rows"))
    alone, several = (SOFTMAX_CPU.default(workload, Target.host(threads)) for threads in (1, 2))
    assert alone.int("rows") > several.int("rows")
    for threads, config in ((1, alone), (2, several)):
        knobs = {knob.name: knob.values for knob in SOFTMAX_CPU.space(workload, Target.host(threads)).knobs}
        assert config.int("rows") in knobs["rows"]
