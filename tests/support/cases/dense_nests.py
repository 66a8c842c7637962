"""Dense products small and exact enough to compare to the last bit, run by the interpreter and by emitted code.

Operands are small whole numbers, so every order of additions gives the same float32: results are equal or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.templates.base.template import Scheduled
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.measure.cpu.guarded_memory import Place, Region

Floats = NDArray[np.float32]


def whole_numbers(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def operands(workload: Workload, symbols: Mapping[str, int], seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """x, w and what y must be."""
    x = whole_numbers(seed, *workload.shape("x", symbols))
    w = whole_numbers(seed + 1, *workload.shape("w", symbols))
    return x, w, evaluate(workload, {"x": x, "w": w})["y"]


def all_symbols(workload: Workload, **sizes: int) -> dict[str, int]:
    """Values for the symbols of a workload, named by dimension."""
    return {dim.name: sizes[name] for name, dim in workload.dims if isinstance(dim, Any)}


def run_nest(nest: LoopNest, arrays: Mapping[str, Floats], symbols: Mapping[str, int]) -> dict[str, Floats]:
    """Interpret a nest on arrays; its outputs start as NaN and come back, its inputs must come out as they went in."""
    env = dict(symbols)
    for s in nest.symbols:
        if s.derived is not None:
            env[s.name] = s.derived.evaluate(env)
    held = {b.name: arrays[b.name].copy() for b in nest.params if not b.output}
    for b in nest.params:
        if b.output:
            held[b.name] = np.full(tuple(e.evaluate(env) for e in b.shape), np.nan, np.float32)
    interpret(nest, held, symbols)
    for b in nest.params:
        if not b.output:
            np.testing.assert_array_equal(held[b.name], arrays[b.name])
    return {b.name: held[b.name] for b in nest.params if b.output}


def interpreted(scheduled: Scheduled, nest: LoopNest, x: Floats, w: Floats, symbols: Mapping[str, int]) -> Floats:
    """y as a scheduled nest computes it, its constant operands packed as it asks."""
    arrays: dict[str, Floats] = {"x": x, "w": w}
    for pack in scheduled.packs:
        arrays |= run_nest(pack.nest, {"w": w}, symbols)
    return run_nest(nest, arrays, symbols)["y"]


def run_artifact(artifact: Artifact, workload: Workload, x: Floats, w: Floats, symbols: Mapping[str, int]) -> Floats:
    """y as machine code computes it, every buffer against a wall: an access past an end ends the process."""
    return run_loaded(Loaded(artifact), workload, x, w, symbols)


def run_loaded(loaded: Loaded, workload: Workload, x: Floats, w: Floats, symbols: Mapping[str, int]) -> Floats:
    dims = [symbols[name] for name in workload.symbols]
    shape = workload.shape("y", symbols)
    regions = [_filled(x), _filled(w), Region(4 * shape[0] * shape[1], Place.END, 4)]
    data = [r.address for r in regions]
    for packed in loaded.artifact.packed:
        size = loaded.size(packed.size, dims)
        regions.append(Region(size, Place.END, 64))
        position = [t.name for t in workload.tensors].index(packed.operand)
        status = loaded.call(packed.function, [data[position], regions[-1].address], dims)
        assert status == 0
        data[position] = regions[-1].address
        regions[-1].protect(writable=False)
    workspace = Region(loaded.workspace_bytes(dims), Place.END, 64)
    assert loaded.call(loaded.artifact.entry, data, dims, workspace.address) == 0
    y = regions[2].array("float32", shape).copy()
    for region in (*regions, workspace):
        assert region.damage() is None
        region.close()
    return y


def _filled(a: Floats) -> Region:
    region = Region(a.nbytes, Place.END, 4)
    region.array("float32", a.shape)[...] = a
    region.protect(writable=False)
    return region
