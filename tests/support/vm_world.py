"""Programs of the machine to run: kernels built from workloads, functions from assembly, executables around them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any as AnyType

from anytile.codegen.cache import CodeCache
from anytile.dispatch.build import compile_plan, single_plan
from anytile.schedules.target import Target
from anytile.schedules.template import templates_for
from anytile.schedules.workload import Workload
from anytile.vm.assembly import assemble
from anytile.vm.executable import Constant, DataType, Executable, KernelEntry, Port, TensorPort, TuplePort
from anytile.vm.shapes import ShapeProgram

HOST = Target.host(threads=1)


@functools.cache
def kernel(workload: str, dims: tuple[str, ...] = (), device: int = 0) -> KernelEntry:
    """An entry whose code is the default config's."""
    w = Workload.parse(workload)
    template = templates_for(w, HOST)[0]
    plan = single_plan(w, HOST, template.name, template.default(w, HOST), classes=0)
    return KernelEntry(
        f"{w.op}", "kernel", str(w), plan.to_json(), dims, compile_plan(plan, cache=CodeCache()), device
    )


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
