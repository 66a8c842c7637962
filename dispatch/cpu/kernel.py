"""Callable kernel on a CPU: one compiled dispatch function, its packed constants, the shortest way to it from Python.

A call with the shapes of the call before is native from the start: it checks the arrays itself and runs with the GIL
released if it has much to do. Shapes met earlier cost a dictionary look-up in Python. Everything else goes the slow
way: DLPack, copies, errors.
Invariant: a kernel only ever sees arrays whose dtype, layout and shape were checked for this call, and nothing that
another thread's call may write.
"""

from __future__ import annotations

import ctypes
import functools
import math
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.load.loader import Loaded
from anytile.codegen.version import llvm_version
from anytile.core.errors import ArgumentError, CodegenError, ResourceError
from anytile.core.plurals import counted
from anytile.dispatch.arguments.dlpack import as_array
from anytile.dispatch.arguments.operands import Operands, obstacle, passable, require_memory
from anytile.dispatch.blas import in_plans
from anytile.dispatch.blas.thunk import BLAS_SLOT, BLAS_WIDE
from anytile.dispatch.cpu import build
from anytile.dispatch.cpu.constants import Constants
from anytile.dispatch.cpu.fast_call import OTHER, SLOW, Frame, Layout, address_of, aligned_bytes, entrance, frame
from anytile.dispatch.cpu.repeat_call import EXPECTED, shortcut
from anytile.dispatch.plans.why import asked_size, explained, of_code, why
from anytile.dispatch.storage.kernel_file import made_here, save_kernel
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer

Array = NDArray[AnyType]
REMEMBERED_SHAPES = 4096
# So little takes some microseconds, a hundred at most where a kernel is slow: no time for another thread to wait.
BRIEF_FLOPS, BRIEF_BYTES = 1 << 19, 1 << 18
_empty = np.empty


class _Shape:
    """What a combination of input shapes means; worked out once."""

    __slots__ = (
        "address", "dims", "empty", "frame", "inputs", "limits", "object_bytes", "result", "results", "values",
        "workspace",
    )  # fmt: skip

    def __init__(
        self,
        inputs: tuple[tuple[int, ...], ...],
        results: tuple[tuple[int, ...], ...],
        dims: tuple[int, ...],
        workspace: int,
        object_bytes: tuple[int, ...],
        empty: bool,
        values: Mapping[str, int],
        limits: tuple[int, ...],
    ) -> None:
        self.inputs, self.results, self.result = inputs, results, results[0]
        self.dims, self.workspace = dims, workspace
        self.object_bytes, self.empty = object_bytes, empty
        self.values, self.limits = values, limits
        self.frame: Frame
        self.address: int


@dataclass(frozen=True, slots=True)
class _Work:
    """A workspace, and the frame that leads to it."""

    memory: Array
    shape: _Shape
    frame: Frame


class DispatchKernel:
    """A workload's kernel for every size: call it with the inputs that are not constant, in the operator's order.

    `kernel(*inputs, out=None)` returns `out` if given, else a new numpy array; of several outputs, `out` and result are
    tuples.
    """

    # Python looks for `__call__` in the class, and finds it to be a slot: what is called is each kernel's own function.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    if TYPE_CHECKING:

        def __call__(self, *inputs: AnyType, out: AnyType = None) -> AnyType: ...

    def __init__(
        self,
        plan: DispatchPlan,
        artifact: Artifact,
        constants: Mapping[str, object] | None = None,
        answer: Answer | None = None,
    ) -> None:
        self.plan = plan
        self.artifact = artifact
        self.answer = answer
        self.copies = 0
        self._copy_note = ""
        self._operands = Operands(plan.workload)
        self._loaded = Loaded(artifact)
        self._libraries = connect_libraries(plan, self._loaded)
        self._constants = Constants(self._operands, self._loaded, constants or {})
        self._layout = _layout_of(self._operands)
        self._enter = entrance(self._layout)
        self._single = len(self._layout.inputs) == 1
        self._lone = len(self._layout.results) == 1
        self._dtypes = tuple(map(self._operands.dtype, self._operands.outputs))
        self._dtype = self._dtypes[0]
        self._shapes: dict[tuple[tuple[int, ...], ...], _Shape] = {}
        self._quick: dict[tuple[int, ...] | tuple[tuple[int, ...], ...], _Shape] = {}  # met, and not empty
        self._before: _Shape | None = None  # of the last call that was looked up
        self._again: _Shape | None = None  # what the next call is expected to have, and needs a workspace for
        self._state: list[AnyType] = [None, functools.partial(_call, weakref.ref(self))]
        self.__call__ = shortcut(self._layout, self._state)  # type: ignore[method-assign]
        self._spare: list[_Work] = []  # workspaces between calls; a call in flight has its own

    # -- calling ---------------------------------------------------------------------------------------------------

    def _call(self, inputs: tuple[AnyType, ...], out: AnyType) -> AnyType:
        """A call that was not as the native function expected it."""
        shape = self._again
        if shape is None:
            return self._call_by_shape(inputs, out)
        try:
            result = _empty(shape.result, self._dtype) if out is None else out
            work = self._work(shape)
        except MemoryError:  # this call's may be smaller
            return self._call_by_shape(inputs, out)
        status = self._enter(work.frame.address, *inputs, result)  # type: ignore[misc]  # without an entrance, see below
        self._spare.append(work)
        if not status:
            return result
        if status == OTHER:
            return self._call_by_shape(inputs, out)
        if status == SLOW:
            return self._call_slowly(inputs, out)
        raise self._failed(status, shape)

    def _call_by_shape(self, inputs: tuple[AnyType, ...], out: AnyType) -> AnyType:
        """A call whose shapes are looked up. The second one in a row of the same shapes expects them again."""
        try:
            shape = self._quick[inputs[0].shape if self._single else tuple([x.shape for x in inputs])]
            if out is None:
                results = tuple(map(_empty, shape.results, self._dtypes))
            else:
                results = (out,) if self._lone else tuple(out)
                if tuple([y.shape for y in results]) != shape.results:
                    return self._call_slowly(inputs, out)
        except (LookupError, AttributeError, TypeError, MemoryError):
            self._before = None
            self._expect(None)
            return self._call_slowly(inputs, out)
        if shape is self._before and self._lone:
            self._expect(shape)
        else:
            self._expect(None)
            self._before = shape
        work = self._work(shape) if shape.workspace else None
        address = shape.address if work is None else work.frame.address
        status = self._enter(address, *inputs, *results)  # type: ignore[misc]
        if work is not None:
            self._spare.append(work)
        if not status:
            return results[0] if self._lone else results
        if status in (SLOW, OTHER):
            return self._call_slowly(inputs, out)
        raise self._failed(status, shape)

    def _expect(self, shape: _Shape | None) -> None:
        """What the next call is compared with; one that needs a workspace is not native from the start."""
        self._again = shape if shape is not None and shape.workspace else None
        expected = None
        if shape is not None and not shape.workspace:  # with all that must live while it runs
            expected = (shape.address, (shape.result, self._dtype), shape, self._loaded, self._constants)
        self._state[EXPECTED] = expected

    def _call_slowly(self, inputs: Sequence[object], out: object) -> object:
        """Every call that is not plain: checks, conversions, copies; the result is then computed the plain way."""
        operands = self._operands
        operands.check_count(len(inputs))
        arrays = [as_array(operands.where(t), x) for t, x in zip(operands.passed, inputs, strict=True)]
        for tensor, array in zip(operands.passed, arrays, strict=True):
            operands.check_type(tensor, array)
        shape = self._shape_of(tuple(a.shape for a in arrays))
        for tensor, array in zip(operands.passed, arrays, strict=True):
            operands.check_positions(tensor, array, shape.values)
        targets = [None] * len(self._dtypes) if out is None else self._check_out(out, shape, arrays)
        plain = [self._plain(t.name, a) for t, a in zip(operands.passed, arrays, strict=True)]
        results = [
            target if target is not None and passable(target, dtype) else self._empty(tensor.name, size, dtype)
            for target, tensor, size, dtype in zip(targets, operands.outputs, shape.results, self._dtypes, strict=True)
        ]
        if not shape.empty:
            self._run(plain, results, shape)
        for target, result in zip(targets, results, strict=True):
            if target is not None and target is not result:
                self._count_copy("out", target, functools.partial(np.copyto, target, result))
        if out is not None:
            return out
        return results[0] if self._lone else tuple(results)

    def _run(self, inputs: Sequence[Array], results: Sequence[Array], shape: _Shape) -> None:
        """Call the kernel with arrays known to be plain."""
        pointers = list(self._constants.pointers)
        places = (*self._layout.inputs, *self._layout.results)
        for place, array in zip(places, (*inputs, *results), strict=True):
            pointers[place] = address_of(array)
        workspace = aligned_bytes(shape.workspace)
        status = self._loaded.call(self.artifact.entry, pointers, shape.dims, address_of(workspace))
        if status:
            raise self._failed(status, shape)

    def _work(self, shape: _Shape) -> _Work:
        """A workspace that no other call uses, with a frame for this shape."""
        try:
            work = self._spare.pop()
        except IndexError:
            memory = aligned_bytes(shape.workspace)
            return _Work(memory, shape, self._frame(shape, memory))
        if work.shape is shape:
            return work
        memory = work.memory if work.memory.nbytes >= shape.workspace else aligned_bytes(shape.workspace)
        return _Work(memory, shape, self._frame(shape, memory))

    def _frame(self, shape: _Shape, workspace: Array | None = None) -> Frame:
        pointers = self._constants.pointers
        shapes = (*shape.inputs, *shape.results)
        flops, moved = self.plan.workload.flops(shape.values), sum(shape.object_bytes)
        brief = flops <= BRIEF_FLOPS and moved <= BRIEF_BYTES
        entry, limits = self._loaded.entry, shape.limits
        return frame(self._layout, entry, shape.dims, pointers, shape.object_bytes, shapes, workspace, limits, brief)

    def _shape_of(self, key: tuple[tuple[int, ...], ...]) -> _Shape:
        """What these input shapes mean; refused if they do not fit the workload, each other or the machine."""
        known = self._shapes.get(key)
        if known is not None:
            return known
        operands, workload = self._operands, self.plan.workload
        values = operands.bind(operands.passed, key, self._constants.bound)
        output_bytes = tuple(operands.nbytes(t, values) for t in operands.outputs)
        input_bytes = tuple(operands.nbytes(t, values) for t in operands.passed)
        results = tuple(operands.shape(t, values) for t in operands.outputs)
        dims = tuple(values[s] for s in workload.symbols)
        workspace = self._loaded.workspace_bytes(dims)
        if workspace < 0:
            raise ResourceError(f"{workload.op}: a workspace for {values} cannot be counted in 64 bits; split the work")
        what = ", ".join(f"{t.name} of shape {size}" for t, size in zip(operands.outputs, results, strict=True))
        require_memory(sum(output_bytes) + workspace, f"{workload.op}: {what}")
        limits = operands.limits(values)
        object_bytes = (*input_bytes, *output_bytes)
        shape = _Shape(key, results, dims, workspace, object_bytes, not any(output_bytes), values, limits)
        shape.frame = self._frame(shape)
        shape.address = shape.frame.address
        if len(self._shapes) >= REMEMBERED_SHAPES:
            self._shapes.clear()
            self._quick.clear()
            self._before = None
            self._expect(None)
        self._shapes[key] = shape
        if not shape.empty and self._enter is not None:
            self._quick[key[0] if self._single else key] = shape
        return shape

    def _check_out(self, out: object, shape: _Shape, inputs: Sequence[Array]) -> list[Array | None]:
        """The arrays that results go to: of the right dtype and shape, writable, apart from inputs and each other."""
        operands = self._operands
        given = (out,) if self._lone else out
        if not isinstance(given, tuple | list) or len(given) != len(self._dtypes):
            names = ", ".join(t.name for t in operands.outputs)
            raise ArgumentError(f"{operands.workload.op}: out: expected a tuple of {len(self._dtypes)}: {names}")
        targets: list[Array | None] = []
        for tensor, one, size, dtype in zip(operands.outputs, given, shape.results, self._dtypes, strict=True):
            where = f"{operands.workload.op}: out" + ("" if self._lone else f" {tensor.name}")
            target = as_array(where, one)
            if target.dtype.newbyteorder("=") != dtype or target.shape != size:
                raise ArgumentError(
                    f"{where}: expected {dtype} of shape {size}, got {target.dtype} of shape {target.shape}"
                )
            if not target.flags.writeable:
                raise ArgumentError(f"{where}: the array is read-only; pass one that can be written")
            if _overlaps_itself(target):
                raise ArgumentError(f"{where} overlaps itself in memory; pass an array with a place for each element")
            others = [operands.workload.tensors[place].name for place in self._layout.inputs]
            others += [t.name for t in operands.outputs[: len(targets)]]
            for name, array in zip(others, (*inputs, *targets), strict=True):
                if array is not None and _overlapping(target, array):
                    raise ArgumentError(f"{where} overlaps {name} in memory; pass separate arrays")
            targets.append(target)
        return targets

    def _failed(self, status: int, shape: _Shape) -> CodegenError:
        dims = ", ".join(f"{s}={v}" for s, v in zip(self.plan.workload.symbols, shape.dims, strict=True))
        return CodegenError(
            f"{self.plan.workload}: the kernel returned {status} at {dims or 'its one size'}; rebuild it"
        )

    def _empty(self, name: str, shape: tuple[int, ...], dtype: np.dtype[AnyType]) -> Array:
        try:
            return np.empty(shape, dtype)
        except MemoryError:
            size = math.prod(shape) * dtype.itemsize / 2**30
            raise ResourceError(
                f"{self.plan.workload.op}: no memory for {name} of shape {shape} ({size:.1f} GiB); split the work"
            ) from None

    def _plain(self, name: str, array: Array) -> Array:
        dtype = self._operands.dtype(self.plan.workload.tensor(name))
        if passable(array, dtype):
            return array
        require_memory(array.size * dtype.itemsize, f"{self.plan.workload.op}: a contiguous copy of {name}")
        made: list[Array] = []
        self._count_copy(name, array, lambda: made.append(np.array(array, dtype=dtype, order="C", copy=True)))
        return made[0]

    def _count_copy(self, name: str, array: Array, copy: Callable[[], object]) -> None:
        start = time.perf_counter()
        copy()
        seconds = time.perf_counter() - start
        self.copies += 1
        reason = obstacle(array, array.dtype.newbyteorder("="))
        self._copy_note = f"{name} was {reason}, and copying its {array.nbytes} bytes took {seconds * 1e6:.1f} us"

    # -- what it holds ---------------------------------------------------------------------------------------------

    def constants(self) -> dict[str, Array]:
        """The constant operands as they were given, recovered from their packed copies."""
        return self._constants.unpacked()

    @property
    def bound(self) -> Mapping[str, int]:
        """Symbols whose values the constants' shapes fix."""
        return self._constants.bound

    def why(self, *at: int, **sizes: int) -> str:
        """Where the plan is from, and why it runs what it runs: `why(m=17)`, or `why(17)`."""
        text = explained(self.answer, self.plan, why(self.plan, asked_size(self.plan, at, sizes), self._libraries))
        text += f" {of_code(self.plan, self.artifact.size)}"
        if self.copies:
            text += f" Copies were made in {counted(self.copies, 'place')} so far: the last time {self._copy_note}."
        return text

    def source(self, *at: int, form: str = "nest", **sizes: int) -> str:
        """What runs at a size, to read: the loop `nest`, the `llvm` IR or the `asm`."""
        size = asked_size(self.plan, at, sizes, "source") if at or sizes else None
        return str(build.source(self.plan, size, form))

    def save(self, path: str | Path) -> None:
        """Write the kernel, constants included, to one file that `load_kernel` reads on any machine."""
        save_kernel(Path(path), self.plan, self.artifact, self.constants(), made_here(Target.host(), llvm_version()))

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"DispatchKernel({plan.workload} on {plan.target}: {counted(len(plan.variants), 'variant')}, "
            f"{counted(len(plan.ranges), 'range')}, {len(self.artifact.code)} bytes of object code)"
        )


def _call(kernel: weakref.ref[DispatchKernel], *inputs: AnyType, out: AnyType = None, **named: AnyType) -> AnyType:
    """The function behind the native one; it keeps no kernel alive."""
    alive = kernel()
    if alive is None:
        raise ArgumentError("the kernel is gone, and only its __call__ is left; keep the kernel")
    if named:
        op, order = alive.plan.workload.op, ", ".join(t.name for t in alive._operands.passed)
        raise ArgumentError(f"{op}: expected arrays in order: {order}; got {', '.join(named)} by name")
    return alive._call(inputs, out)


def connect_libraries(plan: DispatchPlan, loaded: Loaded) -> Mapping[str, str]:
    """Fill the slots through which native code calls libraries; returns what they are."""
    found = {}
    for name in in_plans.libraries_of(plan):
        resolved = in_plans.resolve(name, plan.target.threads)
        ctypes.c_void_p.from_address(loaded.address(BLAS_SLOT)).value = resolved.address
        ctypes.c_int32.from_address(loaded.address(BLAS_WIDE)).value = int(resolved.ilp64)
        found[name] = str(in_plans.pick(name))
    return found


def _layout_of(operands: Operands) -> Layout:
    tensors = operands.workload.tensors
    inputs = tuple(i for i, t in enumerate(tensors) if t in operands.passed)
    results = tuple(i for i, t in enumerate(tensors) if t.output)
    positions = tuple(i for i in inputs if tensors[i].indexes is not None)
    ranks = tuple(len(t.dims) for t in tensors)
    return Layout(inputs, results, tuple(operands.dtype(t).name for t in tensors), ranks, positions)


def _overlaps_itself(a: Array) -> bool:
    """Whether some dimension steps less far than what lies within a step of it; no view that numpy slices does."""
    reach = a.itemsize if a.size else 0
    for step, size in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if step < reach:
            return True
        reach += step * (size - 1)
    return False


def _overlapping(a: Array, b: Array) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]  # stubs know only -1 and 0
    except np.exceptions.TooHardError:
        return True


__all__ = ["DispatchKernel", "connect_libraries"]
