"""The quick way out: what it gives is what the slow way makes, its memory is the caller's, and the rest it leaves."""

from __future__ import annotations

import gc
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import ArgumentError, ResourceError
from anytile.vm.executable import Executable
from anytile.vm.native.marshalling import outputs
from anytile.vm.native.marshalling.outputs import gives_quickly
from anytile.vm.program.executable import TensorPort, constant
from anytile.vm.program.isa import DTYPES
from anytile.vm.session import Session
from anytile.vm.values import ports
from anytile.vm.values.values import Value
from tests.support.cases.vm_executables import EXP, executable, kernel, list_sum, loop, tensor, tuple_of
from tests.support.run_outcomes import clean, flat, live

OWN, VIEW, TWICE, INPUT, CONSTANT = "own", "a view of an own one", "the one before", "the input", "a constant"
FLAT, SIZES, NUMBER = "a view of the input", "the sizes of the input", "a number"  # the latter two lie in their cells
_MADE = "AllocStorage r{s}, r3, 4, d0\nAllocTensorReg r{t}, r{s}, r2, r1, float32\nInvokePacked k0, 1, [r0, r{t}]\n"
_PARTS = (OWN, OWN, VIEW, TWICE, TWICE, INPUT, CONSTANT, FLAT, SIZES, NUMBER)


def _type(part: str) -> TensorPort:
    """One of its own for each result, as compiled models have."""
    if part in (SIZES, NUMBER):
        return tensor((1,) if part == SIZES else (), "int64")
    return tensor((2,) if part == CONSTANT else (None,))


def returning(parts: tuple[str, ...]) -> Executable:
    """main(x) -> a tuple of such parts."""
    text = "ShapeOf r1, r0\nLoadConsti r2, 0\nLoadConsti r3, 36\nLoadConst r4, c0\n"
    registers, fields, types = 5, list[int](), list[TensorPort]()
    for part in parts:
        if part != TWICE:
            types.append(_type(part))
        else:
            types.append(TensorPort(types[-1].shape, types[-1].dtype) if types else _type(INPUT))
        made = {INPUT: 0, FLAT: 0, CONSTANT: 4, SIZES: 1, NUMBER: 2}.get(part)
        if part == TWICE:
            made = fields[-1] if fields else 0
        if made is None:
            text += _MADE.format(s=registers, t=registers + 1)
            made, registers = registers + 1, registers + 2
        if part in (VIEW, FLAT):
            text += f"ReshapeTensor r{registers}, r{made}, r1\n"
            made, registers = registers, registers + 1
        fields.append(made)
    text += f"AllocADT r{registers}, 0, [{', '.join(f'r{f}' for f in fields)}]\nRet r{registers}"
    return executable(
        f"function main(tensor) -> adt, registers {registers + 1}:\n{text}",
        [kernel(EXP, ("a0_0",))],
        [("x", tensor((None,)))],
        tuple_of(*types),
        [constant(np.ones(2, np.float32), "c")],
    )


@pytest.mark.sampled(0)
@given(st.lists(st.sampled_from(_PARTS), max_size=6).map(tuple), st.integers(0, 9))
def test_arrays_are_those_of_the_slow_way(parts: tuple[str, ...], size: int) -> None:
    exe, x = returning(parts), np.linspace(-2, 1, size, dtype=np.float32)
    wanted = Session(exe, compiled=False)(x)
    session = Session(exe)
    assert gives_quickly(exe)
    found, again = session(x), session(x + 1)
    assert [a.shape for a in found] == [a.shape for a in wanted]
    assert flat(found) == flat(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert type(a) is np.ndarray
        assert a.dtype == b.dtype
        assert a.flags.num == b.flags.num
        assert not any(np.shares_memory(a, other) for other in (x, *again))
    distinct = {id(a): a for a in found}.values()
    written = [np.add(a, 1, out=a).tobytes() for a in distinct]  # the caller's own
    assert written == [(b + 1).tobytes() for b in {id(b): b for b in wanted}.values()]
    machine = live(session)
    found = again = distinct = a = None
    clean(machine)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[Value]:
    """What goes the slow way."""
    went, result = list[Value](), ports.result

    def told(exe: Executable, value: Value, *rest: AnyType) -> AnyType:
        went.append(value)
        return result(exe, value, *rest)

    monkeypatch.setattr(ports, "result", told)
    return went


@pytest.mark.parametrize(
    "parts", [(), (OWN,) * 3, (OWN, VIEW), (OWN, TWICE, TWICE), (INPUT, FLAT, SIZES, NUMBER, CONSTANT)]
)
def test_tensors_go_that_way(parts: tuple[str, ...], slow: list[Value]) -> None:
    session, x = Session(returning(parts)), np.ones(3, np.float32)
    session(x)
    session.profile({"x": x}, warm_up=0)
    assert not slow


_ALONE = {
    "the input": "Ret r0",
    "a view of it": "LoadConst r1, c0\nReshapeTensor r2, r0, r1\nRet r2",
    "a constant": "LoadConst r1, c0\nRet r1",
    "a number": "LoadConsti r1, 7\nRet r1",
}


@pytest.mark.parametrize("what", _ALONE)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 7, 16411])  # the last of more bytes than are copied while others wait
def test_one_tensor_that_is_not_the_result_s_own_is_a_copy(what: str, dtype: str, size: int, slow: list[Value]) -> None:
    types = {"a constant": tensor((1,), "int64"), "a number": tensor((), "int64")}
    text = f"function main(tensor) -> tensor, registers 3:\n{_ALONE[what]}"
    sizes = [constant(np.array([size]), "sizes")]
    output = types.get(what, tensor((None,), dtype))
    exe = executable(text, (), [("x", tensor((None,), dtype))], output, sizes)
    x = np.random.default_rng(size).integers(0, 2, size).astype(dtype)
    before = x.copy()
    session = Session(exe)
    found = session(x)
    assert not slow
    wanted = Session(exe, compiled=False)(x)
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
    assert found.flags.num == wanted.flags.num
    found[...] = 1
    assert x.tobytes() == before.tobytes()
    assert session(x).tobytes() == wanted.tobytes()
    machine = live(session)
    del found
    clean(machine)


def test_a_copy_that_there_is_no_room_for_changes_nothing() -> None:
    x = np.linspace(0, 1, 8, dtype=np.float32)
    exe = returning((OWN, INPUT, TWICE, OWN))
    session = Session(exe, memory_limit=200)
    with pytest.raises(ResourceError, match="memory: expected to stay within 200 bytes"):
        session(x)
    clean(live(session))
    assert [a.tobytes() for a in Session(exe, memory_limit=256)(x)[1:3]] == [x.tobytes()] * 2


def test_a_call_goes_on_where_it_stopped_to_look_around() -> None:
    session, n = Session(loop()), np.int64(700)  # of which each round is a step
    assert session(np.array(n)) == n * (n - 1) // 2
    with pytest.raises(ArgumentError, match="n: expected .*, got float64"):
        session(np.array(1.0))


def test_sizes_that_are_to_be_the_same_are_looked_at_in_a_call() -> None:
    text = "function main(tensor, tensor) -> tensor, registers 2:\nRet r1"
    exe = executable(text, inputs=[("x", tensor(("n", "m"))), ("y", tensor((3, "n")))], output=tensor((3, None)))
    session, x = Session(exe), np.ones((4, 2), np.float32)
    assert session(x, np.ones((3, 4), np.float32)).shape == (3, 4)
    with pytest.raises(ArgumentError, match="y: expected .* with n=4 as in x of shape .*, got shape .3, 5."):
        session(x, np.ones((3, 5), np.float32))
    assert not session._quickly((x, np.ones((3, 5), np.float32)))


def test_other_types_have_the_slow_way_alone() -> None:
    nested = tuple_of(tensor((2,)), tuple_of(tensor((2,))))
    assert gives_quickly(loop())
    assert gives_quickly(list_sum())
    assert not gives_quickly(executable("function main(any) -> any, registers 1:\nRet r0", output=nested))


def test_an_interface_of_another_number_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_KNOWN", 1)
    exe = returning((OWN, OWN))
    assert not gives_quickly(exe)
    first, second = Session(exe)(np.zeros(3, np.float32))
    assert first.tolist() == second.tolist() == [1, 1, 1]


def test_arrays_outlive_their_session() -> None:
    session = Session(returning((OWN, OWN)))
    found = [session(np.full(3, i, np.float32)) for i in range(20)]
    del session
    gc.collect()
    for i, (a, b) in enumerate(found):
        np.testing.assert_allclose(a, np.exp(np.full(3, i, np.float32)), rtol=1e-5)
        assert a.tobytes() == b.tobytes()
