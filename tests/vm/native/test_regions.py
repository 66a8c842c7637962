"""Runs and liveness: against a search over all paths, and by what compiled runs take, leave and give back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.schedules.index.expr import Expr, maximum, minimum
from anytile.vm.executable import Executable
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS
from anytile.vm.interpreter.kernels import bind
from anytile.vm.native import regions
from anytile.vm.native.compiled_regions import runs_of
from anytile.vm.native.emit import emit_run
from anytile.vm.native.regions import HEAVIEST, LONGEST, Compiled, Emitted, Run
from anytile.vm.program import isa
from anytile.vm.program.isa import Instruction, InvokePacked, reads, successors, writes
from anytile.vm.program.liveness import flow_of
from anytile.vm.program.shape_programs import argument, program, weight
from anytile.vm.session import Session
from tests.support.cases.vm_executables import ADD, bound, count, executable, kernel, loop, mlp, shape_kernel, tensor
from tests.support.generators.random_straight_programs import programs
from tests.support.processor_time import cpu_time


@st.composite
def tangles(draw: st.DrawFn) -> tuple[Instruction, ...]:
    """Moves, branches and ends over few registers."""
    size = draw(st.integers(1, 9))
    register = st.integers(0, 3)
    code: list[Instruction] = []
    for at in range(size):
        kind = draw(st.sampled_from(("move", "if", "goto", "ret")))
        jump = st.integers(0, size - 1).map(lambda to, at=at: to - at)
        if at == size - 1 or kind == "ret":
            code.append(isa.Ret(draw(register)))
        elif kind == "if":
            code.append(isa.If(draw(register), draw(register), draw(jump), draw(jump)))
        elif kind == "goto":
            code.append(isa.Goto(draw(jump)))
        else:
            code.append(isa.Move(draw(register), draw(register)))
    return tuple(code)


def read_later(code: tuple[Instruction, ...], at: int, register: int) -> bool:
    """Whether some path from after an instruction reads a register before it writes it."""
    seen, waiting = set(), list(successors(code[at], at))
    while waiting:
        n = waiting.pop()
        if n in seen:
            continue
        seen.add(n)
        if register in reads(code[n]):
            return True
        if writes(code[n]) != register:
            waiting += successors(code[n], n)
    return False


@given(tangles())
def test_liveness_is_what_paths_say(code: tuple[Instruction, ...]) -> None:
    flow = flow_of(code)
    for at in range(len(code)):
        wanted = {r for r in range(4) if read_later(code, at, r)}
        touched = {*reads(code[at]), writes(code[at])} - {None}
        assert set(flow.dying[at]) == touched - wanted
        end, seen = at, set[int | None]()
        while end < len(code) and (end == at or (flow.nexts[end - 1] == (end,) and end not in flow.targets)):
            seen |= {*reads(code[end]), writes(code[end])}
            end += 1
            assert flow.left_by(at, end) == {r for r in seen - {None} if read_later(code, end - 1, r)}


def runs_in(exe: Executable, number: int) -> list[Run]:
    return [run for run in runs_of(bound(exe), [flow_of(f.code) for f in exe.functions]) if run.function == number]


def emitted(exe: Executable) -> list[Emitted]:
    made = bound(exe)
    return [emit_run(made, run) for run in runs_of(made, [flow_of(f.code) for f in made.exe.functions])]


@pytest.mark.sampled(0)
@given(programs())
def test_runs_are_straight(made: tuple[Executable, object, object]) -> None:
    (main,) = made[0].functions
    runs = runs_in(made[0], 0)
    assert all(a.end <= b.begin for a, b in pairwise(runs))
    for run in runs:
        for at in range(run.begin, run.end):
            for n in successors(main.code[at], at):
                assert n == at + 1 or at == run.end - 1
        jumped = {n for at, i in enumerate(main.code) for n in successors(i, at) if n != at + 1}
        assert not jumped & set(range(run.begin + 1, run.end))


def test_a_loop_is_two_runs_and_its_branch_is_in_the_first() -> None:
    loops = [e for e in emitted(loop()) if e.interface.function == 1]
    assert [e.interface.branches is not None for e in loops] == [True, False]
    first, second = loops
    assert first.takes == (0, 1)
    assert first.interface.leaves == ()  # the condition and the numbers stay inside
    assert second.interface.leaves == (9, 11)


def test_constants_are_made_where_they_are_used() -> None:
    runs = runs_in(loop(), 1)
    assert all(not run.leaves & {3, 4, 5} for run in runs)


def test_sizes_stay_values() -> None:
    (run,) = emitted(mlp()[0])
    assert "%word." not in run.text
    assert run.text.count("call i64 %take.") == 6
    assert run.text.count("call void %put.") == 5  # all but the result
    assert run.takes == (0,)


def test_what_dies_is_given_back_at_once() -> None:
    body = ["LoadConsti r1, 4000", "LoadConsti r2, 0"]
    last = 0
    for i in range(20):
        s, t = 3 + 2 * i, 4 + 2 * i
        body += [f"AllocStorage r{s}, r1, 64, d0", f"AllocTensor r{t}, r{s}, r2, [1000], float32"]
        body += [f"InvokePacked k0, 1, [r{last}, r{last}, r{t}]"]
        last = t
    text = "function main(tensor) -> any, registers 60:\n" + "\n".join([*body, f"Ret r{last}"])
    exe = executable(text, [kernel(ADD, ("a0_0",))], [("x", tensor((1000,)))], tensor((1000,)))
    x = np.ones(1000, np.float32)
    for compiled in (False, True):
        session = Session(exe, compiled=compiled)
        assert (session(x) == 2.0**20).all()
        assert session.peak_bytes <= 2 * 4352


@pytest.mark.sampled(0)
def test_what_came_from_the_run_before_is_given_back_before_more_is_asked_for() -> None:
    head = ["LoadConsti r1, 32768", "LoadConsti r2, 0", "LoadConsti r3, 4096", "AllocStorage r4, r1, 64, d0"]
    head += ["AllocTensor r5, r4, r2, [1000], float32", "InvokePacked k0, 1, [r0, r0, r5]"]
    loop = ["AllocTensor r6, r4, r3, [1000], float32", "InvokePacked k1, 1, [r5, r6]"]
    loop += ["AllocTensor r5, r4, r2, [1000], float32", "InvokePacked k1, 1, [r6, r5]"]
    last = ["AllocStorage r7, r3, 64, d0", "AllocTensor r8, r7, r2, [1000], float32", "InvokePacked k1, 1, [r5, r8]"]
    last += ["AllocStorage r9, r1, 64, d0", "AllocTensor r10, r9, r2, [1000], float32", "InvokePacked k1, 1, [r8, r10]"]
    body = [*head, *(loop * (LONGEST // 3)), *last, "Ret r10"]
    text = "function main(tensor) -> any, registers 11:\n" + "\n".join(body)
    kernels = [kernel(ADD, ("a0_0",)), kernel("elementwise(d0=?n, rank=1, f=a[d0])", ("a0_0",))]
    exe = executable(text, kernels, [("x", tensor((1000,)))], tensor((1000,)))
    peaks = []
    for compiled in (False, True):
        session = Session(exe, compiled=compiled)
        assert (session(np.ones(1000, np.float32)) == 2).all()
        peaks.append(session.peak_bytes)
    assert peaks[0] == peaks[1] < 2 * 32768


@pytest.mark.parametrize("longest", [1, 2, 5, LONGEST])
@pytest.mark.parametrize("offset", [0, 8, 16, 24])
def test_tensors_that_overlap_are_what_memory_says(offset: int, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two results of one program, the second perhaps over the first, and both read again as sizes."""
    monkeypatch.setattr(regions, "LONGEST", longest)
    two = shape_kernel(program((), [(1, 2), (3, 4)]))
    use = shape_kernel(program((2, 2), [(argument(0, 0) + 10 * argument(0, 1), argument(1, 0) + 10 * argument(1, 1))]))
    text = f"""
function main() -> any, registers 9:
  LoadConsti r0, 64
  LoadConsti r1, 0
  LoadConsti r2, {offset}
  AllocStorage r3, r0, 8, d0
  AllocTensor r4, r3, r1, [2], int64
  AllocTensor r5, r3, r2, [2], int64
  InvokePacked k0, 2, [r4, r5]
  LoadConsti r6, 48
  AllocTensor r7, r3, r6, [2], int64
  InvokePacked k1, 1, [r4, r5, r7]
  Ret r7
"""
    exe = executable(text, [two, use], output=tensor((2,), "int64"))
    memory = np.zeros(8, np.int64)
    memory[:2] = 1, 2
    memory[offset // 8 : offset // 8 + 2] = 3, 4
    wanted = [memory[0] + 10 * memory[1], 43]
    for compiled in (False, True):
        np.testing.assert_array_equal(Session(exe, compiled=compiled)(), wanted)


def test_a_shape_of_an_earlier_run_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lies in a storage of its own, which no kernel behind it writes: what is emitted does not grow with calls."""
    fill = shape_kernel(program((1,), [(argument(0, 0),)]))
    head = ["LoadConsti r1, 8", "LoadConsti r2, 0", "LoadConsti r3, 4096", "AllocStorage r4, r1, 8, d0"]
    head += ["AllocTensor r5, r4, r2, [1], int64", "ShapeOf r6, r0", "InvokePacked k0, 1, [r6, r5]"]
    head += ["AllocStorage r7, r3, 64, d0"]
    step = ["AllocTensorReg r8, r7, r2, r5, float32", "InvokePacked k1, 1, [r0, r0, r8]"]
    body = [*head, *(step * 10), "Ret r8"]
    text = "function main(tensor) -> tensor, registers 9:\n" + "\n".join(body)
    monkeypatch.setattr(regions, "LONGEST", len(head))
    exe = executable(text, [fill, kernel(ADD, ("a0_0",))], [("x", tensor((None,)))], tensor((None,)))
    run = emitted(exe)[1]
    assert run.text.count("call i32 %") == 4
    assert "%word." not in run.text
    assert run.text.count("@llvm.smul.with.overflow") <= 1
    assert (Session(exe)(np.ones(1000, np.float32)) == 2).all()


def test_recursion_is_not_in_runs() -> None:
    runs = [e.interface for e in emitted(count())]
    assert all(isinstance(run.function, int) and run.branches is None for run in runs if run.begin > 1)


# -- what a small file may cost ----------------------------------------------------------------------------------------


def sized(results: int, calls: int = 1) -> Executable:
    """A kernel of sizes with so many results, called so often."""
    x = argument(0, 0)
    return computing([(x // (i + 2)) * (x % (i + 3)) + minimum(x, i) for i in range(results)], calls)


def computing(many: list[Expr], calls: int = 1) -> Executable:
    """A kernel of these sizes, called so often."""
    results = len(many)
    body = ["ShapeOf r1, r0", f"LoadConsti r2, {8 * results}", "LoadConsti r3, 0"]
    body += ["AllocStorage r4, r2, 8, d0", f"AllocTensor r5, r4, r3, [{results}], int64"]
    body += ["InvokePacked k0, 1, [r1, r5]"] * calls
    text = "function main(tensor) -> tensor, registers 6:\n" + "\n".join([*body, "Ret r5"])
    return executable(text, [shape_kernel(program((1,), [many]))], [("x", tensor((None,)))], tensor((None,), "int64"))


@pytest.mark.slow
@pytest.mark.parametrize(("made", "inlined"), [((40,), 1), ((4000,), 0), ((40, 200), None), ((200, 60), None)], ids=str)
def test_sizes_are_compiled_as_long_as_there_is_room_for_them(made: tuple[int, ...], inlined: int | None) -> None:
    """The rest is computed in Python, with what the interpreter returns."""
    exe = sized(*made)
    calls = [at for run in runs_in(exe, 0) for at in range(run.begin, run.end)]
    called = sum(isinstance(exe.functions[0].code[at], InvokePacked) for at in calls)
    assert called == inlined if inlined is not None else 0 < called < made[1]
    x = np.ones(1000, np.float32)
    with cpu_time() as took:
        session = Session(exe)
    assert took.seconds < 10
    np.testing.assert_array_equal(session(x), Session(exe, compiled=False)(x))


def test_what_sizes_have_in_common_is_computed_once() -> None:
    """As places in memory have, each the largest of ever more ends: told one by one they would be too many."""
    x, ends = argument(0, 0), list[Expr]()
    for i in range(1, 28):
        end = 64 * ((i * x + 63) // 64) + x % (i + 2)
        ends.append(maximum(end, ends[-1] + x) if ends else end)
    exe = computing(ends)
    assert sum(map(weight, ends)) > HEAVIEST
    (run,) = emitted(exe)
    assert sum("smul.with.overflow" in line for line in run.text.splitlines()) <= len(ends) + 1
    ours, plain = Session(exe), Session(exe, compiled=False)
    for size in (1, 37, 1000):
        given = np.ones(size, np.float32)
        np.testing.assert_array_equal(ours(given), plain(given))


def test_no_run_computes_more_sizes_than_others() -> None:
    exe = sized(100, 60)
    costs = Compiled([bind(k, HOST_FUNCTIONS, {}) for k in exe.kernels]).costs
    for run in runs_in(exe, 0):
        assert (
            sum(isinstance(i, InvokePacked) for i in exe.functions[0].code[run.begin : run.end]) * costs[0] <= HEAVIEST
        )
    assert len(runs_in(exe, 0)) > 5
