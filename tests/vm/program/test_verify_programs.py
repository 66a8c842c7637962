"""The verifier: sound programs pass, and each rule refuses the program that breaks it, in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from anytile.core.errors import ArgumentError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.interpreter.loop import steps_of
from anytile.vm.interpreter.steps import Program
from anytile.vm.program import isa
from anytile.vm.program.executable import (
    Constructor,
    DataType,
    KernelEntry,
    Port,
    TensorPort,
    TuplePort,
    VMFunction,
    constant,
)
from anytile.vm.program.isa import Kind
from anytile.vm.program.liveness import CARRIED, flow_of
from anytile.vm.program.shape_programs import argument, program
from anytile.vm.program.verify import INSTRUCTIONS, NESTED, REGISTERS_EACH, REGISTERS_FREE, verified, verify
from anytile.vm.session import Session
from tests.support.cases.vm_executables import (
    ADD_INT,
    EXP,
    HOST,
    LESS,
    count,
    executable,
    kernel,
    loop,
    packed_kernel,
    shape_kernel,
    tensor,
)
from tests.support.generators.random_straight_programs import programs
from tests.support.processor_time import cpu_time, more_memory

KERNELS = [
    kernel(LESS),
    kernel(EXP, ("a0_0",)),
    shape_kernel(program((1,), [(argument(0, 0),)])),
    packed_kernel("unique"),
]


def main(body: str, params: str = "tensor", result: str = "any", registers: int = 6) -> Executable:
    inputs = [(f"x{i}", tensor((None,))) for i, _ in enumerate(params.split(","))]
    return executable(f"function main({params}) -> {result}, registers {registers}:\n{body}", KERNELS, inputs)


@pytest.mark.parametrize("made", [loop, count])
def test_programs_by_hand_are_sound(made: object) -> None:
    verify(made())  # type: ignore[operator]


def test_what_was_found_sound_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what has another function, constant, kernel, input, result, data type or device is, with all of it."""
    sound = verified(main("Ret r0"))
    assert type(sound) is Executable
    assert sound == main("Ret r0")
    broken = main("Ret r1")
    assert broken.sound is None
    changed = [
        replace(sound, functions=broken.functions),
        replace(sound, constants=(replace(constant(np.zeros(3)), device=1),)),
        replace(sound, kernels=(*sound.kernels[:-1], replace(sound.kernels[-1], device=1))),
        replace(sound, inputs=()),
        replace(sound, devices=()),
    ]
    for exe in changed:
        with pytest.raises(SpecError):
            verify(exe)
    monkeypatch.setattr("anytile.vm.program.verify._Function", None)
    verify(sound)
    verify(replace(sound, target="llvm", kernels=tuple(replace(k, plan="another") for k in sound.kernels)))
    with pytest.raises(TypeError):
        verify(main("Ret r0"))


@pytest.mark.sampled(0)
@given(programs())
def test_generated_programs_are_sound(made: object) -> None:
    verify(made[0])  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("Ret r9", "register 9 of 6"),
        ("Ret r1", "not written"),
        ("Goto over\nover:\nMove r1, r0", "runs out"),
        ("If r0, r0, a, b\na:\nMove r1, r0\nb:\nRet r1", "not written on every path"),
        ("FreeTensor r0\nRet r0", "not written"),
        ("LoadConst r1, c0\nRet r1", "constant 0 of 0"),
        ("AllocStorage r1, r0, 3, d0\nRet r0", "alignment"),
        ("AllocStorage r1, r0, 128, d0\nRet r0", "alignment"),
        ("AllocStorage r1, r0, 8, d1\nRet r0", "device 1 of 1"),
        ("AllocTensor r1, r0, r0, [], int64\nRet r1", "expected a storage, got a tensor"),
        ("GetField r1, r0, 0\nRet r1", "expected a adt, got a tensor"),
        ("AllocADT r1, 0, []\nInvokePacked k0, 1, [r0, r0, r1]\nRet r0", "expected a tensor, got a adt"),
        ("InvokePacked k0, 1, [r0, r0]\nRet r0", "takes 2 input"),
        ("InvokePacked k2, 2, [r0, r0]\nRet r0", "takes 1 input"),
        ("InvokePacked k3, 5, [r0, r0]\nRet r0", "output"),
        ("Invoke r1, @main, []\nRet r1", "takes 1 argument"),
        ("AllocClosure r1, @main, [r0, r0]\nRet r1", "captured"),
        ("AllocTensor r1, r0, r0, [1, 1, 1, 1, 1, 1, 1, 1, 1], int64\nRet r1", "8 dimensions"),
        (f"AllocTensor r1, r0, r0, [{2**46 + 1}], float32\nRet r1", f"at most {2**48} bytes"),
        ("AllocTensor r1, r0, r0, [2097152, 2097152, 1048576], float32\nRet r1", f"at most {2**48} bytes"),
        ("AllocTensor r1, r0, r0, [0, 2147483647, 2147483647], bool\nRet r1", f"at most {2**48} bytes"),
    ],
)
def test_each_rule(body: str, says: str) -> None:
    with pytest.raises(SpecError, match=says) as caught:
        verify(main(body))
    assert "\n" not in str(caught.value)


HUGE = TensorPort((1 << 24, None, 1 << 24), "int32")


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"inputs": [("x", HUGE)]}, "input x"),
        ({"inputs": [("x", TuplePort((TuplePort((HUGE,)),)))]}, "input x"),
        ({"output": TuplePort((HUGE,))}, "the result"),
        ({"data": [DataType("T", (Constructor("C", (HUGE,)),))]}, "constructor C"),
        ({"constants": [constant(np.empty((0, 1 << 49), np.bool_), "c")]}, "constant c"),
    ],
)
def test_no_tensor_is_larger_than_memory_may_be(what: dict[str, Any], says: str) -> None:
    text = f"function main({'any' if 'inputs' in what else ''}) -> any, registers 2:\n  AllocADT r1, 0, []\n  Ret r1"
    with pytest.raises(SpecError, match=f"{says}: a tensor of shape .*at most {2**48} bytes"):
        verify(executable(text, **what))


def nested(depth: int) -> Port:
    """A tensor in so many tuples."""
    port: Port = tensor((1,))
    for _ in range(depth):
        port = TuplePort((port,))
    return port


TEXT = "function main(any) -> any, registers 1:\nRet r0"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("depth", [NESTED, NESTED + 1, 300, 5000])
def test_tuples_in_each_other(depth: int) -> None:
    """As many as may be are described, go in and come out; of more it is said that there are."""
    exe = executable(TEXT, inputs=[("x", nested(depth))], output=nested(depth))
    if depth > NESTED:
        with pytest.raises(SpecError, match=f"input x: expected at most {NESTED} tuples in each other") as caught:
            verify(exe)
        assert "\n" not in str(caught.value)
        return
    value: Any = np.ones(1, np.float32)
    for _ in range(depth):
        value = (value,)
    assert len(repr(exe)) > depth
    for compiled in (True, False):
        found = Session(exe, compiled=compiled)(value)
        with pytest.raises(ArgumentError, match="expected a tuple") as refused:
            Session(exe, compiled=compiled)(1)
        assert "\n" not in str(refused.value)
        for _ in range(depth):
            (found,) = found
        assert found == 1


@pytest.mark.parametrize("size", [2**48 + 1, 2**63 - 1, 2**63, 2**64 - 1, 10**40])
def test_a_size_of_an_input_is_one_that_a_tensor_may_have(size: int) -> None:
    """So that no word that says it is taken for another."""
    with pytest.raises(SpecError, match="input x: a tensor of shape .* at most"):
        verify(executable(TEXT, inputs=[("x", TensorPort((size, None), "bool"))]))


def test_a_result_of_another_kind_is_refused() -> None:
    with pytest.raises(SpecError, match="expected a adt, got a tensor"):
        verify(main("Ret r0", result="adt"))


def test_what_paths_disagree_on_is_looked_at_at_run_time() -> None:
    verify(main("If r0, r0, a, b\na:\nMove r1, r0\nGoto b2\nb:\nAllocADT r1, 0, []\nb2:\nRet r1"))


def test_a_frame_is_not_much_larger_than_its_code() -> None:
    with pytest.raises(SpecError, match="at most 69 registers"):
        verify(main("Ret r0", registers=1 << 20))


def test_a_loop_settles() -> None:
    verify(main("Move r1, r0\nagain:\nMove r2, r1\nMove r1, r2\nIf r1, r2, again, out\nout:\nRet r2"))


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (KernelEntry("k", "magic", ""), "kind"),
        (KernelEntry("k", "shape", "{}"), "cannot be read"),
        (KernelEntry("k", "kernel", "dense(m=?, n=4"), "workload"),
        (KernelEntry("k", "kernel", "dense(m=?, n=4, k=4)"), "an expression for each of m"),
        (KernelEntry("k", "kernel", "dense(m=?, n=4, k=4)", dims=("a7_0",)), "no dimension"),
        (KernelEntry("k", "kernel", "dense(m=?, n=4, k=4)", dims=("__import__('os')",)), "expected"),
        (KernelEntry("k", "packed", "unique", device=2), "device"),
    ],
)
def test_kernels_are_verified(entry: KernelEntry, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        verify(executable("function main(tensor) -> any, registers 1:\nRet r0", [entry], [("x", tensor((1,)))]))


def test_a_hostile_kernel_is_refused_before_it_takes_time() -> None:
    factor = "+".join(f"a0_{i}" for i in range(20))
    grows, long = "*".join(f"({factor})" for _ in range(20)), "9" * 4000
    shape = '{"reads": [null], "results": [["%s"]], "checks": []}'
    entries = [KernelEntry("k", "kernel", "dense(m=?, n=4, k=4)", dims=(text,)) for text in (grows, long)]
    entries += [KernelEntry("k", "shape", shape % text) for text in (grows, long)]
    for entry in entries:
        hostile = executable("function main(any) -> any, registers 1:\nRet r0", [entry], [("x", tensor((3,)))])
        with pytest.raises(SpecError, match="kernel k: .*shape expression") as caught, cpu_time() as took:
            verify(hostile)
        assert took.seconds < 1
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400


def test_main_and_its_inputs_must_agree() -> None:
    with pytest.raises(SpecError, match="input"):
        verify(executable("function main(tensor) -> any, registers 1:\nRet r0"))
    with pytest.raises(SpecError, match="expected a function 'main'"):
        verify(executable('function other() -> any, registers 1:\nFatal "x"', [kernel(ADD_INT)]))


# -- what a small file may cost ----------------------------------------------------------------------------------------


def function(code: list[isa.Instruction], registers: int) -> Executable:
    made = VMFunction("main", (Kind.TENSOR,), Kind.TENSOR, registers, tuple(code))
    return Executable(str(HOST), (made,), inputs=(("x", tensor((), "int64")),), output=tensor((), "int64"))


def ifs(n: int, registers: int = 0) -> Executable:
    """Branches, each of which jumps to where the next one stands."""
    code: list[isa.Instruction] = [*[isa.If(0, 0, 1, 2)] * n, isa.Ret(0), isa.Ret(0)]
    return function(code, registers or REGISTERS_EACH * len(code) + REGISTERS_FREE)


def carried(n: int) -> Executable:
    """As many registers that are read behind as many branches."""
    code: list[isa.Instruction] = [isa.Move(1 + i, 0) for i in range(n)]
    code += [*[isa.If(0, 0, 1, 2)] * n, *[isa.Move(0, 1 + i) for i in range(n)], isa.Ret(0)]
    return function(code, n + 1)


def straight(n: int) -> Executable:
    """Registers that are written, and then read, with no jump between."""
    code: list[isa.Instruction] = [isa.Move(1 + i, 0) for i in range(n)]
    return function([*code, *[isa.Move(0, n - i) for i in range(n)], isa.Ret(0)], n + 1)


def shifting(n: int) -> Executable:
    """A loop that hands a kind on from register to register, one further each time."""
    code: list[isa.Instruction] = [isa.Move(1 + i, 0) for i in range(n)]
    code += [isa.AllocADT(n + 1, 0, ())]
    code += [isa.Move(1 + i, 2 + i) for i in range(n)]
    return function([*code, isa.If(0, 0, -n, 1), isa.Ret(0)], n + 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exe", "says"),
    [
        (ifs(20_000), None),
        (carried(1000), None),
        (carried(10_000), f"at most {CARRIED} registers in all"),
        (straight(20_000), None),
        (shifting(10), None),
        (shifting(10_000), "loops that settle"),
    ],
    ids=["branches", "some carried", "carried", "straight", "some shifted", "shifting"],
)
def test_what_a_program_takes_to_be_verified_and_compiled(exe: Executable, says: str | None) -> None:
    """Time, and memory, in a row with the size of the file."""
    verify(main("Ret r0"))
    with cpu_time() as took, more_memory(1 << 30):
        if says is None:
            verify(exe)
            flows = [flow_of(f.code) for f in exe.functions]
            steps_of(exe.functions[0], Program(exe, (), ()), flows[0])
        else:
            with pytest.raises(SpecError, match=says):
                verify(exe)
    assert took.seconds < 10


@pytest.mark.slow
def test_many_functions_have_one_bound() -> None:
    (made,) = carried(100).functions
    one = carried(100)
    verify(one)
    many = replace(one, functions=tuple(replace(made, name=f"f{i}" if i else "main") for i in range(300)))
    with pytest.raises(SpecError, match="at most .* registers in all") as caught:
        verify(many)
    assert "\n" not in str(caught.value)


def test_instructions_have_a_bound() -> None:
    verify(straight(10))
    with pytest.raises(SpecError, match=f"at most {INSTRUCTIONS} instructions, got {INSTRUCTIONS + 1}"):
        verify(straight(INSTRUCTIONS // 2))
