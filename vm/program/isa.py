"""Instruction set: frozen dataclasses whose typed fields are the one table that everything else derives from.

Encoder, decoder, verifier, assembler, disassembler and `reference` read the fields through `ROWS`; none of them names
an instruction unless it must know what it does. A register machine with as many registers as a function likes; jumps
are relative, counted in instructions from the one that jumps. Opcodes are part of the file format: never renumber.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated, ClassVar, get_type_hints
from typing import Any as AnyType

from anytile.core import dtypes


class Operand(Enum):
    """What an operand is; the value says it in the words of the reference."""

    DST = "register written"
    REG = "register read"
    REGS = "registers read"
    INT = "whole number"
    UINT = "whole number from 0"
    JUMP = "jump, in instructions from this one"
    CONST = "constant"
    FUNCTION = "function"
    KERNEL = "kernel"
    DTYPE = "dtype"
    SHAPE = "dimensions"
    DEVICE = "device"
    TEXT = "text"


class Kind(Enum):
    """What a register may hold. Of ANY the verifier knows nothing, and the machine looks when it is used."""

    TENSOR = "tensor"
    STORAGE = "storage"
    ADT = "adt"
    CLOSURE = "closure"
    ANY = "any"


# A register operand says, too, what the register holds.
NewTensor = Annotated[int, Operand.DST, Kind.TENSOR]
NewStorage = Annotated[int, Operand.DST, Kind.STORAGE]
NewAdt = Annotated[int, Operand.DST, Kind.ADT]
NewClosure = Annotated[int, Operand.DST, Kind.CLOSURE]
New = Annotated[int, Operand.DST, Kind.ANY]
TensorIn = Annotated[int, Operand.REG, Kind.TENSOR]
StorageIn = Annotated[int, Operand.REG, Kind.STORAGE]
AdtIn = Annotated[int, Operand.REG, Kind.ADT]
ClosureIn = Annotated[int, Operand.REG, Kind.CLOSURE]
In = Annotated[int, Operand.REG, Kind.ANY]
TensorsIn = Annotated[tuple[int, ...], Operand.REGS, Kind.TENSOR]
Ins = Annotated[tuple[int, ...], Operand.REGS, Kind.ANY]
Int = Annotated[int, Operand.INT]
UInt = Annotated[int, Operand.UINT]
Jump = Annotated[int, Operand.JUMP]
ConstIndex = Annotated[int, Operand.CONST]
FunctionIndex = Annotated[int, Operand.FUNCTION]
KernelIndex = Annotated[int, Operand.KERNEL]
DType = Annotated[str, Operand.DTYPE]
Shape = Annotated[tuple[int, ...], Operand.SHAPE]
Device = Annotated[int, Operand.DEVICE]
Text = Annotated[str, Operand.TEXT]


@dataclass(frozen=True, slots=True)
class Instruction:
    """Base of all. One that `is_straight` neither jumps nor calls, and compiled regions may hold it."""

    opcode: ClassVar[int]
    is_straight: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Move(Instruction):
    """dst is what src is."""

    opcode = 0
    is_straight = True
    dst: New
    src: In


@dataclass(frozen=True, slots=True)
class Ret(Instruction):
    """Leave the function with src as its result."""

    opcode = 1
    src: In


@dataclass(frozen=True, slots=True)
class If(Instruction):
    """Jump by `then` where the scalars left and right are equal, else by `otherwise`."""

    opcode = 2
    left: TensorIn
    right: TensorIn
    then: Jump
    otherwise: Jump


@dataclass(frozen=True, slots=True)
class Goto(Instruction):
    """Jump."""

    opcode = 3
    to: Jump


@dataclass(frozen=True, slots=True)
class LoadConst(Instruction):
    """dst is a constant of the executable."""

    opcode = 4
    is_straight = True
    dst: NewTensor
    constant: ConstIndex


@dataclass(frozen=True, slots=True)
class LoadConsti(Instruction):
    """dst is a new int64 scalar on the host."""

    opcode = 5
    is_straight = True
    dst: NewTensor
    value: Int


@dataclass(frozen=True, slots=True)
class AllocStorage(Instruction):
    """dst is new memory of as many bytes as the int64 scalar size says."""

    opcode = 6
    is_straight = True
    dst: NewStorage
    size: TensorIn
    alignment: UInt
    device: Device


@dataclass(frozen=True, slots=True)
class AllocTensor(Instruction):
    """dst is a tensor of a known shape that lies in storage, offset (an int64 scalar) bytes from its begin."""

    opcode = 7
    is_straight = True
    dst: NewTensor
    storage: StorageIn
    offset: TensorIn
    shape: Shape
    dtype: DType


@dataclass(frozen=True, slots=True)
class AllocTensorReg(Instruction):
    """The same with the shape in a register, an int64 tensor of one dimension."""

    opcode = 8
    is_straight = True
    dst: NewTensor
    storage: StorageIn
    offset: TensorIn
    shape: TensorIn
    dtype: DType


@dataclass(frozen=True, slots=True)
class AllocADT(Instruction):
    """dst is a value of an algebraic data type: which constructor, and its fields. A tuple has tag 0."""

    opcode = 9
    dst: NewAdt
    tag: UInt
    fields: Ins


@dataclass(frozen=True, slots=True)
class AllocClosure(Instruction):
    """dst is a function with its first arguments."""

    opcode = 10
    dst: NewClosure
    function: FunctionIndex
    captured: Ins


@dataclass(frozen=True, slots=True)
class FreeStorage(Instruction):
    """The register is not read again; its memory goes back to the pool once no tensor lies in it."""

    opcode = 11
    is_straight = True
    src: StorageIn


@dataclass(frozen=True, slots=True)
class FreeTensor(Instruction):
    """The register is not read again."""

    opcode = 12
    is_straight = True
    src: In


@dataclass(frozen=True, slots=True)
class Invoke(Instruction):
    """dst is what a function returns. Followed by the Ret of dst it takes no room on the stack."""

    opcode = 13
    dst: New
    function: FunctionIndex
    args: Ins


@dataclass(frozen=True, slots=True)
class InvokeClosure(Instruction):
    """The same of a closure: its captured values stand before args."""

    opcode = 14
    dst: New
    closure: ClosureIn
    args: Ins


@dataclass(frozen=True, slots=True)
class InvokePacked(Instruction):
    """Run a kernel; it writes the last `outputs` of args in place."""

    opcode = 15
    is_straight = True
    kernel: KernelIndex
    outputs: UInt
    args: TensorsIn


@dataclass(frozen=True, slots=True)
class GetField(Instruction):
    """dst is a field of an algebraic data type's value, or of a tuple."""

    opcode = 16
    dst: New
    value: AdtIn
    index: UInt


@dataclass(frozen=True, slots=True)
class GetTag(Instruction):
    """dst is an int64 scalar: the constructor that made the value."""

    opcode = 17
    dst: NewTensor
    value: AdtIn


@dataclass(frozen=True, slots=True)
class DeviceCopy(Instruction):
    """dst is a copy of a tensor that lies on device `from_`, on device `to`."""

    opcode = 18
    dst: NewTensor
    src: TensorIn
    from_: Device
    to: Device


@dataclass(frozen=True, slots=True)
class ShapeOf(Instruction):
    """dst is the shape of a tensor on any device: an int64 tensor of one dimension on the host."""

    opcode = 19
    is_straight = True
    dst: NewTensor
    tensor: TensorIn


@dataclass(frozen=True, slots=True)
class ReshapeTensor(Instruction):
    """dst is the same memory under another shape (an int64 tensor), which may leave elements at the end unseen."""

    opcode = 20
    is_straight = True
    dst: NewTensor
    tensor: TensorIn
    shape: TensorIn


@dataclass(frozen=True, slots=True)
class AppendTensor(Instruction):
    """dst is a tensor with the rows of another behind its own along axis, before which all dimensions are 1. Where
    tensor is the last that was appended to in its storage, and that has room, the rows are written behind it; else both
    are copied to storage with room for more."""

    opcode = 22
    dst: NewTensor
    tensor: TensorIn
    rows: TensorIn
    axis: UInt
    dtype: DType


@dataclass(frozen=True, slots=True)
class Fatal(Instruction):
    """Stop with an error."""

    opcode = 21
    message: Text


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction of the table: its class, the operands in the order in which they are written, and what each
    register among them holds."""

    kind: type[Instruction]
    operands: tuple[tuple[str, Operand], ...]
    holds: Mapping[str, Kind]

    @property
    def name(self) -> str:
        return self.kind.__name__


def _row(kind: type[Instruction]) -> Row:
    hints = get_type_hints(kind, include_extras=True)
    said = {f.name: hints[f.name].__metadata__ for f in fields(kind)}
    holds = {name: metadata[1] for name, metadata in said.items() if len(metadata) > 1}
    return Row(kind, tuple((name, metadata[0]) for name, metadata in said.items()), holds)


KINDS: tuple[type[Instruction], ...] = (
    *(Move, Ret, If, Goto, LoadConst, LoadConsti, AllocStorage, AllocTensor, AllocTensorReg, AllocADT, AllocClosure),
    *(FreeStorage, FreeTensor, Invoke, InvokeClosure, InvokePacked, GetField, GetTag, DeviceCopy, ShapeOf),
    *(ReshapeTensor, Fatal, AppendTensor),
)  # by opcode
ROWS: tuple[Row, ...] = tuple(map(_row, KINDS))
BY_NAME = {row.name: row for row in ROWS}
DTYPES = dtypes.IN_EXECUTABLES  # in files by position; uint8 is packed constants
ITEMSIZE = dtypes.BYTES
MAX_RANK = 8
MAX_BYTES = 1 << 48  # of a storage and of a tensor
ALIGNMENT = 64  # of every storage, and the most that a program may ask for
HOST = 0


def operands(instruction: Instruction) -> list[tuple[str, Operand, AnyType]]:
    """Name, kind and value of every operand."""
    return [(name, kind, getattr(instruction, name)) for name, kind in ROWS[instruction.opcode].operands]


def _named(*kinds: Operand) -> tuple[tuple[str, ...], ...]:
    """For each opcode, the operands of some kinds: programs are long, and looked through often."""
    return tuple(tuple(name for name, kind in row.operands if kind in kinds) for row in ROWS)


_READ, _LISTS, _WRITTEN, _JUMPS = map(_named, (Operand.REG, Operand.REGS, Operand.DST, Operand.JUMP))
_ENDS = (Ret.opcode, Fatal.opcode)


def reads(instruction: Instruction) -> tuple[int, ...]:
    """The registers that an instruction reads."""
    found: tuple[int, ...] = tuple([getattr(instruction, name) for name in _READ[instruction.opcode]])
    for name in _LISTS[instruction.opcode]:
        found += getattr(instruction, name)
    return found


def writes(instruction: Instruction) -> int | None:
    """The register that an instruction writes, if any."""
    for name in _WRITTEN[instruction.opcode]:
        found: int = getattr(instruction, name)
        return found
    return None


def successors(instruction: Instruction, at: int) -> tuple[int, ...]:
    """Where execution may go on inside the function."""
    jumps = _JUMPS[instruction.opcode]
    if jumps:
        return tuple([at + getattr(instruction, name) for name in jumps])
    return () if instruction.opcode in _ENDS else (at + 1,)


def reference() -> str:
    """The table as a page of documentation."""
    lines = ["| opcode | instruction | operands | meaning |", "| --- | --- | --- | --- |"]
    for row in ROWS:
        words = ", ".join(f"{name}: {_in_words(row, name, kind)}" for name, kind in row.operands)
        meaning = " ".join((row.kind.__doc__ or "").split())
        lines.append(f"| {row.kind.opcode} | {row.name} | {words} | {meaning} |")
    return "\n".join(lines) + "\n"


def _in_words(row: Row, name: str, kind: Operand) -> str:
    held = row.holds.get(name, Kind.ANY)
    return kind.value if held is Kind.ANY else f"{kind.value} ({held.value})"
