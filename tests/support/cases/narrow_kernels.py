"""Kernels of narrow weights on this machine, against what their workload means, at several numbers of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import check, inputs_of

HOST = Target.host(1)


def kernel_of(workload: Workload, constants: Mapping[str, NDArray[Any]], **knobs: int | str) -> DispatchKernel:
    """The only template's kernel, with a few residue classes; of its default config all but `knobs`."""
    (template,) = templates_for(workload, HOST)
    config = template.default(workload, HOST).with_(**knobs)
    plan = single_plan(workload, HOST, template.name, config, classes=2)
    return DispatchKernel(plan, compile_plan(plan), constants)


def compare(workload: Workload, rows: Iterable[int], near: float, **knobs: int | str) -> None:
    """Constants come back bit by bit, and results are `near` the reference at every number of rows."""
    sizes = tuple(rows)
    inputs = inputs_of(workload, {"m": max(sizes)})
    kernel = kernel_of(workload, {n: inputs[n] for n in workload.const}, **knobs)
    for n, raw in kernel.constants().items():
        np.testing.assert_array_equal(raw, inputs[n])
    for m in sizes:
        given = {t.name: inputs[t.name][:m] if t.dims[0] == "m" else inputs[t.name] for t in workload.inputs}
        got = kernel(*(np.ascontiguousarray(a) for n, a in given.items() if n not in workload.const))
        check(workload, {"y": got}, given, f"m={m} {knobs}", near)
