"""Any workload of any operator, its operands lying anyhow: what numpy says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from tests.support.cases.small_operators import check, inputs_of
from tests.support.generators.random_workloads import laid_anyhow, workloads

HOST = Target.host(1)


@pytest.mark.slow
@pytest.mark.parametrize("op", [name for name, row in OPERATORS.items() if not row.over])
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_any_attributes_shapes_and_strides(op: str, data: st.DataObject) -> None:
    workload, symbols = data.draw(workloads(op))
    template = data.draw(st.sampled_from(templates_for(workload, HOST)))
    plan = single_plan(workload, HOST, template.name, template.default(workload, HOST), classes=1)
    inputs = inputs_of(workload, symbols, data.draw(st.integers(0, 99)))
    given = [laid_anyhow(a, i) for i, a in enumerate(inputs.values())]
    outs = tuple(
        laid_anyhow(np.zeros(workload.shape(t.name, symbols), workload.dtype_of(t)), 9) for t in workload.outputs
    )
    kernel = DispatchKernel(plan, compile_plan(plan))
    got = kernel(*given, out=outs if len(outs) > 1 else outs[0])
    names = [t.name for t in workload.outputs]
    check(workload, dict(zip(names, got if len(outs) > 1 else [got], strict=True)), inputs, symbols, 4e-6)
