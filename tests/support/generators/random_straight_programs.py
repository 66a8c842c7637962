"""Random straight programs over float tensors of two dimensions, with what they mean in numpy, to run in every way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any as AnyType

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.vm.executable import Executable
from anytile.vm.program import isa
from anytile.vm.program.executable import TensorPort, TuplePort, VMFunction
from anytile.vm.program.isa import Instruction, Kind
from anytile.vm.program.shape_programs import argument, program
from tests.support.cases.vm_executables import ADD, EXP, HOST, kernel, shape_kernel

Array = NDArray[AnyType]
TANH = "elementwise(d0=?n, rank=1, f=tanh(a[d0]))"
FLAT = ("a0_0*a0_1",)
# Kernels by number; every tensor has two dimensions, the kernels see one.
KERNELS = (kernel(ADD, FLAT), kernel(EXP, FLAT), kernel(TANH, FLAT))
ADD_K, EXP_K, TANH_K, BYTES_K, SWAP_K = range(5)
BYTES = shape_kernel(program((2,), [(argument(0, 0) * argument(0, 1) * 4,)]), "bytes")
SWAP = shape_kernel(program((2,), [(argument(0, 1), argument(0, 0))]), "swap")
INPUTS = 2


@dataclass
class Builder:
    """Writes a program and computes what it should give."""

    x: list[Array]
    code: list[Instruction] = field(default_factory=list)
    registers: int = INPUTS
    tensors: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tensors = dict(enumerate(self.x))

    def new(self) -> int:
        self.registers += 1
        return self.registers - 1

    def put(self, instruction: Instruction) -> None:
        self.code.append(instruction)

    def number(self, value: int) -> int:
        r = self.new()
        self.put(isa.LoadConsti(r, value))
        return r

    def ints(self, count: int) -> int:
        """A tensor for a shape kernel to fill."""
        storage, r = self.new(), self.new()
        self.put(isa.AllocStorage(storage, self.number(8 * count), 8, 0))
        self.put(isa.AllocTensor(r, storage, self.number(0), (count,), "int64"))
        return r

    def like(self, t: int) -> int:
        """A new tensor of another's shape."""
        shape, nbytes, storage, r = self.new(), self.ints(1), self.new(), self.new()
        self.put(isa.ShapeOf(shape, t))
        self.put(isa.InvokePacked(BYTES_K, 1, (shape, nbytes)))
        self.put(isa.AllocStorage(storage, nbytes, 64, 0))
        self.put(isa.AllocTensorReg(r, storage, self.number(0), shape, "float32"))
        return r

    def unary(self, which: int, t: int) -> int:
        r = self.like(t)
        self.put(isa.InvokePacked(which, 1, (t, r)))
        self.tensors[r] = (np.exp if which == EXP_K else np.tanh)(self.tensors[t])
        return r

    def add(self, a: int, b: int) -> int:
        r = self.like(a)
        self.put(isa.InvokePacked(ADD_K, 1, (a, b, r)))
        self.tensors[r] = self.tensors[a] + self.tensors[b]
        return r

    def swapped(self, t: int) -> int:
        """The same elements under the two sizes the other way round."""
        shape, other, r = self.new(), self.ints(2), self.new()
        self.put(isa.ShapeOf(shape, t))
        self.put(isa.InvokePacked(SWAP_K, 1, (shape, other)))
        self.put(isa.ReshapeTensor(r, t, other))
        self.tensors[r] = self.tensors[t].reshape(self.tensors[t].shape[::-1])
        return r

    def move(self, t: int) -> int:
        r = self.new()
        self.put(isa.Move(r, t))
        self.tensors[r] = self.tensors[t]
        return r

    def choice(self, t: int) -> None:
        """A branch that is always taken, over an error."""
        self.put(isa.If(self.number(3), self.number(3), 2, 1))
        self.put(isa.Fatal("not reached"))


def executable_of(b: Builder, result: tuple[int, ...]) -> Executable:
    r = b.new()
    b.put(isa.AllocADT(r, 0, result))
    b.put(isa.Ret(r))
    port = TensorPort((None, None), "float32")
    main = VMFunction("main", (Kind.TENSOR,) * INPUTS, Kind.ADT, b.registers, tuple(b.code))
    inputs = tuple((f"x{i}", port) for i in range(INPUTS))
    return Executable(str(HOST), (main,), (), (*KERNELS, BYTES, SWAP), inputs, TuplePort((port,) * len(result)))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Executable, list[Array], list[Array]]:
    """An executable, its inputs and its results."""
    n, m = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    b = Builder([rng.standard_normal((n, m), dtype=np.float32) * 0.3 for _ in range(INPUTS)])
    for _ in range(draw(st.integers(1, 12))):
        what = draw(st.sampled_from(("exp", "tanh", "add", "swap", "move", "choice")))
        t = draw(st.sampled_from(sorted(b.tensors)))
        match what:
            case "exp":
                b.unary(TANH_K, b.unary(EXP_K, t))
            case "tanh":
                b.unary(TANH_K, t)
            case "add":
                others = [o for o in sorted(b.tensors) if b.tensors[o].shape == b.tensors[t].shape]
                b.add(t, draw(st.sampled_from(others)))
            case "swap":
                b.swapped(t)
            case "move":
                b.move(t)
            case _:
                b.choice(t)
    result = tuple(draw(st.lists(st.sampled_from(sorted(b.tensors)), min_size=1, max_size=4)))
    wanted = [b.tensors[r] for r in result]
    return executable_of(b, result), b.x, wanted
