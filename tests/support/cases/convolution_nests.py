"""Convolutions small and exact enough to compare to the last bit: geometry, nests interpreted, code between walls."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import SpecError
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.workloads.workload import Any, Dim, Workload
from anytile.tuner.measure.cpu.guarded_memory import Place, Region
from tests.support.cases.dense_nests import run_nest
from tests.support.cases.guarded_kernels import Floats, expected, inputs_of

SYMBOLS = {"n": "b", "h": "h", "w": "v"}  # what a symbolic dimension is called: `w` is the weight
TAILS = (
    "",
    "",
    "max(y + bias[co], 0.0)",
    "y + more[n, co, oh, ow]",
    "y * scale[n, co]",
    "y + row[oh]",
    "y * column[ow, co] + plane[ow, oh]",
)


def symbolic(workload: Workload, names: str) -> Workload:
    """The workload with these dimensions symbolic."""
    dims: dict[str, Dim] = {d: Any(SYMBOLS[d]) if d in names else size for d, size in workload.dims}
    return Workload.of("conv2d", dims, workload.dtype, workload.const, dict(workload.attrs), workload.tail)


@st.composite
def convolutions(draw: st.DrawFn, depthwise: bool = False, most: int = 12) -> tuple[Workload, dict[str, int]]:
    """A workload, some of its sizes symbolic, and values for those."""
    few = st.integers(1, 3)
    groups = draw(st.sampled_from((1, 1, 1, 2, 3)))
    ci, co = groups * draw(st.sampled_from((1, 2, 3, 4))), groups * draw(st.sampled_from((1, 3, 4, 5, 9)))
    if depthwise:
        groups = ci = co = draw(st.sampled_from((2, 3, 4, 5, 9)))
    sizes = {"n": draw(st.integers(0, 2)), "h": draw(st.integers(1, most)), "w": draw(st.integers(1, most))}
    dims: dict[str, Dim] = {**sizes, "ci": ci, "co": co, "kh": 1, "kw": 1}
    attrs: dict[str, AttributeValue] = {"groups": groups, "layout": draw(st.sampled_from(("nhwc", "nchw")))}
    if draw(st.integers(0, 3)):  # else pixels of the result are those of the image
        dims |= {"kh": draw(few), "kw": draw(few)}
        attrs |= {
            "stride": (draw(few), draw(few)),
            "dilation": (draw(st.integers(1, 2)), draw(st.integers(1, 2))),
            "pad": draw(st.sampled_from(((0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 2, 3), (0, 2, 1, 0)))),
        }
    tail = draw(st.sampled_from(TAILS))
    if attrs["layout"] == "nhwc":
        tail = tail.replace("[n, co, oh, ow]", "[n, oh, ow, co]")
    try:
        workload = Workload.of("conv2d", dims, const=draw(st.sampled_from(((), ("w",)))), attrs=attrs, tail=tail)
    except SpecError:  # the kernel does not fit into the image
        assume(False)
    names = "".join(d for d in SYMBOLS if draw(st.booleans()))
    return symbolic(workload, names), {SYMBOLS[d]: sizes[d] for d in names}


def check_nest(workload: Workload, scheduled: Scheduled, symbols: Mapping[str, int], near: float = 0.0) -> None:
    """What the interpreter computes, in whatever shapes the nest sees its operands, is what numpy does."""
    inputs = inputs_of(workload, symbols)
    wanted = expected(workload, inputs)
    arrays = dict(inputs)
    for pack in scheduled.packs:
        arrays |= run_nest(pack.nest, {pack.operand: arrays[pack.operand]}, symbols)
    for b in scheduled.nest.params:
        if not b.output:
            arrays[b.name] = arrays[b.name].reshape(tuple(e.evaluate(dict(symbols)) for e in b.shape))
    (got,) = run_nest(scheduled.nest, arrays, symbols).values()
    _compare(got.reshape(wanted.shape), wanted, near, f"{workload} at {symbols}\n{scheduled.nest}")


def _compare(got: Floats, wanted: Floats, near: float, what: str) -> None:
    """Within this share of the largest element; without one, to the last bit."""
    largest = float(np.max(np.abs(wanted), initial=0.0))
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=near * largest, err_msg=what)


def check_code(
    workload: Workload, artifact: Artifact, symbols: Mapping[str, int], what: object = "", near: float = 0.0
) -> None:
    """Machine code, every buffer against a wall and every input read-only: a stray access ends the process."""
    loaded = Loaded(artifact)
    inputs = inputs_of(workload, symbols)
    dims = [symbols[name] for name in workload.symbols]
    regions: dict[str, Region] = {}
    for t in workload.tensors:
        shape = workload.shape(t.name, symbols)
        region = regions[t.name] = Region(4 * math.prod(shape), Place.END, 4)
        if not t.output:
            region.array("float32", shape)[...] = inputs[t.name]
            region.protect(writable=False)
    for packed in artifact.packed:
        region = Region(loaded.size(packed.size, dims), Place.END, 64)
        assert loaded.call(packed.function, [regions[packed.operand].address, region.address], dims) == 0
        region.protect(writable=False)
        regions[packed.operand] = region
    workspace = Region(loaded.workspace_bytes(dims), Place.END, 64)
    assert loaded.call(artifact.entry, [r.address for r in regions.values()], dims, workspace.address) == 0
    y = regions["y"].array("float32", workload.shape("y", symbols)).copy()
    for region in (*regions.values(), workspace):
        assert region.damage() is None, f"{workload} at {symbols}: {what} wrote out of bounds"
        region.close()
    _compare(y, expected(workload, inputs), near, f"{workload} at {symbols}: {what}")
