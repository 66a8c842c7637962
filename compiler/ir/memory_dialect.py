"""The memory dialect: what operator calls become when memory is explicit. One table, for verifier and lowering.

    memory.alloc_storage(size) [alignment, device]          bytes; size is an int64 scalar
    memory.alloc_tensor(storage, offset, shape) [dtype]     a tensor in storage; shape is an int64 vector
    memory.part(x, storage, offset, shape) [dtype]          some of a tensor x in storage, where it lies
    memory.kill(x)                                          x is not read again
    vm.shape_of(x)                                          int64, one dimension, on the host
    vm.reshape_tensor(x, shape)                             the same memory
    vm.append_tensor(x, rows) [axis, dtype]                 where x lies, if there is room behind it that nobody has
    vm.invoke_mut(function, inputs..., outputs...) [outputs]      a primitive function writes its outputs in place
    vm.invoke_shape(inputs..., outputs...) [outputs, program]     int64 in, int64 out: a `vm.shapes` program
    vm.invoke_packed(inputs..., outputs...) [outputs, call]       a function of the host
    device_copy(x) [from, to]

Invariant: what has no result gives the empty tuple; everything else gives one value.
"""

from __future__ import annotations

from dataclasses import dataclass

from anytile.compiler.ir.nodes import Attrs, AttrValue, Call, Expr, OperatorRef, operator_of


@dataclass(frozen=True, slots=True)
class Row:
    """One operation: how many arguments (None: any number), its attributes, whether it makes something."""

    name: str
    arity: int | None
    attributes: tuple[str, ...]
    makes: str  # storage, tensor, or nothing


ALLOC_STORAGE, ALLOC_TENSOR, PART, KILL = "memory.alloc_storage", "memory.alloc_tensor", "memory.part", "memory.kill"
SHAPE_OF, RESHAPE, APPEND, INVOKE_MUT = "vm.shape_of", "vm.reshape_tensor", "vm.append_tensor", "vm.invoke_mut"
INVOKE_SHAPE, INVOKE_PACKED, DEVICE_COPY = "vm.invoke_shape", "vm.invoke_packed", "device_copy"
HOST = 0  # the device that is always there
ALIGNMENT = 64  # of storage, in bytes

ROWS = {
    row.name: row
    for row in (
        Row(ALLOC_STORAGE, 1, ("alignment", "device"), "storage"),
        Row(ALLOC_TENSOR, 3, ("dtype",), "tensor"),
        Row(PART, 4, ("dtype",), "tensor"),
        Row(KILL, 1, (), "nothing"),
        Row(SHAPE_OF, 1, (), "tensor"),
        Row(RESHAPE, 2, (), "tensor"),
        Row(APPEND, 2, ("axis", "dtype"), "tensor"),
        Row(INVOKE_MUT, None, ("outputs",), "nothing"),
        Row(INVOKE_SHAPE, None, ("outputs", "program"), "nothing"),
        Row(INVOKE_PACKED, None, ("call", "outputs"), "nothing"),
        Row(DEVICE_COPY, 1, ("from", "to"), "tensor"),
    )
}


def name_of(e: Expr) -> str:
    """The operation of the dialect that a step is, or an empty text."""
    return name if (name := operator_of(e)) in ROWS else ""


def make(name: str, *args: Expr, where: str = "", **attrs: AttrValue) -> Call:
    given: Attrs = tuple(sorted(attrs.items()))
    assert tuple(key for key, _ in given) == ROWS[name].attributes
    return Call(OperatorRef(name), args, given, where)


def alloc_storage(size: Expr, where: str = "", device: int = HOST) -> Call:
    return make(ALLOC_STORAGE, size, where=where, alignment=ALIGNMENT, device=device)


def alloc_tensor(storage: Expr, offset: Expr, shape: Expr, dtype: str, where: str = "") -> Call:
    return make(ALLOC_TENSOR, storage, offset, shape, where=where, dtype=dtype)


def outputs_of(call: Call) -> tuple[Expr, ...]:
    """What an invocation writes."""
    count = call.attr("outputs", 0)
    assert isinstance(count, int)
    return call.args[len(call.args) - count :]


def inputs_of(call: Call) -> tuple[Expr, ...]:
    """What an invocation reads, without the function that is invoked."""
    count = call.attr("outputs", 0)
    assert isinstance(count, int)
    return call.args[int(name_of(call) == INVOKE_MUT) : len(call.args) - count]
