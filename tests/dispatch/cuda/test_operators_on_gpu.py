"""Every operator built for a GPU as a user builds it: an untuned plan, NVRTC's code, a kernel called on a device.

The device is the simulated one; what NVRTC says of the code is asked for the oldest and the newest architectures.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from anytile.codegen.cuda.build import build as source_of
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.core.dtypes import FLOAT8
from anytile.core.errors import ArgumentError
from anytile.dispatch import backends
from anytile.dispatch.backends import CudaBackend
from anytile.dispatch.cuda.untuned import untuned_plan
from anytile.dispatch.service import build, planned
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.templates.cuda.untuned import ROWS, estimated, estimates
from anytile.schedules.templates.registry import templates, templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import check, inputs_of
from tests.support.cuda_cpu.compiler import lacking
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

FLOATS = ("bfloat16", *FLOAT8)
TARGET = Target.parse("cuda -arch=sm_90a")
TEMPLATES = [t for t in templates() if t.kind == "cuda"]
EXAMPLES = itertools.chain(*(row.examples for name, row in OPERATORS.items() if name != "dense"))
TEXTS = tuple(
    x for x in EXAMPLES if any(t.op == Workload.parse(x).op and t.suits(Workload.parse(x)) for t in TEMPLATES)
)
FIRST = {Workload.parse(x).op: x for x in reversed(TEXTS)}.values()


pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> SimulatedGpu:
    found = SimulatedGpu()
    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(lambda: found, lambda: True))
    monkeypatch.setattr("anytile.schedules.hardware.nvidia_driver.is_here", lambda options: True)
    monkeypatch.setattr("anytile.schedules.hardware.nvidia_driver.objection", lambda options: None)
    return found


def test_which_operators_a_gpu_lacks() -> None:
    assert set(OPERATORS) - {t.op for t in TEMPLATES} == {
        *("quantise_rows", "quantise_within", "dequantise_within"),
        *("quantised_batch_matmul", "quantised_attention"),
    }
    images = [x for x in OPERATORS["quantised_conv2d"].examples if x in TEXTS]
    assert ["weight=bfloat16" in x for x in images] == [True, False]
    assert ["weight=float8_e4m3fn" in x for x in images] == [False, True]
    products = [x for x in OPERATORS["quantised_dense"].examples if x not in TEXTS]
    assert len(products) == 5  # all but that of a float32 beside 16 bits
    assert not any("bfloat16" in x for x in products)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_an_operator_built_and_called(text: str, device: SimulatedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of each operator as it is shipped, others in a kernel of full tiles and one of any rest: NVRTC takes
    seconds for each of those of a quarter of the rests, of which a call takes one."""
    if text not in FIRST:
        monkeypatch.setattr("anytile.schedules.plans.plan.GPU_RESTS", 1)
        monkeypatch.setattr("anytile.dispatch.cuda.untuned.untuned_plan", untuned_plan.__wrapped__)  # keeps none of it
    for narrow in FLOATS:
        text = text.replace(f"={narrow}", "=float16")  # of the others no array of numpy says what it is
    workload = Workload.parse(re.sub(r", const=[\w+]+", "", text))
    kernel = build(workload, TARGET)
    for size in (5, 12):
        symbols = {s: size - i % 2 for i, s in enumerate(workload.symbols)}
        inputs = inputs_of(workload, symbols)
        made = kernel(*(device.array(a) for a in inputs.values()))
        results = made if isinstance(made, tuple) else (made,)
        got = {t.name: r.values for t, r in zip(workload.outputs, results, strict=True)}
        check(workload, got, inputs, symbols, 1e-5)
    assert kernel.source(form="cuda").startswith("//")
    asked = {} if kernel.plan.symbol is None else {kernel.plan.symbol: 5}
    judged = any(map(estimated, templates_for(workload, TARGET)))
    assert ("nothing was measured" if judged else "default config") in kernel.why(**asked)


@pytest.mark.slow
def test_results_that_are_given_and_what_is_wrong_with_them(device: SimulatedGpu) -> None:
    workload = Workload.parse("split(outer=?a, n=?b, inner=1, count=2)")
    kernel = build(workload, TARGET)
    x = np.arange(12, dtype=np.float32).reshape(3, 4, 1)
    there = device.array(x)
    out = tuple(device.array(np.zeros((3, 2, 1), np.float32)) for _ in range(2))
    assert kernel(there, out=out) == out
    np.testing.assert_array_equal(out[0].values, x[:, :2])
    np.testing.assert_array_equal(out[1].values, x[:, 2:])
    with pytest.raises(ArgumentError, match="split: out: expected a tuple of 2: y0, y1"):
        kernel(there, out=out[0])
    with pytest.raises(ArgumentError, match="split: out y1 overlaps y0 in memory"):
        kernel(there, out=(out[0], out[0]))
    with pytest.raises(ArgumentError, match=r"expected shape \(3, 2, 1\)"):
        kernel(there, out=(out[0], there))


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_120"])
def test_no_operator_spills_or_keeps_arrays_in_memory(arch: str) -> None:
    target = Target.parse(f"cuda -arch={arch}")
    backend = backends.backend(target)
    for text in TEXTS:
        workload = Workload.parse(text)
        for t in templates_for(workload, target):
            if estimated(t) and not estimates(t, workload, target, ROWS):
                continue  # it needs units that this architecture lacks
            facts = compile_cubin(source_of(workload, t.default(workload, target), target, t).full, arch).facts
            assert not facts["spills"], f"{t.name} of {workload} spills {facts['spills']}"
            assert backend.hopeless(facts) is None, f"{t.name} of {workload}"


@pytest.mark.parametrize("arch", ["sm_80", "sm_89", "sm_90a"])
def test_a_plan_for_an_architecture_needs_no_device(arch: str) -> None:
    target = Target.parse(f"cuda -arch={arch}")
    for text in TEXTS:
        workload = Workload.parse(text)
        plan, answer = planned(workload, target)
        assert plan.target == target
        assert answer.is_miss
