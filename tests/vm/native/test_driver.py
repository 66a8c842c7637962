"""The driver against the interpreter: generated programs of everything, and what must hold however a run ends."""

from __future__ import annotations

import ctypes
import math
import re
import signal
import threading
import time
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings

from anytile.core.errors import AnytileError, ArgumentError, ResourceError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS
from anytile.vm.interpreter.steps import Machine
from anytile.vm.native import driver, regions
from anytile.vm.native.driver import Driver
from anytile.vm.native.marshalling import event_log
from anytile.vm.program import isa
from anytile.vm.program.executable import Constructor, DataPort, DataType, constant
from anytile.vm.runtime.cell_words import CELLS_KEPT
from anytile.vm.runtime.machine_words import STACK, TOTAL
from anytile.vm.runtime.pool_words import VALUES
from anytile.vm.session import Session
from anytile.vm.values.ports import Data
from anytile.vm.values.values import Value
from tests.support.cases.vm_executables import (
    ADD,
    ADD_INT,
    COUNT,
    closure,
    count,
    executable,
    kernel,
    list_sum,
    loop,
    mlp,
    packed_kernel,
    tensor,
    tuple_of,
)
from tests.support.generators.random_programs import tangles, twice
from tests.support.run_outcomes import clean, live, outcome

# more(n, end, list): the list with the numbers from n + 1 to end before it.
MORE = """
function more(tensor, tensor, adt) -> adt, registers 12:
  If r0, r1, done, more
more:
  LoadConsti r3, 1
  LoadConsti r4, 8
  LoadConsti r5, 0
  AllocStorage r6, r4, 8, d0
  AllocTensor r7, r6, r5, [], int64
  InvokePacked k0, 1, [r0, r3, r7]
  AllocADT r8, 1, [r7, r2]
  Invoke r9, @more, [r7, r1, r8]
  Ret r9
done:
  Ret r2
"""
NUMBER = tensor((), "int64")
NUMBERS = DataType("Numbers", (Constructor("Nil", ()), Constructor("Cons", (NUMBER, DataPort("Numbers")))))


@pytest.mark.slow
@pytest.mark.parametrize("longest", [3, regions.LONGEST])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=tangles())
def test_generated_programs(
    longest: int, monkeypatch: pytest.MonkeyPatch, made: tuple[Executable, list[Value]]
) -> None:
    monkeypatch.setattr(regions, "LONGEST", longest)
    exe, args = made
    functions = {**HOST_FUNCTIONS, "twice": twice}
    try:
        reference = Session(exe, compiled=False, max_depth=12, functions=functions)
    except SpecError as error:
        event(f"refused: {str(error).partition(': ')[2]}")
        assume(False)
    native = Session(exe, max_depth=12, functions=functions)
    assert isinstance(native._engine, Driver)
    wanted = outcome(reference, args)
    event(f"an error: {wanted[0].endswith('Error') if isinstance(wanted[0], str) else False}")
    for _ in range(2):
        assert outcome(native, args) == wanted


# -- a host function that compiled code does itself -------------------------------------------------------------------

# start, step and a tensor with as many elements as are wanted
POSITIONS = """
function main(tensor, tensor, tensor) -> tensor, registers 9:
  ShapeOf r3, r2
  LoadConsti r4, 800
  LoadConsti r5, 0
  AllocStorage r6, r4, 8, d0
  AllocTensorReg r7, r6, r5, r3, int64
  InvokePacked k0, 1, [r0, r0, r1, r7]
  Ret r7
"""


def test_positions_are_made_by_compiled_code() -> None:
    inputs = [("start", tensor((), "int64")), ("step", tensor((), "int64")), ("like", tensor((None, None)))]
    exe = executable(POSITIONS, [packed_kernel("arange")], inputs, tensor((None, None), "int64"))
    native, reference = Session(exe), Session(exe, compiled=False)
    assert isinstance(native._engine, Driver)
    for start, step in ((0, 1), (-3, 7), (5, 0), (2**62, 2**62), (-(2**63), -1)):
        for shape in ((0, 0), (1, 1), (3, 5), (100, 1)):
            args = scalar(start), scalar(step), np.zeros(shape, np.float32)
            wanted = [(start + step * i + 2**63) % 2**64 - 2**63 for i in range(shape[0] * shape[1])]
            for session in (native, reference):
                assert session(*args).reshape(-1).tolist() == wanted
    feeds = {"start": scalar(0), "step": scalar(1), "like": np.zeros((3, 5), np.float32)}
    noted = [[(e.dims, e.nbytes) for e in s.profile(feeds).events] for s in (native, reference)]
    assert noted[0] == noted[1] == [((), 18 * 8)]


# a tensor, and one of the shape that it is repeated to
REPEATED = """
function main(tensor, tensor) -> tensor, registers 9:
  ShapeOf r3, r1
  LoadConsti r4, 100000
  LoadConsti r5, 0
  AllocStorage r6, r4, 8, d0
  AllocTensorReg r7, r6, r5, r3, {}
  InvokePacked k0, 1, [r0, r7]
  Ret r7
"""


def repeating(rank: int, made: int, dtype: str) -> Executable:
    inputs = [("x", tensor((None,) * rank, dtype)), ("like", tensor((None,) * made))]
    return executable(REPEATED.format(dtype), [packed_kernel("repeat")], inputs, tensor((None,) * made, dtype))


@pytest.mark.parametrize(
    ("shape", "wide"),
    [
        ((), ()), ((), (5,)), ((), (2, 3)), ((1,), (7,)), ((7,), (7,)), ((1, 3), (4, 3)), ((4, 1), (4, 3)),
        ((3,), (4, 2, 3)), ((2, 1, 3, 1), (2, 5, 3, 7)), ((1, 5, 1), (3, 5, 2)), ((4, 1, 1), (2, 4, 1, 6)),
        ((1, 1), (0, 3)), ((0, 1), (0, 3)), ((1, 3), (1, 3)), ((5, 1, 2, 3), (5, 4, 2, 3)),
        ((1, 2, 1, 2, 1, 2, 1, 2), (2, 2, 3, 2, 1, 2, 2, 2)), ((1,) * 8, (2,) * 8),
        ((1,), (12001,)), ((1, 7), (1500, 7)), ((3, 1, 5), (3, 700, 5)),
        ((2, 1, 2), (2, 2999, 2)), ((1, 2100), (5, 2100)), ((1, 2, 1, 900), (3, 2, 2, 900)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_tensors_are_repeated_by_compiled_code(shape: tuple[int, ...], wide: tuple[int, ...], dtype: str) -> None:
    exe = repeating(len(shape), len(wide), dtype)
    x = np.random.default_rng(len(wide)).integers(0, 2 if dtype == "bool" else 99, shape).astype(dtype)
    for session in (Session(exe), Session(exe, compiled=False)):
        found = session(x, np.zeros(wide, np.float32))
        assert found.dtype == x.dtype
        assert np.array_equal(found, np.broadcast_to(x, wide))
    feeds = {"x": x, "like": np.zeros(wide, np.float32)}
    noted = [[e.nbytes for e in Session(exe, compiled=c).profile(feeds).events] for c in (True, False)]
    assert noted[0] == noted[1] == [(x.size + math.prod(wide)) * x.itemsize]


@pytest.mark.parametrize(("shape", "wide"), [((2,), (3,)), ((3, 1), (3,)), ((2, 3), (1, 3)), ((2,), (0,))])
def test_tensors_that_do_not_fit_are_refused_by_both(shape: tuple[int, ...], wide: tuple[int, ...]) -> None:
    exe = repeating(len(shape), len(wide), "float32")
    for session in (Session(exe), Session(exe, compiled=False)):
        with pytest.raises(ArgumentError, match="repeat"):
            session(np.zeros(shape, np.float32), np.zeros(wide, np.float32))


def test_another_function_of_the_name_is_called() -> None:
    def backwards(inputs: AnyType, outputs: AnyType) -> None:
        outputs[0].reshape(-1)[...] = np.arange(outputs[0].size)[::-1]

    inputs = [("start", tensor((), "int64")), ("step", tensor((), "int64")), ("like", tensor((None,)))]
    exe = executable(POSITIONS, [packed_kernel("arange")], inputs, tensor((None,), "int64"))
    args = scalar(0), scalar(1), np.zeros(3, np.float32)
    assert Session(exe)(*args).tolist() == [0, 1, 2]
    assert Session(exe, functions={**HOST_FUNCTIONS, "arange": backwards})(*args).tolist() == [2, 1, 0]
    exe, one = repeating(0, 1, "float32"), np.ones((), np.float32)
    assert Session(exe)(one, np.zeros(3, np.float32)).tolist() == [1, 1, 1]
    assert Session(exe, functions={**HOST_FUNCTIONS, "repeat": backwards})(one, np.zeros(3, "f")).tolist() == [2, 1, 0]


# -- however a run ends, it holds nothing ------------------------------------------------------------------------------


def scalar(n: int) -> AnyType:
    return np.array(n, np.int64)


def cells_of(depth: int) -> AnyType:
    cells = Data("Nil")
    for _ in range(depth):
        cells = Data("Cons", np.ones(1, np.float32), cells)
    return cells


@pytest.mark.sampled(0)
def test_a_list_as_deep_as_memory() -> None:
    session, deep = Session(list_sum()), cells_of(100_000)
    assert session(deep) == 100_000
    assert live(session).words[TOTAL] <= CELLS_KEPT  # what a run took beyond that went back
    assert live(session).words[STACK] == 0
    clean(live(session))
    assert session(cells_of(3)) == 3


@pytest.mark.sampled(0)
def test_a_deep_list_comes_out_again() -> None:
    text = "function main(tensor, tensor) -> adt, registers 9:\nLoadConsti r2, 0\nAllocADT r3, 0, []\n"
    text += "Invoke r4, @more, [r2, r0, r3]\nRet r4\n" + MORE
    inputs = [("n", NUMBER), ("unused", NUMBER)]
    exe = executable(text, [kernel(ADD_INT)], inputs, DataPort("Numbers"), data=[NUMBERS])
    session = Session(exe)
    found = session(scalar(10_000), scalar(0))
    for expected in range(10_000, 0, -1):
        assert found.constructor == "Cons"
        assert found.fields[0] == expected
        found = found.fields[1]
    assert found.constructor == "Nil"
    clean(live(session))


def test_what_nobody_reads_again_is_let_go_at_once() -> None:
    """Arguments go with the call, fields are all that is left of a value: memory is that of what is still of use."""
    session = Session(count())
    assert session(scalar(200)) == 200
    assert session.peak_bytes < 1000
    text = (
        """function main(tensor, tensor) -> adt, registers 9:
  LoadConsti r2, 0
  AllocADT r3, 0, []
  Invoke r4, @more, [r2, r0, r3]
  AllocADT r5, 0, []
  AllocADT r7, 0, [r4]
  GetField r8, r7, 0
  Invoke r6, @reversed, [r8, r5]
  Move r0, r6
  Ret r0
function reversed(adt, adt) -> adt, registers 12:
  LoadConsti r2, 0
  GetTag r3, r0
  If r3, r2, done, more
more:
  GetField r4, r0, 0
  GetField r5, r0, 1
  LoadConsti r6, 8
  AllocStorage r7, r6, 8, d0
  AllocTensor r8, r7, r2, [], int64
  InvokePacked k0, 1, [r4, r4, r8]
  AllocADT r9, 1, [r8, r1]
  Invoke r10, @reversed, [r5, r9]
  Ret r10
done:
  Ret r1
"""
        + MORE
    )
    exe = executable(text, [kernel(ADD_INT)], [("n", NUMBER), ("unused", NUMBER)], DataPort("Numbers"), data=[NUMBERS])
    session = Session(exe)
    found = session(scalar(100), scalar(0))
    assert found.fields[0] == 2
    assert session.peak_bytes <= 105 * 64


def test_signals_arrive_in_a_loop_without_end() -> None:
    text = "function main(tensor) -> tensor, registers 6:\nLoadConsti r1, 4096\nLoadConsti r2, 0\n"
    text += "AllocStorage r3, r1, 8, d0\nAllocTensor r4, r3, r2, [8], float32\nagain:\nMove r5, r4\nGoto again"
    session = Session(executable(text, (), [("x", tensor((3,)))], tensor((8,))))

    class Enough(Exception):
        pass

    def enough(*_: object) -> None:
        raise Enough

    before = signal.signal(signal.SIGALRM, enough)
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(Enough):
                session(np.zeros(3, np.float32))
            clean(live(session))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_run_while_one_does() -> None:
    """The GIL is let go: what would never end is ended by another thread."""
    text = "function main(tensor, tensor) -> tensor, registers 2:\nagain:\nIf r0, r1, end, again\nend:\nRet r1"
    number = tensor((), "int64")
    session = Session(executable(text, (), [("flag", number), ("one", number)], number))
    flag = scalar(0)
    timer = threading.Timer(0.1, lambda: flag.__setitem__((), 1))
    timer.start()
    assert session(flag, scalar(1)) == 1
    timer.join()


def test_an_error_deep_inside_gives_everything_back() -> None:
    """The memory limit meets a recursion that holds storage in each of its frames."""
    holding = COUNT.replace("[r6, r2, r8]", "[r6, r5, r8]")  # the sum below n, with a number in each frame
    exe = executable(holding, [kernel(ADD_INT)], [("n", NUMBER)], NUMBER)
    session = Session(exe, memory_limit=40_000)
    assert session(scalar(100)) == 99 * 100 // 2
    for n in (2000, -1):
        with pytest.raises(ResourceError, match="expected to stay within 40000 bytes"):
            session(scalar(n))
        clean(live(session))
    assert session(scalar(100)) == 99 * 100 // 2


# build(n, rest): a list of n cells in a loop of tail calls; each has as many fields as it is told.
BUILD = """
function main(tensor) -> tensor, registers 3:
  AllocADT r1, 0, []
  Invoke r2, @build, [r0, r1]
  Ret r2

function build(tensor, any) -> tensor, registers 9:
  LoadConsti r2, 0
  If r0, r2, end, more
end:
  Ret r0
more:
  LoadConsti r3, -1
  LoadConsti r4, 8
  AllocStorage r5, r4, 8, d0
  AllocTensor r6, r5, r2, [], int64
  InvokePacked k0, 1, [r0, r3, r6]
  AllocADT r7, 1, [FIELDS]
  Invoke r8, @build, [r6, r7]
  Ret r8
"""


@pytest.mark.parametrize("fields", [1, 30], ids=["cells", "blocks"])
def test_values_without_end_meet_the_memory_limit(fields: int) -> None:
    exe = executable(BUILD.replace("FIELDS", ", ".join(["r1"] * fields)), [kernel(ADD_INT)], [("n", NUMBER)], NUMBER)
    session = Session(exe, memory_limit=1 << 20)
    assert session(scalar(1000)) == 0
    for _ in range(2):
        with pytest.raises(ResourceError, match="expected to stay within 1048576 bytes, got a request for") as caught:
            session(scalar(10**7))
        assert "\n" not in str(caught.value)
        assert _would_be(str(caught.value)) > 1 << 20
        clean(live(session))
        assert live(session).pool.words[VALUES] == 0
    assert session(scalar(1000)) == 0


def _would_be(said: str) -> int:
    """What an error of memory says was asked for and in use, together."""
    asked, used = map(int, re.findall(r"a request for (\d+) with (\d+) in use", said)[0])
    return asked + used


def test_an_error_of_memory_counts_values_too() -> None:
    """A list of tensors takes all there is: what is in use is tensors, cells and calls."""
    text = BUILD.replace("LoadConsti r4, 8", "LoadConsti r4, 12000").replace("FIELDS", "r6" + ", r1" * 100)
    session = Session(executable(text, [kernel(ADD_INT)], [("n", NUMBER)], NUMBER), memory_limit=1 << 20)
    with pytest.raises(ResourceError, match="a request for 12000 with") as caught:
        session(scalar(10**7))
    assert _would_be(str(caught.value)) > 1 << 20


def test_calls_without_end_meet_the_memory_limit() -> None:
    session = Session(count(), memory_limit=1 << 20)
    assert session(scalar(500)) == 500
    for _ in range(2):
        with pytest.raises(ResourceError, match="expected to stay within 1048576 bytes, got a request for"):
            session(scalar(-1))
        clean(live(session))
        assert live(session).pool.words[VALUES] <= 1 << 18  # what is kept for the next run
    assert session(scalar(500)) == 500


def test_threads_share_constants_and_closures() -> None:
    sessions = {"closure": Session(closure()), "list": Session(list_sum()), "loop": Session(loop())}
    wrong: list[object] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(40):
            x, y = rng.standard_normal((2, 3), dtype=np.float32)
            n = int(rng.integers(0, 30))
            if not np.allclose(sessions["closure"](x, y), x + 2 * y, rtol=1e-5, atol=1e-5):
                wrong.append("closure")
            if sessions["list"](cells_of(n)) != n or sessions["loop"](scalar(n)) != n * (n - 1) // 2:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    for session in sessions.values():
        for machine in session._idle:
            clean(machine)


def test_a_profile_notes_every_kernel_of_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_STEPS_NOTED", 3)
    n = 300
    profile = Session(loop()).profile({"n": scalar(n)})
    assert len(profile.events) == 3 * n + 1
    assert all(a.end <= b.start for a, b in zip(profile.events, profile.events[1:], strict=False))


def test_what_a_long_run_noted_is_read_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    n, read = 300, list[int]()
    monkeypatch.setattr(driver, "_STEPS_NOTED", 3)
    monkeypatch.setattr(event_log, "CAPACITY", 64)
    of_words = event_log._event
    monkeypatch.setattr(event_log, "_event", lambda *a: (read.append(time.perf_counter_ns()), of_words(*a))[1])
    session = Session(loop())
    profile = session.profile({"n": scalar(n)}, warm_up=0)
    assert len(profile.events) == len(read) == 3 * n + 1
    assert profile.end <= min(read)
    again = session.profile({"n": scalar(2)})
    assert len(again.events) == 3 * 2 + 1


# -- what a program may be ---------------------------------------------------------------------------------------------


def both(text: str, args: list[AnyType], output: AnyType = None, **more: AnyType) -> list[AnyType]:
    """What the interpreter and the driver return, or their errors."""
    inputs = [(f"x{i}", tensor((None,) * a.ndim, a.dtype.name)) for i, a in enumerate(args)]
    exe = executable(text, inputs=inputs, output=tensor((), "int64") if output is None else output, **more)
    found: list[AnyType] = []
    for compiled in (False, True):
        session = Session(exe, compiled=compiled)
        assert isinstance(session._engine, Driver) == compiled
        try:
            found.append(np.array(session(*args)))
        except AnytileError as error:
            found.append(f"{type(error).__name__}: {error}")
        clean(live(session))
    return found


@pytest.mark.sampled(15)
@pytest.mark.parametrize("left", [0.0, 1.0, 1.5, -1.5, np.nan, np.inf, 2.0**62, 2.0**63, 2.0**80])
@pytest.mark.parametrize("right", [0, 1, 2**62, 2**63 - 1, -(2**63)])
def test_branches_compare_as_python_does(left: float, right: int) -> None:
    text = "function main(tensor, tensor) -> tensor, registers 3:\nIf r0, r1, same, differ\n"
    text += "same:\nLoadConsti r2, 1\nRet r2\ndiffer:\nLoadConsti r2, 0\nRet r2"
    reference, native = both(text, [np.array(left, np.float32), scalar(right)])
    assert reference == native == (float(np.float32(left)) == right)


@pytest.mark.parametrize("loads", ["LoadConst r1, c0\n", "LoadConst r1, c0\nGoto next\nnext:\n", "Move r1, r0\n"])
@pytest.mark.parametrize("byte", [0, 1, 2, 128, 255])
def test_whatever_byte_is_not_0_is_true(byte: int, loads: str) -> None:
    """Of constants and of inputs, wherever the branch is taken."""
    given = np.array(byte, np.uint8).view(np.bool_)
    text = f"function main(tensor) -> tensor, registers 4:\n{loads}LoadConsti r2, 1\nIf r1, r2, same, differ\n"
    text += "same:\nLoadConsti r3, 1\nRet r3\ndiffer:\nLoadConsti r3, 0\nRet r3"
    reference, native = both(text, [given], constants=[constant(given)])
    assert reference == native == (byte != 0)


def test_numbers_that_a_kernel_read_on_the_stack_are_left_in_memory() -> None:
    """A shape that is read by a kernel under another shape, and then by others."""
    text = """function main(tensor) -> tensor, registers 8:
  LoadConsti r1, 7
  LoadConst r2, c0
  ReshapeTensor r3, r1, r2
  Invoke r4, @next, [r3]
  Ret r4
function next(tensor) -> tensor, registers 8:
  LoadConsti r1, 8
  LoadConsti r2, 0
  AllocStorage r3, r1, 8, d0
  AllocTensor r4, r3, r2, [1], int64
  InvokePacked k0, 1, [r0, r0, r4]
  Ret r4
"""
    one = constant(np.array([1], np.int64))
    found = both(text, [scalar(0)], tensor((1,), "int64"), kernels=[kernel(ADD_INT)], constants=[one])
    assert [f.tolist() for f in found] == [[14], [14]]


def test_a_branch_that_is_jumped_to_past_its_tag() -> None:
    """The If behind a GetTag, reached also by a jump: what it reads must be there."""
    text = """function main(tensor) -> tensor, registers 8:
  LoadConsti r1, 0
  LoadConsti r2, 3
  AllocADT r3, 0, []
  If r0, r2, jump, fall
jump:
  LoadConsti r4, 5
  Goto asked
fall:
  GetTag r4, r3
asked:
  If r4, r1, zero, other
zero:
  LoadConsti r5, 0
  Ret r5
other:
  Ret r2
"""
    assert both(text, [scalar(3)]) == [3, 3]
    assert both(text, [scalar(1)]) == [0, 0]


def test_errors_are_the_interpreters() -> None:
    head = "function main(tensor) -> any, registers 9:\n"
    for body in (
        "AllocADT r1, 0, [r0]\nGetField r2, r1, 0\nGetTag r3, r2\nRet r3",
        "AllocADT r1, 0, [r0]\nGetField r2, r1, 0\nGetField r3, r2, 0\nRet r3",
        "AllocADT r1, 0, [r0]\nGetField r2, r1, 3\nRet r2",
        "AllocADT r1, 0, [r0]\nGetField r2, r1, 0\nInvokeClosure r3, r2, []\nRet r3",
        "AllocClosure r1, @f, [r0]\nInvokeClosure r3, r1, []\nRet r3\n"
        "function f(any, any) -> any, registers 2:\nRet r0",
        "AllocADT r1, 0, [r0]\nAllocADT r2, 0, [r1]\nGetField r3, r2, 0\nIf r3, r0, a, a\na:\nRet r0",
        "If r0, r0, a, a\na:\nRet r0",
        'Fatal "enough"',
    ):
        reference, native = both(head + body, [np.zeros(3, np.float32)])
        assert isinstance(reference, str)
        assert reference == native


def test_what_names_another_device_is_interpreted() -> None:
    text = "function main(tensor) -> tensor, registers 2:\nDeviceCopy r1, r0, d0, d0\nRet r1"
    exe = executable(text, (), [("x", tensor((3,)))], tensor((3,)))
    assert not driver.is_native(exe)
    assert driver.is_native(loop())
    np.testing.assert_array_equal(Session(exe)(np.ones(3, np.float32)), np.ones(3, np.float32))
    assert any(isinstance(i, isa.DeviceCopy) for f in exe.functions for i in f.code)


def test_results_of_every_kind_keep_what_they_need() -> None:
    """Storage of its own, storage shared by two, an input, a constant, numbers: after the session is gone."""
    body = (
        "LoadConsti r1, 64\nLoadConsti r2, 0\nLoadConsti r3, 32\nAllocStorage r4, r1, 64, d0\n"
        "AllocTensor r5, r4, r2, [3], float32\nAllocTensor r6, r4, r3, [3], float32\n"
        "InvokePacked k0, 1, [r0, r0, r5]\nInvokePacked k0, 1, [r5, r5, r6]\n"
        "LoadConst r7, c0\nShapeOf r8, r0\nAllocADT r9, 0, [r5, r6, r0, r7, r8, r5]\nRet r9"
    )
    three, kernels = tensor((3,)), [kernel(ADD, ("a0_0",))]
    seven = constant(np.full(3, 7, np.float32))
    exe = executable(
        "function main(tensor) -> any, registers 10:\n" + body,
        kernels,
        [("x", three)],
        tuple_of(three, three, three, three, tensor((1,), "int64"), three),
        [seven],
    )
    session, x = Session(exe), np.arange(3, dtype=np.float32)
    machine = session._machine()
    session._give_back(machine)
    found = session(x)
    assert machine.pool.used > 0
    del session
    x += 100
    wanted = np.arange(3, dtype=np.float32)
    for y, expected in zip(found, (2 * wanted, 4 * wanted, wanted, [7, 7, 7], [3], 2 * wanted), strict=True):
        np.testing.assert_array_equal(y, expected)
    del found, y
    clean(machine)


def test_words_of_the_machine_are_apart() -> None:
    """Every word has one name, and a machine's result lies behind them all."""
    from anytile.vm.runtime import machine_words

    names = ["POOL", "LOG", "LEFT", "RIGHT", "FREE", "CELLS", "NEEDED", "CHUNKS", "TOTAL", "STACK", "CAPACITY", "FRAME"]
    names += ["STEP", "DEPTH", "ROOM", "MOST_DEPTH", "BUDGET", "RESULT", "DONE", "FUNCTIONS", "GIVEN"]
    assert sorted(getattr(machine_words, n) for n in names) == list(range(machine_words.OUT))
    machine = live_after(Session(loop()))
    assert ctypes.sizeof(machine.words) == 8 * machine_words.MACHINE


def live_after(session: Session) -> Machine:
    session(scalar(2))
    return live(session)


def test_inputs_of_a_wrong_kind_are_refused_after_others_were_taken() -> None:
    session = Session(list_sum())
    bad = Data("Cons", np.ones(1, np.float32), Data("Cons", np.ones(2, np.float32), Data("Nil")))
    for _ in range(3):
        with pytest.raises(ArgumentError, match="list"):
            session(bad)
        clean(live(session))
    assert mlp()[0].inputs
