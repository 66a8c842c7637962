"""Small operators of every dtype: inputs for them, their nests interpreted, and their machine code between walls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME, STORED_FLOATS
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.stored_floats import STEPS, bits_of, from_bits, held_as
from anytile.schedules.nest.verify import verify
from anytile.schedules.operators.movement.scatter import keys_of
from anytile.schedules.operators.spec import PAIRED
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.guarded_memory import Place, Region

Array = NDArray[AnyType]
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")  # 4 lanes: small enough to interpret
TEAM = Target.parse("llvm -mcpu=nehalem -threads=3")


def inputs_of(workload: Workload, symbols: Mapping[str, int], seed: int = 0) -> dict[str, Array]:
    """Operands of each dtype, as kernels are given them: of a bfloat16 the bits.

    What is called a variance is not negative, positions are within their dimension, and a length is about it at most.
    """
    rng, sizes = np.random.default_rng(seed), workload.sizes(symbols)
    found: dict[str, Array] = {}
    for t in workload.inputs:
        shape, dtype = workload.shape(t.name, symbols), workload.dtype_of(t)
        if t.indexes is not None:
            found[t.name] = rng.integers(-sizes[t.indexes], max(sizes[t.indexes], 1), shape, dtype)
        elif t.sorts is not None:
            found[t.name] = keys_of(rng.integers(0, max(sizes[t.sorts], 1), shape))
        elif t.places is not None:
            found[t.name] = rng.permutation(max(sizes[t.places] + 2, shape[0]))[: shape[0]] - 1
        elif t.name == "length":
            found[t.name] = rng.integers(-1, sizes["n"] + 2, shape, dtype)
        elif dtype == "float32":
            made = rng.standard_normal(shape, dtype=np.float32)
            found[t.name] = np.abs(made) if t.name == "variance" else made
        elif dtype in STORED_FLOATS:
            found[t.name] = bits_of(rng.standard_normal(shape, dtype=np.float32), dtype)
        elif dtype in ("int8", "uint8"):
            limits = np.iinfo(dtype)
            low, high = (limits.min, limits.max) if t.pairs is None else (-PAIRED // 2, PAIRED // 2)
            found[t.name] = rng.integers(low, high, shape, dtype, endpoint=True)
        else:
            found[t.name] = (
                rng.integers(0, 2, shape).astype(bool) if dtype == "bool" else rng.integers(-9, 9, shape, dtype)
            )
    return found


def nest_of(workload: Workload, target: Target, config: Config | None = None) -> LoopNest:
    template = only_template(workload, target)
    nest = template.schedule(workload, target, config or template.default(workload, target)).nest
    verify(nest)
    return nest


def only_template(workload: Workload, target: Target) -> Template:
    (found,) = templates_for(workload, target)
    return found


def interpreted(nest: LoopNest, inputs: Mapping[str, Array], symbols: Mapping[str, int]) -> dict[str, Array]:
    """The outputs, in the shapes that the nest gives them; a nest may see its operands in fewer dimensions."""
    held, env = dict[str, Array](), dict(symbols)
    for s in nest.symbols:
        env[s.name] = symbols[s.name] if s.derived is None else s.derived.evaluate(env)
    for b in nest.params:
        shape = tuple(e.evaluate(env) for e in b.shape)
        given = None if b.output else from_bits(inputs[b.name], b.dtype).reshape(shape).copy()
        held[b.name] = _poisoned(shape, b.dtype) if given is None else given
    interpret(nest, held, symbols)
    return {b.name: bits_of(held[b.name], b.dtype) for b in nest.params if b.output}


def _poisoned(shape: tuple[int, ...], dtype: str) -> Array:
    float_or_int = np.nan if dtype == "float32" or dtype in STORED_FLOATS else 77
    return np.full(shape, True if dtype == "bool" else float_or_int, held_as(dtype))


def compiled(workload: Workload, target: Target, config: Config | None = None) -> Loaded:
    template = only_template(workload, target)
    config = config or template.default(workload, target)
    return Loaded(compile_plan(single_plan(workload, target, template.name, config)))


def walled(
    loaded: Loaded, workload: Workload, inputs: Mapping[str, Array], symbols: Mapping[str, int]
) -> dict[str, Array]:
    """The outputs of machine code, every buffer against a wall: an access past an end ends the process."""
    dims = [symbols[name] for name in workload.symbols]
    regions: dict[str, Region] = {}
    for t in workload.tensors:
        shape, dtype = workload.shape(t.name, symbols), np.dtype(BY_NAME[workload.dtype_of(t)].numpy)
        region = regions[t.name] = Region(int(np.prod(shape)) * dtype.itemsize, Place.END, dtype.itemsize)
        over = workload.spec.over  # the output lies there, and the input is not read
        if not t.output or over:
            region.array(dtype.name, shape)[...] = inputs[over if t.output else t.name]
        if t.name == over:
            region.array(dtype.name, shape)[...] = _poisoned(shape, dtype.name)
        if not t.output:
            region.protect(writable=False)
    workspace = Region(loaded.workspace_bytes(dims), Place.END, 64)
    assert loaded.call(loaded.artifact.entry, [r.address for r in regions.values()], dims, workspace.address) == 0
    outputs = {
        t.name: regions[t.name].array(BY_NAME[workload.dtype_of(t)].numpy, workload.shape(t.name, symbols)).copy()
        for t in workload.outputs
    }
    for region in (*regions.values(), workspace):
        assert region.damage() is None
        region.close()
    return outputs


def check(
    workload: Workload,
    got: Mapping[str, Array],
    inputs: Mapping[str, Array],
    what: object,
    tolerance: float = 2e-6,
    steps: int = 0,
) -> None:
    """Against the reference: integers and bools to the letter, or within `steps` where they are floats rounded; floats
    within a few roundings of the largest, and what attributes allow."""
    if workload.spec.near is not None:
        tolerance += workload.spec.near(workload.attributes)
    dtypes = {t.name: workload.dtype_of(t) for t in workload.tensors}
    for name, wanted in evaluate(workload, {n: from_bits(a, dtypes[n]) for n, a in inputs.items()}).items():
        found = from_bits(got[name], dtypes[name]).reshape(wanted.shape)
        assert found.dtype == wanted.dtype, f"{workload}: {name} is {found.dtype}"
        if dtypes[name] in STORED_FLOATS:
            tolerance = STEPS[dtypes[name]]
            found, wanted = found.astype(np.float32), wanted.astype(np.float32)
        if wanted.dtype.kind in "iu" and steps:
            apart = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
            assert apart.max(initial=0) <= steps, f"{workload}: {what}: {name} is {apart.max()} off"
            continue
        if wanted.dtype != np.float32:
            np.testing.assert_array_equal(found, wanted, err_msg=f"{workload}: {what}")
            continue
        finite = wanted[np.isfinite(wanted)]
        scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale, err_msg=f"{workload}: {what}")
