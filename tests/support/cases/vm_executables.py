"""Programs of the machine to run: kernels built from workloads, functions from assembly, executables around them."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any as AnyType

import numpy as np

from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.interpreter.constants import bound_constant
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS
from anytile.vm.interpreter.kernels import bind
from anytile.vm.interpreter.steps import Program
from anytile.vm.program.assembly import assemble
from anytile.vm.program.executable import (
    Constant,
    Constructor,
    DataPort,
    DataType,
    KernelEntry,
    PackedFor,
    Port,
    TensorPort,
    TuplePort,
    VMFunction,
    constant,
)
from anytile.vm.program.liveness import Flow, flow_of
from anytile.vm.program.shape_programs import Check, ShapeProgram, argument, program
from anytile.vm.storage.link import linked

HOST = Target.host(threads=1)


@functools.cache
def kernel(workload: str, dims: tuple[str, ...] = (), device: int = 0) -> KernelEntry:
    """An entry whose code is the default config's; from no cache, for tests make some while they are imported."""
    w = Workload.parse(workload)
    template = templates_for(w, HOST)[0]
    plan = single_plan(w, HOST, template.name, template.default(w, HOST), classes=0)
    return KernelEntry(f"{w.op}", "kernel", str(w), plan.to_json(), dims, compile_plan(plan), device)


def straight(
    body: str, kinds: Sequence[type], params: str, registers: int = 20, devices: tuple[str, ...] = ("host", "cuda")
) -> tuple[VMFunction, Program, Flow]:
    """A function from assembly, and a program whose kernels are of these kinds and do nothing: to be analysed."""
    (function,) = assemble(f"function main({params}) -> any, registers {registers}:\n{body}")
    kernels: list[AnyType] = [object.__new__(kind) for kind in kinds]
    program = Program(SimpleNamespace(devices=devices), tuple(kernels), ())  # type: ignore[arg-type]
    return function, program, flow_of(function.code)


def bound(exe: Executable) -> Program:
    """An executable with its kernels loaded and its constants as they read them."""
    exe = linked(exe)
    kernels = tuple(bind(k, HOST_FUNCTIONS, {}) for k in exe.kernels)
    return Program(exe, kernels, tuple(bound_constant(c, kernels, {}) for c in exe.constants))


def shape_kernel(program: ShapeProgram, name: str = "shape") -> KernelEntry:
    return KernelEntry(name, "shape", program.text())


def packed_kernel(call: str) -> KernelEntry:
    return KernelEntry(call.partition(" ")[0], "packed", call)


def executable(
    text: str,
    kernels: Sequence[KernelEntry] = (),
    inputs: Sequence[tuple[str, Port]] = (),
    output: Port | None = None,
    constants: Sequence[Constant] = (),
    data: Sequence[DataType] = (),
    **more: AnyType,
) -> Executable:
    return Executable(
        str(HOST),
        assemble(text),
        tuple(constants),
        tuple(kernels),
        tuple(inputs),
        tensor(()) if output is None else output,
        tuple(data),
        **more,
    )


def tensor(shape: Sequence[int | str | None], dtype: str = "float32") -> TensorPort:
    return TensorPort(tuple(shape), dtype)


def tuple_of(*fields: Port) -> TuplePort:
    return TuplePort(fields)


LESS = "elementwise(d0=1, rank=1, f=a[d0] < b[d0], types=a:int64+b:int64)"
ADD_INT = "elementwise(d0=1, rank=1, f=a[d0] + b[d0], types=a:int64+b:int64)"
EXP = "elementwise(d0=?n, rank=1, f=exp(a[d0]))"
ADD = "elementwise(d0=?n, rank=1, f=a[d0] + b[d0])"

# sum(i, n, total): total + (i + i+1 + ... n-1), as a loop of tail calls; every value is an int64 scalar.
LOOP = """
function main(tensor) -> tensor, registers 4:
  LoadConsti r1, 0
  LoadConsti r2, 0
  Invoke r3, @loop, [r1, r0, r2]
  Ret r3

function loop(tensor, tensor, tensor) -> tensor, registers 12:
  LoadConsti r3, 1
  LoadConsti r4, 0
  LoadConsti r5, 8
  AllocStorage r6, r3, 1, d0
  AllocTensor r7, r6, r4, [], bool
  InvokePacked k0, 1, [r0, r1, r7]
  If r7, r3, more, done
more:
  AllocStorage r8, r5, 8, d0
  AllocTensor r9, r8, r4, [], int64
  InvokePacked k1, 1, [r2, r0, r9]
  AllocStorage r10, r5, 8, d0
  AllocTensor r11, r10, r4, [], int64
  InvokePacked k1, 1, [r0, r3, r11]
  Invoke r6, @loop, [r11, r1, r9]
  Ret r6
done:
  Ret r2
"""


def loop() -> Executable:
    n = tensor((), "int64")
    return executable(LOOP, [kernel(LESS), kernel(ADD_INT)], [("n", n)], n)


# count(n): 1 + count(n - 1), 0 at 0: as deep as n, and not by tail calls.
COUNT = """
function main(tensor) -> tensor, registers 9:
  LoadConsti r1, 0
  If r0, r1, end, more
end:
  Ret r0
more:
  LoadConsti r2, -1
  LoadConsti r3, 8
  AllocStorage r4, r3, 8, d0
  AllocTensor r5, r4, r1, [], int64
  InvokePacked k0, 1, [r0, r2, r5]
  Invoke r6, @main, [r5]
  LoadConsti r2, 1
  AllocStorage r7, r3, 8, d0
  AllocTensor r8, r7, r1, [], int64
  InvokePacked k0, 1, [r6, r2, r8]
  Ret r8
"""


def count() -> Executable:
    n = tensor((), "int64")
    return executable(COUNT, [kernel(ADD_INT)], [("n", n)], n)


# sum(list): a list of scalars, added up from its end; Nil has tag 0, Cons tag 1.
SUM = """
function main(adt) -> tensor, registers 8:
  GetTag r1, r0
  LoadConsti r2, 0
  If r1, r2, nil, cons
nil:
  LoadConst r3, c0
  Ret r3
cons:
  GetField r3, r0, 0
  GetField r4, r0, 1
  Invoke r5, @main, [r4]
  LoadConsti r6, 4
  AllocStorage r6, r6, 4, d0
  AllocTensor r7, r6, r2, [1], float32
  InvokePacked k0, 1, [r3, r5, r7]
  Ret r7
"""

LIST = DataType("List", (Constructor("Nil", ()), Constructor("Cons", (TensorPort((1,), "float32"), DataPort("List")))))


def list_sum() -> Executable:
    zero = constant(np.zeros(1, np.float32), "zero")
    return executable(SUM, [kernel(ADD, ("a0_0",))], [("list", DataPort("List"))], tensor((1,)), [zero], [LIST])


# apply twice a closure that adds its captured value.
CLOSURE = """
function main(tensor, tensor) -> tensor, registers 5:
  AllocClosure r2, @adder, [r1]
  InvokeClosure r3, r2, [r0]
  InvokeClosure r4, r2, [r3]
  Ret r4

function adder(tensor, tensor) -> tensor, registers 6:
  LoadConsti r2, 12
  LoadConsti r3, 0
  AllocStorage r4, r2, 4, d0
  AllocTensor r5, r4, r3, [3], float32
  InvokePacked k0, 1, [r1, r0, r5]
  Ret r5
"""


def closure() -> Executable:
    three = tensor((3,))
    return executable(CLOSURE, [kernel(ADD, ("a0_0",))], [("x", three), ("y", three)], three)


# unique(x): a function of the host, into an output as large as it could be, with a kernel of sizes before it.
UNIQUE = """
function main(tensor) -> tensor, registers 13:
  ShapeOf r1, r0
  LoadConsti r2, 8
  LoadConsti r3, 0
  AllocStorage r4, r2, 8, d0
  AllocTensor r5, r4, r3, [1], int64
  InvokePacked k1, 1, [r1, r5]
  AllocStorage r6, r5, 8, d0
  AllocTensorReg r7, r6, r3, r1, int64
  AllocStorage r8, r2, 8, d0
  AllocTensor r9, r8, r3, [1], int64
  InvokePacked k2, 1, [r0, r0, r7]
  AllocStorage r11, r5, 8, d0
  AllocTensorReg r12, r11, r3, r1, int64
  InvokePacked k0, 2, [r7, r12, r9]
  ReshapeTensor r10, r12, r9
  Ret r10
"""
ADD_INTS = "elementwise(d0=?n, rank=1, f=a[d0] + b[d0], types=a:int64+b:int64)"


def unique() -> Executable:
    """The different elements of twice the numbers."""
    kernels = [
        packed_kernel("unique"),
        shape_kernel(program((1,), [(argument(0, 0) * 8,)])),
        kernel(ADD_INTS, ("a0_0",)),
    ]
    return executable(UNIQUE, kernels, [("x", tensor(("n",), "int64"))], tensor((None,), "int64"))


# y = gelu(x @ w.T + b) @ v.T over a symbolic number of tokens, the weights packed constants.
MLP = """
function main(tensor) -> tensor, registers 20:
  ShapeOf r1, r0
  LoadConsti r2, 16
  LoadConsti r3, 0
  AllocStorage r4, r2, 8, d0
  AllocTensor r5, r4, r3, [2], int64
  AllocStorage r6, r2, 8, d0
  AllocTensor r7, r6, r3, [2], int64
  LoadConsti r8, 8
  AllocStorage r9, r8, 8, d0
  AllocTensor r10, r9, r3, [], int64
  AllocStorage r11, r8, 8, d0
  AllocTensor r12, r11, r3, [], int64
  InvokePacked k2, 4, [r1, r5, r7, r10, r12]
  AllocStorage r13, r10, 64, d0
  AllocTensorReg r14, r13, r3, r5, float32
  LoadConst r15, c0
  LoadConst r16, c1
  InvokePacked k0, 1, [r0, r15, r16, r14]
  FreeTensor r0
  AllocStorage r17, r12, 64, d0
  AllocTensorReg r18, r17, r3, r7, float32
  LoadConst r19, c2
  InvokePacked k1, 1, [r14, r19, r18]
  Ret r18
"""


def mlp(k: int = 24, h: int = 40, n: int = 8, seed: int = 0) -> tuple[Executable, dict[str, AnyType]]:
    """The executable, and its weights by name."""
    rng = np.random.default_rng(seed)
    w, b, v = (rng.standard_normal(s, dtype=np.float32) for s in ((h, k), (h,), (n, h)))
    m = argument(0, 0)
    given = (m, argument(0, 1)), (const(h), const(k))
    check = Check(argument(0, 1), "==", const(k), "dense at mlp.0", given)
    shapes = program((2,), [(m, h), (m, n), (m * 4 * h,), (m * 4 * n,)], [check])
    kernels = [
        kernel(f"dense(m=?m, n={h}, k={k}, const=bias+w, tail=gelu(y + bias[n]))", ("a0_0",)),
        kernel(f"dense(m=?m, n={n}, k={h}, const=w)", ("a0_0",)),
        shape_kernel(shapes),
    ]
    constants = [
        constant(w, "w", PackedFor(0, "w")),
        constant(b, "b", PackedFor(0, "bias")),
        constant(v, "v", PackedFor(1, "w")),
    ]
    made = executable(MLP, kernels, [("x", tensor(("m", None)))], tensor(("m", n)), constants)
    return made, {"w": w, "b": b, "v": v}


def mlp_in_numpy(x: AnyType, weights: dict[str, AnyType]) -> AnyType:
    h = x.astype(np.float64) @ weights["w"].T + weights["b"]
    h = 0.5 * h * (1 + np.vectorize(math.erf)(h / math.sqrt(2))) if h.size else h
    return h @ weights["v"].T
