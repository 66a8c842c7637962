"""Programs run the same interpreted and compiled, and as numpy says: loops, recursion, data types, closures, shapes."""

from __future__ import annotations

import threading
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given, settings

from anytile.core.errors import AnytileError, ArgumentError, ResourceError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.program.executable import constant
from anytile.vm.program.shape_programs import Check, argument, program
from anytile.vm.session import Session
from anytile.vm.values.ports import Data
from tests.support.cases.vm_executables import (
    ADD,
    HOST,
    LESS,
    closure,
    count,
    executable,
    kernel,
    list_sum,
    loop,
    mlp,
    mlp_in_numpy,
    packed_kernel,
    shape_kernel,
    tensor,
    tuple_of,
)
from tests.support.generators.random_straight_programs import programs

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])


def scalar(n: int) -> AnyType:
    return np.array(n, np.int64)


@pytest.mark.slow
@settings(max_examples=20)
@given(programs())
def test_generated_programs(made: tuple[Executable, list[AnyType], list[AnyType]]) -> None:
    exe, inputs, wanted = made
    plain, fast = Session(exe, compiled=False), Session(exe)
    for _ in range(2):
        for found in (plain(*inputs), fast(*inputs)):
            for y, expected in zip(found, wanted, strict=True):
                assert y.shape == expected.shape
                np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6)
            del found, y
    assert plain._idle[0].pool.used == fast._idle[0].pool.used == 0


@BOTH
def test_a_loop_of_tail_calls_takes_no_stack(compiled: bool) -> None:
    session = Session(loop(), compiled=compiled, max_depth=4)
    for n in (0, 1, 2000):
        assert session(scalar(n)) == n * (n - 1) // 2
    assert session.peak_bytes < 1000


def test_recursion_is_as_deep_as_it_likes() -> None:
    assert Session(count())(scalar(100_000)) == 100_000


@BOTH
def test_recursion_without_end_is_one_error(compiled: bool) -> None:
    session = Session(count(), compiled=compiled, max_depth=500)
    assert session(scalar(400)) == 400
    with pytest.raises(ResourceError, match=r"deeper than 500 calls; .* raise Session\(max_depth"):
        session(scalar(-1))
    assert session(scalar(400)) == 400
    assert session._idle[0].pool.used == 0


@BOTH
def test_data_types_of_any_depth(compiled: bool) -> None:
    session = Session(list_sum(), compiled=compiled)
    depth = 15_000 if compiled else 1000
    cells = Data("Nil")
    for _ in range(depth):
        cells = Data("Cons", np.ones(1, np.float32), cells)
    assert session(cells) == depth
    assert session(Data("Nil")) == 0


@BOTH
def test_closures(compiled: bool) -> None:
    x, y = np.arange(3, dtype=np.float32), np.full(3, 5, np.float32)
    np.testing.assert_array_equal(Session(closure(), compiled=compiled)(x, y), x + 10)


@pytest.mark.sampled(4)
@BOTH
@pytest.mark.parametrize("m", [0, 1, 7, 8, 9, 131])
def test_a_network_of_symbolic_size(compiled: bool, m: int) -> None:
    exe, weights = mlp()
    x = np.random.default_rng(m).standard_normal((m, 24), dtype=np.float32)
    found = Session(exe, compiled=compiled)(x)
    assert found.shape == (m, 8)
    np.testing.assert_allclose(found, mlp_in_numpy(x, weights), rtol=1e-4, atol=1e-4)


@BOTH
def test_what_type_inference_could_not_decide_is_checked(compiled: bool) -> None:
    session = Session(mlp()[0], compiled=compiled)
    with pytest.raises(
        ArgumentError,
        match=r"dense at mlp\.0: expected equal sizes, got 25 and 24 of the shapes \(3, 25\) and \(40, 24\); pass",
    ):
        session(np.zeros((3, 25), np.float32))
    assert session._idle[0].pool.used == 0


@BOTH
@pytest.mark.parametrize("tensors", [1, 2, 4, 5])
def test_a_failed_check_says_the_shapes_of_this_run(compiled: bool, tensors: int) -> None:
    """Native code tells 32 sizes; of more shapes the two sizes that misfit are said alone."""
    registers = range(tensors, 2 * tensors)
    lines = [f"  ShapeOf r{r}, r{r - tensors}" for r in registers]
    kinds, shapes = ", ".join(["tensor"] * tensors), ", ".join(f"r{r}" for r in registers)
    head = f"function main({kinds}) -> tensor, registers {2 * tensors}:"
    text = "\n".join([head, *lines, f"  InvokePacked k0, 0, [{shapes}]", "  Ret r0", ""])
    given = tuple(tuple(argument(i, j) for j in range(8)) for i in range(tensors))
    check = Check(argument(0, 0), "==", argument(tensors - 1, 7), "there", given)
    ports = [(f"x{i}", tensor([None] * 8)) for i in range(tensors)]
    entry = shape_kernel(program((8,) * tensors, [], [check]))
    session = Session(executable(text, [entry], ports, tensor([None] * 8)), compiled=compiled)
    sizes = [(1, 2, 1, 1, 1, 1, 1, i + 3) for i in range(tensors)]
    with pytest.raises(ArgumentError) as caught:
        session(*(np.zeros(s, np.float32) for s in sizes))
    met = f" of the shapes {' and '.join(map(str, sizes))}" if tensors < 5 or not compiled else ""
    assert f"there: expected equal sizes, got 1 and {tensors + 2}{met}; pass" in str(caught.value)
    fits = [np.zeros((4, 1, 1, 1, 1, 1, 1, 4), np.float32)] * tensors
    assert session(*fits).shape == (4, 1, 1, 1, 1, 1, 1, 4)


@BOTH
def test_a_memory_limit_is_one_error_and_the_session_lives_on(compiled: bool) -> None:
    exe, weights = mlp()
    session = Session(exe, compiled=compiled, memory_limit=100_000)
    with pytest.raises(ResourceError, match="expected to stay within 100000 bytes"):
        session(np.zeros((10_000, 24), np.float32))
    x = np.ones((5, 24), np.float32)
    np.testing.assert_allclose(session(x), mlp_in_numpy(x, weights), rtol=1e-4, atol=1e-4)


def test_threads_share_a_session() -> None:
    exe, weights = mlp()
    session, wrong = Session(exe), []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(60):
            x = rng.standard_normal((int(rng.integers(0, 40)), 24), dtype=np.float32)
            if not np.allclose(session(x), mlp_in_numpy(x, weights), rtol=1e-3, atol=1e-4):
                wrong.append(x.shape)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert len(session._idle) <= 4


def test_results_stay_when_the_session_goes_on() -> None:
    exe, weights = mlp()
    session = Session(exe)
    xs = [np.full((4, 24), i, np.float32) for i in range(5)]
    found = [session(x) for x in xs]
    for x, y in zip(xs, found, strict=True):
        np.testing.assert_allclose(y, mlp_in_numpy(x, weights), rtol=1e-4, atol=1e-3)
        y[...] = 0  # and they are the user's


# -- one instruction after another -------------------------------------------------------------------------------------

HEAD = "function main(tensor) -> any, registers 12:\n"


def run_of(body: str, x: AnyType, kernels: list[AnyType], compiled: bool, output: AnyType = None) -> AnyType:
    port = tensor((None,) * x.ndim, x.dtype.name)
    exe = executable(HEAD + body, kernels, [("x", port)], port if output is None else output)
    return Session(exe, compiled=compiled)(x)


ALLOCATE = (
    "LoadConsti r1, {size}\nLoadConsti r2, {offset}\nAllocStorage r3, r1, 8, d0\n"
    "AllocTensor r4, r3, r2, [{shape}], {dtype}\n"
)


@BOTH
@pytest.mark.parametrize(
    ("size", "offset", "shape", "dtype", "says"),
    [
        (8, 0, "3", "float32", "does not lie in storage"),
        (16, 8, "3", "float32", "does not lie in storage"),
        (16, -8, "1", "float32", "offset|does not lie"),
        (16, 2, "1", "float32", "offset|does not lie"),
        (-1, 0, "1", "float32", "request"),
        (2**60, 0, "1", "float32", "request"),
        (64, 0, "4294967296", "float32", "size"),
        (64, 0, "4294967296, 4294967296", "float32", "at most 281474976710656 bytes"),
        (64, 0, "2147483647, 2147483647, 2147483647, 8", "int64", "at most 281474976710656 bytes"),
    ],
)
def test_tensors_lie_in_their_storage(
    compiled: bool, size: int, offset: int, shape: str, dtype: str, says: str
) -> None:
    body = ALLOCATE.format(size=size, offset=offset, shape=shape, dtype=dtype)
    with pytest.raises(AnytileError, match=says) as caught:
        run_of(body + "Ret r4", np.zeros(3, np.float32), [], compiled)
    assert "\n" not in str(caught.value)


@BOTH
@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("r0, r0, r4", "expected 3 element|2 element"),  # too small for what it gets
        ("r0, r5, r4", "float32"),  # an int64 operand
        ("r0, r0, r0", "read-only"),
        ("r4, r4, r6", "read-only|float32|element"),
    ],
)
def test_kernels_are_given_what_they_ask_for(compiled: bool, args: str, says: str) -> None:
    body = ALLOCATE.format(size=8, offset=0, shape="2", dtype="float32") + "LoadConsti r5, 3\nLoadConsti r6, 3\n"
    with pytest.raises(ArgumentError, match=says):
        run_of(
            body + f"InvokePacked k0, 1, [{args}]\nRet r4", np.zeros(3, np.float32), [kernel(ADD, ("a0_0",))], compiled
        )


@BOTH
def test_positions_must_exist(compiled: bool) -> None:
    body = ALLOCATE.format(size=24, offset=0, shape="3, 2", dtype="float32") + "LoadConst r5, c0\n"
    exe = executable(
        HEAD + body + "InvokePacked k0, 1, [r5, r0, r4]\nRet r4",
        [kernel("gather(outer=1, n=5, m=?m, inner=2)", ("a1_0",))],
        [("index", tensor((3,), "int64"))],
        tensor((3, 2)),
        [constant(np.arange(10, dtype=np.float32).reshape(5, 2))],
    )
    session = Session(exe, compiled=compiled)
    np.testing.assert_array_equal(session(np.array([4, 0, -1])), [[8, 9], [0, 1], [8, 9]])
    for wrong in (5, -6, 2**40, -(2**63), 2**63 - 1):
        with pytest.raises(ArgumentError, match=f"expected positions from -5 to 4, got {wrong};"):
            session(np.array([0, wrong, 7]))


@BOTH
def test_reshape_may_show_less_and_never_more(compiled: bool) -> None:
    def body(n: int) -> str:
        fill = "InvokePacked k0, 1, [r3]\nReshapeTensor r4, r0, r3\nRet r4"
        return (
            f"LoadConsti r1, 16\nLoadConsti r2, 0\nAllocStorage r5, r1, 8, d0\nAllocTensor r3, r5, r2, [{n}], int64\n"
            + fill
        )

    x = np.arange(6, dtype=np.float32)
    fewer = [shape_kernel(program((), [(4,)]))]
    np.testing.assert_array_equal(run_of(body(1), x, fewer, compiled), x[:4])
    with pytest.raises(ArgumentError, match="at most 6 element"):
        run_of(body(2), x, [shape_kernel(program((), [(4, 2)]))], compiled)
    with pytest.raises(AnytileError):
        run_of(body(2), x, [shape_kernel(program((), [(-1, 2)]))], compiled)


def test_sizes_beyond_64_bits_are_refused() -> None:
    body = "LoadConsti r1, 8\nLoadConsti r2, 0\nAllocStorage r5, r1, 8, d0\nAllocTensor r3, r5, r2, [1], int64\n"
    huge = argument(0, 0) * 2**62 * 4
    x = np.full(1, 9, np.int64)
    with pytest.raises(ArgumentError, match="64 bits"):
        run_of(body + "InvokePacked k0, 1, [r0, r3]\nRet r3", x, [shape_kernel(program((1,), [(huge,)]))], False)


@BOTH
def test_a_host_function_between_runs(compiled: bool) -> None:
    m = argument(0, 0)
    body = (
        "ShapeOf r1, r0\nLoadConsti r2, 8\nLoadConsti r3, 0\nAllocStorage r4, r2, 8, d0\n"
        "AllocTensor r5, r4, r3, [1], int64\nInvokePacked k1, 1, [r1, r5]\nAllocStorage r6, r5, 8, d0\n"
        "AllocTensorReg r7, r6, r3, r1, int64\nAllocStorage r8, r2, 8, d0\nAllocTensor r9, r8, r3, [1], int64\n"
        "InvokePacked k0, 2, [r0, r7, r9]\nReshapeTensor r10, r7, r9\nRet r10"
    )
    kernels = [packed_kernel("unique"), shape_kernel(program((1,), [(m * 8,)]))]
    x = np.array([5, 3, 5, 9, 3], np.int64)
    np.testing.assert_array_equal(run_of(body, x, kernels, compiled), [3, 5, 9])


@BOTH
def test_fatal_says_what_it_says(compiled: bool) -> None:
    with pytest.raises(AnytileError, match="no clause matches at tree.py:7"):
        run_of('Fatal "no clause matches at tree.py:7"', np.zeros(3, np.float32), [], compiled)


@BOTH
def test_values_of_a_kind_nobody_could_know(compiled: bool) -> None:
    three = tensor((3,))
    for body, says in (
        ("AllocADT r1, 0, [r0]\nGetField r2, r1, 0\nGetTag r3, r2\nRet r3", "expected a adt, got a tensor"),
        ("AllocADT r1, 0, [r0]\nGetField r2, r1, 1\nRet r2", "a field 1"),
        ("AllocADT r1, 0, [r0]\nGetField r2, r1, 0\nInvokeClosure r3, r2, []\nRet r3", "expected a closure"),
        (
            "AllocADT r1, 0, [r0]\nAllocADT r2, 0, [r1]\nGetField r3, r2, 0\nLoadConsti r4, 8\n"
            "AllocStorage r5, r4, 8, d0\nInvokePacked k0, 1, [r3, r3, r3]\nRet r3",
            "expected (a )?tensor",
        ),
        ("AllocADT r1, 0, [r0]\nRet r1", "expected a tensor, got a adt"),
    ):
        exe = executable(HEAD + body, [kernel(ADD, ("a0_0",))], [("x", three)], three)
        with pytest.raises(ArgumentError, match=says):
            Session(exe, compiled=compiled)(np.zeros(3, np.float32))


@BOTH
def test_one_storage_for_several_tensors(compiled: bool) -> None:
    body = (
        "LoadConsti r1, 64\nLoadConsti r2, 0\nLoadConsti r3, 32\nAllocStorage r4, r1, 64, d0\n"
        "AllocTensor r5, r4, r2, [3], float32\nAllocTensor r6, r4, r3, [3], float32\n"
        "InvokePacked k0, 1, [r0, r0, r5]\nInvokePacked k0, 1, [r5, r5, r6]\nFreeStorage r4\n"
        "AllocADT r7, 0, [r5, r6]\nRet r7"
    )
    three = tensor((3,))
    x = np.arange(3, dtype=np.float32)
    found = run_of(body, x, [kernel(ADD, ("a0_0",))], compiled, tuple_of(three, three))
    np.testing.assert_array_equal(found[0], 2 * x)
    np.testing.assert_array_equal(found[1], 4 * x)


@BOTH
def test_what_a_run_knows_is_left_for_those_who_read_it_after(compiled: bool) -> None:
    """Constants, shapes, storage and other names for what was there before."""
    body = (
        "LoadConsti r1, 12\nLoadConsti r2, 0\nAllocStorage r3, r1, 8, d0\nAllocTensor r4, r3, r2, [3], float32\n"
        "InvokePacked k0, 1, [r0, r0, r4]\nShapeOf r5, r4\nMove r6, r0\nMove r7, r3\nLoadConst r8, c0\n"
        "Invoke r9, @main2, [r1, r5, r6, r7, r8]\nRet r9\n"
        "function main2(tensor, tensor, tensor, storage, tensor) -> adt, registers 9:\nLoadConsti r5, 0\n"
        "AllocTensor r6, r3, r5, [3], float32\nAllocADT r7, 0, [r0, r1, r2, r6, r4]\nRet r7"
    )
    three, number = tensor((3,)), tensor((), "int64")
    exe = executable(
        HEAD + body,
        [kernel(ADD, ("a0_0",))],
        [("x", three)],
        tuple_of(number, tensor((1,), "int64"), three, three, three),
        [constant(np.full(3, 7, np.float32))],
    )
    x = np.arange(3, dtype=np.float32)
    for found, wanted in zip(Session(exe, compiled=compiled)(x), (12, [3], x, 2 * x, [7, 7, 7]), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_where_an_error_is_from_is_what_the_compiler_noted() -> None:
    from dataclasses import replace

    exe = mlp()[0]
    (main,) = exe.functions
    noted = replace(main, where={12: "Model.forward, line 7"})
    for compiled in (False, True):
        with pytest.raises(ArgumentError, match=r"^Model\.forward, line 7: dense at"):
            Session(replace(exe, functions=(noted,)), compiled=compiled)(np.zeros((3, 25), np.float32))


def test_an_unsound_executable_never_runs() -> None:
    with pytest.raises(SpecError, match="not written"):
        Session(executable(HEAD + "Ret r5", [kernel(LESS)], [("x", tensor((3,)))]))
    assert HOST.kind == "llvm"
