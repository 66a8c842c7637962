"""The defaults of softmax; what it computes is tested with all small operators."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of
from anytile.schedules.templates.cpu.softmax_cpu import SOFTMAX_CPU
from anytile.schedules.workloads.constructors import softmax
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_operators import SSE, compiled, inputs_of, interpreted, nest_of, walled


def test_a_pipeline_is_long_on_one_thread_and_leaves_rows_for_several() -> None:
    workload = softmax(768, outer=Any("rows"))
    alone, several = (SOFTMAX_CPU.default(workload, Target.host(threads)) for threads in (1, 2))
    assert alone.int("rows") > several.int("rows")
    for threads, config in ((1, alone), (2, several)):
        knobs = {knob.name: knob.values for knob in SOFTMAX_CPU.space(workload, Target.host(threads)).knobs}
        assert config.int("rows") in knobs["rows"]


@pytest.mark.sampled(0)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize(
    "workload",
    [softmax(Any("n"), outer=Any("rows")), softmax(Any("n"), outer=3, log=True), softmax(Any("n"), inner=Any("rows"))],
    ids=str,
)
def test_what_lies_in_memory_in_16_bits_is_rounded_once(workload: Workload, dtype: str) -> None:
    """Bit by bit what float32 is when it is rounded: exponentials wait for their sum elsewhere."""
    narrow, here = workload.storing({"y": dtype}), Target.host(1)
    nests, kernels = (
        [of(w) for w in (workload, narrow)] for of in (lambda w: nest_of(w, SSE), lambda w: compiled(w, here))
    )
    for n, rows in ((1, 1), (5, 3), (19, 34)):
        symbols = {name: size for name, size in (("n", n), ("rows", rows)) if name in workload.symbols}
        inputs = inputs_of(workload, symbols)
        for exact, found in (
            [interpreted(nest, inputs, symbols)["y"] for nest in nests],
            [walled(k, w, inputs, symbols)["y"] for k, w in zip(kernels, (workload, narrow), strict=True)],
        ):
            np.testing.assert_array_equal(bits_of(exact, dtype), found)
