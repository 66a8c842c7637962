"""Random programs of everything: functions that call each other, data types, closures, loops, branches, host functions.

Registers are used for what they may be as far as the verifier knows, so programs load; what they hold when they run is
often something else, so many end in an error, anywhere. What they mean is what the interpreter says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np
from hypothesis import strategies as st

from anytile.vm.executable import Executable
from anytile.vm.program import isa
from anytile.vm.program.executable import Constructor, DataPort, DataType, VMFunction, constant
from anytile.vm.program.isa import Instruction, Kind
from anytile.vm.values.values import Adt, Value, tensor_of
from tests.support.cases.vm_executables import ADD, ADD_INT, HOST, kernel, packed_kernel, tensor

ADD_INT_K, ADD_K, HOST_K = range(3)
KERNELS = (kernel(ADD_INT), kernel(ADD, ("a0_0",)), packed_kernel("twice"))
CONSTANTS = (constant(np.arange(3, dtype=np.float32)), constant(np.array(5, np.int64)))
TREE = DataType("Tree", (Constructor("Leaf", ()), Constructor("Node", (DataPort("Tree"), DataPort("Tree")))))
PARAMS = (3, 2, 1)  # of main and the others
MANY = 25  # fields, more than a cell has room for


def twice(inputs: Sequence[AnyType], outputs: Sequence[AnyType]) -> None:
    """The host function."""
    outputs[0][...] = 2 * inputs[0]


@dataclass
class Body:
    """A function being written. `kinds` are the registers that are written on every path to here."""

    draw: AnyType
    number: int
    code: list[Instruction] = field(default_factory=list)
    kinds: dict[int, Kind] = field(default_factory=dict)
    registers: int = 0

    def __post_init__(self) -> None:
        self.registers = PARAMS[self.number]
        self.kinds = dict.fromkeys(range(self.registers), Kind.ANY)

    def new(self, kind: Kind) -> int:
        """A register to write: a new one, or now and then one that holds something."""
        if self.kinds and self.draw(st.integers(0, 5)) == 0:
            r: int = self.draw(st.sampled_from(sorted(self.kinds)))
        else:
            r, self.registers = self.registers, self.registers + 1
        return r

    def put(self, instruction: Instruction, kind: Kind | None = None) -> int:
        self.code.append(instruction)
        made = isa.writes(instruction)
        if made is not None and kind is not None:
            self.kinds[made] = kind
        return -1 if made is None else made

    def some(self, kind: Kind) -> int:
        """A register that may hold a value of a kind."""
        fit = [r for r, k in sorted(self.kinds.items()) if Kind.ANY in (k, kind) or k is kind]
        sure = [r for r in fit if self.kinds[r] is kind]
        if sure and self.draw(st.integers(0, 3)):
            fit = sure
        return self.draw(st.sampled_from(fit)) if fit else self.make(kind)

    def make(self, kind: Kind) -> int:
        if kind is Kind.ADT:
            return self.put(isa.AllocADT(self.fresh(), 1, ()), kind)
        if kind is Kind.CLOSURE:
            return self.put(isa.AllocClosure(self.fresh(), 2, ()), kind)
        return self.number_of(7)

    def fresh(self) -> int:
        self.registers += 1
        return self.registers - 1

    def number_of(self, value: int) -> int:
        return self.put(isa.LoadConsti(self.fresh(), value), Kind.TENSOR)

    def result(self, nbytes: int, shape: tuple[int, ...], dtype: str) -> int:
        storage = self.put(isa.AllocStorage(self.fresh(), self.number_of(nbytes), 8, 0), Kind.STORAGE)
        return self.put(isa.AllocTensor(self.fresh(), storage, self.number_of(0), shape, dtype), Kind.TENSOR)

    # -- what programs are made of ---------------------------------------------------------------------------------

    def anything(self, depth: int) -> None:
        draw = self.draw
        simple = ("number", "constant", "make", "field", "field", "tag", "move", "free", "closure", "shape", "storage")
        deep = ("call", "enter", "on_tag", "if", "loop")
        kernels = ("add", "add", "add_float", "host", "reshape")
        what = draw(st.sampled_from((*simple, *kernels, *(deep if depth else ("call",)), "many", "fatal")))
        if what in ("many", "fatal") and draw(st.integers(0, 5)):
            what = "make"
        match what:
            case "number":
                self.put(isa.LoadConsti(self.new(Kind.TENSOR), draw(st.integers(-1, 3))), Kind.TENSOR)
            case "constant":
                self.put(isa.LoadConst(self.new(Kind.TENSOR), draw(st.integers(0, 1))), Kind.TENSOR)
            case "make" | "many":
                count = MANY if what == "many" else draw(st.integers(0, 3))
                fields = tuple(self.some(Kind.ANY) for _ in range(count))
                self.put(isa.AllocADT(self.new(Kind.ADT), draw(st.integers(0, 2)), fields), Kind.ADT)
            case "field":
                value = self.some(Kind.ADT)
                self.put(isa.GetField(self.new(Kind.ANY), value, draw(st.sampled_from((0, 0, 0, 1, 2)))), Kind.ANY)
            case "tag":
                value = self.some(Kind.ADT)
                self.put(isa.GetTag(self.new(Kind.TENSOR), value), Kind.TENSOR)
            case "move":
                src = self.some(Kind.ANY)
                self.put(isa.Move(self.new(self.kinds[src]), src), self.kinds[src])
            case "free":
                if len(self.kinds) > 2:
                    r = self.some(Kind.TENSOR)
                    self.put(isa.FreeTensor(r))
                    del self.kinds[r]
            case "closure":
                callee = draw(st.integers(1, 2))
                captured = tuple(self.some(Kind.ANY) for _ in range(draw(st.integers(0, PARAMS[callee]))))
                self.put(isa.AllocClosure(self.new(Kind.CLOSURE), callee, captured), Kind.CLOSURE)
            case "shape":
                self.put(isa.ShapeOf(self.new(Kind.TENSOR), self.some(Kind.TENSOR)), Kind.TENSOR)
            case "storage":
                self.result(8, (), "int64")  # a storage for others to hold; its tensor is written at once
                zero = self.number_of(0)
                self.put(isa.InvokePacked(ADD_INT_K, 1, (zero, zero, self.registers - 2)))
            case "reshape":
                t = self.some(Kind.TENSOR)
                shape = self.put(isa.ShapeOf(self.fresh(), self.some(Kind.TENSOR)), Kind.TENSOR)
                self.put(isa.ReshapeTensor(self.new(Kind.TENSOR), t, shape), Kind.TENSOR)
            case "add":
                a, b, r = self.some(Kind.TENSOR), self.some(Kind.TENSOR), self.result(8, (), "int64")
                self.put(isa.InvokePacked(ADD_INT_K, 1, (a, b, r)))
            case "add_float":
                a, b, r = self.some(Kind.TENSOR), self.some(Kind.TENSOR), self.result(12, (3,), "float32")
                self.put(isa.InvokePacked(ADD_K, 1, (a, b, r)))
            case "host":
                a, r = self.some(Kind.TENSOR), self.result(8, (), "int64")
                self.put(isa.InvokePacked(HOST_K, 1, (a, r)))
            case "call":
                callee = draw(st.integers(1, 2))
                args = tuple(self.some(Kind.ANY) for _ in range(PARAMS[callee]))
                self.put(isa.Invoke(self.new(Kind.ANY), callee, args), Kind.ANY)
            case "enter":
                closure = self.some(Kind.CLOSURE)
                args = tuple(self.some(Kind.ANY) for _ in range(draw(st.integers(0, 2))))
                self.put(isa.InvokeClosure(self.new(Kind.ANY), closure, args), Kind.ANY)
            case "on_tag":
                value, number = self.some(Kind.ADT), self.number_of(draw(st.integers(0, 1)))
                tag = self.put(isa.GetTag(self.fresh(), value), Kind.TENSOR)
                self.branch(tag, number, depth)
            case "if":
                self.branch(self.some(Kind.TENSOR), self.some(Kind.TENSOR), depth)
            case "loop":
                self.loop(depth)
            case _:
                self.put(isa.Fatal("enough"))

    def several(self, depth: int) -> None:
        for _ in range(self.draw(st.integers(0, 4))):
            self.anything(depth)

    def branch(self, left: int, right: int, depth: int) -> None:
        """Two ways that meet again."""
        at, before = len(self.code), dict(self.kinds)
        self.code.append(isa.Fatal("to be an If"))
        self.several(depth - 1)
        left_kinds, goto = self.kinds, len(self.code)
        self.code.append(isa.Fatal("to be a Goto"))
        self.kinds = dict(before)
        self.several(depth - 1)
        self.code[at] = isa.If(left, right, 1, goto + 1 - at)
        self.code[goto] = isa.Goto(len(self.code) - goto)
        self.meet(left_kinds)

    def loop(self, depth: int) -> None:
        """Three times the same code over a number that counts."""
        one, end = self.number_of(1), self.number_of(3)
        counter, steady = self.number_of(0), dict(self.kinds)
        begin = len(self.code)
        self.kinds = dict.fromkeys(steady, Kind.ANY) | {one: Kind.TENSOR, end: Kind.TENSOR, counter: Kind.TENSOR}
        r = self.result(8, (), "int64")
        self.put(isa.InvokePacked(ADD_INT_K, 1, (counter, one, r)))
        hidden = {r: self.kinds.pop(r) for r in (one, end, counter, r)}  # nobody else writes these
        self.several(depth - 1)
        self.kinds |= hidden
        self.put(isa.Move(counter, r))
        at = len(self.code)
        self.code.append(isa.If(counter, end, 1, begin - at))

    def meet(self, other: dict[int, Kind]) -> None:
        kept = {r: k for r, k in self.kinds.items() if r in other}
        self.kinds = {r: k if other[r] is k else Kind.ANY for r, k in kept.items()}

    def function(self) -> VMFunction:
        self.several(2)
        self.several(2)
        if self.number < 2 and self.draw(st.booleans()):  # as its last call one that takes no stack
            args = tuple(self.some(Kind.ANY) for _ in range(PARAMS[2]))
            self.put(isa.Invoke(self.fresh(), 2, args), Kind.ANY)
            self.put(isa.Ret(self.registers - 1))
        else:
            r = self.put(isa.Move(self.fresh(), self.some(Kind.ANY)))
            self.put(isa.Ret(r))
        params = (Kind.ANY,) * PARAMS[self.number]
        return VMFunction(
            f"f{self.number}" if self.number else "main", params, Kind.ANY, self.registers, tuple(self.code)
        )


def tree(draw: AnyType, depth: int) -> Adt:
    if depth == 0 or draw(st.booleans()):
        return Adt(0, ())
    return Adt(1, (tree(draw, depth - 1), tree(draw, depth - 1)))


@st.composite
def tangles(draw: st.DrawFn) -> tuple[Executable, list[Value]]:
    """An executable that perhaps the verifier refuses, and main's arguments."""
    functions = tuple(Body(draw, i).function() for i in range(len(PARAMS)))
    inputs = (("n", tensor((), "int64")), ("x", tensor((3,))), ("tree", DataPort("Tree")))
    exe = Executable(str(HOST), functions, CONSTANTS, KERNELS, inputs, tensor((), "int64"), (TREE,))
    x = np.arange(3, dtype=np.float32) + draw(st.integers(0, 2))
    return exe, [tensor_of(np.array(draw(st.integers(0, 3)), np.int64)), tensor_of(x), tree(draw, 3)]
