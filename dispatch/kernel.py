"""The callable: one compiled dispatch function, its packed constants, and the shortest way to it from Python.

A call whose arrays are plain (numpy, right dtype, contiguous) and whose shapes were met before checks a handful of
attributes, fills a few pointers and calls native code, which releases the GIL. Everything else goes the slow way:
DLPack, copies, errors. Invariant: native code only ever sees arrays whose dtype, layout and shape were checked for this call.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.loader import Loaded
from anytile.dispatch import build, rivals
from anytile.dispatch.constants import dims_of, pack, unpack
from anytile.dispatch.dlpack import as_array
from anytile.dispatch.operands import Operands, obstacle, passable, require_memory
from anytile.dispatch.plan import DispatchPlan
from anytile.dispatch.scratch import CallShape, Scratch, address_of, quick_address
from anytile.dispatch.why import why
from anytile.schedules.errors import ArgumentError, CodegenError, ResourceError, SpecError

if TYPE_CHECKING:
    from anytile.db.ladder import Answer

Array = NDArray[AnyType]
REMEMBERED_SHAPES = 4096


class DispatchKernel:
    """A workload's kernel for every size: call it with the inputs that are not constant, in the operator's order."""

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
        self._libraries = self._resolve_libraries()
        self._bind_constants(constants or {})
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(
            self._loaded.entry
        )
        tensors = plan.workload.spec.tensors
        names = [t.name for t in self._operands.passed]
        self._places = tuple(i for i, t in enumerate(tensors) if t.name in names)
        self._out_place = next(i for i, t in enumerate(tensors) if t.output)
        self._arity = len(self._places)
        self._dtype = self._operands.dtype
        self._shapes: dict[tuple[tuple[int, ...], ...], CallShape] = {}
        self._pool: list[Scratch] = []

    # -- calling ---------------------------------------------------------------------------------------------------

    def __call__(self, *inputs: AnyType, out: AnyType = None) -> AnyType:
        """Run it. Returns `out` if given, else a new numpy array."""
        dtype = self._dtype
        key = []
        for x in inputs:
            if type(x) is not np.ndarray or x.dtype is not dtype or x.flags.num & 0x101 != 0x101:
                return self._call_slowly(inputs, out)
            key.append(x.shape)
        shape = self._shapes.get(tuple(key))
        if shape is None or not shape.output_bytes:
            return self._call_slowly(inputs, out)
        if out is None:
            try:
                result = np.empty(shape.result, dtype)
            except MemoryError:
                return self._call_slowly(inputs, out)
        elif (
            type(out) is np.ndarray
            and out.dtype is dtype
            and out.flags.num & 0x501 == 0x501
            and out.shape == shape.result
        ):
            result = out
        else:
            return self._call_slowly(inputs, out)
        try:
            scratch = self._pool.pop()
        except IndexError:
            scratch = self._new_scratch()
        if scratch.shape is not shape:
            scratch.fit(shape)
        data = scratch.data
        data[self._out_place] = to = quick_address(result)
        for place, x, count in zip(self._places, inputs, shape.input_bytes, strict=True):
            data[place] = at = quick_address(x)
            if at < to + shape.output_bytes and to < at + count:
                raise self._overlap(place)
        status = self._function(*scratch.arguments)
        self._pool.append(scratch)
        if status:
            raise self._failed(status, shape)
        return result

    def _call_slowly(self, inputs: Sequence[object], out: object) -> object:
        """Every call that is not plain: checks, conversions, copies; the result is then computed the plain way."""
        operands = self._operands
        if len(inputs) != self._arity:
            names = ", ".join(t.name for t in operands.passed)
            raise ArgumentError(f"{operands.workload.op}: expected {self._arity} array(s): {names}; got {len(inputs)}")
        arrays = [as_array(operands.where(t), x) for t, x in zip(operands.passed, inputs, strict=True)]
        for tensor, array in zip(operands.passed, arrays, strict=True):
            operands.check_type(tensor, array)
        shape = self._shape_of(tuple(a.shape for a in arrays))
        target = None if out is None else self._check_out(out, shape, arrays)
        plain = [self._plain(t.name, a) for t, a in zip(operands.passed, arrays, strict=True)]
        direct = target is not None and passable(target, self._dtype)
        result = target if target is not None and direct else self._empty(shape)
        if shape.output_bytes:
            self._run(plain, result, shape)
        if target is not None and not direct:
            self._count_copy("out", target, lambda: np.copyto(target, result))
        return result if out is None else out

    def _run(self, inputs: Sequence[Array], result: Array, shape: CallShape) -> None:
        scratch = self._pool.pop() if self._pool else self._new_scratch()
        scratch.fit(shape)
        scratch.data[self._out_place] = address_of(result)
        for place, x in zip(self._places, inputs, strict=True):
            scratch.data[place] = address_of(x)
        status = self._function(*scratch.arguments)
        self._pool.append(scratch)
        if status:
            raise self._failed(status, shape)

    def _new_scratch(self) -> Scratch:
        return Scratch(self._pointers, len(self.plan.workload.symbols))

    def _shape_of(self, key: tuple[tuple[int, ...], ...]) -> CallShape:
        """What these input shapes mean; refused if they do not fit the workload, each other or the machine."""
        known = self._shapes.get(key)
        if known is not None:
            return known
        operands, workload = self._operands, self.plan.workload
        values = operands.bind(operands.passed, key, self._bound)
        output_bytes = operands.nbytes(operands.output, values)
        input_bytes = tuple(operands.nbytes(t, values) for t in operands.passed)
        result = operands.shape(operands.output, values)
        require_memory(output_bytes, f"{workload.op}: {operands.output.name} of shape {result}")
        dims = tuple(values[s] for s in workload.symbols)
        workspace = self._loaded.size(self.artifact.workspace, dims) if self.artifact.workspace else 0
        shape = CallShape(result, dims, workspace, input_bytes, output_bytes)
        if len(self._shapes) >= REMEMBERED_SHAPES:
            self._shapes.clear()
        self._shapes[key] = shape
        return shape

    def _check_out(self, out: object, shape: CallShape, inputs: Sequence[Array]) -> Array:
        operands = self._operands
        where = f"{operands.workload.op}: out"
        target = as_array(where, out)
        if target.dtype.newbyteorder("=") != self._dtype or target.shape != shape.result:
            raise ArgumentError(
                f"{where}: expected {self._dtype} of shape {shape.result}, got {target.dtype} of shape {target.shape}"
            )
        if not target.flags.writeable:
            raise ArgumentError(f"{where}: the array is read-only; pass one that can be written")
        for place, array in zip(self._places, inputs, strict=True):
            if _overlapping(target, array):
                raise self._overlap(place)
        return target

    def _overlap(self, place: int) -> ArgumentError:
        name = self.plan.workload.spec.tensors[place].name
        return ArgumentError(f"{self.plan.workload.op}: out overlaps {name} in memory; pass separate arrays")

    def _failed(self, status: int, shape: CallShape) -> CodegenError:
        dims = ", ".join(f"{s}={v}" for s, v in zip(self.plan.workload.symbols, shape.dims, strict=True))
        return CodegenError(
            f"{self.plan.workload}: the kernel returned {status} at {dims or 'its one size'}; rebuild it"
        )

    def _empty(self, shape: CallShape) -> Array:
        try:
            return np.empty(shape.result, self._dtype)
        except MemoryError:
            raise ResourceError(
                f"{self.plan.workload.op}: no memory for a result of shape {shape.result} "
                f"({shape.output_bytes / 2**30:.1f} GiB); split the work"
            ) from None

    def _plain(self, name: str, array: Array) -> Array:
        if passable(array, self._dtype):
            return array
        require_memory(array.size * self._dtype.itemsize, f"{self.plan.workload.op}: a contiguous copy of {name}")
        made: list[Array] = []
        self._count_copy(name, array, lambda: made.append(np.array(array, dtype=self._dtype, order="C", copy=True)))
        return made[0]

    def _count_copy(self, name: str, array: Array, copy: Callable[[], object]) -> None:
        start = time.perf_counter()
        copy()
        seconds = time.perf_counter() - start
        self.copies += 1
        reason = obstacle(array, self._dtype)
        self._copy_note = f"{name} was {reason}, and copying its {array.nbytes} bytes took {seconds * 1e6:.1f} us"

    # -- what it holds ---------------------------------------------------------------------------------------------

    def _resolve_libraries(self) -> Mapping[str, str]:
        """Fill the slots through which native code calls libraries; returns what they are."""
        found = {}
        for name in rivals.libraries_of(self.plan):
            resolved = rivals.resolve(name, self.plan.target.threads)
            ctypes.c_void_p.from_address(self._loaded.address(build.BLAS_SLOT)).value = resolved.address
            ctypes.c_int32.from_address(self._loaded.address(build.BLAS_WIDE)).value = int(resolved.ilp64)
            found[name] = str(rivals.pick(name))
        return found

    def _bind_constants(self, given: Mapping[str, object]) -> None:
        """Check the constants, learn the symbols they fix, and pack them into the layouts the kernels read."""
        operands, workload = self._operands, self.plan.workload
        if sorted(given) != sorted(workload.const):
            raise ArgumentError(
                f"{workload}: expected the constants {', '.join(workload.const) or '(none)'}, "
                f"got {', '.join(sorted(given)) or 'none'}; pass constants={{name: array}}"
            )
        arrays = [as_array(operands.where(t), given[t.name]) for t in operands.constants]
        for tensor, array in zip(operands.constants, arrays, strict=True):
            operands.check_type(tensor, array)
        self._bound = operands.bind(operands.constants, [a.shape for a in arrays])
        dims = dims_of(workload.symbols, self._bound)
        raw = {
            t.name: np.ascontiguousarray(a, dtype=operands.dtype)
            for t, a in zip(operands.constants, arrays, strict=True)
        }
        self._packed = {p.operand: pack(self._loaded, p, _aligned(raw[p.operand]), dims) for p in self.artifact.packed}
        self._pointers = [
            address_of(self._packed[t.name]) if t.name in self._packed else 0 for t in workload.spec.tensors
        ]

    def constants(self) -> dict[str, Array]:
        """The constant operands as they were given, recovered from their packed copies."""
        workload = self.plan.workload
        dims = dims_of(workload.symbols, self._bound)
        return {
            p.operand: unpack(
                self._loaded, p, self._packed[p.operand], workload.shape(p.operand, self._all_bound()), dims
            )
            for p in self.artifact.packed
        }

    def _all_bound(self) -> dict[str, int]:
        return {s: self._bound.get(s, 0) for s in self.plan.workload.symbols}

    @property
    def bound(self) -> Mapping[str, int]:
        """Symbols whose values the constants' shapes fix."""
        return self._bound

    def why(self, *at: int, **sizes: int) -> str:
        """Why the plan runs what it runs: `why(m=17)`, or `why(17)`."""
        symbol = self.plan.symbol
        if symbol is None:
            size = None
        elif len(at) == 1 and not sizes:
            size = at[0]
        elif not at and symbol in sizes and set(sizes) <= set(self.plan.workload.symbols):
            size = sizes[symbol]
        else:
            raise SpecError(f"why: expected a value for {symbol}, as in why({symbol}=64)")
        text = why(self.plan, size, self._libraries)
        if self.copies:
            text += f" Copies were made in {self.copies} place(s) so far: the last time {self._copy_note}."
        return text

    def source(self, *at: int, form: str = "nest", **sizes: int) -> str:
        """What runs at a size, to read: the loop `nest`, the `llvm` IR or the `asm`."""
        symbol = self.plan.symbol
        size = sizes.get(symbol, at[0] if at else None) if symbol is not None else None
        return str(build.source(self.plan, size, form))

    def save(self, path: str | Path) -> None:
        """Write the kernel, constants included, to one file that `load_kernel` reads on any machine."""
        from anytile.dispatch.file import save_kernel

        save_kernel(self, Path(path))

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"DispatchKernel({plan.workload} on {plan.target}: {len(plan.variants)} variant(s), "
            f"{len(plan.ranges)} range(s), {len(self.artifact.code)} bytes of object code)"
        )


def _aligned(array: Array) -> Array:
    return array if array.flags.aligned else array.copy()


def _overlapping(a: Array, b: Array) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]  # stubs know only -1 and 0
    except np.exceptions.TooHardError:
        return True


__all__ = ["DispatchKernel"]
