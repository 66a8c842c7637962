"""Shape program at one place of a block: what it reads, what it makes, and the steps that run it.

Passes take it apart, change it, and write it again; it stands in the module as a `vm.invoke_shape` and the room for its
numbers. One that computes very much is several, as the machine makes code of each, up to some length.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir.nodes import Call, Constant, Var, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.ir.types import UNIT, StorageType
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Index
from anytile.vm.program.shape_programs import Check, ShapeProgram, argument, joint_weight, program

_BYTES = 8
_MOST = 1 << 11  # atoms and terms that one program computes, where it makes several tensors


@functools.lru_cache(4096)
def number(value: int) -> Constant:
    """A whole number; one constant for each."""
    if not -(1 << 63) <= value < 1 << 63:
        raise SpecError(f"the tensors of a model take {value} bytes together; expected what 64 bits hold")
    return Constant(np.asarray(value, np.int64))


@functools.lru_cache(4096)
def numbers(*values: int) -> Constant:
    """A shape; one constant for each."""
    return Constant(np.asarray(values, np.int64))


@dataclass
class SizeProgram:
    """`pieces` are the tensors it writes, each with its elements as expressions of the elements of `args`."""

    args: list[Var] = field(default_factory=list)
    pieces: dict[Var, tuple[Index, ...]] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    @classmethod
    def of(cls, call: Call) -> SizeProgram:
        """The program that a `vm.invoke_shape` runs."""
        read = ShapeProgram.parse(str(call.attr("program")))
        args = [a for a in dialect.inputs_of(call) if isinstance(a, Var)]
        outputs = [o for o in dialect.outputs_of(call) if isinstance(o, Var)]
        return cls(args, dict(zip(outputs, read.results, strict=True)), list(read.checks))

    def element(self, shape: Var, element: int) -> Index:
        """An element of an int64 tensor, which becomes an argument."""
        if shape not in self.args:
            self.args.append(shape)
        return argument(self.args.index(shape), element)

    def steps(self) -> list[Binding]:
        """Room for the numbers, and the call; nothing where there is nothing to compute or check."""
        if not self.pieces and not self.checks:
            return []
        made: list[Binding] = []
        storage, at = Var("sizes", StorageType()), 0
        if self.pieces:
            total = number(_BYTES * sum(map(len, self.pieces.values())))
            made.append((storage, dialect.alloc_storage(total)))
        for piece, dims in self.pieces.items():
            shape = numbers(*(n for n in tensor_of(piece).shape if isinstance(n, int)))
            made.append((piece, dialect.alloc_tensor(storage, number(at), shape, "int64")))
            at += _BYTES * len(dims)
        reads, checks = [_count(a) for a in self.args], self.checks
        for outputs in self._at_once():
            text = program(reads, [self.pieces[o] for o in outputs], checks).text()
            args = (*self.args, *outputs)
            made.append((Var("_", UNIT), dialect.make(dialect.INVOKE_SHAPE, *args, outputs=len(outputs), program=text)))
            checks = []
        return made

    def _at_once(self) -> list[list[Var]]:
        """The tensors in groups, each of which takes no more than one program has room for."""
        groups: list[list[Var]] = [[]]
        left = _MOST
        for piece, dims in self.pieces.items():
            takes = joint_weight(dims)
            if takes > left and groups[-1]:
                groups.append([])
                left = _MOST
            groups[-1].append(piece)
            left -= takes
        return groups


def _count(tensor: Var) -> int | None:
    """How many numbers there are in a tensor of at most one dimension."""
    kind = tensor_of(tensor)
    size = kind.shape[0] if kind.rank else 1
    return size if isinstance(size, int) else None
