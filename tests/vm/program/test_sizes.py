"""Sizes near and beyond what 64 bits hold: driver and interpreter agree, whoever says the size and whenever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from anytile.core.errors import AnytileError, ArgumentError, SpecError
from anytile.schedules.index.expr import Expr, const, maximum, minimum
from anytile.vm.executable import Executable
from anytile.vm.native.driver import Driver
from anytile.vm.program import isa
from anytile.vm.program.executable import TuplePort, VMFunction, constant
from anytile.vm.program.isa import Kind
from anytile.vm.program.shape_programs import Check, ShapeProgram, argument, program
from anytile.vm.program.sizes import HIGH, LOW, WHOLE, element_count, fits
from anytile.vm.session import Session
from anytile.vm.values.values import Value, tensor_of
from tests.support.cases.vm_executables import EXP, HOST, executable, kernel, shape_kernel, tensor
from tests.support.processor_time import cpu_time, more_memory
from tests.support.run_outcomes import outcome

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
EXP_KERNEL = kernel(EXP, ("a0_0",))
FLAT = argument(0, 0) * argument(0, 1) * argument(0, 2)
EDGES = (0, 1, 2, 3, 64, 2**20, 2**21, 2**31 - 1, 2**31, 2**32, 2**48, 2**48 + 1, 2**62, HIGH, -1, -(2**31), LOW)
BEYOND = (2**63, 2**64, 2**64 + 64, LOW - 1, -(2**64), 2**200)
words = st.sampled_from(EDGES)
names = st.integers(0, 2).map(lambda i: argument(0, i))


def _grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    pair, by = st.tuples(inner, inner), st.sampled_from((2, 3, 64, 2**40, 2**40 + 1, HIGH, 2**63, 2**70))
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]),
        pair.map(lambda p: p[0] * p[1]),
        pair.map(lambda p: minimum(*p)),
        pair.map(lambda p: maximum(*p)),
        st.tuples(inner, by).map(lambda p: p[0] // p[1]),
        st.tuples(inner, by).map(lambda p: p[0] % p[1]),
    )


exprs = st.recursive(st.one_of(names, names, st.sampled_from(EDGES + BEYOND).map(const)), _grow, max_leaves=5)


def both(exe: Executable, args: list[Value]) -> AnyType:
    """What a program gives, which is the same interpreted and compiled."""
    native = Session(exe)
    assert isinstance(native._engine, Driver)
    wanted = outcome(Session(exe, compiled=False), args)
    assert outcome(native, args) == wanted
    return wanted


def is_error(found: AnyType) -> bool:
    return isinstance(found[0], str) and found[0].endswith("Error")


def numbers(values: AnyType) -> Value:
    return tensor_of(np.array(values, np.int64))


@st.composite
def placements(draw: st.DrawFn) -> tuple[Executable, list[Value]]:
    """Sizes of the program, of the input, or computed from either; a tensor and a view of them, and a kernel."""
    code: list[isa.Instruction] = [
        isa.LoadConst(2, 0),
        isa.LoadConsti(3, draw(st.sampled_from((64, 4096, 4096)))),
        isa.LoadConsti(4, draw(st.sampled_from((0, 0, 0, 0, 0, 8, 2**48, HIGH)))),
        isa.LoadConsti(5, 0),
        isa.LoadConsti(6, 24),
        isa.AllocStorage(7, 6, 8, 0),
        isa.AllocTensor(8, 7, 5, (3,), "int64"),
        isa.InvokePacked(0, 1, (draw(st.sampled_from((0, 2))), 8)),  # of the input, or of the constant
        isa.AllocStorage(9, draw(st.sampled_from((1, 1, 3))), 64, 0),  # as large as an input says, or known
    ]
    dtype = draw(st.sampled_from(("float32", "float32", "int64", "bool")))
    if draw(st.booleans()):
        sizes = st.sampled_from((0, 1, 2, 3, 4, 5, 2**20, 2**21, 2**31 - 1, 2**31, 2**40))
        code.append(isa.AllocTensor(10, 9, 4, tuple(draw(st.lists(sizes, max_size=4))), dtype))
    else:
        code.append(isa.AllocTensorReg(10, 9, 4, draw(st.sampled_from((0, 2, 8))), dtype))
    code.append(isa.ReshapeTensor(11, 10, draw(st.sampled_from((0, 2, 8)))))
    if draw(st.booleans()):
        code.append(isa.InvokePacked(1, 1, (11, 11)))
    code += [isa.ShapeOf(12, 10), isa.ShapeOf(13, 11), isa.AllocADT(14, 0, (8, 12, 13)), isa.Ret(14)]
    main = VMFunction("main", (Kind.TENSOR, Kind.TENSOR), Kind.ADT, 15, tuple(code))
    flat = replace(EXP_KERNEL, dims=(str(draw(st.one_of(st.just(FLAT), exprs))),))
    few = st.integers(0, 4)
    three = st.lists(st.one_of(few, few, few, words), min_size=3, max_size=3)
    known = constant(np.array(draw(three), np.int64))
    size = st.one_of(names, exprs, exprs.map(lambda e: e % 3))
    computed = program((3,), [draw(st.tuples(names, names, size))])
    inputs = [("x", tensor((3,), "int64")), ("n", tensor((), "int64"))]
    exe = Executable(
        str(HOST),
        (main,),
        (known,),
        (shape_kernel(computed), flat),
        tuple(inputs),
        TuplePort((tensor((3,), "int64"),) * 3),
    )
    return exe, [numbers(draw(three)), numbers(draw(st.sampled_from((0, 4096, 4096, 4096))))]


@pytest.mark.slow
@settings(max_examples=40)
@given(placements())
def test_generated_sizes(made: tuple[Executable, list[Value]]) -> None:
    exe, args = made
    try:
        Session(exe, compiled=False)
    except SpecError as error:
        event(f"refused: {str(error).rpartition(': ')[2]}")
        assume(False)
    event(f"an error: {is_error(both(exe, args))}")


# -- one at a time -----------------------------------------------------------------------------------------------------


PLACED = """
function main(tensor, tensor) -> tensor, registers 9:
  LoadConsti r2, 0
  AllocStorage r3, r0, 64, d0
  LoadConst r4, c0
  LoadConst r6, c1
  AllocTensorReg r5, r3, r2, {shape}, float32
  ReshapeTensor r7, r5, {view}
  ShapeOf r8, r7
  Ret r8
"""


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["r4", "r1"], ids=["known", "given"])
@pytest.mark.parametrize("view", [False, True], ids=["placed", "reshaped"])
@pytest.mark.parametrize(
    ("sizes", "fine"),
    [
        ([2, 2, 2], True),
        ([0, 2, 2], True),
        ([2**21, 2**21, 2**20], False),  # 2**64 bytes
        ([2**21, 2**21, 2**22], False),  # 2**64 elements
        ([2**31 - 1] * 3, False),
        ([0, 2**31 - 1, 2**31 - 1], False),  # nothing, that numpy cannot describe
        ([2**31 - 1] * 7 + [0], False),
        ([2**31], False),
        ([-1], False),
        ([LOW, LOW], False),
    ],
)
def test_a_tensor_of_any_size_lies_in_its_storage(sizes: list[int], fine: bool, shape: str, view: bool) -> None:
    constants = [constant(np.array(sizes, np.int64)), constant(np.array([8], np.int64))]
    inputs = [("n", tensor((), "int64")), ("s", tensor((None,), "int64"))]
    text = PLACED.format(shape="r6" if view else shape, view=shape)
    found = both(executable(text, (), inputs, tensor((None,), "int64"), constants), [numbers(64), numbers(sizes)])
    assert is_error(found) is not fine


def computing(results: list[Expr], checks: list[Check] | None = None) -> Executable:
    """A program that computes sizes from the elements of its input."""
    text = f"""
function main(tensor) -> tensor, registers 5:
  LoadConsti r1, {8 * len(results)}
  LoadConsti r2, 0
  AllocStorage r3, r1, 8, d0
  AllocTensor r4, r3, r2, [{len(results)}], int64
  InvokePacked k0, 1, [r0, r4]
  Ret r4
"""
    made = shape_kernel(program((2,), [results], checks or []))
    return executable(text, [made], [("x", tensor((2,), "int64"))], tensor((None,), "int64"))


A, B = argument(0, 0), argument(0, 1)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    ("e", "x", "wanted"),
    [
        (A * B, (2**32, 2**31 - 1), 2**63 - 2**32),
        (A * B, (2**32, 2**32), None),  # 0 where it wraps
        (A * B, (-(2**32), 2**31), LOW),
        (A * B, (-1, LOW), None),
        (A * 2**32 * 2**32, (1, 0), None),
        (A * 2**64, (0, 0), None),
        (A + B, (HIGH, 1), None),
        (A + B, (HIGH, LOW), -1),
        (-1 * A, (LOW, 0), None),
        (A + 2**63, (-1, 0), None),
        (const(2**64), (0, 0), None),
        (const(HIGH), (0, 0), HIGH),
        (A * A * B, (2**40, 0), None),
        (A % 3, (LOW, 0), LOW % 3),
        (A // 3, (LOW, 0), LOW // 3),
        (A // HIGH, (LOW, 0), -2),
        (A % 2**63, (7, 0), None),
        (A // 2**70, (7, 0), None),
        (minimum(A * B, 5), (2**32, 2**32), None),
        (maximum(A, B), (LOW, HIGH), HIGH),
    ],
)
def test_a_size_is_exact_or_an_error(e: Expr, x: tuple[int, int], wanted: int | None, compiled: bool) -> None:
    session = Session(computing([e]), compiled=compiled)
    if wanted is None:
        with pytest.raises(ArgumentError, match="sizes that 64 bits hold") as caught:
            session(np.array(x, np.int64))
        assert "\n" not in str(caught.value)
    else:
        assert session(np.array(x, np.int64)).tolist() == [wanted]


@BOTH
def test_a_check_that_cannot_be_computed_does_not_hold(compiled: bool) -> None:
    for check in (Check(A * B, "==", const(0), "here"), Check(const(0), "<=", A + B, "here")):
        session = Session(computing([A], [check]), compiled=compiled)
        with pytest.raises(ArgumentError, match="64 bits hold"):
            session(np.array((2**63 - 1, 2**63 - 1), np.int64))


@BOTH
def test_shapes_that_cannot_be_computed_are_left_out_of_an_error(compiled: bool) -> None:
    huge = A
    for _ in range(150):
        huge = huge * B
    session = Session(computing([A], [Check(A, "==", B, "here", ((huge,),))]), compiled=compiled)
    with pytest.raises(
        ArgumentError, match="here: expected equal sizes, got 9 and 1152921504606846976; pass"
    ) as caught:
        session(np.array((9, 2**60), np.int64))
    assert len(str(caught.value)) < 200


@given(exprs, st.tuples(words, words, words))
def test_whole_arithmetic_is_pythons_where_it_is_any(e: Expr, x: tuple[int, int, int]) -> None:
    env = {f"a0_{i}": n for i, n in enumerate(x)}
    try:
        found = WHOLE.total(ShapeProgram.parse(program((3,), [(e,)]).text()).results[0][0], env)
    except AnytileError:
        return
    assert fits(found)
    assert found == e.evaluate(env)


def test_elements_are_counted_up_to_the_most_that_memory_has() -> None:
    assert element_count((2**24, 2**22), 4) == 2**46
    assert element_count((), 8) == 1
    for shape, itemsize in (((2**24, 2**22 + 1), 4), ((2**46 + 1,), 4), ((2**31 - 1,) * 8, 1), ((0, 2**49), 1)):
        with pytest.raises(ArgumentError, match=f"at most {2**48} bytes"):
            element_count(shape, itemsize)


# -- where a failure is certain, nothing is written behind it ----------------------------------------------------------


@pytest.mark.parametrize("size", ["r0", "r1"])
def test_a_shape_of_billions_of_sizes_takes_no_time(size: str) -> None:
    text = f"""
function main(tensor) -> tensor, registers 6:
  LoadConsti r1, 64
  LoadConsti r2, 0
  AllocStorage r3, {size}, 8, d0
  AllocTensor r4, r3, r2, [2147483647], int64
  AllocTensorReg r5, r3, r2, r4, float32
  Ret r5
"""
    exe = executable(text, (), [("n", tensor((), "int64"))], tensor((None,)))
    Session(executable("function main(tensor) -> tensor, registers 1:\nRet r0", (), [("n", tensor(()))]))
    with cpu_time() as took, more_memory(1 << 30):
        session = Session(exe)
    assert took.seconds < 5
    assert is_error(outcome(session, [numbers(64)]))
    assert is_error(both(exe, [numbers(64)]))


@pytest.mark.parametrize("result", ["r4", "r0"])
def test_a_run_that_cannot_end_well_fails_as_it_is_interpreted(result: str) -> None:
    text = f"""
function main(tensor) -> tensor, registers 6:
  LoadConsti r1, 64
  LoadConsti r2, 3
  AllocStorage r3, r1, 8, d0
  AllocTensor r4, r3, r2, [1], int64
  If r1, r2, a, b
a:
  Ret r0
b:
  Ret {result}
"""
    exe = executable(text, (), [("x", tensor((1,), "int64"))], tensor((1,), "int64"))
    assert both(exe, [numbers([1])])[:2] == ("ArgumentError", "function main, instruction 3")
