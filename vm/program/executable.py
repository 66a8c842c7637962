"""What a program of the machine is: functions, constants, kernels, and what users are told of inputs and outputs.

Frozen data without effects: `file` stores it, `verify` checks it, a `Session` runs it. Nothing here depends on the
machine that runs it except the object code of kernels, which can be made again from their plans.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.program.isa import HOST, Instruction, Kind

Array = NDArray[AnyType]


@dataclass(frozen=True, slots=True)
class VMFunction:
    """Parameters come in registers 0, 1, ...; `where` says of an instruction where in the user's model it is from."""

    name: str
    params: tuple[Kind, ...]
    result: Kind
    registers: int
    code: tuple[Instruction, ...]
    where: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TensorPort:
    """A tensor that goes in or out. A dimension is a number, a name (equal names are equal), or None."""

    shape: tuple[int | str | None, ...]
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype in STORED_FLOATS:
            array_dtype(self.dtype)

    def __str__(self) -> str:
        words = [str(d) if isinstance(d, int) else f"?{d or ''}" for d in self.shape]
        return f"Tensor[({', '.join(words)}{',' if len(words) == 1 else ''}), {self.dtype}]"


@dataclass(frozen=True, slots=True)
class TuplePort:
    """A tuple that goes in or comes out."""

    fields: tuple[Port, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))}{',' if len(self.fields) == 1 else ''})"


@dataclass(frozen=True, slots=True)
class DataPort:
    """A value of an algebraic data type of the executable."""

    name: str

    def __str__(self) -> str:
        return self.name


Port = TensorPort | TuplePort | DataPort


@dataclass(frozen=True, slots=True)
class Constructor:
    """One way to make a value of a data type; its tag is its place among them."""

    name: str
    fields: tuple[Port, ...]


@dataclass(frozen=True, slots=True)
class DataType:
    """An algebraic data type, by its constructors."""

    name: str
    constructors: tuple[Constructor, ...]


@functools.cache
def dtype_name(dtype: np.dtype[AnyType]) -> str:
    """A dtype's name, which numpy puts together whenever it is asked: programs have constants by the hundred."""
    return dtype.name


@dataclass(frozen=True, slots=True)
class PackedFor:
    """A constant that a kernel reads packed: the session packs it once, unless it lies as the kernel reads it."""

    kernel: int
    operand: str


@dataclass(frozen=True, slots=True)
class Laid:
    """The constant that an array of bytes holds packed: its dtype, its shape, and how it lies (schedules.blocked)."""

    dtype: str
    shape: tuple[int, ...]
    layout: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An array of the program; the session copies it to its device once, when it is made.

    With `laid` the array is bytes that hold it packed, as a file has it; `packing.raw` gives it as it was.
    """

    array: Array
    name: str = ""
    packed: PackedFor | None = None
    device: int = HOST
    laid: Laid | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape if self.laid is None else self.laid.shape

    @property
    def dtype(self) -> str:
        return dtype_name(self.array.dtype) if self.laid is None else self.laid.dtype


KERNEL, SHAPE, PACKED = "kernel", "shape", "packed"
CUDA = "cuda"  # the device that a session opens where it is given none of that name


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """Something that InvokePacked runs, by `kind`:

    kernel   `workload` is a Workload's text and `plan` the DispatchPlan that it is (re)built from; `dims` gives each
             symbol, in name order, as an expression of the arguments' dimensions: a0_1 is dimension 1 of argument 0.
             Operands in the workload's `const` are arguments too: constants that are PackedFor this kernel.
    shape    `workload` is a shape program (see `shape_programs`), over the elements of int64 arguments.
    packed   `workload` is a call of a function of the host table, as `unique` or `cumsum {"axis": 1}`.
    """

    name: str
    kind: str
    workload: str
    plan: str = ""
    dims: tuple[str, ...] = ()
    artifact: Artifact | None = None
    device: int = 0
    rung: str = ""  # where the plan came from, for people
    because: str = ""  # the record that it stands on, or why there was none, in a sentence


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """The parts of a program that were found to be sound together, and what of its kernels was looked at."""

    parts: tuple[object, ...]
    kernels: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, exe: Executable) -> Sound:
        parts = (exe.functions, exe.constants, exe.inputs, exe.output, exe.data, exe.devices)
        return cls(parts, tuple((k.name, k.kind, k.workload, k.dims, k.device) for k in exe.kernels))

    def holds(self, exe: Executable) -> bool:
        """Whether it is of these very parts: none of them can change."""
        now = Sound.of(exe)
        return all(a is b for a, b in zip(self.parts, now.parts, strict=True)) and self.kernels == now.kernels


@dataclass(frozen=True, slots=True)
class Executable:
    """A program: data, of which `vm.executable` is the public face."""

    target: str
    functions: tuple[VMFunction, ...]
    constants: tuple[Constant, ...] = ()
    kernels: tuple[KernelEntry, ...] = ()
    inputs: tuple[tuple[str, Port], ...] = ()
    output: Port = TuplePort(())
    data: tuple[DataType, ...] = ()
    devices: tuple[str, ...] = ("host",)
    demands: Mapping[tuple[str, int], str] = field(default_factory=dict)
    written: tuple[int, ...] = ()  # inputs that main may write to; no file says so, as nobody would know of it
    sound: Sound | None = field(default=None, compare=False, repr=False)  # what was verified, where something was

    def __repr__(self) -> str:
        """In a line: its weights are not for reading."""
        takes = ", ".join(f"{name}: {port}" for name, port in self.inputs)
        held = sum(c.array.nbytes for c in self.constants) / 1e6
        where = " and ".join((self.target, *self.devices[1:]))
        return f"Executable(main({takes}) -> {self.output} on {where}, with {held:.1f} MB of constants)"

    @property
    def main(self) -> int:
        return self.function("main")

    def function(self, name: str) -> int:
        for i, f in enumerate(self.functions):
            if f.name == name:
                return i
        raise SpecError(f"executable: expected a function {name!r}, got {', '.join(f.name for f in self.functions)}")

    def data_type(self, name: str) -> DataType:
        for found in self.data:
            if found.name == name:
                return found
        raise SpecError(f"executable: expected a data type {name!r}, got {', '.join(d.name for d in self.data)}")


def constant(array: AnyType, name: str = "", packed: PackedFor | None = None, device: int = HOST) -> Constant:
    """A constant of an array, contiguous and in the machine's byte order."""
    return Constant(np.asarray(array, order="C"), name, packed, device)  # a scalar stays one
