"""Compiled runs that are kept: under a key of all that decides their text, and enough to run and to fail without it."""

from __future__ import annotations

import copy
import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.cache import CodeCache
from anytile.core.errors import AnytileError
from anytile.schedules.hardware.host import HOST_SETTING
from anytile.vm.executable import Executable
from anytile.vm.interpreter.steps import Program
from anytile.vm.native import compiled_regions, emit
from anytile.vm.native.compiled_regions import key_of_runs, runs_of
from anytile.vm.native.emit import emit_run
from anytile.vm.native.interface_table import interfaces, interfaces_text
from anytile.vm.native.regions import Interface
from anytile.vm.program import isa
from anytile.vm.program.executable import KernelEntry, constant
from anytile.vm.program.liveness import flow_of
from anytile.vm.runtime.installation import ROOMS
from anytile.vm.session import Session
from anytile.vm.values.values import tensor_of
from tests.support.cases.vm_executables import ADD, bound, executable, kernel, list_sum, loop, mlp, tensor
from tests.support.import_graph import ORDER, ROOT

# Adds a constant to the first elements of x, as many as another constant says.
FIRST = """
function main(tensor) -> tensor, registers 9:
  LoadConst r1, c0
  LoadConst r2, c1
  LoadConsti r3, 12
  LoadConsti r4, 0
  ReshapeTensor r5, r0, r1
  AllocStorage r6, r3, 4, d0
  AllocTensorReg r7, r6, r4, r1, float32
  InvokePacked k0, 1, [r5, r2, r7]
  Ret r7
"""


def first() -> Executable:
    held = [constant(np.array([3], np.int64), "count"), constant(np.ones(3, np.float32), "ones")]
    return executable(FIRST, [kernel(ADD, ("a0_0",))], [("x", tensor((None,)))], tensor((None,)), held)


SAYS = """
import hashlib
from anytile.vm.native.compiled_regions import key_of_runs
from tests.support.cases.vm_executables import bound, mlp
from tests.vm.native.test_compiled_regions import text_of
program = bound(mlp()[0])
print(key_of_runs(program), hashlib.sha256(text_of(program).encode()).hexdigest())
"""


def text_of(program: Program) -> str:
    """What is compiled of a program, and what its statuses mean."""
    found = [emit_run(program, run) for run in runs_of(program, [flow_of(f.code) for f in program.exe.functions])]
    return "\n".join(f"{e.interface}\n{e.failures}\n{e.text}" for e in found)


# -- the key -----------------------------------------------------------------------------------------------------------

Change = Callable[[Program], Program]


def in_code(at: int, **fields: AnyType) -> Change:
    def change(program: Program) -> Program:
        (main,) = program.exe.functions
        code: list[AnyType] = list(main.code)
        code[at] = replace(code[at], **fields)
        return replace(program, exe=replace(program.exe, functions=(replace(main, code=tuple(code)),)))

    return change


def in_kernel(does: Callable[[AnyType], None]) -> Change:
    def change(program: Program) -> Program:
        changed = copy.copy(program.kernels[0])
        does(changed)
        return replace(program, kernels=(changed,))

    return change


def in_entry(**fields: AnyType) -> Change:
    """In a kernel and in the program, where both say it."""

    def change(program: Program) -> Program:
        entry = replace(program.exe.kernels[0], **fields)
        made = in_kernel(lambda k: k.__init__(entry))(program)
        return replace(made, exe=replace(program.exe, kernels=(entry,)))

    return change


def in_constant(index: int, array: AnyType) -> Change:
    def change(program: Program) -> Program:
        held, given_ = list(program.constants), list(program.exe.constants)
        held[index], given_[index] = tensor_of(array), replace(given_[index], array=array)
        return replace(program, exe=replace(program.exe, constants=tuple(given_)), constants=tuple(held))

    return change


def one_packed(k: AnyType) -> None:
    k.operands = (replace(k.operands[0], packed_bytes=64), *k.operands[1:])


def one_parameter_more(program: Program) -> Program:
    (main,) = program.exe.functions
    return replace(
        program, exe=replace(program.exe, functions=(replace(main, params=(*main.params, isa.Kind.TENSOR)),))
    )


def one_constant_more(program: Program) -> Program:
    return replace(program, constants=(*program.constants, program.constants[0]))


CHANGES: dict[str, Change] = {
    "a number in the code": in_code(2, value=16),
    "a register": in_code(4, tensor=2),
    "a dtype": in_code(6, dtype="int32"),
    "what a kernel is called": in_entry(name="other"),
    "what a kernel computes": in_entry(workload="elementwise(d0=?n, rank=1, f=c[d0] + d[d0])"),
    "a kernel's sizes": in_entry(dims=("2",)),
    "whether a kernel needs memory": in_kernel(
        lambda k: k.__dict__.update(may_need_workspace=not k.may_need_workspace)
    ),
    "what a packed operand takes": in_kernel(one_packed),
    "another constant": one_constant_more,
    "how large a constant is": in_constant(1, np.ones(4, np.float32)),
    "a constant's dtype": in_constant(1, np.ones(3, np.int32)),
    "a few whole numbers": in_constant(0, np.array([2], np.int64)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_the_text_changes_the_key(name: str) -> None:
    program = bound(first())
    changed = CHANGES[name](program)
    assert text_of(changed) != text_of(program), "it changes no text, so it tests nothing"
    assert key_of_runs(changed) != key_of_runs(program)


def test_what_may_change_the_text_of_another_program_changes_the_key() -> None:
    program = bound(first())
    (main,) = program.exe.functions
    functions = (replace(main, params=(*main.params, isa.Kind.TENSOR)),), (main, main)
    changed = [replace(program, exe=replace(program.exe, functions=f)) for f in functions]
    changed.append(in_constant(1, np.ones((3, 1), np.float32))(program))  # nobody asks for its shape
    packed = (program.exe.constants[0], replace(program.exe.constants[1], array=np.ones(3, np.int32)))
    changed.append(replace(program, exe=replace(program.exe, constants=packed)))  # what the kernel reads is the same
    for fields in ({"kind": "shape"}, {"device": 1}):
        changed.append(in_kernel(lambda k, fields=fields: setattr(k, "entry", replace(k.entry, **fields)))(program))
    assert len({key_of_runs(p) for p in (program, *changed)}) == 1 + len(changed)


def test_the_machine_and_this_installation_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    program = bound(loop())
    keys = [key_of_runs(program)]
    for name, value in (("features", "-avx"), ("llvm_version", "1.2.3"), ("installation", "changed")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled_regions, name, lambda *_, value=value: value)
            keys.append(key_of_runs(program))
    for cpu in ("x86-64", "haswell"):
        monkeypatch.setenv(HOST_SETTING, f"-mcpu={cpu}")
        keys.append(key_of_runs(program))
    assert len(set(keys)) >= len(keys) - 1  # this machine may be taken for one of the two
    below = {Path(folder).resolve() for folder in ROOMS}
    assert below == {ROOT / room for room in ORDER[ORDER.index("vm") :]}  # all that emission may import


def test_weights_and_what_is_for_people_are_not_in_the_key() -> None:
    program = bound(first())
    changed = in_constant(1, np.zeros(3, np.float32))(program)
    (main,) = changed.exe.functions
    changed = replace(changed, exe=replace(changed.exe, functions=(replace(main, where={0: "dense"}),)))
    assert key_of_runs(changed) == key_of_runs(program)
    assert text_of(changed) == text_of(program)


@pytest.mark.slow
def test_processes_agree() -> None:
    """Whatever the order of sets: one names failures that the code of another meets."""
    said = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", SAYS]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
        assert done.returncode == 0, done.stderr[-2000:]
        said.add(done.stdout)
    assert len(said) == 1


def test_nothing_else_is_known_of_kernels_and_constants() -> None:
    """Whoever adds a field decides whether the text of a run follows from it, and then it is part of the key."""
    assert set(KernelEntry.__slots__) == {
        *("name", "kind", "workload", "dims", "device"),  # in the key
        *("plan", "artifact", "rung", "because"),  # not but for what is asked of a loaded kernel
    }
    asked = {"program", "name", "workload", "dims", "named", "operands", "may_need_workspace"}
    asked |= {"is_compiled", "function_name"}  # of a host function
    emitting = [*Path(compiled_regions.__file__).parent.glob("region*.py"), Path(emit.__file__)]
    source = "".join(path.read_text() for path in emitting)
    assert set(re.findall(r"\b(?:bound|kernel)\.(\w+)", source)) == asked


# -- what is kept ------------------------------------------------------------------------------------------------------


def kept_session(exe: Executable, cache: CodeCache, **more: AnyType) -> Session:
    """A session of kept code: none of it is emitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_regions, "emit_run", None)
        return Session(exe, cache=cache, **more)


def test_kept_code_is_not_emitted_again_and_does_the_same(tmp_path: Path) -> None:
    exe, _ = mlp()
    x = np.random.default_rng(0).standard_normal((5, 24), dtype=np.float32)
    cases: list[tuple[Executable, tuple[AnyType, ...]]] = [
        (exe, (x,)),
        (loop(), (np.array(7),)),
        (first(), (x[0, :3],)),
    ]
    for exe, given_ in cases:
        cache = CodeCache(tmp_path)
        wanted = Session(exe, cache=cache)
        found = kept_session(exe, cache)
        assert found._engine._native.runs.keys() == wanted._engine._native.runs.keys() != set()
        for at, (interface, _) in wanted._engine._native.runs.items():
            assert found._engine._native.runs[at][0] == interface
        np.testing.assert_array_equal(found(*given_), wanted(*given_))


def test_kept_code_says_what_failed(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path)
    exe, _ = mlp()
    Session(exe, cache=cache)
    said = []
    for session in (Session(exe, compiled=False), kept_session(exe, cache)):
        with pytest.raises(AnytileError, match="dense at mlp.0: expected equal sizes, got 23 and 24") as caught:
            session(np.ones((2, 23), np.float32))
        said.append(str(caught.value))
    assert said[0] == said[1]
    with pytest.raises(AnytileError, match="memory: expected to stay within 10 bytes"):
        kept_session(exe, cache, memory_limit=10)(np.ones((2, 24), np.float32))


def test_code_that_is_lost_is_made_again(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path)
    Session(list_sum(), cache=cache)
    key = key_of_runs(bound(list_sum()))
    assert cache.get(key) is not None
    (tmp_path / key[:2] / key).write_bytes(b"damaged")
    Session(list_sum(), cache=cache)
    assert cache.get(key) is not None


words = st.integers(0, 2**40)
few = st.lists(words, max_size=4).map(tuple)


@settings(max_examples=20)
@given(
    st.lists(
        st.builds(Interface, words, words, words, few, few, words, st.none() | st.tuples(words, words)), max_size=5
    )
)
def test_a_table_says_what_was_written(runs: list[Interface]) -> None:
    numbers = [int(n) for n in re.findall(r"i64 (\d+)", interfaces_text(runs).partition("] [")[2])]
    table = (ctypes.c_int64 * len(numbers))(*numbers)
    assert list(interfaces(ctypes.addressof(table))) == runs
