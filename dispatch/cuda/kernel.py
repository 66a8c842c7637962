"""Callable kernel on a GPU: a plan's kernels loaded on one device, and the shortest way to them from Python.

A call whose shapes were met before looks at each array, fills in a frame and launches, on the caller's current stream:
nothing is allocated but a result that was not passed as `out`. Workspaces are kept per stream and never given back
while the kernel lives, so a captured CUDA graph may be replayed at any time until then. Invariant: a kernel only ever
sees arrays whose dtype, layout, shape and device were checked for this call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anytile.codegen.artifact import Artifact
from anytile.core.errors import ArgumentError
from anytile.core.plurals import counted
from anytile.dispatch.cuda.arrays import Family, Unfit, family_of
from anytile.dispatch.cuda.build import compiler
from anytile.dispatch.cuda.build import source as cuda_source
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.constants import DeviceConstants
from anytile.dispatch.cuda.device import CudaDevice
from anytile.dispatch.cuda.loaded import Frame, Loaded, Ready
from anytile.dispatch.cuda.operands import Checked, CudaOperands, overlapping
from anytile.dispatch.cuda.workspace import Workspaces
from anytile.dispatch.plans.why import asked_size, explained, of_code, why
from anytile.dispatch.storage.kernel_file import made_here, save_kernel
from anytile.schedules.hardware.target import Target

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer

REMEMBERED_SHAPES = 4096


class _Shape:
    """What a combination of input shapes means; worked out once. `frames` are those that no call is using.

    `sizes` are the bytes of inputs, then of results.
    """

    __slots__ = ("frames", "odd", "ready", "result", "results", "sizes", "workspace")

    def __init__(self, ready: Ready, results: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> None:
        self.ready, self.results, self.result, self.sizes = ready, results, results[0], sizes
        self.workspace, self.odd = ready.workspace, ready.align - 1
        self.frames: list[Frame] = []


class _Way:
    """How the arrays of one type go in: their family, and what each tensor's dtype is called there."""

    __slots__ = ("address", "dtypes", "family", "out", "outs", "stream")

    def __init__(self, family: Family, dtypes: tuple[object, ...], outs: tuple[object, ...]) -> None:
        self.family, self.dtypes, self.outs, self.out = family, dtypes, outs, outs[0]
        self.address, self.stream = family.address, family.stream


class CudaKernel:
    """A workload's kernel for every size: call it with the inputs that are not constant, in the operator's order.

    Of several outputs, `out` and result are tuples.
    """

    copies = 0  # it makes none

    def __init__(
        self,
        plan_artifact: Artifact,
        device: CudaDevice,
        constants: Mapping[str, object] | None = None,
        answer: Answer | None = None,
    ) -> None:
        self.artifact = plan_artifact
        code = CudaCode.of(plan_artifact.code)
        self.plan = code.plan
        self.answer = answer
        self.device = device
        self._operands = CudaOperands(self.plan.workload, device)
        self._loaded = Loaded(code, device)
        align = max((placed.kernel.align for placed in code.kernels), default=1)
        self._constants = DeviceConstants(self._operands, device, constants or {}, align)
        self._workspaces = Workspaces(device)
        specs = self._operands.specs
        tensors = self.plan.workload.tensors
        self._places = tuple(i for i, t in enumerate(tensors) if t in specs.passed)
        self._place = len(tensors) - len(specs.outputs)  # of the first; they are the last tensors
        self._met: dict[tuple[tuple[int, ...], ...], _Shape] = {}
        self._shapes = self._met if len(specs.outputs) == 1 else {}  # of the short way, which has one result
        self._ways: dict[type, _Way] = {}

    # -- calling ---------------------------------------------------------------------------------------------------

    def __call__(self, *inputs: Any, out: Any = None) -> Any:
        """Run it on the caller's current stream. Returns `out` if given, else a new array of the inputs' library."""
        try:
            way = self._ways[type(inputs[0])]
            shape = self._shapes[tuple([x.shape for x in inputs])]
            result = way.family.empty(shape.result, way.out) if out is None else out
            if result.shape != shape.result or type(result) is not type(inputs[0]):
                return self._call_slowly(inputs, out)
            address, places, sizes = way.address, self._places, shape.sizes
            at = address(result, way.out)
            end, low = at + sizes[-1], at
            ready, frames = shape.ready, shape.frames
            frame = frames.pop() if frames else self._frame(ready)
            values = frame.values
            for i, x in enumerate(inputs):
                start = address(x, way.dtypes[i])
                if start < end and low < start + sizes[i]:
                    raise Unfit  # `out` lies over an input
                at |= start
                values[places[i]] = start
        except (Unfit, KeyError, IndexError, AttributeError, TypeError):
            return self._call_slowly(inputs, out)
        if at & shape.odd or not sizes[-1]:
            return self._call_slowly(inputs, out)
        values[self._place] = low
        stream = way.stream()
        if ready.function is None:
            x, w, y = values[:3]
            self.device.multiply(self.plan.workload.dtype, ready.sizes, x, w, y, stream)
        else:
            if shape.workspace:
                values[self._loaded.tensors] = self._workspaces.address(stream, shape.workspace)
            if ready.maps:
                frame.map_tensors(self.device)
            self.device.launch(ready.function, ready.grid, stream, frame.address)
        frames.append(frame)  # the driver has copied what it points at
        return result

    def _call_slowly(self, inputs: Sequence[Any], out: Any) -> Any:
        """The first call at a shape, arrays of mixed libraries, and every call that is refused."""
        operands, specs, workload = self._operands, self._operands.specs, self.plan.workload
        specs.check_count(len(inputs))
        way = self._way(inputs[0])
        stream = way.stream()
        checked = [operands.check(t, x, way.family, stream) for t, x in zip(specs.passed, inputs, strict=True)]
        shape = self._shape_of(tuple(c.shape for c in checked))
        results = self._made(inputs, shape, way) if out is None else self._given(out)
        targets: list[Checked] = []
        for tensor, result, size in zip(specs.outputs, results, shape.results, strict=True):
            target = operands.check_out(tensor, result, size, way.family, stream)
            lone = len(specs.outputs) == 1
            for other, one in zip((*specs.passed, *specs.outputs), (*checked, *targets), strict=False):
                if overlapping(target, one):
                    what = "out" if lone else f"out {tensor.name}"
                    raise ArgumentError(f"{workload.op}: {what} overlaps {other.name} in memory; pass separate arrays")
            targets.append(target)
        for tensor, one in zip((*specs.passed, *specs.outputs), (*checked, *targets), strict=True):
            operands.require_aligned(tensor, one, shape.ready.align)
        if any(target.nbytes for target in targets):
            self._launch(shape, checked, targets, stream)
        return results[0] if len(results) == 1 else results

    def _made(self, inputs: Sequence[Any], shape: _Shape, way: _Way) -> tuple[Any, ...]:
        """Fresh arrays of the inputs' library."""
        workload = self.plan.workload
        for tensor, dtype in zip(workload.outputs, way.outs, strict=True):
            if dtype is None:
                library = type(inputs[0]).__module__.partition(".")[0]
                lacks = f"{library} has no {workload.dtype_of(tensor)}"
                raise ArgumentError(f"{workload.op}: {lacks}, so no result can be made; pass out=")
        return tuple(way.family.empty(size, dtype) for size, dtype in zip(shape.results, way.outs, strict=True))

    def _given(self, out: Any) -> tuple[Any, ...]:
        outputs = self._operands.specs.outputs
        if len(outputs) == 1:
            return (out,)
        if not isinstance(out, tuple | list) or len(out) != len(outputs):
            names = ", ".join(t.name for t in outputs)
            raise ArgumentError(f"{self.plan.workload.op}: out: expected a tuple of {len(outputs)}: {names}")
        return tuple(out)

    def _launch(self, shape: _Shape, inputs: Sequence[Checked], targets: Sequence[Checked], stream: int) -> None:
        pointers = list(self._constants.pointers)
        for place, one in zip(self._places, inputs, strict=True):
            pointers[place] = one.address
        pointers[self._place :] = [target.address for target in targets]
        workspace = self._workspaces.address(stream, shape.workspace) if shape.workspace else 0
        self._loaded.run(shape.ready, pointers, workspace, stream)

    def _frame(self, ready: Ready) -> Frame:
        return self._loaded.frame(ready, self._constants.pointers, 0)

    def _way(self, array: Any) -> _Way:
        kind = type(array)
        if kind not in self._ways:
            family = family_of(array, self.device.native, self.device.native_type, self.device.index)
            workload, specs = self.plan.workload, self._operands.specs
            dtypes = tuple(family.dtype(workload.dtype_of(t)) for t in specs.passed)
            outs = tuple(family.dtype(workload.dtype_of(t)) for t in specs.outputs)
            self._ways[kind] = _Way(family, dtypes, outs)
        return self._ways[kind]

    def _shape_of(self, key: tuple[tuple[int, ...], ...]) -> _Shape:
        known = self._met.get(key)
        if known is not None:
            return known
        operands, specs = self._operands, self._operands.specs
        values = operands.values(key, self._constants.bound)
        sizes = tuple(operands.nbytes(t, values) for t in (*specs.passed, *specs.outputs))
        shape = _Shape(self._loaded.at(values), tuple(specs.shape(t, values) for t in specs.outputs), sizes)
        if len(self._met) >= REMEMBERED_SHAPES:
            self._met.clear()
        self._met[key] = shape
        return shape

    # -- what it holds ---------------------------------------------------------------------------------------------

    def constants(self) -> dict[str, Any]:
        """The constant operands, back in the host's memory."""
        return self._constants.arrays()

    @property
    def bound(self) -> Mapping[str, int]:
        """Symbols whose values the constants' shapes fix."""
        return self._constants.bound

    def why(self, *at: int, **sizes: int) -> str:
        """Where the plan is from, and why it runs what it runs: `why(m=17)`, or `why(17)`."""
        name = self.device.library()
        text = why(self.plan, asked_size(self.plan, at, sizes), {} if name is None else {"cublas": name})
        return f"{explained(self.answer, self.plan, text)} {of_code(self.plan, self.artifact.size)}"

    def source(self, *at: int, form: str = "cuda", **sizes: int) -> str:
        """What runs at a size, to read: the loop `nest`, or the `cuda` text."""
        size = asked_size(self.plan, at, sizes, "source") if at or sizes else None
        return cuda_source(self.plan, size, form)

    def save(self, path: str | Path) -> None:
        """Write the kernel, constants included, to one file that `load_kernel` reads on any machine."""
        save_kernel(Path(path), self.plan, self.artifact, self.constants(), made_here(Target.parse("cuda"), compiler()))

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"CudaKernel({plan.workload} on {plan.target}: {counted(len(plan.variants), 'variant')}, "
            f"{counted(len(plan.ranges), 'range')}, {len(self.artifact.code)} bytes of code)"
        )


__all__ = ["CudaKernel"]
